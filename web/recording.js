// Recordings: files of what was played, written and read as ../docs/development/recording-file.md specifies them.
// Whatever is read was sent by a stranger until it is checked; what is wrong is said with its place, in an Error.

import { MAX_PLAYERS, RAM_SIZE } from './libale.js';
import { checksum, deflate, inflate, UNPACKED_LIMIT } from './zip.js';

export const CHECK_EVERY = 100; // steps, after which the page keeps RAM
const FORMAT = 'pyale_ma recording';
const VERSION = 1;
const FIRST = 'recording.json';
const MOST_ENTRIES = 2 ** 24; // steps of a chunk, times players
const MOST_CHECKS = 2 ** 20;
const MOST_JSON = 2 ** 24; // bytes of a member
const MOST_HEADER = 4096; // bytes of a .npy file's
const MOST_RESETS = 64; // in a row, which the page plays between two of its frames
const MOST_SHOWN = 80; // characters of a value that is refused, and entries of its lists
const STORED = 0;
const DEFLATED = 8;
const HEAD = 0x04034b50; // what a member begins with, the directory, and its end
const ENTRY = 0x02014b50;
const END = 0x06054b50;
const HEAD_SIZE = 30;
const ENTRY_SIZE = 46;
const END_SIZE = 22;

// What Python's environments do that this page does not, by the layer of a recording.
const SEEDED = 'environment of Python, whose steps have several frames, and whose seeds go through NumPy\'s generators';
const UNPLAYED = {
  single: `an ${SEEDED} (layer "single")`,
  multi: `an ${SEEDED} (layer "multi")`,
  vector: 'a vector of Python\'s, which is many environments (layer "vector")',
};
const REMEDY = 'verify it with `pyale-ma replay FILE`, and see it with `pyale-ma replay FILE --film play.mp4`';

const member = (chunk, name = '') => `chunks/${String(chunk).padStart(6, '0')}/${name}`;

/** The arrays of a chunk: of which kind of numbers, how .npy files name it, and of which shape. */
function arraysOf({ players, continuous }, steps, rams) {
  const each = [steps, 1, players];
  return {
    actions: [Uint8Array, '|u1', each],
    ...(continuous && { strengths: [Float32Array, '<f4', each] }),
    rewards: [Int32Array, '<i4', each],
    terminations: [Uint8Array, '|b1', each],
    truncations: [Uint8Array, '|b1', each.slice(0, 2)],
    ram: [Uint8Array, '|u1', [rams, 1, RAM_SIZE]],
  };
}

const sizeOf = (shape) => shape.reduce((product, length) => product * length, 1);

// ---- Writing ----------------------------------------------------------------------------------------------

/**
 * A recording of one chunk, which begins with a reset.
 * @param {object} header the fields of recording.json that tell one play from another
 * @param {{acts: number[][], strengths: number[][], rewards: number[][], ends: number[][], rams: Uint8Array[]}} played
 *   of each step; `ends`: whether it terminated and truncated the episode; `rams`: of each `CHECK_EVERY` steps
 * @param {Uint8Array} ram at the end
 * @param {string[]} screens `digest` of the last screen
 * @returns {Promise<Uint8Array>} the file
 */
export async function writeRecording(header, { acts, strengths, rewards, ends, rams }, ram, screens) {
  const steps = acts.length;
  const { players } = header;
  const values = {
    actions: acts.flat(),
    strengths: strengths.flat(),
    rewards: rewards.flat(),
    terminations: ends.flatMap(([terminated]) => new Array(players).fill(terminated)),
    truncations: ends.map(([, truncated]) => truncated),
    ram: [...rams, ram].flatMap((bytes) => [...bytes]),
  };
  const zip = new ZipWriter();
  await zip.json(FIRST, { format: FORMAT, version: VERSION, ...header });
  for (const [name, [kind, descr, shape]] of Object.entries(arraysOf(header, steps, rams.length + 1)))
    await zip.add(member(0, `${name}.npy`), npy(kind.from(values[name]), descr, shape));
  const checks = rams.map((_, i) => CHECK_EVERY * (i + 1));
  await zip.json(member(0, 'chunk.json'), { steps, resets: [{ step: 0, seed: null }], checks, final: true, begin: null });
  await zip.json('end.json', { steps, screens });
  return zip.end();
}

/** A .npy file, version 1.0. */
function npy(array, descr, shape) {
  const dimensions = `${shape.join(', ')}${shape.length === 1 ? ',' : ''}`;
  const text = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${dimensions}), }`;
  const size = 64 * Math.ceil((10 + text.length + 1) / 64);
  const file = new Uint8Array(size + array.byteLength);
  file.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, (size - 10) & 255, (size - 10) >> 8]);
  file.set(new TextEncoder().encode(`${text.padEnd(size - 11)}\n`), 10);
  file.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), size);
  return file;
}

class ZipWriter {
  constructor() {
    this.parts = [];
    this.directory = [];
    this.size = 0;
    this.count = 0;
  }

  json(name, value) { return this.add(name, new TextEncoder().encode(JSON.stringify(value))); }

  async add(name, bytes) {
    const packed = await deflate(bytes);
    const letters = new TextEncoder().encode(name);
    // Version, flags, method, time, date; sums and sizes; of the name and of what else there is, which is nothing.
    const shared = [[2, 20], [2, 0], [2, DEFLATED], [2, 0], [2, 0x21], [4, checksum(bytes)], [4, packed.length],
      [4, bytes.length], [2, letters.length], [2, 0]];
    this.parts.push(numbers([4, HEAD], ...shared), letters, packed);
    const place = [[2, 0], [2, 0], [2, 0], [4, 0], [4, this.size]];
    this.directory.push(numbers([4, ENTRY], [2, 20], ...shared, ...place), letters);
    this.size += HEAD_SIZE + letters.length + packed.length;
    this.count += 1;
  }

  end() {
    const directory = joined(this.directory);
    const count = [2, this.count];
    const end = numbers([4, END], [2, 0], [2, 0], count, count, [4, directory.length], [4, this.size], [2, 0]);
    return joined([...this.parts, directory, end]);
  }
}

/** Numbers of so many bytes each, the low byte first. */
function numbers(...given) {
  return Uint8Array.from(given.flatMap(([size, n]) => [...Array(size).keys()].map((i) => (n >>> (8 * i)) & 255)));
}

function joined(parts) {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** SHA-256 of a console's screen in RGB; null as of `sha256`. */
export async function digest(console) {
  const { screen, palette } = console;
  const rgb = new Uint8Array(3 * screen.length);
  for (let i = 0; i < screen.length; i++) rgb.set(palette.subarray(3 * screen[i], 3 * screen[i] + 3), 3 * i);
  return sha256(rgb);
}

/** SHA-256 in hexadecimal; null where the page did not come safely, so that browsers refuse it. */
export async function sha256(bytes) {
  if (!globalThis.crypto?.subtle) return null;
  return hexadecimal(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
}

export function hexadecimal(bytes) { return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(''); }

// ---- Reading ----------------------------------------------------------------------------------------------

/** Whether a file is a recording, or pretends to be one. */
export function isRecording(bytes) {
  return new TextDecoder().decode(bytes.subarray(HEAD_SIZE, HEAD_SIZE + FIRST.length)) === FIRST;
}

/**
 * What a file says, checked: `header`, `chunks` with their arrays, `steps`, `screen` (or null), and `complete`.
 * @param {Uint8Array} bytes
 */
export async function readRecording(bytes) {
  const { entries, closed } = scan(bytes);
  let budget = UNPACKED_LIMIT;
  const read = async (name, most) => {
    const { method, crc, packed, size } = entries.get(name) ?? refuse(`${name} is missing; the file is damaged`);
    if (size > most) refuse(`${name} has ${size} bytes; it must have at most ${most}`);
    budget -= Math.max(size, packed.length);
    if (budget < 0) refuse(`it has more than ${UNPACKED_LIMIT} bytes, which are too many for this page`);
    const data = method === STORED ? packed : await inflate(packed, size).catch(() => []);
    if (data.length !== size || checksum(data) !== crc) damaged(`${name} is damaged: its checksum is another`);
    return data;
  };
  const json = async (name) => {
    const data = await read(name, MOST_JSON);
    let value;
    try {
      value = JSON.parse(new TextDecoder().decode(data));
    } catch {
      refuse(`${name} is no JSON`);
    }
    return new Fields(name, value);
  };
  const header = checkedHeader(await json(FIRST));
  const known = new Set([FIRST, 'end.json']);
  const chunks = [];
  let steps = 0;
  const add = async (name) => {
    const chunk = checkedChunk(await json(name), header, chunks.at(-1)?.row ?? 0);
    const arrays = {};
    known.add(name);
    for (const [part, [kind, descr, shape]] of Object.entries(arraysOf(header, chunk.steps, chunk.rams))) {
      const file = member(chunks.length, `${part}.npy`);
      known.add(file);
      arrays[part] = arrayIn(file, await read(file, MOST_HEADER + kind.BYTES_PER_ELEMENT * sizeOf(shape)), kind, descr, shape);
    }
    if (chunk.keyframe) known.add(member(chunks.length, 'state.npy')); // which follows from what came before
    chunks.push({ first: steps, ...chunk, arrays });
    steps += chunk.steps;
  };
  try {
    for (let name; entries.has((name = member(chunks.length, 'chunk.json')));) await add(name);
    if (entries.has('end.json')) await read('end.json', MOST_JSON);
  } catch (error) {
    const [last, next] = [member(chunks.length), member(chunks.length + 1)];
    if (!error.isDamage || closed || entries.has(`${next}chunk.json`)) throw error;
    // The system lost what its writer wrote last: the file ends before.
    for (const name of [...entries.keys()])
      if (name === 'end.json' || name.startsWith(last) || name.startsWith(next)) entries.delete(name);
  }
  const complete = entries.has('end.json');
  for (const name of entries.keys()) // without an end what was added last may be a part of a chunk
    if (!known.has(name) && (complete || !name.startsWith(member(chunks.length)))) refuse(`there is no place for '${name}'`);
  let screen = null;
  if (complete) {
    const end = await json('end.json');
    if (end.integer('steps', 0, 2 ** 52) !== steps) end.refuse('steps', `${steps}, as many as its chunks have`);
    const screens = end.list('screens', 1, (it) => typeof it === 'string' && /^[0-9a-f]{64}$/.test(it),
      'a list of SHA-256 in hexadecimal');
    screen = screens[0] ?? null;
  }
  return { header, chunks, steps, screen, complete };
}

/** Refuse a member whose bytes are others than were written. */
function damaged(text) { throw Object.assign(new Error(text), { isDamage: true }); }

export function refuse(text) { throw new Error(text); }

const shown = (value) => {
  const text = JSON.stringify(pruned(value)) ?? 'missing';
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
};

/** As much of a value as a message may show: files can nest lists deeper than the stack is. */
function pruned(value, depth = 2) {
  if (value === null || typeof value !== 'object') return value;
  if (!depth) return '…';
  const few = Object.entries(value).slice(0, MOST_SHOWN).map(([name, it]) => [name, pruned(it, depth - 1)]);
  return Array.isArray(value) ? few.map(([, it]) => it) : Object.fromEntries(few);
}

/** The members by name, as far as they are whole; of a file with a directory all must be. */
function scan(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const closed = bytes.length >= END_SIZE && view.getUint32(bytes.length - END_SIZE, true) === END;
  const entries = new Map();
  for (let at = 0; ;) {
    const mark = at + 4 <= bytes.length ? view.getUint32(at, true) : 0;
    if (mark === ENTRY) return { entries, closed };
    let problem = 'begins with other bytes than an entry of a zip';
    if (mark === HEAD && at + HEAD_SIZE <= bytes.length) {
      const [flags, method, nameSize, extra] = [6, 8, 26, 28].map((field) => view.getUint16(at + field, true));
      const [crc, packed, size] = [14, 18, 22].map((field) => view.getUint32(at + field, true));
      const begin = at + HEAD_SIZE;
      const start = begin + nameSize + extra;
      problem = 'is larger than the file';
      if (flags || (method !== STORED && method !== DEFLATED) || !size) problem = 'was written by another program';
      else if (start + packed <= bytes.length && packed) { // 0: its writer had yet to say it
        const name = new TextDecoder().decode(bytes.subarray(begin, begin + nameSize));
        if (entries.has(name)) refuse(`'${name.slice(0, MOST_SHOWN)}' is there twice`);
        entries.set(name, { method, crc, size, packed: bytes.subarray(start, start + packed) });
        at = start + packed;
        continue;
      }
    }
    if (closed || !at) refuse(`what is at byte ${at} ${problem}`);
    return { entries, closed };
  }
}

/** The numbers in a .npy file. */
function arrayIn(name, data, Kind, descr, shape) {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const size = data.length >= 10 ? 10 + view.getUint16(8, true) : Infinity;
  if (size > data.length || view.getUint32(0) !== 0x934e554d || view.getUint32(4) !== 0x50590100)
    refuse(`${name} is no .npy file of version 1.0`);
  const text = new TextDecoder().decode(data.subarray(10, size));
  const said = /^\{'descr': '([|<]\w\d)', 'fortran_order': False, 'shape': \(([\d, ]*)\), \}\s*$/.exec(text);
  const found = said?.[2].split(',').filter((part) => part.trim()).map(Number);
  if (said?.[1] !== descr || found.join() !== shape.join()) refuse(`${name} is ${shown(text.trim())}; it must be ${descr} (${shape})`);
  if (data.length - size !== Kind.BYTES_PER_ELEMENT * sizeOf(shape)) refuse(`${name} has ${data.length} bytes, not as many as it says`);
  const numbers = new Kind(data.slice(size).buffer);
  if (Kind === Float32Array && !numbers.every(Number.isFinite)) refuse(`${name} must have finite numbers`);
  if (descr === '|b1' && numbers.some((it) => it > 1)) refuse(`${name} has a truth value that is neither 0 nor 1`);
  return numbers;
}

/** Values of a JSON object, each checked when it is asked for. */
export class Fields {
  constructor(place, values) {
    if (values === null || typeof values !== 'object' || Array.isArray(values)) refuse(`${place} is no JSON object`);
    this.place = place;
    this.values = values;
  }

  refuse(name, wanted) { refuse(`${this.place}: ${name} is ${shown(this.values[name])}; it must be ${wanted}`); }

  which(name, fits, wanted) {
    const value = this.values[name];
    if (!fits(value)) this.refuse(name, wanted);
    return value;
  }

  integer(name, low, high) {
    return this.which(name, (it) => Number.isInteger(it) && low <= it && it <= high, `a whole number, ${low} to ${high}`);
  }

  boolean(name) { return this.which(name, (it) => typeof it === 'boolean', 'true or false'); }
  string(name, most) {
    return this.which(name, (it) => typeof it === 'string' && it.length <= most, `a text of at most ${most} letters`);
  }

  list(name, most, fits, wanted) {
    return this.which(name, (it) => Array.isArray(it) && it.length <= most && it.every(fits), wanted);
  }

  object(name) { return new Fields(`${this.place}: ${name}`, this.values[name] ?? null); }
}

/** What recording.json says, as far as the page can play it. */
function checkedHeader(fields) {
  fields.which('format', (it) => it === FORMAT, `'${FORMAT}'`);
  fields.which('version', (it) => it === VERSION, `${VERSION}; open it with a newer pyale_ma`);
  const layer = fields.which('layer', (it) => it === 'console' || Object.hasOwn(UNPLAYED, it), 'a layer');
  if (layer !== 'console') refuse(`it was played by ${UNPLAYED[layer]}, and this page plays one console frame by frame; ${REMEDY}`);
  const players = fields.integer('players', 1, MAX_PLAYERS);
  const [played] = fields.list('games', 1, (it) => it !== null && typeof it === 'object', 'a list of one game');
  const game = new Fields(`${fields.place}: games`, played ?? null);
  if ((game.values.card ?? null) !== null) refuse(`its game is defined by a card, which this page does not read; ${REMEDY}`);
  const options = fields.object('options');
  if (options.integer('players', 1, MAX_PLAYERS) !== players) options.refuse('players', `${players}, as outside of the options`);
  const int = (name) => options.integer(name, -(2 ** 31), 2 ** 31 - 1);
  return {
    version: fields.string('pyale_ma', 100), game: game.string('name', 100), md5: game.string('md5', 40), players,
    continuous: fields.boolean('continuous'), rules: options.integer('rules', 0, 1), mode: int('mode'),
    difficulty: int('difficulty'), seed: int('random_seed'),
    sticky: options.which('repeat_action_probability', (it) => Number.isFinite(it) && Math.abs(it) < 1e30, 'a number'),
    lineup: lineupIn(fields.values.metadata, players),
    corrected: 'corrected_rules' in options.values && options.boolean('corrected_rules'), // earlier versions lack it
  };
}

/** Who played, by seat, as the writer says; none: it does not say. */
function lineupIn(metadata, players) {
  const lineup = metadata?.lineup;
  const fits = Array.isArray(lineup) && lineup.length <= players && lineup.every((it) => typeof it === 'string');
  return fits ? lineup.map((name) => name.slice(0, MOST_SHOWN)) : [];
}

/** What chunk.json says; `row`: of how many resets, one after the other, the chunk before ended. */
function checkedChunk(fields, { players }, row) {
  const steps = fields.integer('steps', 0, Math.floor(MOST_ENTRIES / players));
  const checks = fields.list('checks', MOST_CHECKS, (it, i, all) => Number.isInteger(it) && it > (all[i - 1] ?? 0) && it <= steps,
    `a list of different numbers in ascending order, 1 to ${steps}`);
  const final = fields.boolean('final');
  const begin = fields.values.begin ?? null;
  if (begin !== null && fields.object('begin').which('kind', (it) => ['start', 'keyframe'].includes(it), "'start' or 'keyframe'") === 'start')
    refuse(`it goes on from a saved state, which this page does not read; ${REMEDY}`);
  const resets = fields.list('resets', MOST_RESETS * (steps + 1), (it) => it !== null && typeof it === 'object', 'a list of objects').map((it) => {
    const reset = new Fields(`${fields.place}: resets`, it);
    reset.which('seed', (seed) => seed === null, 'null, as consoles have one seed');
    return reset.integer('step', 0, steps);
  });
  if (resets.some((step, i) => step < (resets[i - 1] ?? 0))) fields.refuse('resets', 'in the order of play');
  for (const [i, step] of resets.entries()) {
    row = step === (resets[i - 1] ?? 0) ? row + 1 : 1;
    if (row > MOST_RESETS) fields.refuse('resets', `at most ${MOST_RESETS} before a step, for this page`);
  }
  row = (resets.at(-1) ?? 0) === steps ? row : 0;
  return { steps, resets, checks, rams: checks.length + final, final, keyframe: begin !== null, row };
}
