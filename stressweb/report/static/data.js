// What the file carries as data: text in base64, some of it compressed. Nothing is fetched.
const block = (id) => document.getElementById(id).textContent;

const unpack = async (id) => {
  const bytes = Uint8Array.from(atob(block(id)), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
};

const once = (make) => {
  const made = new Map();
  return (key) => {
    if (!made.has(key)) made.set(key, make(key));
    return made.get(key);
  };
};
