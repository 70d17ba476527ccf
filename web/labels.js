// Labels: names for bytes of RAM, as the tables of pyale_ma/labels/GAME.toml say (docs/labels.md).

const UNITS = { x: 'column of the screen', y: 'row of the screen', score: 'points', lives: 'lives', count: 'number' };

export class Label {
  /** @param {string} name  @param {object} table its TOML */
  constructor(name, table) {
    this.name = name;
    this.about = table.about;
    this.unit = UNITS[table.kind];
    this.bytes = table.bytes ?? [table.byte];
    const { code = 'binary', mask = 256 ** this.bytes.length - 1, blank = null, scale = 1, offset = 0 } = table;
    Object.assign(this, { code, mask, blank, scale, offset });
  }

  /** Its value, as `Label` of pyale_ma.labels computes it. */
  value(ram) {
    const { bytes, code, scale } = this;
    const base = code === 'hmove' ? 1 : code === 'bcd' ? 100 : code === 'digits' ? 10 : 256;
    let sum = 0;
    bytes.forEach((byte, index) => {
      const place = bytes.length - 1 - index; // of the lowest byte 0
      const mask = Math.floor(this.mask / 256 ** place) & 255;
      let bits = ram[byte] & mask;
      if (bytes.length === 1 || code === 'digits') bits /= mask & -mask || 1;
      const left = bits >> 4;
      const low = bits & 15;
      let part = this.digit(bits);
      if (code === 'hmove') part = 15 * low - (left - 16 * (left >> 3));
      else if (code === 'bcd') part = 10 * this.digit(left) + this.digit(low);
      sum += scale * base ** place * part;
    });
    return sum + this.offset;
  }

  digit(bits) { return bits === this.blank ? 0 : bits; }
}

/** The labels of a game. @param {object} tables those of all games @param {string} game its name, or '' */
export function labelsOf(tables, game) {
  return Object.entries(tables[game] ?? {}).map(([name, table]) => new Label(name, table));
}
