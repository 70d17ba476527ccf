// Zip archives, and those within them: the ROM files inside.  Bounds are those of ../pyale_ma/games/archives.py.  That
// knows ROM files by their contents; here any may be opened, so their names must end as those of ROM files do.

import { ROM_SIZE_LIMIT } from './libale.js';

export const ZIP_SIZE_LIMIT = 64 * 2 ** 20; // bytes of an archive
export const UNPACKED_LIMIT = 256 * 2 ** 20; // bytes of all that is read from one, with those in it
const DIRECTORY_LIMIT = 4 * 2 ** 20; // bytes that list what is in it
const ENTRIES_LIMIT = 50_000; // of all archives that are in it
const NAME_LIMIT = 100; // characters of a name that are shown
const DEEPEST = 3; // an archive in an archive in an archive

const WANTED = /^(?!\._)\.*[^.].*\.(a26|bin|rom|zip)$/is; // "._" begins what macOS adds to a file
const PIECE = 4096; // bytes that are unpacked at a time
const PIECE_UNPACKED = 1032 * PIECE; // no byte of deflate is more than 1032
const STORED = 0;
const DEFLATED = 8;
const END = 0x06054b50;
const END_SIZE = 22;
const LOCATOR_64 = 0x07064b50; // before the end of archives of the 64-bit kind
const LOCATOR_64_SIZE = 20;
const ENTRY = 0x02014b50;
const ENTRY_SIZE = 46;
const HEAD = 0x04034b50;
const HEAD_SIZE = 30;

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  return crc;
});

export const isZip = (bytes) => bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] < 9;

/** The archive is left alone from here on. */
class TooMuchError extends Error {}

/** How many bytes may still be unpacked, and how many entries looked at. */
class Budget {
  constructor() {
    this.bytes = UNPACKED_LIMIT;
    this.entries = ENTRIES_LIMIT;
  }

  countEntry() {
    if (--this.entries < 0) throw new TooMuchError(`more than ${ENTRIES_LIMIT} entries are in this archive`);
  }

  take(bytes) {
    this.bytes -= bytes;
    if (this.bytes < 0) throw new TooMuchError(`more than ${UNPACKED_LIMIT} bytes are in this archive`);
  }
}

/**
 * The ROM files in an archive and in archives in it.
 * @param {Uint8Array} bytes of the archive
 * @param {(path: string[], why: string) => void} refuse told of what cannot be read, the whole archive ([]) or an
 *   entry; files with other endings than those of ROM files and archives are not mentioned
 * @returns {AsyncGenerator<{path: string[], name: string, bytes: Uint8Array}>} `path`: the archives that it is in, and
 *   the entry's name, with its folders; `name`: without them
 */
export async function* romsInZip(bytes, refuse) {
  try {
    yield* roms(bytes, [], refuse, new Budget());
  } catch (error) {
    if (!(error instanceof TooMuchError)) throw error;
    refuse([], error.message);
  }
}

async function* roms(bytes, archives, refuse, budget) {
  let listed;
  try {
    listed = entries(bytes);
  } catch (error) {
    const why = error instanceof RangeError ? 'its directory is damaged' : error.message;
    refuse(archives, `it is no zip file that can be read: ${why}`);
    return;
  }
  for (const entry of listed) {
    budget.countEntry();
    const path = [...archives, shortened(entry.name)];
    const name = entry.name.split('/').at(-1);
    const ending = WANTED.exec(name)?.[1].toLowerCase();
    if (!ending) continue;
    const nested = ending === 'zip';
    if (nested && path.length === DEEPEST) {
      refuse(path, 'it lies too deep in other archives');
      continue;
    }
    let data;
    try {
      data = await unpack(bytes, entry, nested ? ZIP_SIZE_LIMIT : ROM_SIZE_LIMIT, budget);
    } catch (error) {
      if (error instanceof TooMuchError) throw error;
      refuse(path, error.message);
      continue;
    }
    if (nested) yield* roms(data, path, refuse, budget);
    else yield { path, name: shortened(name), bytes: data };
  }
}

/** A name to be shown, which in an archive may have 65,535 bytes. */
function shortened(name) {
  return name.length <= NAME_LIMIT ? name : `${name.slice(0, NAME_LIMIT / 2)}…${name.slice(-NAME_LIMIT / 2)}`;
}

const viewOf = (bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** What the directory at an archive's end lists; a RangeError where that is not what it should be. */
function entries(bytes) {
  const view = viewOf(bytes);
  let end = bytes.length - END_SIZE;
  const first = Math.max(0, end - 65535); // after it there may be a comment
  while (end >= first && view.getUint32(end, true) !== END) end--;
  if (end < first) throw new Error('it has no directory');
  if (end >= LOCATOR_64_SIZE && view.getUint32(end - LOCATOR_64_SIZE, true) === LOCATOR_64)
    throw new Error('it is of the 64-bit kind, for archives larger than ROM files need');
  const size = view.getUint32(end + 12, true);
  if (size > DIRECTORY_LIMIT) throw new Error('it lists too many entries');
  const before = end - size - view.getUint32(end + 16, true); // bytes that are not the archive's, as a program
  const listed = [];
  for (let at = end - size; at < end;) {
    if (view.getUint32(at, true) !== ENTRY) throw new RangeError();
    const [name, extra, comment] = [28, 30, 32].map((field) => view.getUint16(at + field, true));
    listed.push({
      name: new TextDecoder().decode(bytes.subarray(at + ENTRY_SIZE, at + ENTRY_SIZE + name)),
      flags: view.getUint16(at + 8, true),
      method: view.getUint16(at + 10, true),
      crc: view.getUint32(at + 16, true),
      packed: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      head: before + view.getUint32(at + 42, true),
    });
    at += ENTRY_SIZE + name + extra + comment;
  }
  return listed;
}

/** An entry's bytes, which are as many as it says, and no more than `most`. */
async function unpack(bytes, { flags, method, crc, packed, size, head }, most, budget) {
  if (flags & 1) throw new Error('it is encrypted');
  if (method !== STORED && method !== DEFLATED) throw new Error('it is packed by a method other than deflate');
  if (size > most) throw new Error(`it has more than ${most} bytes`);
  // Before, for what is damaged takes its time as well; and so does what unpacks to nothing.
  budget.take(Math.max(size, Math.min(packed, ZIP_SIZE_LIMIT)));
  try {
    const view = viewOf(bytes);
    if (view.getUint32(head, true) !== HEAD) throw new RangeError();
    const start = head + HEAD_SIZE + view.getUint16(head + 26, true) + view.getUint16(head + 28, true);
    const data = bytes.subarray(start, start + packed);
    const unpacked = method === STORED ? data : await inflate(data, size);
    if (unpacked.length !== size || checksum(unpacked) !== crc) throw new RangeError();
    return unpacked;
  } catch {
    budget.take(PIECE_UNPACKED); // as much may have been unpacked in vain
    throw new Error('it is damaged');
  }
}

/** Unpack at most so many bytes; a RangeError where there are more. */
export async function inflate(data, most) {
  const unpacked = new Uint8Array(most);
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
      unpacked.set(next.value, size);
      size += next.value.length;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
  return unpacked.subarray(0, size);
}

export async function deflate(data) {
  const packed = new Blob([data]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

/** CRC-32. */
export function checksum(bytes) {
  let crc = -1;
  for (let i = 0; i < bytes.length; i++) crc = CRC_TABLE[(crc ^ bytes[i]) & 255] ^ (crc >>> 8);
  return ~crc >>> 0;
}
