// Light or dark: as the system has it, until the reader chooses.
const root = document.documentElement;
const system = matchMedia("(prefers-color-scheme: dark)");
/** @type {(() => unknown)[]} */
const themed = [];

const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);

const retheme = () => {
  /** @type {HTMLElement} */ (document.getElementById("theme")).textContent = isDark() ? "Light" : "Dark";
  themed.forEach((draw) => draw());
};

/** @type {(theme: string | undefined) => void} */
const setTheme = (theme) => {
  if (theme) root.dataset.theme = theme;
  else delete root.dataset.theme;
  retheme();
};

/** @type {HTMLElement} */ (document.getElementById("theme")).addEventListener("click", () =>
  setTheme(isDark() ? "light" : "dark"),
);
system.addEventListener("change", retheme);

// Paper is white, whatever the screen is.
/** @type {string | undefined} */
let chosen;
addEventListener("beforeprint", () => {
  chosen = root.dataset.theme;
  setTheme("light");
});
addEventListener("afterprint", () => setTheme(chosen));
retheme();
