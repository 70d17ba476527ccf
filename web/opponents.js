// Opponents: trained ones, as ../docs/opponents.md describes them, and scripted ones.
//
//     const trained = await readPlayers(bytes); // of a file such as pong-2-4.players
//     const strong = levelsOf(trained).at(-1);
//     const opponents = new Opponents(strong, [1], () => 7);
//     opponents.act(console.ram); // once a frame: [the action of the second player]
//
// A network's numbers are whole and below 2^53, where JavaScript's are exact: it decides here what it decides in Python
// (../pyale_ma/opponents/network.py).

import { ACTION_NAMES, MAX_PLAYERS, RAM_SIZE } from './libale.js';
import { Fields, hexadecimal, refuse, sha256 } from './recording.js';

const TRAINED = ['weak', 'middle', 'strong'];
const FRAMESKIP = 4; // frames for which scripted ones hold an action
const STAY = 0.9; // the probability with which "sticky" does what it did before
const NOOP = 0;

const MAGIC = 'pyale_ma players 1\n';
const MOST_BYTES = 100 * 1024; // of a file
const DIGEST_SIZE = 32;
const UNIT_BITS = 10; // of what goes into a layer
const LOGIT_BITS = 5; // of what the last one says
const LARGEST_INPUT = 5 * 2 ** UNIT_BITS;
const LARGEST_HIDDEN = 2 ** 20;
const MOST_INPUTS = 256; // of a layer
const MOST_SHIFT = 15;

// ---- Opponents at a console -------------------------------------------------------------------------------

/** Opponents in one episode of a console that is played frame by frame: they hold what they decided for some frames. */
export class Opponents {
  /**
   * @param {object} level one of `levelsOf` or `scriptedLevels`
   * @param {number[]} seats which players they are, 0 for the first
   * @param {() => number} draw makes a uint32, with which an opponent's random numbers begin
   */
  constructor({ frameskip, sit }, seats, draw) {
    this.frameskip = frameskip;
    this.deciders = seats.map((seat) => sit(seat, draw()));
    this.frame = 0;
  }

  /** The actions of the next frame, one for each seat, by ale-py's numbers. */
  act(ram) {
    if (this.frame % this.frameskip === 0) this.held = this.deciders.map((decide) => decide(ram));
    this.frame += 1;
    return this.held;
  }
}

/** A uint32 by chance. */
export function drawStart() { return crypto.getRandomValues(new Uint32Array(1))[0]; }

/**
 * The levels of a file of players.
 *
 * A level has a name; the players and the mode that it can play, null: any; and `sit(seat, start)`, which makes a function
 * that decides in one episode: from RAM, a Uint8Array, to an action.
 */
export function levelsOf({ players, mode, frameskip, actions, networks }) {
  return [...networks].map(([name, network]) => ({
    name, players, mode, frameskip,
    sit: (seat, start) => {
      const random = new Random(start);
      let before;
      return (ram) => {
        const now = network.used.map((byte) => ram[byte]);
        const logits = network.logits(now, before ?? now, seat);
        before = now;
        return actions[choose(logits, random.next())];
      };
    },
  }));
}

/** The levels that play any game with these actions, and look at nothing. */
export function scriptedLevels(actions) {
  const anything = (random) => actions[random.below(actions.length)];
  const deciders = {
    random: (random) => () => anything(random),
    still: () => () => NOOP,
    sticky: (random) => {
      let action;
      return () => {
        if (action === undefined || random.next() >= STAY * 2 ** 32) action = anything(random);
        return action;
      };
    },
  };
  return Object.entries(deciders).map(([name, decider]) => ({
    name, players: null, mode: null, frameskip: FRAMESKIP, sit: (seat, start) => decider(new Random(start)),
  }));
}

// ---- Decisions --------------------------------------------------------------------------------------------

class Network {
  /**
   * @param {number[]} used the bytes of RAM that it sees
   * @param {Float64Array} scale what these, and their changes, are multiplied by
   * @param {Float64Array} offset what is subtracted then
   * @param {object[]} layers three; the first has weights for each seat
   */
  constructor(used, scale, offset, layers) { Object.assign(this, { used, scale, offset, layers }); }

  /** What speaks for each action, of the bytes that it sees now and saw at its decision before. */
  logits(now, before, seat) {
    const seen = [...now, ...now.map((byte, i) => byte - before[i])];
    const inputs = seen.map((value, i) => clip(value * this.scale[i] - this.offset[i], -LARGEST_INPUT, LARGEST_INPUT));
    const [first, between, last] = this.layers;
    const hidden = rectified(sums(between, rectified(sums(first, inputs, seat), first.shift)), between.shift);
    return sums(last, hidden).map((sum) => Math.floor(sum * 2 ** (LOGIT_BITS - UNIT_BITS - last.shift)));
  }
}

function sums({ weights, bias, outputs }, inputs, seat = 0) {
  const made = bias.slice(seat * outputs, (seat + 1) * outputs);
  let at = seat * inputs.length * outputs;
  for (const input of inputs) for (let i = 0; i < outputs; i++) made[i] += input * weights[at++];
  return made;
}

/** A layer's sums as the next one's inputs. */
function rectified(values, shift) { return values.map((sum) => clip(Math.floor(sum * 2 ** -shift), 0, LARGEST_HIDDEN)); }

function clip(value, low, high) { return Math.max(low, Math.min(high, value)); }

/** A random generator, whose state is a uint32. */
class Random {
  constructor(state) { this.state = state >>> 0; }

  /** The next uint32. */
  next() {
    this.state = (this.state + 0x9e3779b9) >>> 0;
    let mixed = this.state ^ (this.state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  }

  /** A whole number from 0 to below `most`. */
  below(most) { return Math.floor((this.next() * most) / 2 ** 32); }
}

// 2^16 times e to the power of 0, -1, -2... in units of a logit, as far as it counts.
const EXPONENTIALS = (() => {
  const values = [];
  for (let value = 2n ** 80n; value >= 2n ** 63n; value = (value * 17879197424118840458n) >> 64n)
    values.push(Number((value + 2n ** 63n) >> 64n));
  return [...values, 0];
})();

/** The index of an action: more likely by a factor of e for each unit of what speaks for it.  `drawn` is a uint32. */
function choose(logits, drawn) {
  const most = Math.max(...logits);
  let total = 0;
  const shares = Array.from(logits, (logit) => (total += EXPONENTIALS[Math.min(most - logit, EXPONENTIALS.length - 1)]));
  const picked = Math.floor((drawn * total) / 2 ** 32); // below 2^53, as there are at most 18 actions
  return shares.findIndex((share) => share > picked);
}

// ---- Files ------------------------------------------------------------------------------------------------

/**
 * What a file of players says, as ../pyale_ma/opponents/weights.py writes it; whatever is used of it is checked.
 * @param {Uint8Array} bytes
 * @returns {Promise<object>} `md5` of the image, `players`, `mode`, `frameskip`, `actions` by ale-py's numbers, and
 *   `networks` by the names of levels, the weakest first
 */
export async function readPlayers(bytes) {
  if (bytes.length > MOST_BYTES) refuse(`it has more than ${MOST_BYTES} bytes`);
  const text = new TextDecoder();
  if (text.decode(bytes.subarray(0, MAGIC.length)) !== MAGIC) refuse(`it does not begin with '${MAGIC.trim()}'`);
  const body = bytes.subarray(0, -DIGEST_SIZE);
  const sum = await sha256(body);
  if (sum && sum !== hexadecimal(bytes.subarray(-DIGEST_SIZE))) refuse('it is damaged: its checksum is another');
  const end = body.indexOf(10, MAGIC.length);
  if (end < 0) refuse('it has no second line');
  let header;
  try {
    header = JSON.parse(text.decode(body.subarray(MAGIC.length, end)));
  } catch {
    refuse('its second line is no JSON');
  }
  const fields = new Fields('its second line', header);
  const read = {
    md5: fields.string('md5', 32), players: fields.integer('players', 1, MAX_PLAYERS), mode: fields.integer('mode', 0, 2 ** 31 - 1),
    frameskip: fields.integer('frameskip', 1, 60), actions: ascending(fields, 'actions', ACTION_NAMES.length),
    networks: new Map(),
  };
  const numbers = new Numbers(body.subarray(end + 1));
  for (const { name, network } of levelList(fields))
    read.networks.set(name, readNetwork(new Fields(`the network of ${name}`, network), numbers, read));
  numbers.checkEnd();
  return read;
}

function levelList(fields) {
  const place = (level) => TRAINED.indexOf(level?.name);
  return fields.which('levels', (it) => isList(it, (level, i) => place(level) > (i ? place(it[i - 1]) : -1)),
    `a list of some of the levels ${TRAINED.join(', ')}, in this order`);
}

function readNetwork(shape, numbers, { players, actions }) {
  const used = ascending(shape, 'used', RAM_SIZE);
  const neurons = wholes(shape, 'neurons', 2, 1, MOST_INPUTS);
  const shifts = wholes(shape, 'shifts', 3, 0, MOST_SHIFT);
  const sizes = [2 * used.length, ...neurons, actions.length];
  const scale = numbers.take('Int16', sizes[0]);
  const offset = numbers.take('Int32', sizes[0]);
  const layers = shifts.map((shift, i) => {
    const [inputs, outputs] = sizes.slice(i);
    const seats = i ? 1 : players;
    const weights = numbers.take('Int16', seats * inputs * outputs);
    return { weights, bias: numbers.take('Int32', seats * outputs), outputs, shift };
  });
  return new Network(used, scale, offset, layers);
}

function isList(value, fits) { return Array.isArray(value) && value.length > 0 && value.every(fits); }

/** A list of whole numbers from 0 to below `most`. */
function ascending(fields, name, most) {
  const fits = (it, i, all) => Number.isInteger(it) && it > (i ? all[i - 1] : -1) && it < most;
  return fields.which(name, (it) => isList(it, fits), `a list of whole numbers below ${most}, in ascending order`);
}

/** A list of so many whole numbers. */
function wholes(fields, name, count, low, high) {
  const fits = (it) => Number.isInteger(it) && low <= it && it <= high;
  return fields.which(name, (it) => isList(it, fits) && it.length === count, `a list of ${count} whole numbers, ${low} to ${high}`);
}

/** The networks' numbers, taken one array after the other. */
class Numbers {
  constructor(bytes) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = 0;
  }

  /** So many numbers of a kind, "Int16" or "Int32". */
  take(kind, count) {
    const size = kind === 'Int16' ? 2 : 4;
    const start = this.at;
    this.at += size * count;
    if (this.at > this.view.byteLength) refuse('it ends too early');
    return Float64Array.from({ length: count }, (_, i) => this.view[`get${kind}`](start + size * i, true));
  }

  checkEnd() {
    const left = this.view.byteLength - this.at;
    if (left) refuse(`it has ${left} bytes too many`);
  }
}
