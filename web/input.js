// What the players do: keys, gamepads, mouse and touch become actions, and strengths for paddles.

import { ACTION_NAMES, MAX_PLAYERS } from './libale.js';

export const CONTACTS = ['up', 'down', 'left', 'right', 'fire'];
// By their places on the keyboard (KeyboardEvent.code), whatever is printed on them.
export const USUAL_KEYS = [
  ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Space'],
  ['KeyW', 'KeyS', 'KeyA', 'KeyD', 'KeyE'],
  ['KeyT', 'KeyG', 'KeyF', 'KeyH', 'KeyY'],
  ['KeyI', 'KeyK', 'KeyJ', 'KeyL', 'KeyO'],
];
const STORED = 'libale-keys';
const DEAD_ZONE = 0.2;
const FRAMES_ACROSS = 40; // that a paddle is taken to need from one side of the picture to the other
const FRAMES_BEHIND = 6; // that it may be behind the mouse

const NUMBERS = Object.fromEntries(ACTION_NAMES.map((name, number) => [name, number]));

/** The action of contacts that are closed; opposite ones cancel each other. */
export function actionOf({ up, down, left, right, fire }) {
  const name = (up === down ? '' : up ? 'UP' : 'DOWN') + (left === right ? '' : right ? 'RIGHT' : 'LEFT')
    + (fire ? 'FIRE' : '');
  return NUMBERS[name || 'NOOP'];
}

/** What a key is called on this keyboard. */
export function keyName(code, layout) {
  const arrows = { ArrowUp: '↑', ArrowDown: '↓', ArrowLeft: '←', ArrowRight: '→' };
  return arrows[code] ?? layout?.get(code)?.toUpperCase() ?? code.replace(/^(Key|Digit)/, '').replace('Numpad', 'Num ');
}

export class Input {
  constructor() {
    this.keys = USUAL_KEYS.map((keys) => keys.slice());
    try {
      const stored = JSON.parse(localStorage.getItem(STORED));
      const fits = stored?.length === MAX_PLAYERS
        && stored.every((keys) => keys.length === CONTACTS.length && keys.every((key) => typeof key === 'string'));
      if (fits) this.keys = stored;
    } catch { /* no storage here, or what it holds is no JSON: the usual keys */ }
    this.pressed = new Set();
    this.touched = new Set(); // contacts of the first player
    this.held = new Set(); // what `pushed` saw the last time
    this.turn = 0; // frames that the first player's paddle has yet to turn to follow the mouse; less than 0: to the left
  }

  /** Give a contact another key; who had it gets the old one. */
  remap(player, contact, code) {
    const old = this.keys[player][contact];
    for (const keys of this.keys) {
      const at = keys.indexOf(code);
      if (at >= 0) keys[at] = old;
    }
    this.keys[player][contact] = code;
    this.store();
  }

  remapAllAsUsual() {
    this.keys = USUAL_KEYS.map((keys) => keys.slice());
    this.store();
  }

  store() {
    try {
      localStorage.setItem(STORED, JSON.stringify(this.keys));
    } catch { /* they last as long as the page */ }
  }

  isUsed(code, players) { return this.keys.slice(0, players).some((keys) => keys.includes(code)); }

  /** The mouse or a finger moved over the picture, by parts of its width: right and up turn a paddle to the RIGHT. */
  drag(x, y) {
    const turn = this.turn + FRAMES_ACROSS * (x - y);
    this.turn = Math.max(-FRAMES_BEHIND, Math.min(FRAMES_BEHIND, turn));
  }

  release() {
    this.pressed.clear();
    this.touched.clear();
    this.turn = 0;
  }

  /** Which of "start", "select" and "fire" were pressed on any gamepad since the last call. */
  pushed() {
    const buttons = { start: [9], select: [8], fire: [0, 1, 2, 3] };
    const down = (places) => connectedPads().some((pad) => places.some((i) => pad.buttons[i]?.pressed));
    const now = Object.keys(buttons).filter((name) => down(buttons[name]));
    const fresh = now.filter((name) => !this.held.has(name));
    this.held = new Set(now);
    return fresh;
  }

  /** What each player does in the next frame: actions, and strengths for paddles. */
  frame(players, paddles) {
    const pads = connectedPads();
    const actions = [];
    const strengths = [];
    for (let player = 0; player < players; player++) {
      const contacts = {};
      CONTACTS.forEach((contact, i) => {
        contacts[contact] = this.pressed.has(this.keys[player][i]) || (player === 0 && this.touched.has(contact));
      });
      let strength = 1;
      const pad = pads[player];
      if (pad) strength = readPad(pad, contacts);
      if (paddles) { // up and right turn it one way, as it may stand at the side or at the bottom
        const { up, down } = contacts;
        contacts.right ||= up;
        contacts.left ||= down;
        contacts.up = contacts.down = false;
        if (player === 0 && this.turn && !contacts.left && !contacts.right) {
          contacts[this.turn > 0 ? 'right' : 'left'] = true;
          strength = Math.min(1, Math.abs(this.turn));
          this.turn -= Math.sign(this.turn) * strength;
        }
      }
      actions.push(actionOf(contacts));
      strengths.push(paddles ? strength : 1);
    }
    return { actions, strengths };
  }
}

function connectedPads() { return [...(navigator.getGamepads?.() ?? [])].filter((pad) => pad?.connected); }

/** Add what a gamepad says to `contacts`; returns how far its stick is from the middle. */
function readPad(pad, contacts) {
  const [x = 0, y = 0] = pad.axes;
  const button = (i) => pad.buttons[i]?.pressed ?? false;
  contacts.up ||= y < -DEAD_ZONE || button(12);
  contacts.down ||= y > DEAD_ZONE || button(13);
  const turned = contacts.left || contacts.right || contacts.up || contacts.down;
  contacts.left ||= x < -DEAD_ZONE || button(14);
  contacts.right ||= x > DEAD_ZONE || button(15);
  contacts.fire ||= [0, 1, 2, 3].some(button);
  const analog = Math.max(Math.abs(x), Math.abs(y));
  const digital = turned || [12, 13, 14, 15].some(button);
  return analog > DEAD_ZONE && !digital ? Math.min(1, analog) : 1;
}
