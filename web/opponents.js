// Opponents: trained ones, as ../docs/opponents.md describes them, and scripted ones.
//
//     const trained = await readPlayers(bytes); // of a file such as pong-2-4.players
//     const strong = levelsOf(library, trained).at(-1);
//     const opponents = new Opponents([[1, strong]], () => 7);
//     opponents.act(console.ram); // once a frame: [the action of the second player]
//     strong.close();
//
// Trained ones decide in libale.

import { ACTION_NAMES, MAX_PLAYERS, Policy, RAM_SIZE } from './libale.js';
import { Fields, hexadecimal, refuse, sha256 } from './recording.js';

const TRAINED = ['weak', 'middle', 'strong'];
const FRAMESKIP = 4; // frames for which scripted ones hold an action
const STAY = 0.9; // the probability with which "sticky" does what it did before
const NOOP = 0;

const MAGIC = 'pyale_ma players 1\n';
const MOST_BYTES = 100 * 1024; // of a file
const DIGEST_SIZE = 32;
const MOST_INPUTS = 256; // of a layer
const MOST_SHIFT = 15;

// ---- Opponents at a console -------------------------------------------------------------------------------

/** Opponents in one episode of a console that is played frame by frame: they hold what they decided for some frames. */
export class Opponents {
  /**
   * @param {[number, object][]} seated who sits where: the seat, 0 for the first, and one of `levelsOf` or `scriptedLevels`
   * @param {() => number} draw makes a uint32, with which an opponent's random numbers begin
   */
  constructor(seated, draw) {
    this.sitting = seated.map(([seat, { frameskip, sit }]) => ({ frameskip, decide: sit(seat, draw()), held: NOOP }));
    this.frame = 0;
  }

  /** The actions of the next frame, one for each of them, by ale-py's numbers. */
  act(ram) {
    const deciding = this.sitting.filter(({ frameskip }) => this.frame % frameskip === 0);
    if (deciding.length) {
      const seen = ram.slice(); // of memory that may grow while they decide
      for (const one of deciding) one.held = one.decide(seen);
    }
    this.frame += 1;
    return this.sitting.map(({ held }) => held);
  }
}

/** A uint32 by chance. */
export function drawStart() { return crypto.getRandomValues(new Uint32Array(1))[0]; }

/**
 * The levels of a file of players.
 *
 * A level has a name; the players and the mode that it can play, null: any; `sit(seat, start)`, which makes a function
 * that decides in one episode: from RAM, a Uint8Array that is its to keep, to an action; and `close()`, after which nobody
 * decides.
 * @param {Library} library
 * @param {object} trained what `readPlayers` returned
 */
export function levelsOf(library, { players, mode, frameskip, networks }) {
  return [...networks].map(([name, network]) => {
    const policy = new Policy(library, network);
    const sit = (seat, start) => {
      let before, action, random = start;
      return (ram) => {
        ({ action, random } = policy.act(ram, before ?? ram, seat, random));
        before = ram;
        return action;
      };
    };
    return { name, players, mode, frameskip, sit, close: () => policy.close() };
  });
}

/** The levels that play any game with these actions, and look at nothing. */
export function scriptedLevels(actions) {
  const anything = (random) => actions[random.below(actions.length)];
  const deciders = {
    still: () => () => NOOP,
    random: (random) => () => anything(random),
    sticky: (random) => {
      let action;
      return () => {
        if (action === undefined || random.next() >= STAY * 2 ** 32) action = anything(random);
        return action;
      };
    },
  };
  return Object.entries(deciders).map(([name, decider]) => ({
    name, players: null, mode: null, frameskip: FRAMESKIP, sit: (seat, start) => decider(new Random(start)), close() {},
  }));
}

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

/** A network, as fields of ale_policy_numbers. */
function readNetwork(shape, numbers, { players, actions }) {
  const used = ascending(shape, 'used', RAM_SIZE);
  const [neurons_1, neurons_2] = wholes(shape, 'neurons', 2, 1, MOST_INPUTS);
  const [shift_1, shift_2, shift_3] = wholes(shape, 'shifts', 3, 0, MOST_SHIFT);
  // 16 bits for each scale and weight, 32 for each offset and bias.
  const layer = (inputs, outputs) => outputs * (2 * inputs + 4);
  const size = 12 * used.length + players * layer(2 * used.length, neurons_1) + layer(neurons_1, neurons_2)
    + layer(neurons_2, actions.length);
  return { players, used, neurons_1, neurons_2, actions, shift_1, shift_2, shift_3, numbers: numbers.take(size) };
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

/** The networks' numbers, taken one network after the other. */
class Numbers {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  /** So many bytes. */
  take(size) {
    const start = this.at;
    this.at += size;
    if (this.at > this.bytes.length) refuse('it ends too early');
    return this.bytes.subarray(start, this.at);
  }

  checkEnd() {
    const left = this.bytes.length - this.at;
    if (left) refuse(`it has ${left} bytes too many`);
  }
}
