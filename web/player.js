// The page: joins the game, what the players do, and what is shown and heard of it.
//
// For scripts and tests: ?seed=7 begins with this seed, and `window.player` is the Player.

import { Game, titleOf } from './game.js';
import { CONTACTS, Input, keyName } from './input.js';
import { Library, Rom, ROM_SIZE_LIMIT } from './libale.js';
import { readPlayers } from './opponents.js';
import { isRecording, readRecording } from './recording.js';
import { verify } from './replay.js';
import { Sound } from './sound.js';
import { ObjectList, PlayerCards, RamView, ScreenView } from './views.js';
import { isZip, romsInZip, ZIP_SIZE_LIMIT } from './zip.js';

const find = (id) => document.getElementById(id);
const HOME = 'quartet'; // the game that always comes with the page
const MOST_REFUSED = 5; // entries of an archive that are named
const FORMATS = ['NTSC', 'PAL', 'SECAM'];

class Player {
  /**
   * @param {Library} library
   * @param {string[]} games names of those whose ROM files lie beside the page
   * @param {string[]} trained files of players that lie there, such as pong-2-4.players
   */
  constructor(library, games, trained) {
    this.library = library;
    this.games = games;
    this.trained = trained;
    this.input = new Input();
    this.sound = new Sound();
    this.screen = new ScreenView(find('screen'), find('overlay'));
    this.cards = new PlayerCards(find('cards'));
    this.ram = new RamView(document.querySelector('.ram'), find('cell'), document.querySelector('.labels tbody'));
    this.objects = new ObjectList(document.querySelector('.objects tbody'));
    this.game = null;
    this.paused = true;
    this.due = 0; // frames that time asks for
    this.cost = 0; // milliseconds that a frame takes, on average
    this.then = 0;
    this.ended = 0; // when the episode was over
    this.layout = null; // what is printed on the keys, where the browser tells
    this.speed = 1; // of recordings
    this.remembers = false; // in the address what is played
    this.loop = this.loop.bind(this);
  }

  // ---- Games -------------------------------------------------------------------------------------------

  /** Play a ROM file; where it is none the game that was there goes on. */
  open(bytes, file) {
    let game;
    try {
      game = new Game(this.library, bytes, file);
    } catch (error) {
      say(`${file}: ${error.message}.`);
      return false;
    }
    this.game?.close();
    this.game = game;
    this.ram.name(this.library.labels(game.rom.info.game));
    say(game.known ? '' : `${file} is no known game: it can be played, but rewards stay 0 and the episode never ends.`, true);
    find('title').textContent = game.title;
    document.title = `${game.title} – pyale_ma`;
    find('quartet').hidden = game.name === HOME;
    find('game').value = game.name;
    fill(find('players'), game.playerCounts(), (n) => `${n}`);
    this.setUp();
    this.begin();
    this.findingLevels = this.findLevels();
    return true;
  }

  /** Offer the trained opponents of the game, as soon as their files are here. */
  async findLevels() {
    const { game } = this;
    const found = [];
    for (const file of this.trained.filter((name) => game.name && name.startsWith(`${game.name}-`))) {
      try {
        found.push(await readPlayers(await loadBytes(file)));
      } catch (error) {
        say(`${file}: ${error.message}.`);
      }
    }
    if (this.game !== game) return;
    game.addTrained(found);
    this.showLevels();
  }

  choosePlayers(players) {
    this.keepLevel(() => this.game.choosePlayers(players));
    this.setUp();
    this.begin();
  }

  /** Play against a level of opponents, null: people, from a seat, 0 for the first; `chosen`: others of some seats. */
  playAgainst(level, seat, chosen) {
    say('');
    attempt(() => this.game.playAgainst(level, seat, chosen));
    this.setUp();
    this.begin();
  }

  /** Do what may leave the opponents, and others of their name, without a game that they know; then only people play. */
  keepLevel(something) {
    const { game } = this;
    const { level, sitting } = game;
    attempt(something);
    const lost = sitting.findIndex((one, seat) => one && game.sitting[seat] && one.name !== game.sitting[seat].name);
    if (level && game.level && lost >= 0) {
      say(`Player ${lost + 1} is “${game.sitting[lost].name}” now: “${sitting[lost].name}” cannot play mode ${game.mode}${forPlayers(game)}.`, true);
    }
    if (level && !game.level) say(`The opponents were removed: “${level.name}” cannot play mode ${game.mode}${forPlayers(game)}.`, true);
  }

  /** Show the choices that the game has now. */
  setUp() {
    const { game } = this;
    find('players').value = game.players;
    fill(find('mode'), game.modes, (mode) => [mode, game.modeName(mode)].filter((word) => word !== '').join(': '));
    find('mode').value = game.mode;
    find('replay').hidden = !game.replay;
    find('seek').max = game.replay?.recording.steps ?? 0;
    fill(find('difficulty'), game.difficulties, (difficulty) => `${difficulty}`);
    find('difficulty').value = game.difficulty;
    find('stage').classList.toggle('pal', game.console.info.screen_height > 210);
    find('touch').classList.toggle('paddles', Boolean(game.console.info.paddles));
    this.screen.show(game.console);
    this.cards.begin(game.players);
    this.showLevels();
    this.showKeys();
  }

  /** Whom one can play against, and from which seat. */
  showLevels() {
    const { levels, level, players, seat, seated, isMixed } = this.game;
    const groups = new Map();
    const called = (mode) => this.game.modeName(mode) || `mode ${mode}`;
    /** A level's name, with as much as tells it from others of the name. */
    const told = ({ name, players: several, mode }) => {
      const alike = levels.filter((it) => it.name === name);
      if (alike.length === 1) return name;
      const modes = alike.filter((it) => it.players === several).length > 1 ? `, ${called(mode)}` : '';
      return `${name}, ${several} players${modes}`;
    };
    // The scripted ones first: the order is that of strength.
    const order = [...levels.keys()].sort((one, other) => (levels[one].players ?? 0) - (levels[other].players ?? 0));
    order.forEach((i) => {
      const it = levels[i];
      const { players: several, mode } = it;
      const words = several ? `trained, ${several} players, ${called(mode)}` : 'scripted';
      if (!groups.has(words)) groups.set(words, Object.assign(document.createElement('optgroup'), { label: words }));
      groups.get(words).append(new Option(told(it), i));
    });
    find('against').replaceChildren(new Option(players > 1 ? 'people' : 'the cartridge', ''), ...groups.values());
    if (isMixed) find('against').prepend(new Option('several, below', 'several'));
    find('against').value = isMixed ? 'several' : level ? levels.indexOf(level) : '';
    find('opponents').hidden = !levels.length;
    fill(find('seat'), [...Array(players).keys(), -1], (player) => (player < 0 ? 'watch' : `${player + 1}`));
    find('seat').value = seat;
    find('seats').hidden = !level;
    this.showOthers(seated.length > 1 ? seated : [], order);
  }

  /** A choice for each of several opponents. */
  showOthers(seated, order) {
    const { game } = this;
    const able = order.map((i) => game.levels[i]).filter((one) => game.levelFor(one.name, game) === one);
    find('others').replaceChildren(...seated.map(([seat, level]) => {
      const choice = document.createElement('select');
      choice.append(...able.map(({ name }) => new Option(name, name)));
      choice.value = level.name;
      choice.addEventListener('change', () => {
        const names = game.sitting.map((one) => one?.name);
        names[seat] = choice.value;
        this.playAgainst(game.level, game.seat, names);
        find('stage').focus({ preventScroll: true });
      });
      const about = document.createElement('label');
      about.append(`Player ${seat + 1} `, choice);
      return about;
    }));
    find('others').hidden = !seated.length;
  }

  /** A new episode, in the mode and difficulty chosen. */
  start(choice = {}) {
    this.keepLevel(() => this.game.start(choice));
    this.setUp();
    this.begin();
  }

  begin() {
    const { game } = this;
    find('restore').disabled = !game.saved;
    find('save').disabled = Boolean(game.replay);
    find('record').disabled = !game.known || Boolean(game.replay);
    this.input.release();
    this.remember();
    this.show();
    this.curtain();
  }

  /** Keep in the address what is played, so that it can be shared, and is there after a reload. */
  remember() {
    const { game } = this;
    if (!this.remembers || game.replay || !this.games.includes(game.name)) return;
    const address = new URL(location.href);
    const { name, players, mode, level, seat, seated } = game;
    const names = seated.map(([, one]) => one.name);
    const against = new Set(names).size > 1 ? names.join(',') : names[0];
    const words = { game: name, players, mode, against, seat: level ? seat + 1 : undefined };
    for (const [word, value] of Object.entries(words)) {
      if (value === undefined) address.searchParams.delete(word);
      else address.searchParams.set(word, value);
    }
    history.replaceState(null, '', address);
  }

  /** Go to a step of the recording. */
  seek(step) {
    attempt(() => this.game.seek(step));
    this.setUp();
    this.show();
    this.curtain();
  }

  /**
   * Say whether a recording is what its actions lead to, and show it from its beginning.
   * @param {object} recording what `readRecording` returned
   * @param {string} file its name
   * @param {() => boolean} wanted whether the visitor has brought nothing else meanwhile
   */
  async watch(recording, file, wanted) {
    const { game: name, md5 } = recording.header;
    this.run(false);
    if (this.game.rom.md5 !== md5 && this.games.includes(name)) {
      const bytes = await loadGame(name);
      if (!wanted()) return;
      this.open(bytes, `${name}.bin`);
    }
    const { game } = this;
    if (game.rom.md5 !== md5) throw new Error(`it is a recording of ${name}: open its ROM file first, whose MD5 is ${md5}`);
    if (game.name !== name) throw new Error(`its game is ${name}, but the ROM file with its MD5 is ${game.name || 'unknown'}`);
    say(`${file}: replaying …`, true);
    const verdict = await verify(game.rom, recording, () => new Promise((go) => { setTimeout(go); }));
    if (!wanted() || this.game !== game) return;
    game.watch(recording);
    this.setUp();
    this.begin();
    const { lineup } = recording.header;
    const players = lineup.length ? ` Played by ${lineup.join(', ')}.` : '';
    say(`${file}: ${verdict}.${players}`, verdict.startsWith('verified'));
  }

  save() {
    if (this.game.replay) return;
    this.game.save();
    find('restore').disabled = false;
  }

  restore() {
    if (!this.game.saved) return;
    this.keepLevel(() => this.game.restore());
    this.setUp();
    this.show();
    this.curtain();
  }

  // ---- Time --------------------------------------------------------------------------------------------

  run(on) {
    this.paused = !on;
    this.due = 0;
    this.input.release();
    if (on && this.game.over) this.start();
    this.curtain();
    if (on) this.sound.wake().catch((error) => say(`Sound does not work: ${error.message}.`, true));
  }

  loop(now) {
    requestAnimationFrame(this.loop);
    const passed = Math.min(100, now - this.then);
    this.then = now;
    this.heedPads();
    if (this.paused || !this.game || this.game.over) return;
    // A little is granted, so that a display of about the console's speed shows each frame once.
    this.due += (passed * this.game.fps * (this.game.replay ? this.speed : 1)) / 1000;
    const frames = Math.floor(this.due + 0.25);
    this.due -= frames;
    if (frames) this.frame(frames);
  }

  /** START of a gamepad pauses, goes on and begins anew; SELECT begins anew; FIRE begins where nothing was played yet. */
  heedPads() {
    const pushed = this.input.pushed();
    if (!pushed.length || !this.game || document.querySelector('dialog[open]')) return;
    if (pushed.includes('select')) this.start();
    else if (pushed.includes('start')) this.run(this.paused || this.game.over);
    else if (this.paused && this.fresh) this.run(true);
    else this.mayStart();
  }

  /** Play frames with what is pressed now, and show the last. */
  frame(count = 1) {
    const { game } = this;
    const started = performance.now();
    for (let i = 0; i < count && !game.over; i++) {
      if (game.replay) game.next();
      else {
        const { actions, strengths } = this.input.frame(game.people, game.console.info.paddles);
        game.play(actions, strengths);
      }
      this.sound.play(game.console.audio, game.fps);
    }
    this.show();
    this.cost += ((performance.now() - started) / count - this.cost) / 30;
    if (game.over) {
      this.ended = performance.now();
      this.curtain();
    }
  }

  /** After the end FIRE begins anew; not at once, for who still fires then has not seen it. */
  mayStart() {
    if (!this.paused && this.game.over && performance.now() - this.ended > 1000) this.start();
  }

  // ---- What is seen ------------------------------------------------------------------------------------

  show() {
    const { game } = this;
    this.screen.draw(game.console);
    this.cards.show(game);
    const objects = find('objects').open;
    if (objects) {
      const boxes = game.console.boxes();
      this.screen.drawBoxes(boxes);
      this.objects.show(boxes);
    } else if (this.boxed) this.screen.drawBoxes([]);
    this.boxed = objects;
    if (find('memory').open) this.ram.show(game.console.ram, game.console.labels());
    const { report } = game;
    if (report.frame_number % 15 === 0 || this.paused || game.over) {
      find('status').textContent =
        `frame ${report.episode_frame_number} · ${this.cost ? `${this.cost.toFixed(1)} ms a frame · ` : ''}seed ${game.seed}`;
    }
    if (find('numbers').open) this.showFacts();
    if (game.replay) {
      const { played, recording: { steps } } = game.replay;
      find('seek').value = played;
      find('place').textContent = `${played} of ${steps}`;
    }
  }

  showFacts() {
    const { game } = this;
    const { report, console: { info } } = game;
    const facts = {
      Game: game.name || 'none known', MD5: game.rom.md5, Banks: game.rom.scheme, Format: FORMATS[info.format],
      Rules: info.rules ? 'for several players' : 'for one player', Controllers: info.paddles ? 'paddles' : 'joysticks',
      Frame: report.frame_number, 'of the episode': report.episode_frame_number,
      Terminated: report.terminated ? 'yes' : 'no', Seed: game.seed, libale: this.library.version,
    };
    const list = find('facts');
    if (list.childElementCount !== 2 * Object.keys(facts).length) {
      list.replaceChildren(...Object.keys(facts).flatMap((name) => {
        const term = document.createElement('dt');
        term.textContent = name;
        return [term, document.createElement('dd')];
      }));
    }
    const places = list.querySelectorAll('dd');
    Object.values(facts).forEach((fact, i) => { places[i].textContent = fact; });
  }

  /** What lies over the screen: the start, a pause, the end. */
  curtain() {
    const { game } = this;
    const over = game.over;
    find('curtain').hidden = !this.paused && !over;
    find('go').hidden = false;
    const before = game.report.episode_frame_number < 200 && !game.acts.length;
    this.fresh = before;
    find('curtain').classList.toggle('corner', !before && !over); // a pause does not hide the picture
    const [headline] = document.getElementsByClassName('headline');
    const [hint] = document.getElementsByClassName('hint');
    const sums = game.returns.slice(0, game.players).join(' : ').replace(/-/g, '−');
    const what = game.replay ? 'recording' : 'episode';
    headline.textContent = over ? `The ${what} is over. Return ${sums}` : before ? game.title : 'Paused';
    const words = over ? 'Play again' : before ? (game.replay ? 'Watch' : 'Play') : 'Go on';
    label(find('go'), over ? 'i-again' : 'i-play', words);
    label(find('pause'), this.paused ? 'i-play' : 'i-pause', this.paused ? words : 'Pause');
    const first = this.input.keys[0].map((code) => keyName(code, this.layout));
    const { paddles } = game.console.info;
    const touch = document.documentElement.classList.contains('touching');
    hint.textContent = !before || game.replay || game.seat < 0 ? '' : touch ? `Use the pad below${paddles ? ', or drag on the picture' : ''}.`
      : `${first.slice(0, 4).join(' ')} ${paddles ? 'or the mouse turn the paddle' : 'steer'}, `
        + `${first[4]} ${paddles ? 'is its button' : 'fires'}.`;
  }

  showKeys() {
    const { level, sitting } = this.game;
    this.cards.cards.forEach(({ keys }, player) => {
      const codes = this.input.keys[level ? 0 : player];
      keys.replaceChildren(...(sitting[player] ? [sitting[player].name] : codes.map((code) => kbd(keyName(code, this.layout)))));
    });
    const rows = this.input.keys.map((codes, player) => {
      const row = document.createElement('tr');
      const head = document.createElement('th');
      head.scope = 'row';
      head.textContent = `Player ${player + 1}`;
      const words = document.createElement('td');
      words.append(...codes.flatMap((code) => [kbd(keyName(code, this.layout)), ' ']));
      row.append(head, words);
      return row;
    });
    find('help-keys').replaceChildren(...rows);
  }
}

// ---- Small things -----------------------------------------------------------------------------------------

/** Do what the library may refuse, as a mode that the cartridge does not reach. */
function attempt(something) {
  try {
    something();
  } catch (error) {
    say(`${error.message}.`);
  }
}

function forPlayers({ players }) { return players ? ` for ${players} player${players > 1 ? 's' : ''}` : ''; }

function say(text, note = false) {
  const box = find('message');
  box.hidden = !text;
  box.classList.toggle('note', note);
  box.querySelector('span').textContent = text;
}

function label(button, icon, words) {
  button.querySelector('use').setAttribute('href', `#${icon}`);
  button.querySelector('span').textContent = words;
}

function kbd(text) {
  const made = document.createElement('kbd');
  made.textContent = text;
  return made;
}

function fill(select, values, name) {
  select.replaceChildren(...values.map((value) => new Option(name(value), value)));
  select.disabled = values.length < 2;
}

/** A file that comes with the page. */
async function load(file) {
  const response = await fetch(file).catch(() => {
    throw new Error(`${file} cannot be fetched: the server of this page does not answer`);
  });
  if (!response.ok) throw new Error(`${file}: ${response.status} ${response.statusText}`);
  return response;
}

async function loadBytes(file) { return new Uint8Array(await (await load(file)).arrayBuffer()); }

/** The ROM file of a game that comes with the page. */
function loadGame(name) { return loadBytes(`${name}.bin`); }

/** A recording; or a ROM file, or those in a zip archive, and which entries of it are none that can be read, in words. */
async function readFile(file) {
  const start = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  const most = isZip(start) ? ZIP_SIZE_LIMIT : ROM_SIZE_LIMIT;
  if (file.size > most) throw new Error(`it is too large, with ${file.size} bytes; at most ${most} are read`);
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (isRecording(bytes)) return { recording: await readRecording(bytes) };
  if (!isZip(start)) return { roms: [{ name: file.name, bytes }], refused: '' };
  const roms = [];
  const reasons = [];
  for await (const rom of romsInZip(bytes, (path, why) => reasons.push([...path, why].join(': ')))) roms.push(rom);
  const more = reasons.length - MOST_REFUSED;
  const refused = reasons.slice(0, MOST_REFUSED).join('; ') + (more > 0 ? `; and ${more} more` : '');
  if (!roms.length) {
    throw new Error(refused ? `nothing in it can be opened: ${refused}`
      : 'the zip archive holds no file that ends in .a26, .bin or .rom');
  }
  return { roms, refused };
}

/** The one of several ROM files that the visitor chooses, if any; meanwhile the game waits. */
function chooseRom(player, roms, refused) {
  const box = find('roms-box');
  const list = find('rom');
  fill(list, [...roms.keys()], (i) => {
    const title = titleOf(player.library, roms[i].bytes);
    return roms[i].path.join(': ') + (title && ` – ${title}`);
  });
  list.selectedIndex = 0;
  find('roms-refused').textContent = refused && `Cannot be opened: ${refused}.`;
  const running = !player.paused && !player.game.over;
  if (running) player.run(false);
  box.returnValue = '';
  box.showModal();
  return new Promise((resolve) => {
    box.addEventListener('close', () => {
      if (running) player.run(true);
      resolve(box.returnValue ? roms[list.selectedIndex] : undefined);
    }, { once: true });
  });
}

function download(name, bytes) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([bytes], { type: 'application/zip' }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// ---- What the visitor does --------------------------------------------------------------------------------

function listen(player) {
  const { input } = player;
  const stage = find('stage');
  const commands = {
    pause: () => player.run(player.paused),
    next: () => { player.run(false); if (!player.game.over) player.frame(); player.curtain(); },
    again: () => player.start(),
    save: () => player.save(),
    restore: () => player.restore(),
    sound: () => find('sound').setAttribute('aria-pressed', player.sound.toggle()),
    full: () => (document.fullscreenElement ? document.exitFullscreen() : stage.requestFullscreen?.()),
    help: () => { player.run(false); find('help-box').showModal(); },
    objects: () => { find('objects').open = !find('objects').open; },
  };
  const shortcuts = {
    KeyP: 'pause', KeyN: 'next', KeyR: 'again', KeyC: 'save', KeyV: 'restore', KeyM: 'sound', KeyZ: 'full', KeyB: 'objects',
  };
  for (const name of ['pause', 'next', 'again', 'save', 'restore', 'sound', 'full', 'help']) {
    find(name).addEventListener('click', (event) => {
      commands[name]();
      if (event.detail && name !== 'help') stage.focus({ preventScroll: true }); // by mouse: the keys are the game's
    });
  }
  find('go').addEventListener('click', () => { player.run(true); stage.focus({ preventScroll: true }); });

  // Keys belong to the game unless something that takes them has the focus.
  const taken = ({ target, code }) => document.querySelector('dialog[open]') || target.closest('input, select')
    || (['Space', 'Enter'].includes(code) && target.closest('summary, a, button'));
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === '?' && !document.querySelector('dialog[open]')) commands.help();
    if (taken(event)) return;
    if (input.isUsed(event.code, player.game.people)) {
      event.preventDefault();
      if (event.code === input.keys[0][4] && !event.repeat) player.mayStart();
      input.pressed.add(event.code);
    } else if (!event.repeat && shortcuts[event.code]) {
      event.preventDefault();
      commands[shortcuts[event.code]]();
    } else if (event.code === 'Enter' && player.paused) player.run(true);
  });
  document.addEventListener('keyup', (event) => input.pressed.delete(event.code));
  addEventListener('blur', () => input.release());
  document.addEventListener('visibilitychange', () => { if (document.hidden && !player.paused) player.run(false); });

  // The mouse, or a finger, on the picture turns the first player's paddle.
  let from = null;
  stage.addEventListener('pointerdown', (event) => {
    if (event.target.closest('button')) return;
    stage.setPointerCapture(event.pointerId);
    stage.focus({ preventScroll: true });
    event.preventDefault();
    from = event;
  });
  stage.addEventListener('pointermove', (event) => {
    if (event.pointerId !== from?.pointerId) return;
    const width = stage.clientWidth;
    input.drag((event.clientX - from.clientX) / width, (event.clientY - from.clientY) / width);
    from = event;
  });
  for (const end of ['pointerup', 'pointercancel']) stage.addEventListener(end, () => { from = null; });

  // Touch: the pad gives eight directions.
  addEventListener('touchstart', () => document.documentElement.classList.add('touching'), { once: true, passive: true });
  if (matchMedia('(pointer: coarse)').matches) document.documentElement.classList.add('touching');
  const pad = find('pad');
  const steer = (event) => {
    const box = pad.getBoundingClientRect();
    const x = (event.clientX - box.left) / box.width - 0.5;
    const y = (event.clientY - box.top) / box.height - 0.5;
    const far = Math.hypot(x, y) > 0.12;
    // 67.5 degrees to each side of a direction belong to it, so that neighbours overlap in the diagonals.
    const on = { up: -y, down: y, left: -x, right: x };
    for (const contact of CONTACTS.slice(0, 4)) {
      const closed = far && on[contact] > 0.38 * Math.hypot(x, y);
      input.touched[closed ? 'add' : 'delete'](contact);
      pad.querySelector(`.${contact}`).classList.toggle('on', closed);
    }
  };
  const leave = () => {
    for (const contact of CONTACTS.slice(0, 4)) input.touched.delete(contact);
    pad.querySelectorAll('.on').forEach((one) => one.classList.remove('on'));
  };
  pad.addEventListener('pointerdown', (event) => { pad.setPointerCapture(event.pointerId); steer(event); });
  pad.addEventListener('pointermove', (event) => { if (event.buttons) steer(event); });
  for (const end of ['pointerup', 'pointercancel']) pad.addEventListener(end, leave);
  const fire = find('fire');
  fire.addEventListener('pointerdown', (event) => {
    fire.setPointerCapture(event.pointerId);
    fire.classList.add('on');
    player.mayStart();
    input.touched.add('fire');
  });
  for (const end of ['pointerup', 'pointercancel'])
    fire.addEventListener(end, () => { fire.classList.remove('on'); input.touched.delete('fire'); });
  fire.addEventListener('contextmenu', (event) => event.preventDefault());

  // Files
  let latest = null; // what was brought last: another file that is still read is not wanted any more
  const take = async (file) => {
    if (!file || find('roms-box').open) return;
    latest = file;
    try {
      const { recording, roms, refused } = await readFile(file);
      if (latest !== file) return;
      if (recording) {
        await player.watch(recording, file.name, () => latest === file);
        stage.focus({ preventScroll: true });
        return;
      }
      const rom = roms.length > 1 ? await chooseRom(player, roms, refused) : roms[0];
      if (rom && player.open(rom.bytes, rom.name)) stage.focus({ preventScroll: true });
    } catch (error) {
      if (latest === file) say(`${file.name}: ${error.message}.`);
    }
  };
  find('rom').addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    find('roms-box').close('open');
  });
  find('rom').addEventListener('dblclick', () => find('roms-box').close('open'));
  find('file').addEventListener('change', (event) => {
    take(event.target.files[0]);
    event.target.value = '';
  });
  const choose = async (name) => {
    latest = name;
    try {
      const bytes = await loadGame(name);
      if (latest === name) player.open(bytes, `${name}.bin`);
    } catch (error) {
      if (latest === name) say(`${error.message}.`);
    }
    find('game').value = player.game.name;
  };
  find('quartet').addEventListener('click', () => choose(HOME));
  find('game').addEventListener('change', (event) => choose(event.target.value));
  let inside = 0;
  const dragging = (event) => event.dataTransfer?.types.includes('Files');
  addEventListener('dragenter', (event) => { if (dragging(event) && ++inside) find('drop').hidden = false; });
  addEventListener('dragleave', (event) => { if (dragging(event) && --inside <= 0) find('drop').hidden = true; });
  addEventListener('dragover', (event) => event.preventDefault());
  addEventListener('drop', (event) => {
    event.preventDefault();
    inside = 0;
    find('drop').hidden = true;
    take(event.dataTransfer.files[0]);
  });

  // Choices
  const choice = (id, choose) => find(id).addEventListener('change', (event) => {
    choose(Number(event.target.value));
    stage.focus({ preventScroll: true });
  });
  choice('players', (players) => player.choosePlayers(players));
  choice('mode', (mode) => player.start({ mode }));
  choice('difficulty', (difficulty) => player.start({ difficulty }));
  choice('speed', (speed) => { player.speed = speed; });
  find('seek').addEventListener('input', ({ target }) => player.seek(Number(target.value)));
  find('volume').addEventListener('input', ({ target }) => player.sound.setVolume(Number(target.value)));
  choice('seat', (seat) => player.playAgainst(player.game.level, seat, player.game.chosen));
  find('against').addEventListener('change', ({ target }) => {
    if (target.value === 'several') return;
    player.playAgainst(player.game.levels[target.value] ?? null, player.game.seat);
    stage.focus({ preventScroll: true });
  });
  for (const panel of ['objects', 'memory', 'numbers']) find(panel).addEventListener('toggle', () => player.show());
  find('record').addEventListener('click', async () => {
    const { name, seed } = player.game;
    download(`${name}-${seed}.zip`, await player.game.recording());
  });
  find('message').querySelector('button').addEventListener('click', () => say(''));
  addEventListener('resize', () => player.show());

  listenForKeys(player);
  listenForTheme();
}

/** The dialog that gives contacts other keys. */
function listenForKeys(player) {
  const { input } = player;
  const table = find('remap');
  let waiting = null;
  const draw = () => {
    const head = document.createElement('thead');
    head.innerHTML = `<tr><td></td>${CONTACTS.map((contact) => `<th scope="col">${contact}</th>`).join('')}</tr>`;
    const body = document.createElement('tbody');
    input.keys.forEach((codes, number) => {
      const row = body.insertRow();
      const name = document.createElement('th');
      name.scope = 'row';
      name.textContent = `Player ${number + 1}`;
      row.append(name);
      codes.forEach((code, i) => {
        const button = document.createElement('button');
        button.type = 'button';
        button.textContent = keyName(code, player.layout);
        button.setAttribute('aria-label', `Player ${number + 1} ${CONTACTS[i]}: ${button.textContent}`);
        button.addEventListener('click', () => {
          draw();
          waiting = { number, i };
          const again = table.querySelectorAll('button')[number * CONTACTS.length + i];
          again.classList.add('waiting');
          again.textContent = 'press …';
          again.focus();
        });
        row.insertCell().append(button);
      });
    });
    table.replaceChildren(head, body);
    waiting = null;
  };
  const changed = () => { draw(); player.showKeys(); player.curtain(); };
  find('keys').addEventListener('click', () => { player.run(false); draw(); find('keys-box').showModal(); });
  find('usual').addEventListener('click', () => { input.remapAllAsUsual(); changed(); });
  find('keys-box').addEventListener('keydown', (event) => {
    if (!waiting) return;
    event.preventDefault();
    if (event.code !== 'Escape') input.remap(waiting.number, waiting.i, event.code);
    changed();
  });
}

/** Light or dark: as the system has it, until the visitor chooses; the choice is kept where that is possible. */
function listenForTheme() {
  const root = document.documentElement;
  let stored = null;
  try { stored = localStorage.getItem('libale-theme'); } catch { /* as the system has it */ }
  const system = matchMedia('(prefers-color-scheme: dark)');
  const apply = () => root.classList.toggle('dark', stored ? stored === 'dark' : system.matches);
  apply();
  system.addEventListener('change', apply);
  find('theme').addEventListener('click', () => {
    stored = root.classList.contains('dark') ? 'light' : 'dark';
    try { localStorage.setItem('libale-theme', stored); } catch { /* for this visit */ }
    apply();
  });
}

/**
 * Play what the address asks for, as far as it can be had.
 * @returns {Promise<string[]>} what cannot
 */
async function follow(player, wishes) {
  const { game } = player;
  const refused = [];
  const asked = {};
  const add = (name, value, words) => {
    if (game.find({ ...asked, [name]: value })) asked[name] = value;
    else refused.push(`${game.title} has no ${words}${forPlayers(asked)}${'mode' in asked ? ` in mode ${asked.mode}` : ''}.`);
  };
  const { players, mode, against, seat } = Object.fromEntries([...wishes].filter(([, wish]) => wish));
  if (players) add('players', Number(players), `modes for ${players} players`);
  if (mode) add('mode', Number(mode), `mode ${mode}`);
  if (against) {
    await player.findingLevels;
    add('against', against.split(','), `“${against}” opponents`);
  }
  const way = game.find(asked);
  if (way.players !== game.players) player.choosePlayers(way.players);
  if (way.mode !== game.mode) player.start({ mode: way.mode });
  if (way.level) {
    const wanted = Math.trunc(Number(seat ?? 1)) || 1;
    const own = seat === '0' ? 0 : Math.min(Math.max(wanted, 1), way.players); // 0: opponents have all seats
    if (seat && Number(seat) !== own) refused.push(`There is no seat ${seat}: yours is ${own}.`);
    const names = asked.against;
    const seats = [...Array(way.players).keys()].filter((player) => player !== own - 1);
    if (![1, seats.length].includes(names.length)) refused.push(`There are ${seats.length} opponents, not ${names.length}.`);
    const chosen = [];
    seats.forEach((at, i) => { chosen[at] = names[i] ?? names[0]; });
    player.playAgainst(way.level, own - 1, chosen);
  } else if (seat && !against) refused.push(`Seat ${seat} is only for who plays against opponents.`);
  return refused;
}

async function main() {
  const wishes = new URLSearchParams(location.search);
  const wide = matchMedia('(min-width: 901px)');
  let library;
  let about;
  let name = wishes.get('game') || HOME;
  let bytes;
  let unknown = false;
  try {
    const json = (file) => load(file).then((answer) => answer.json());
    [library, about] = await Promise.all([Library.load('ale.wasm'), json('games.json')]);
    unknown = about.games.every((game) => game.name !== name);
    bytes = await loadGame(unknown ? HOME : name);
  } catch (error) {
    say(`The game could not be loaded: ${error.message}.`);
    return;
  }
  const player = new Player(library, about.games.map((game) => game.name), about.trained ?? []);
  player.layout = await navigator.keyboard?.getLayoutMap?.().catch(() => null);
  const titles = Object.fromEntries(about.games.map((game) => [game.name, game.title]));
  fill(find('game'), Object.keys(titles), (game) => titles[game]);
  find('games').hidden = about.games.length < 2;
  if (!about.documentation) document.querySelectorAll('a.docs').forEach((link) => link.removeAttribute('href'));
  if (!player.open(bytes, `${unknown ? HOME : name}.bin`)) return;
  const refused = unknown ? [`There is no game “${name}” here: this is ${player.game.title}.`] : await follow(player, wishes);
  if (refused.length) say(refused.join(' '));
  const seed = Number(wishes.get('seed'));
  if (Number.isInteger(seed) && seed > 0 && seed < 2 ** 31) player.start({ seed });
  listen(player);
  find('memory').open = wide.matches;
  find('full').hidden = !find('stage').requestFullscreen;
  player.curtain();
  find('go').focus({ preventScroll: true });
  requestAnimationFrame(player.loop);
  player.remembers = true;
  window.player = player;
}

main();
