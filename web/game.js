// A game as the page plays it: the console, who has won how much, a saved moment, and a record of all that was done,
// from which the native library plays the same again.

import { Console, MAX_PLAYERS, MULTI, orClose, Rom, SOLO } from './libale.js';

const PLAYER_COUNTS = [1, 2, 4];
// What the modes of the game that comes with the page are called; those of others have numbers only.
const QUARTET_KINDS = [[2, 'duel'], [6, 'melee'], [10, 'teams'], [14, 'rally'], [18, 'commons']];

export class Game {
  /**
   * @param {Library} library
   * @param {Uint8Array} bytes of a ROM file
   * @param {string} file its name
   * @throws {AleError} the bytes are no cartridge
   */
  constructor(library, bytes, file) {
    this.library = library;
    this.file = file;
    this.rom = new Rom(library, bytes);
    this.console = null;
    this.saved = null;
    orClose(this, () => {
      this.known = this.rom.info.game >= 0;
      if (!this.known) { // it can be played all the same, without rewards and ends
        this.rom.close();
        this.rom = new Rom(library, bytes, { rules: false });
      }
      const about = this.known && library.describeGame(this.rom.info.game, SOLO);
      this.name = this.known ? about.name : '';
      this.title = this.known ? about.title : file;
      this.ruleSets = this.known ? [SOLO, MULTI].filter((rules) => (about.rules >> rules) & 1) : [SOLO];
      this.choosePlayers(this.playerCounts()[0]);
    });
  }

  close() {
    this.drop();
    this.rom.close();
  }

  drop() {
    if (this.saved) this.console.forget(this.saved.state);
    this.saved = null;
    this.console?.close();
    this.console = null;
  }

  /** For how many players there are modes. */
  playerCounts() {
    const counts = this.ruleSets.map((rules) =>
      (this.known ? this.library.describeGame(this.rom.info.game, rules).player_counts : 1));
    return PLAYER_COUNTS.filter((players) => counts.some((set) => (set >> (players - 1)) & 1));
  }

  /** One player plays by the rules for one where there are such, several by those for several. */
  choosePlayers(players, seed) {
    const rules = this.ruleSets.includes(players > 1 ? MULTI : SOLO) ? (players > 1 ? MULTI : SOLO) : this.ruleSets[0];
    if (!this.console || this.console.info.rules !== rules) {
      const made = new Console(this.rom, {
        rules, repeat_action_probability: 0, sound: 1, objects: 1, random_seed: seed ?? newSeed(),
      });
      this.drop();
      this.console = made;
    }
    this.players = players;
    this.modes = this.console.modes(players);
    this.difficulties = [...Array(8).keys()].filter((d) => d === 0 || (this.console.info.difficulties >> d) & 1);
    this.start({ mode: this.modes[0], difficulty: 0, seed });
  }

  modeName(mode) {
    if (this.name !== 'quartet') return `${mode}`;
    return `${mode}: ${QUARTET_KINDS.find(([last]) => mode <= last)[1]}`;
  }

  /** Begin an episode, as a console that was just switched on does. */
  start({ mode = this.mode, difficulty = this.difficulty, seed = newSeed() } = {}) {
    const { console } = this;
    console.reload(seed);
    console.setMode(mode);
    console.setDifficulty(difficulty);
    Object.assign(this, { mode, difficulty, seed, acts: [], strengths: [] });
    this.returns = new Array(MAX_PLAYERS).fill(0);
    this.latest = new Array(MAX_PLAYERS).fill(0); // the latest reward that was not 0
    try {
      console.reset();
    } finally {
      this.report = console.report;
    }
  }

  get over() { return this.report.terminated || this.report.truncated; }
  get fps() { return this.console.info.format === 0 ? 60 : 50; }

  /** Play a frame: an action and a strength for each player. */
  act(actions, strengths) {
    const exact = strengths.map(Math.fround);
    this.console.act(actions, exact);
    this.acts.push(actions);
    this.strengths.push(exact);
    this.report = this.console.report;
    this.report.rewards.forEach((reward, player) => {
      this.returns[player] += reward;
      if (reward) this.latest[player] = reward;
    });
  }

  save() {
    const { acts, strengths, returns, latest, mode, difficulty, seed, players, modes } = this;
    this.saved = {
      state: this.console.save(this.saved?.state),
      acts: acts.slice(), strengths: strengths.slice(), returns: returns.slice(), latest: latest.slice(),
      mode, difficulty, seed, players, modes,
    };
  }

  restore() {
    const { state, acts, strengths, returns, latest, ...rest } = this.saved;
    this.console.restore(state);
    Object.assign(this, rest, {
      acts: acts.slice(), strengths: strengths.slice(), returns: returns.slice(), latest: latest.slice(),
    });
    this.report = this.console.report;
  }

  /** All that the episode followed from (docs/play.md says how to play it again). */
  record() {
    const { mode, difficulty, seed, players, acts, strengths } = this;
    return {
      libale: this.library.version, file: this.file, md5: this.rom.md5, game: this.name,
      rules: this.console.info.rules === MULTI ? 'multi' : 'solo',
      random_seed: seed, players, mode, difficulty, actions: acts, paddle_strengths: strengths,
    };
  }
}

/** The title of the game that a ROM file holds; '' where none is known. */
export function titleOf(library, bytes) {
  try {
    const rom = new Rom(library, bytes);
    try {
      return rom.info.game >= 0 ? library.describeGame(rom.info.game, SOLO).title : '';
    } finally {
      rom.close();
    }
  } catch {
    return ''; // it is no cartridge
  }
}

/** 1 to 2^31 - 1: 0 means the time in some interfaces. */
function newSeed() { return 1 + Math.floor(Math.random() * (2 ** 31 - 1)); }
