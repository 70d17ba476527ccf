// libale for JavaScript: ale.wasm, and what ../libale/include/ale/ale.h says of it.
//
//     const library = await Library.load('ale.wasm');
//     const console = new Console(library, bytes, {rules: SOLO});
//     console.act([FIRE]);
//     console.report.rewards[0];
//
// In WebAssembly a pointer has 32 bits, and so has every field of the structs below: each is an array of words.

export const SOLO = 0;
export const MULTI = 1;
export const GAME_NONE = -2;
export const MAX_PLAYERS = 4;
export const SCREEN_WIDTH = 160;
export const RAM_SIZE = 128;
export const AUDIO_SIZE = 512;
export const ROM_SIZE_LIMIT = 512 * 1024;
export const LABEL_UNITS = ['column of the screen', 'row of the screen', 'points', 'lives', 'number']; // by ale_label_kind
export const OBJECT_NAMES = ['Player 0', 'Player 1', 'Missile 0', 'Missile 1', 'Ball', 'Playfield'];
export const ACTION_NAMES = [
  'NOOP', 'FIRE', 'UP', 'RIGHT', 'LEFT', 'DOWN', 'UPRIGHT', 'UPLEFT', 'DOWNRIGHT', 'DOWNLEFT', 'UPFIRE', 'RIGHTFIRE',
  'LEFTFIRE', 'DOWNFIRE', 'UPRIGHTFIRE', 'UPLEFTFIRE', 'DOWNRIGHTFIRE', 'DOWNLEFTFIRE',
];

// The fields of each struct in order; an array of n has its name n times.  The tests compare them with the library's.
export const STRUCTS = {
  ale_game_info: `struct_size rules name title md5 minimal_actions legal_actions difficulties player_counts
    default_mode paddles ${'default_modes '.repeat(4)}`,
  ale_rom_options: 'struct_size format game scheme card variation terminals terminal_count',
  ale_rom_info: `struct_size game ${'md5 '.repeat(10)} scheme format paddles translated`,
  ale_env_options: `struct_size rules random_seed system_seed repeat_action_probability frame_skip
    max_num_frames_per_episode truncate_on_loss_of_life reward_min reward_max paddle_min paddle_max color_averaging
    sound max_turn_time fast_paths objects frame_limit idle_action corrected_rules`,
  ale_env_info: `struct_size rules game screen_width screen_height format minimal_actions legal_actions difficulties
    player_counts default_mode paddles ${'default_modes '.repeat(4)}`,
  ale_report: `struct_size players ${'rewards '.repeat(4)} ${'lives '.repeat(4)} terminated truncated frame_number
    episode_frame_number mode difficulty ended_by`,
  ale_object_box: 'object color x y width height',
  ale_policy_numbers: `struct_size players used_count neurons_1 neurons_2 action_count shift_1 shift_2 shift_3 used
    actions numbers size`,
  ale_label: `struct_size kind name about player byte_count ${'places '.repeat(2)}`, // its first fields
};
const FIELDS = Object.fromEntries(
  Object.entries(STRUCTS).map(([name, words]) => [name, words.trim().split(/\s+/)]),
);

/** What the library refused, in its own words. */
export class AleError extends Error {}

/** The module: its functions, its memory and what it knows of games. */
export class Library {
  /** @param {string | URL | BufferSource} source where ale.wasm is, or its bytes */
  static async load(source) {
    let bytes = source;
    if (typeof source === 'string' || source instanceof URL) {
      const response = await fetch(source);
      if (!response.ok) throw new AleError(`${source}: ${response.status} ${response.statusText}`);
      bytes = await response.arrayBuffer();
    }
    const { instance } = await WebAssembly.instantiate(bytes); // it imports nothing
    instance.exports._initialize();
    return new Library(instance.exports);
  }

  constructor(exports) {
    this.c = exports;
    this.version = this.text(exports.ale_version());
  }

  // Views are made anew when used: memory that grows leaves the old ones empty.
  get bytes() { return new Uint8Array(this.c.memory.buffer); }
  get words() { return new Int32Array(this.c.memory.buffer); }
  get floats() { return new Float32Array(this.c.memory.buffer); }

  /** The text at a pointer. */
  text(pointer) {
    const bytes = this.bytes;
    return new TextDecoder().decode(bytes.slice(pointer, bytes.indexOf(0, pointer)));
  }

  /** Raise what a function refused. */
  check(status) {
    if (status !== 0) throw new AleError(this.text(this.c.ale_last_error()));
  }

  /** Call `use` with a pointer to `size` bytes, which are 0, and free them. */
  lend(size, use) {
    const pointer = this.c.malloc(size);
    if (!pointer) throw new AleError('out of memory');
    try {
      this.bytes.fill(0, pointer, pointer + size);
      return use(pointer);
    } finally {
      this.c.free(pointer);
    }
  }

  /** Call `use` with a pointer to a struct, whose size is set. */
  lendStruct(name, use) {
    const size = 4 * FIELDS[name].length;
    return this.lend(size, (pointer) => {
      this.words[pointer / 4] = size;
      return use(pointer);
    });
  }

  /** A struct as an object; fields that occur several times are arrays. */
  read(name, pointer) {
    const words = this.words;
    const read = {};
    FIELDS[name].forEach((field, i) => {
      const word = words[pointer / 4 + i];
      if (!(field in read)) read[field] = word;
      else read[field] = [].concat(read[field], word);
    });
    return read;
  }

  /** Set a field of a struct; `as` is `words` or `floats`. */
  write(name, pointer, field, value, as = 'words') {
    this[as][pointer / 4 + FIELDS[name].indexOf(field)] = value;
  }

  /** What is known of a game under a rule set, with its texts. */
  describeGame(game, rules) {
    return this.lendStruct('ale_game_info', (info) => {
      this.check(this.c.ale_game_describe(game, rules, info));
      const read = this.read('ale_game_info', info);
      for (const field of ['name', 'title', 'md5']) read[field] = this.text(read[field]);
      return read;
    });
  }

  /** The modes of a game under a rule set for this number of players. */
  modes(game, rules, players) { return this.list((...room) => this.c.ale_game_modes(game, rules, players, ...room)); }

  /** The labels of a game: {name, about, unit, bytes}. */
  labels(game) {
    return Array.from({ length: this.c.ale_game_label_count(game) }, (_, index) =>
      this.lendStruct('ale_label', (label) => {
        this.check(this.c.ale_game_label(game, index, label));
        const { kind, name, about, byte_count: count } = this.read('ale_label', label);
        const places = label + 4 * FIELDS.ale_label.indexOf('places');
        const bytes = [...this.bytes.slice(places, places + count)];
        return { name: this.text(name), about: this.text(about), unit: LABEL_UNITS[kind], bytes };
      }));
  }

  /** At most 256 numbers, which a function writes where there is room for them, with their count. */
  list(write) {
    return this.lend(4 + 4 * 256, (count) => {
      this.check(write(count + 4, 256, count));
      const { words } = this;
      return [...words.slice(count / 4 + 1, count / 4 + 1 + words[count / 4])];
    });
  }

  /** A pointer to an object that a function makes: its last argument is where the pointer goes. */
  make(make) {
    return this.lend(4, (made) => {
      this.check(make(made));
      return this.words[made / 4];
    });
  }
}

/** Finish what has memory of the library: `work` succeeds, or it is closed. */
export function orClose(object, work) {
  try {
    work();
  } catch (error) {
    object.close();
    throw error;
  }
}

/** The image of a cartridge. */
export class Rom {
  /**
   * @param {Library} library
   * @param {Uint8Array} bytes of the file
   * @param {{rules?: boolean}} options `rules: false`: without a game's rewards and ends
   */
  constructor(library, bytes, { rules = true } = {}) {
    this.library = library;
    this.pointer = library.lend(Math.max(bytes.length, 1), (copy) => {
      library.bytes.set(bytes, copy);
      return library.lendStruct('ale_rom_options', (options) => library.lend(1, (empty) => {
        library.c.ale_rom_options_init(options, library.words[options / 4]);
        if (!rules) library.write('ale_rom_options', options, 'game', empty);
        return library.make((made) => library.c.ale_rom_create(copy, bytes.length, options, made));
      }));
    });
    orClose(this, () => library.lendStruct('ale_rom_info', (info) => {
      library.check(library.c.ale_rom_describe(this.pointer, info));
      this.info = library.read('ale_rom_info', info);
      this.md5 = library.text(info + 8);
      this.scheme = library.text(this.info.scheme);
    }));
  }

  close() {
    this.library.c.ale_rom_release(this.pointer);
    this.pointer = 0;
  }
}

/** A console that plays a cartridge: an ale_env. */
export class Console {
  /**
   * @param {Rom} rom
   * @param {object} options fields of ale_env_options
   */
  constructor(rom, options = {}) {
    const library = (this.library = rom.library);
    const { c } = library;
    this.pointer = library.lendStruct('ale_env_options', (pointer) => {
      c.ale_env_options_init(pointer, library.words[pointer / 4]);
      for (const [field, value] of Object.entries(options))
        library.write('ale_env_options', pointer, field, value, field === 'repeat_action_probability' ? 'floats' : 'words');
      return library.make((made) => c.ale_env_create(rom.pointer, pointer, made));
    });
    this.arguments = c.malloc(8 * MAX_PLAYERS); // actions, then strengths
    orClose(this, () => {
      if (!this.arguments) throw new AleError('out of memory');
      this.info = library.lendStruct('ale_env_info', (info) => {
        library.check(c.ale_env_describe(this.pointer, info));
        return library.read('ale_env_info', info);
      });
      this.palette = library.lend(256 * 3, (palette) => {
        library.check(c.ale_env_palette(this.pointer, 1, palette, 256 * 3));
        return library.bytes.slice(palette, palette + 256 * 3);
      });
    });
  }

  close() {
    this.library.c.ale_env_destroy(this.pointer);
    this.library.c.free(this.arguments);
    this.pointer = 0;
  }

  get report() {
    return this.library.read('ale_report', this.library.c.ale_env_report(this.pointer));
  }

  /** One act: an action for each player of the mode, and how far paddles turn (1 each by default). */
  act(actions, strengths = null) {
    const { library } = this;
    library.words.set(actions, this.arguments / 4);
    const floats = strengths && this.arguments + 4 * MAX_PLAYERS;
    if (strengths) library.floats.set(strengths, floats / 4);
    library.check(library.c.ale_env_act(this.pointer, this.arguments, floats || 0, actions.length, 1));
  }

  reset() { this.library.check(this.library.c.ale_env_reset(this.pointer)); }
  reload(seed) { this.library.check(this.library.c.ale_env_reload(this.pointer, seed)); }
  setMode(mode) { this.library.check(this.library.c.ale_env_set_mode(this.pointer, mode)); }
  setDifficulty(difficulty) { this.library.check(this.library.c.ale_env_set_difficulty(this.pointer, difficulty)); }

  /** The modes for this number of players. */
  modes(players) {
    const { library } = this;
    return library.list((...room) => library.c.ale_env_modes(this.pointer, players, ...room));
  }

  /** Views that hold until the next call: 128 bytes of RAM, 512 samples of the latest act, the screen's indices. */
  get ram() { return this.view(this.library.c.ale_env_ram(this.pointer), RAM_SIZE); }
  get audio() { return this.view(this.library.c.ale_env_audio(this.pointer), AUDIO_SIZE); }
  get screen() {
    return this.view(this.library.c.ale_env_screen_indices(this.pointer), SCREEN_WIDTH * this.info.screen_height);
  }
  view(pointer, size) { return new Uint8Array(this.library.c.memory.buffer, pointer, size); }

  /** Boxes around objects: {object, color, x, y, width, height}. */
  boxes() {
    const { library } = this;
    const capacity = 512;
    return library.lend(4 + 24 * capacity, (count) => {
      library.check(library.c.ale_env_object_boxes(this.pointer, count + 4, capacity, count));
      const found = Math.min(library.words[count / 4], capacity);
      return Array.from({ length: found }, (_, i) => library.read('ale_object_box', count + 4 + 24 * i));
    });
  }

  /** The present values of the labels of its game, in their order. */
  labels() {
    const { library } = this;
    return library.list((...room) => library.c.ale_env_labels(this.pointer, ...room));
  }

  /** Keep this moment, random numbers included, in `state`, a pointer that an earlier call returned, or in a new one. */
  save(state = 0) {
    const { library } = this;
    const kept = state || library.make((made) => library.c.ale_state_create(made));
    try {
      library.check(library.c.ale_env_save(this.pointer, 1, kept));
    } catch (error) {
      if (!state) this.forget(kept);
      throw error;
    }
    return kept;
  }
  restore(state) { this.library.check(this.library.c.ale_env_restore(this.pointer, state)); }
  forget(state) { this.library.c.ale_state_destroy(state); }
}

/** A trained player: an ale_policy. */
export class Policy {
  /**
   * @param {Library} library
   * @param {object} network fields of ale_policy_numbers, where `used`, `actions` and `numbers` are lists of bytes
   */
  constructor(library, network) {
    this.library = library;
    const { used, actions, numbers } = network;
    this.pointer = library.lend(used.length + actions.length + numbers.length, (bytes) =>
      library.lendStruct('ale_policy_numbers', (struct) => {
        const pointers = { used: bytes, actions: bytes + used.length, numbers: bytes + used.length + actions.length };
        for (const [field, pointer] of Object.entries(pointers)) library.bytes.set(network[field], pointer);
        const counts = { used_count: used.length, action_count: actions.length, size: numbers.length };
        for (const [field, value] of Object.entries({ ...network, ...pointers, ...counts }))
          library.write('ale_policy_numbers', struct, field, value);
        return library.make((made) => library.c.ale_policy_create(struct, made));
      }));
  }

  close() {
    this.library.c.ale_policy_release(this.pointer);
    this.pointer = 0;
  }

  /**
   * Choose an action, as ale_policy_act does.
   * @param {Uint8Array} ram what the player sees; no view of the library's memory, which may grow
   * @param {Uint8Array} before what it saw at its last action; at its first, `ram`
   * @param {number} player which player of its game it is, 0 for the first
   * @param {number} random the state of its random numbers
   * @returns {{action: number, random: number}} with the state for its next action
   */
  act(ram, before, player, random) {
    const { library } = this;
    return library.lend(2 * RAM_SIZE + 12, (seen) => {
      const numbers = seen + 2 * RAM_SIZE; // the player, its state and its action
      library.bytes.set(ram, seen);
      library.bytes.set(before, seen + RAM_SIZE);
      library.words.set([player, random], numbers / 4);
      library.check(library.c.ale_policy_act(
        this.pointer, 1, seen, seen + RAM_SIZE, numbers, numbers + 4, numbers + 8, 0, 0,
      ));
      const [, state, action] = library.words.subarray(numbers / 4);
      return { action, random: state };
    });
  }
}
