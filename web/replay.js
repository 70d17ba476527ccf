// Plays a recording again on a console, and compares what comes of it with what the recording says.

import { AleError, Console, orClose } from './libale.js';
import { digest } from './recording.js';

const PAUSE_EVERY = 1000; // steps
const RESET_STEPS = 100; // as many take about as long as a reset, in which consoles play frames, too

export class Replay {
  /**
   * @param {Rom} rom the image that was played
   * @param {object} recording what `readRecording` returned
   * @throws {AleError} the console refuses what its header says
   */
  constructor(rom, recording, options = {}) {
    const { header } = recording;
    this.recording = recording;
    this.difference = ''; // the first
    this.played = 0; // steps
    this.chunk = this.row = this.resets = this.checks = 0; // where it is; of resets and checks, which of the chunk's is next
    this.console = new Console(rom, {
      ...options, rules: header.rules, random_seed: header.seed, repeat_action_probability: header.sticky,
      corrected_rules: header.corrected,
    });
    orClose(this, () => {
      const modes = this.console.modes(header.players);
      if (!modes.includes(header.mode)) throw new AleError(`the game has no mode ${header.mode} for this number of players`);
      this.console.setMode(header.mode);
      if (this.console.report.difficulty !== header.difficulty) this.console.setDifficulty(header.difficulty);
    });
  }

  get done() { return this.played === this.recording.steps; }

  /**
   * Play the next step, and the resets before it; at the end those that are left.
   * @returns {{fresh: boolean, actions: number[], strengths: number[]} | null} what was played, and whether an episode
   *   began; null at the end
   */
  step() {
    let fresh = false;
    for (let played; (played = this.next()); fresh = true) if (played.actions) return { fresh, ...played };
    return null;
  }

  /**
   * Play the next reset or step.
   * @returns {{actions?: number[], strengths?: number[]} | null} what was played, of a reset nothing; null at the end
   */
  next() {
    for (let chunk; (chunk = this.recording.chunks[this.chunk]);) {
      if (chunk.resets[this.resets] === this.row) {
        this.resets += 1;
        this.console.reset();
        return {};
      }
      if (this.row < chunk.steps) return this.act(chunk);
      if (chunk.final) this.compareRam(chunk, chunk.rams - 1, this.played);
      this.chunk += 1;
      this.row = this.resets = this.checks = 0;
    }
    return null;
  }

  act({ arrays, checks }) {
    const { players } = this.recording.header;
    const of = (array, width = players) => [...array.subarray(width * this.row, width * (this.row + 1))];
    const actions = of(arrays.actions);
    const strengths = arrays.strengths ? of(arrays.strengths) : new Array(players).fill(1);
    this.console.act(actions, strengths);
    const { report } = this.console;
    const number = this.played;
    this.compare('reward', report.rewards.slice(0, players), of(arrays.rewards), number);
    this.compare('termination', new Array(players).fill(report.terminated), of(arrays.terminations), number);
    this.compare('truncation', [report.truncated], of(arrays.truncations, 1), number);
    this.row += 1;
    this.played += 1;
    if (checks[this.checks] === this.row) this.compareRam({ arrays }, this.checks++, number);
    return { actions, strengths };
  }

  compare(name, now, was, number) {
    const at = now.findIndex((value, i) => Number(value) !== was[i]);
    if (at >= 0) this.found(`${name}${now.length > 1 ? ` of player ${at}` : ''} is ${Number(now[at])}, was ${was[at]}`, number);
  }

  compareRam({ arrays: { ram: kept } }, place, number) {
    const now = this.console.ram;
    const was = kept.subarray(now.length * place, now.length * (place + 1));
    const at = now.findIndex((value, i) => value !== was[i]);
    if (at >= 0) this.found(`RAM[${at}] is ${now[at]}, was ${was[at]}`, number);
  }

  found(difference, number) { this.difference ||= `diverges at step ${number}: ${difference}`; }

  close() { this.console.close(); }
}

/**
 * Play all of a recording again.
 * @param {() => Promise<void>} [pause] waited for after many steps, or some resets, so that other things happen meanwhile
 * @returns {Promise<string>} "verified, ..." or "diverges at step ..."
 */
export async function verify(rom, recording, pause = async () => {}) {
  const replay = new Replay(rom, recording);
  try {
    let work = 0;
    for (let played; !replay.difference && (played = replay.next());) {
      work += played.actions ? 1 : RESET_STEPS;
      if (work < PAUSE_EVERY) continue;
      await pause();
      work = 0;
    }
    if (replay.difference) return replay.difference;
    const { steps, screen, complete } = recording;
    const seen = screen && await digest(replay.console);
    if (seen && seen !== screen) return `diverges at step ${steps}: the screen is another`;
    return `verified, ${steps} steps${complete ? '' : '; cut off there, its writer did not end'}`;
  } catch (error) {
    throw new Error(`step ${replay.played} cannot be played: ${error.message}`);
  } finally {
    replay.close();
  }
}
