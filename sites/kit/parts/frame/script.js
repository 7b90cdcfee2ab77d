// Gives each frame the height of what stands in it.
(() => {
  "use strict";

  const fit = (frame) => {
    const grow = () => {
      const root = frame.contentDocument?.documentElement;
      // A frame in what is closed is as high as nothing until it is opened.
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
