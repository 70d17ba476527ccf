// Zip archives: the ROM file inside one.

import { ROM_SIZE_LIMIT } from './libale.js';

const ROM_FILE = /^(?!\._).*\.(a26|bin|rom)$/i; // "._" begins what macOS adds to a file
const PIECE = 4096; // bytes, which unpack to 4 MB at most
const STORED = 0;
const DEFLATED = 8;
const END = 0x06054b50;
const END_SIZE = 22;
const ENTRY = 0x02014b50;
const ENTRY_SIZE = 46;
const HEAD_SIZE = 30;

export const isZip = (bytes) => bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] < 9;

/**
 * The ROM file in an archive.
 * @param {Uint8Array} bytes of the archive
 * @returns {Promise<{name: string, bytes: Uint8Array}>}
 * @throws {Error} there is none, or more than one, or the archive is damaged; its text says which
 */
export async function romInZip(bytes) {
  let found;
  try {
    found = entries(bytes).filter(({ name }) => ROM_FILE.test(name));
  } catch {
    throw new Error('the zip archive is damaged'); // a place outside of it
  }
  if (found.length !== 1) {
    const names = found.map(({ name }) => name).slice(0, 5).join(', ');
    throw new Error(found.length ? `the zip archive holds several ROM files, open one of them: ${names}`
      : 'the zip archive holds no file that ends in .a26, .bin or .rom');
  }
  const [{ name, method, start, packed }] = found;
  if (method !== STORED && method !== DEFLATED) throw new Error(`${name} is packed in a way that is not known here`);
  const data = bytes.subarray(start, start + packed);
  return { name, bytes: method === STORED ? data.slice() : await inflate(data, name) };
}

/** What the directory at an archive's end lists. */
function entries(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = bytes.length - END_SIZE;
  while (view.getUint32(end, true) !== END) end--;
  const listed = [];
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left--) {
    if (view.getUint32(at, true) !== ENTRY) throw new RangeError('no entry');
    const [name, extra, comment] = [28, 30, 32].map((field) => view.getUint16(at + field, true));
    const head = view.getUint32(at + 42, true);
    listed.push({
      name: new TextDecoder().decode(bytes.subarray(at + ENTRY_SIZE, at + ENTRY_SIZE + name)).split('/').at(-1),
      method: view.getUint16(at + 10, true),
      packed: view.getUint32(at + 20, true),
      start: head + HEAD_SIZE + view.getUint16(head + 26, true) + view.getUint16(head + 28, true),
    });
    at += ENTRY_SIZE + name + extra + comment;
  }
  return listed;
}

/** Unpack no more than a ROM file may have. */
async function inflate(data, name) {
  const parts = [];
  let size = 0;
  let at = 0;
  const pieces = new ReadableStream({
    pull(to) {
      if (at < data.length) to.enqueue(data.slice(at, at += PIECE));
      else to.close();
    },
  });
  const reader = pieces.pipeThrough(new DecompressionStream('deflate-raw')).getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      parts.push(next.value);
      size += next.value.length;
      if (size > ROM_SIZE_LIMIT) break;
    }
  } catch {
    throw new Error(`${name} is damaged in the zip archive`);
  }
  if (size > ROM_SIZE_LIMIT) {
    reader.cancel().catch(() => {});
    throw new Error(`${name} is no ROM file: it has more than ${ROM_SIZE_LIMIT} bytes`);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
