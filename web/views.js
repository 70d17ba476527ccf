// What the page shows of a game: the screen, the objects on it, the RAM, and what each player has.

import { OBJECT_NAMES, RAM_SIZE, SCREEN_WIDTH } from './libale.js';

export const OBJECT_COLORS = ['#ff5a5f', '#4d9bff', '#ffa62b', '#6fe3ff', '#ffffff', '#57d977'];
const PLAYFIELD = 5;

export class ScreenView {
  /** @param {HTMLCanvasElement} canvas that gets the console's pixels  @param {HTMLCanvasElement} overlay for boxes */
  constructor(canvas, overlay) {
    this.canvas = canvas;
    this.overlay = overlay;
    this.context = canvas.getContext('2d', { alpha: false });
    this.colors = new Uint32Array(256);
  }

  /** Take over another console's size and colors. */
  show(console) {
    const height = console.info.screen_height;
    Object.assign(this.canvas, { width: SCREEN_WIDTH, height });
    this.image = this.context.createImageData(SCREEN_WIDTH, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    const rgb = console.palette;
    for (let i = 0; i < 256; i++)
      this.colors[i] = 0xff000000 | (rgb[3 * i + 2] << 16) | (rgb[3 * i + 1] << 8) | rgb[3 * i];
  }

  draw(console) {
    const indices = console.screen;
    for (let i = 0; i < indices.length; i++) this.pixels[i] = this.colors[indices[i]];
    this.context.putImageData(this.image, 0, 0);
  }

  drawBoxes(boxes) {
    const { overlay, canvas } = this;
    const wide = canvas.clientWidth * devicePixelRatio;
    const high = canvas.clientHeight * devicePixelRatio;
    if (overlay.width !== Math.round(wide)) overlay.width = wide;
    if (overlay.height !== Math.round(high)) overlay.height = high;
    const context = overlay.getContext('2d');
    context.clearRect(0, 0, overlay.width, overlay.height);
    const across = overlay.width / canvas.width;
    const down = overlay.height / canvas.height;
    context.lineWidth = 2 * devicePixelRatio;
    for (const { object, x, y, width, height } of boxes) {
      context.strokeStyle = OBJECT_COLORS[object];
      context.strokeRect(x * across, y * down, width * across, height * down);
    }
  }
}

/** The boxes in words, and how many there are of each object. */
export class ObjectList {
  constructor(table) {
    this.rows = OBJECT_NAMES.map((name, object) => {
      const row = table.insertRow();
      const head = document.createElement('th');
      head.scope = 'row';
      head.innerHTML = `<span class="swatch" style="background:${OBJECT_COLORS[object]}"></span>${name}`;
      row.append(head, row.insertCell(), row.insertCell());
      return [...row.cells].slice(1);
    });
  }

  show(boxes) {
    this.rows.forEach(([count, places], object) => {
      const own = boxes.filter((box) => box.object === object);
      const words = object === PLAYFIELD ? '' : own.slice(0, 3).map(({ x, y }) => `${x},${y}`).join('  ');
      setText(count, own.length || '–');
      setText(places, own.length > 3 && words ? `${words} …` : words);
    });
  }
}

/** The RAM as a table of hexadecimal numbers; those that changed light up, and fade. Labels are in a list beside it. */
export class RamView {
  constructor(table, detail, list) {
    this.detail = detail;
    this.list = list;
    this.labels = [];
    this.values = new Int16Array(RAM_SIZE).fill(-1);
    this.chosen = 0;
    const head = table.createTHead().insertRow();
    head.append(cell('th', ''), ...[...Array(16).keys()].map((i) => cell('th', i.toString(16).toUpperCase())));
    const body = table.createTBody();
    this.cells = [];
    for (let line = 0; line < RAM_SIZE / 16; line++) {
      const row = body.insertRow();
      row.append(cell('th', (0x80 + 16 * line).toString(16).toUpperCase()));
      for (let i = 0; i < 16; i++) this.cells.push(row.insertCell());
    }
    this.ages = new Uint8Array(RAM_SIZE);
    this.cells.forEach((one, i) => {
      const choose = () => {
        this.cells[this.chosen].classList.remove('chosen');
        this.chosen = i;
        one.classList.add('chosen');
        this.describe();
      };
      one.addEventListener('pointerenter', choose);
      one.addEventListener('click', choose);
    });
  }

  /** Name bytes. @param {object[]} labels those of the game that is shown from now on, as `Library.labels` returns them */
  name(labels) {
    this.labels = labels;
    this.labelValues = labels.map(() => 0);
    this.cells.forEach((one, i) => one.classList.toggle('labelled', this.at(i).length > 0));
    this.list.closest('table').hidden = !labels.length;
    this.list.replaceChildren();
    this.numbers = labels.map(({ name, about, unit, bytes }) => {
      const row = this.list.insertRow();
      const head = cell('th', name);
      head.scope = 'row';
      row.title = `${about}, ${unit}`;
      row.append(head, cell('td', bytes.join(' ')), cell('td', ''));
      return row.lastChild;
    });
  }

  /** The indices of a byte's labels. */
  at(index) { return [...this.labels.keys()].filter((i) => this.labels[i].bytes.includes(index)); }

  /** @param {Uint8Array} ram  @param {number[]} labelValues those of the labels */
  show(ram, labelValues) {
    this.labelValues = labelValues;
    labelValues.forEach((value, i) => setText(this.numbers[i], value));
    for (let i = 0; i < RAM_SIZE; i++) {
      const changed = ram[i] !== this.values[i];
      if (changed) {
        this.values[i] = ram[i];
        this.cells[i].textContent = ram[i].toString(16).padStart(2, '0').toUpperCase();
      }
      const age = changed ? 1 : this.ages[i] && (this.ages[i] + 1) % 24;
      if (age === 1 && this.ages[i] === 0) this.cells[i].classList.add('changed');
      if (age === 0 && this.ages[i] !== 0) this.cells[i].classList.remove('changed');
      this.ages[i] = age;
    }
    this.describe();
  }

  describe() {
    const value = Math.max(0, this.values[this.chosen]);
    setText(this.detail, `ram[${this.chosen}] at $${(0x80 + this.chosen).toString(16).toUpperCase()}: ${value}, `
      + `$${value.toString(16).padStart(2, '0').toUpperCase()}, %${value.toString(2).padStart(8, '0')}`
      + this.at(this.chosen).map((i) => `, ${this.labels[i].name}: ${this.labelValues[i]}`).join(''));
  }
}

/** A card for each player: rewards and lives as the environment reports them. */
export class PlayerCards {
  constructor(list) { this.list = list; }

  begin(players) {
    this.cards = [...Array(players).keys()].map((player) => {
      const item = document.createElement('li');
      item.className = `player p${player + 1}`;
      item.innerHTML = `<h3><span class="dot" aria-hidden="true"></span>Player ${player + 1}</h3><dl>
        <div><dt>Return</dt><dd class="big"></dd></div><div><dt>Reward</dt><dd></dd></div>
        <div><dt>Lives</dt><dd></dd></div></dl><p class="keys"></p>`;
      return { item, numbers: [...item.querySelectorAll('dd')], keys: item.querySelector('.keys'), glow: 0 };
    });
    this.list.replaceChildren(...this.cards.map(({ item }) => item));
  }

  show({ report, returns, latest, known, console }) {
    this.cards.forEach((card, player) => {
      const lives = report.lives[player];
      const [sum, reward, left] = card.numbers;
      setText(sum, signed(returns[player]));
      setText(reward, latest[player] ? signed(latest[player], true) : '0');
      setText(left, !known ? '–' : console.info.rules === 1 && lives < 0 ? 'out' : `${lives}`);
      if (report.rewards[player]) {
        card.glow = 30;
        reward.className = report.rewards[player] > 0 ? 'won' : 'lost';
      } else if (card.glow && !--card.glow) reward.className = '';
    });
  }
}

function cell(kind, text) {
  const made = document.createElement(kind);
  made.textContent = text;
  if (kind === 'th') made.scope = 'col';
  return made;
}

function signed(number, plus = false) {
  return `${number < 0 ? '−' : plus && number > 0 ? '+' : ''}${Math.abs(number)}`;
}

function setText(element, text) {
  const words = String(text);
  if (element.textContent !== words) element.textContent = words;
}
