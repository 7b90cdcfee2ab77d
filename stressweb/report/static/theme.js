// Light or dark: as the system has it, until the reader chooses.
const root = document.documentElement;
const system = matchMedia("(prefers-color-scheme: dark)");
const themed = [];

const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);

const retheme = () => {
  document.getElementById("theme").textContent = isDark() ? "Light" : "Dark";
  themed.forEach((draw) => draw());
};

const setTheme = (theme) => {
  if (theme) root.dataset.theme = theme;
  else delete root.dataset.theme;
  retheme();
};

document.getElementById("theme").addEventListener("click", () => setTheme(isDark() ? "light" : "dark"));
system.addEventListener("change", retheme);

// Paper is white, whatever the screen is.
let chosen;
addEventListener("beforeprint", () => {
  chosen = root.dataset.theme;
  setTheme("light");
});
addEventListener("afterprint", () => setTheme(chosen));
retheme();
