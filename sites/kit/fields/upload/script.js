// Lists below a file field which files were chosen: the field itself shows the name of one, and a number for more.
(() => {
  "use strict";

  const tell = (holder) => {
    const list = holder.querySelector("ul");
    const files = [...holder.querySelector("input").files];
    list.hidden = !files.length;
    list.replaceChildren(
      ...files.map((file) => Object.assign(document.createElement("li"), { textContent: file.name })),
    );
  };

  globalThis.kit.each("[data-upload]", (holder) => {
    holder.addEventListener("change", () => tell(holder));
    // A form that is emptied holds its fields until the event is over; a page that comes back may still have its files.
    holder.querySelector("input").form.addEventListener("reset", () => setTimeout(() => tell(holder)));
    tell(holder);
  });
})();
