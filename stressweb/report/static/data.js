// What the file carries as data, and what its side files do: text in base64, some of it compressed.
/** @type {(id: string) => string | undefined} */
const embedded = (id) => document.getElementById(id)?.textContent;

/**
 * @template Given
 * @param {(key: string) => Promise<Given>} make
 * @returns {(key: string) => Promise<Given>}
 */
const once = (make) => {
  /** @type {Map<string, Promise<Given>>} */
  const made = new Map();
  return (key) => {
    if (!made.has(key)) {
      made.set(key, make(key));
      // What failed is tried again when it is asked for again.
      /** @type {Promise<Given>} */ (made.get(key)).catch(() => made.delete(key));
    }
    return /** @type {Promise<Given>} */ (made.get(key));
  };
};

/** @type {Map<string, string>} */
const held = new Map();
/** @type {Map<string, string>} */
const elsewhere = new Map();
const folder = /** @type {HTMLMetaElement | null} */ (document.querySelector("meta[name='stressweb files']"))?.content;

/**
 * What a side file assigns, as stressweb/report/side_files.py writes it.
 *
 * @typedef {object} SidePayload
 * @property {Record<string, string>} blocks - By id.
 * @property {Record<string, string>} elsewhere - Names of other side files, by the id of a block in them.
 */

// A side file assigns its blocks to the element that loads it: a page opened from disk may load a script, and fetch
// nothing.
/** @type {(name: string) => Promise<void>} */
const loadFile = once(
  (name) =>
    new Promise((resolve, reject) => {
      const script = /** @type {HTMLScriptElement & {payload: SidePayload}} */ (document.createElement("script"));
      script.src = `${folder}/${name}`;
      script.addEventListener("load", () => {
        Object.entries(script.payload.blocks).forEach(([id, text]) => held.set(id, text));
        Object.entries(script.payload.elsewhere).forEach(([id, file]) => elsewhere.set(id, file));
        script.remove();
        resolve();
      });
      script.addEventListener("error", () => {
        script.remove();
        reject(new Error(`${folder}/${name} cannot be read`));
      });
      document.head.append(script);
    }),
);

/** @type {(id: string) => Promise<string>} */
const block = async (id) => {
  const here = embedded(id);
  if (here !== undefined) return here;
  if (!held.has(id)) await loadFile(/** @type {string} */ (elsewhere.get(id)));
  return /** @type {string} */ (held.get(id));
};

/** @type {(id: string) => Promise<Uint8Array<ArrayBuffer>>} */
const bytesOf = async (id) => Uint8Array.from(atob(await block(id)), (letter) => letter.charCodeAt(0));

/** @type {(id: string) => Promise<string>} */
const unpack = async (id) => {
  const stream = new Blob([await bytesOf(id)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
};
