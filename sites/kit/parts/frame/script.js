// Sets the height of each frame to that of its content.
(() => {
  "use strict";

  /** @type {(frame: HTMLIFrameElement) => void} */
  const fit = (frame) => {
    const grow = () => {
      const root = frame.contentDocument?.documentElement;
      // The content of a frame in a closed element has no height until the element is opened.
      if (root?.offsetHeight) frame.style.height = `${root.offsetHeight}px`;
    };
    const watch = () => {
      const inside = frame.contentDocument?.documentElement;
      if (!inside) return;
      new ResizeObserver(grow).observe(inside);
      grow();
    };
    frame.addEventListener("load", watch);
    if (frame.contentDocument?.readyState === "complete") watch();
  };

  globalThis.kit.each("iframe.kit-framed", fit);
})();
