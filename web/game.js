// A game as the page plays it: the console, opponents, who has won how much, a saved moment, and a recording of all that
// was done.

import { ACTION_NAMES, AleError, Console, MAX_PLAYERS, MULTI, orClose, Rom, SOLO } from './libale.js';
import { drawStart, levelsOf, Opponents, scriptedLevels } from './opponents.js';
import { CHECK_EVERY, digest, writeRecording } from './recording.js';
import { Replay } from './replay.js';

const PLAYER_COUNTS = [1, 2, 4];
// What the modes of the game that comes with the page are called; those of others have numbers only.
const HISTORY = ['acts', 'strengths', 'rewards', 'ends', 'rams']; // of the episode, for its recording
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
    this.replay = null; // of a recording, instead of what players do
    this.levels = []; // of opponents who know the game
    this.level = null; // the opponents', but for those of `chosen`; null: only people play
    this.seat = 0; // the person's, against opponents; -1: they play each other
    this.chosen = []; // by seat, the names of levels that were chosen for one seat
    this.sitting = []; // by seat, the level that plays there; null: a person
    this.opponents = null;
    this.drawStart = drawStart;
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
      if (this.playerCounts().at(-1) > 1) {
        this.multi = library.describeGame(this.rom.info.game, MULTI);
        this.levels = scriptedLevels(actionsIn(this.multi.minimal_actions));
      }
      this.choosePlayers(this.playerCounts()[0]);
    });
  }

  close() {
    this.drop();
    for (const level of this.levels) level.close();
    this.rom.close();
  }

  drop() {
    if (this.saved) this.console.forget(this.saved.state);
    this.saved = null;
    this.console?.close();
    this.console = null;
    this.replay = null; // whose console it was
  }

  /** For how many players there are modes. */
  playerCounts() {
    const counts = this.ruleSets.map((rules) =>
      (this.known ? this.library.describeGame(this.rom.info.game, rules).player_counts : 1));
    return PLAYER_COUNTS.filter((players) => counts.some((set) => (set >> (players - 1)) & 1));
  }

  /** One player plays by the rules for one where there are such, several by those for several. */
  rulesFor(players) {
    const rules = players > 1 ? MULTI : SOLO;
    return this.ruleSets.includes(rules) ? rules : this.ruleSets[0];
  }

  /**
   * The first way to play that is as asked: for `players`, in `mode`, against levels of the names `against`; what is not
   * given may be any, the usual mode first, and without names people play.
   * @returns {{players: number, mode: number, level: object | null} | undefined} with the level of the first name
   */
  find({ players, mode, against = [] }) {
    const modes = (count) => {
      if (!this.known) return [0];
      const game = this.rom.info.game, rules = this.rulesFor(count);
      const usual = this.library.describeGame(game, rules).default_modes[count - 1];
      return [usual, ...this.library.modes(game, rules, count).filter((one) => one !== usual)];
    };
    return this.playerCounts().filter((count) => count === (players ?? count))
      .flatMap((count) => modes(count).map((one) => ({ players: count, mode: one })))
      .filter((way) => way.mode === (mode ?? way.mode) && against.every((name) => this.levelFor(name, way)))
      .map((way) => ({ ...way, level: against.length ? this.levelFor(against[0], way) : null }))[0];
  }

  /** The level of a name that can play so. */
  levelFor(name, way) { return this.levels.find((level) => level.name === name && knows(level, way)); }

  /** Begin in the usual mode for so many players; in that which opponents of the same name know, where there are such. */
  choosePlayers(players, seed) {
    const rules = this.rulesFor(players);
    if (!this.console || this.replay || this.console.info.rules !== rules) {
      const made = new Console(this.rom, {
        rules, repeat_action_probability: 0, sound: 1, objects: 1, random_seed: seed ?? newSeed(),
      });
      this.drop();
      this.console = made;
    }
    this.offer(players);
    const way = this.level && this.find({ players, against: [this.level.name] });
    this.start({ mode: way ? way.mode : this.console.info.default_modes[players - 1], difficulty: 0, seed });
  }

  /** Learn what can be chosen with so many players. */
  offer(players) {
    this.players = players;
    this.modes = this.console.modes(players);
    this.difficulties = [...Array(8).keys()].filter((d) => d === 0 || (this.console.info.difficulties >> d) & 1);
  }

  // ---- Opponents ---------------------------------------------------------------------------------------

  /**
   * Add the levels of trained players, of those who know this image; those who know the usual mode first.
   * @param {object[]} trained what `readPlayers` returned
   */
  addTrained(trained) {
    const fits = ({ md5, players, actions }) => md5 === this.rom.md5 && players > 1 && this.playerCounts().includes(players)
      && actions.every((action) => actionsIn(this.multi.legal_actions).includes(action));
    const isUsual = ({ players, mode }) => Number(mode === this.multi.default_modes[players - 1]);
    const fitting = trained.filter(fits).sort((one, other) => isUsual(other) - isUsual(one));
    this.levels = [...fitting.flatMap((one) => levelsOf(this.library, one)), ...this.levels];
  }

  /**
   * Begin an episode against opponents, for as many players and in the mode that they know.
   * @param {object | null} level one of `levels`; null: only people play
   * @param {number} seat the person's, 0 for the first; -1: opponents have all seats
   * @param {string[]} chosen by seat, names of other levels, for those opponents alone
   */
  playAgainst(level, seat = 0, chosen = []) {
    const enough = level && this.players === 1 ? this.playerCounts()[1] : this.players;
    const players = level?.players ?? enough;
    if (players !== this.players) this.choosePlayers(players);
    const mode = level?.mode ?? this.mode;
    if (!this.modes.includes(mode)) throw new AleError(`the game has no mode ${mode} for ${players} players`);
    Object.assign(this, { level, seat, chosen });
    this.start({ mode });
  }

  /** Give opponents their seats, who know nothing of what was; only people play where no level of the name can. */
  sitDown() {
    const { players, mode, level } = this;
    if (level && !knows(level, this)) this.level = this.levelFor(level.name, { players, mode }) ?? null;
    this.seat = this.level ? Math.min(this.seat, players - 1) : 0;
    const levelAt = (seat) => this.levelFor(this.chosen[seat], this) ?? this.level;
    this.sitting = Array.from({ length: players }, (_, seat) => (this.level && seat !== this.seat ? levelAt(seat) : null));
    if (!this.isMixed) Object.assign(this, { level: this.seated[0]?.[1] ?? null, chosen: [] });
    this.opponents = this.level && new Opponents(this.seated, this.drawStart);
  }

  /** The opponents, each as its seat and level. */
  get seated() { return [...this.sitting.entries()].filter(([, level]) => level); }

  /** Whether opponents have different levels. */
  get isMixed() { return new Set(this.seated.map(([, level]) => level)).size > 1; }

  /** How many people play. */
  get people() { return this.opponents ? Number(this.seat >= 0) : this.players; }

  /** What a mode is called; '' where it has a number only. */
  modeName(mode) { return this.name === 'quartet' ? QUARTET_KINDS.find(([last]) => mode <= last)?.[1] ?? '' : ''; }

  /** Begin an episode, as a console that was just switched on does. */
  start({ mode = this.mode, difficulty = this.difficulty, seed = newSeed() } = {}) {
    if (this.replay) this.choosePlayers(this.players); // with a console of its own
    const { console } = this;
    console.reload(seed);
    console.setMode(mode);
    console.setDifficulty(difficulty);
    Object.assign(this, { mode, difficulty, seed });
    this.begin();
    this.sitDown();
    try {
      console.reset();
    } finally {
      this.report = console.report;
    }
  }

  /** Nothing was played yet. */
  begin() {
    for (const name of HISTORY) this[name] = [];
    this.returns = new Array(MAX_PLAYERS).fill(0);
    this.latest = new Array(MAX_PLAYERS).fill(0); // the latest reward that was not 0
  }

  get over() { return this.replay ? this.replay.done : this.report.terminated || this.report.truncated; }
  get fps() { return this.console.info.format === 0 ? 60 : 50; }

  /** Play a frame: an action and a strength for each person; opponents decide for themselves. */
  play(actions, strengths) {
    const { opponents, seat } = this;
    if (!opponents) return this.act(actions, strengths);
    const chosen = opponents.act(this.console.ram);
    const among = (others, own) => (own.length ? [...others.slice(0, seat), ...own, ...others.slice(seat)] : others);
    return this.act(among(chosen, actions), among(chosen.map(() => 1), strengths));
  }

  /** Play a frame: an action and a strength for each player. */
  act(actions, strengths) {
    const exact = strengths.map(Math.fround);
    this.console.act(actions, exact);
    this.note(actions, exact);
  }

  /** Keep what the console just played, and what came of it. */
  note(actions, strengths) {
    const { console } = this;
    this.report = console.report;
    const { rewards, terminated, truncated } = this.report;
    this.acts.push(actions);
    this.strengths.push(strengths);
    this.rewards.push(rewards.slice(0, actions.length));
    this.ends.push([terminated, truncated]);
    if (this.acts.length % CHECK_EVERY === 0) this.rams.push(console.ram.slice());
    rewards.forEach((reward, player) => {
      this.returns[player] += reward;
      if (reward) this.latest[player] = reward;
    });
  }

  save() {
    const { mode, difficulty, seed, players, modes } = this;
    const lists = Object.fromEntries([...HISTORY, 'returns', 'latest'].map((name) => [name, this[name].slice()]));
    this.saved = { state: this.console.save(this.saved?.state), lists, mode, difficulty, seed, players, modes };
  }

  restore() {
    const { state, lists, ...rest } = this.saved;
    this.console.restore(state);
    Object.assign(this, rest);
    for (const [name, list] of Object.entries(lists)) this[name] = list.slice();
    this.sitDown();
    this.report = this.console.report;
  }

  // ---- Recordings --------------------------------------------------------------------------------------

  /** Who plays, by seat. */
  lineup() {
    return this.sitting.map((level) => level?.name ?? 'person');
  }

  /** The episode as a file, which this page and the Python package play again. */
  async recording() {
    const { console, mode, difficulty, seed, players } = this;
    const header = {
      pyale_ma: this.library.version, layer: 'console', game_of_env: [0], agents: [], metadata: { lineup: this.lineup() },
      games: [{ name: this.name, md5: this.rom.md5, card: null, variation: null }],
      players, continuous: console.info.paddles !== 0,
      options: {
        rules: console.info.rules, players, mode, difficulty, random_seed: seed, repeat_action_probability: 0,
        corrected_rules: false,
      },
    };
    const ram = console.ram.slice();
    const played = Object.fromEntries(HISTORY.map((name) => [name, this[name].slice()]));
    const screen = await digest(console);
    return writeRecording(header, played, ram, screen ? [screen] : []);
  }

  /**
   * Show a recording instead of what players do, until `start`; what was saved is forgotten.
   * @throws {AleError} its console cannot be made; the game goes on
   */
  watch(recording) {
    const replay = new Replay(this.rom, recording, { sound: 1, objects: 1 });
    this.drop();
    Object.assign(this, { level: null, chosen: [], sitting: [], opponents: null });
    const { players, mode, difficulty, seed } = recording.header;
    Object.assign(this, { replay, console: replay.console, mode, difficulty, seed });
    this.offer(players);
    this.report = this.console.report;
    this.begin();
  }

  /** Go to a step of the recording: forwards from here, backwards from its beginning. */
  seek(step) {
    if (step < this.replay.played) this.watch(this.replay.recording);
    while (this.replay.played < step && this.next());
  }

  /** Play the recording's next step; false at its end. */
  next() {
    const step = this.replay.step();
    if (!step) return false;
    if (step.fresh) this.begin();
    this.note(step.actions, step.strengths);
    return true;
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

/** Whether a level of opponents can play so. */
function knows(level, { players, mode }) {
  return players > 1 && [null, players].includes(level.players) && [null, mode].includes(level.mode);
}

/** The actions whose bits are set. */
function actionsIn(bits) { return [...ACTION_NAMES.keys()].filter((action) => (bits >> action) & 1); }

/** 1 to 2^31 - 1: 0 means the time in some interfaces. */
function newSeed() { return 1 + Math.floor(Math.random() * (2 ** 31 - 1)); }
