"""The page frees its objects when the library, which only counts here, refuses something."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

COUNTS = """
import { Game } from './game.js';
import { AleError, Console, Library, Rom } from './libale.js';

// A library in which every function succeeds but those in `refused`; `alive` counts what it made.
const alive = {};
let refused = new Set(), next = 1024;
const memory = new WebAssembly.Memory({ initial: 64 });
const words = () => new Int32Array(memory.buffer);
const count = (kind, by) => { alive[kind] = (alive[kind] ?? 0) + by; };
function take(kind) { count(kind, 1); return (next += 1024); }
const special = {
  memory,
  malloc(size) {
    if (refused.has('malloc')) return 0;
    count('memory', 1);
    const place = next;
    next += (size + 7) & ~7;
    return place;
  },
  free(pointer) { if (pointer) count('memory', -1); },
  ale_version: () => 0,
  ale_last_error: () => 0,
};
const kinds = { rom: 'release', env: 'destroy', state: 'destroy' };
const exports = new Proxy(special, {
  get(known, name) {
    if (name in known) return known[name];
    const [, kind, verb] = name.split('_');
    return (...given) => {
      if (refused.has(name)) return 1;
      if (verb === 'create') words()[given.at(-1) / 4] = take(kind);
      if (verb === kinds[kind] && given[0]) count(kind, -1);
      return 0;
    };
  },
});
const library = new Library(exports);
const bytes = new Uint8Array(4096);
const calls = {
  game: () => new Game(library, bytes, 'x.bin').close(),
  rom: () => new Rom(library, bytes).close(),
  console: () => {
    const rom = new Rom(library, bytes);
    try { new Console(rom).close(); } finally { rom.close(); }
  },
  save: () => {
    const rom = new Rom(library, bytes);
    try {
      const made = new Console(rom);
      try { made.forget(made.save()); } finally { made.close(); }
    } finally { rom.close(); }
  },
  watch: () => {
    const game = new Game(library, bytes, 'x.bin');
    const header = { players: 1, rules: 0, mode: 0, difficulty: 0, seed: 1, sticky: 0 };
    try { game.watch({ header, chunks: [], steps: 0 }); } finally { game.close(); }
  },
};
const functions = ['', 'ale_rom_create', 'ale_rom_describe', 'ale_game_describe', 'ale_env_create',
  'ale_env_describe', 'ale_env_palette', 'ale_env_modes', 'ale_env_reload', 'ale_env_set_mode',
  'ale_env_set_difficulty', 'ale_env_reset', 'ale_state_create', 'ale_env_save', 'malloc'];
for (const [name, call] of Object.entries(calls))
  for (const one of functions) {
    refused = new Set([one]);
    let outcome = 'done';
    try { call(); } catch (error) {
      if (!(error instanceof AleError)) throw error;
      outcome = 'refused';
    }
    for (const [kind, left] of Object.entries(alive))
      if (left) throw new Error(`${name} without ${one || 'a refusal'}: ${left} ${kind} left`);
    console.log(name, one, outcome);
  }
"""


@pytest.mark.skipif(not shutil.which("node"), reason="needs Node")
def test_whatever_is_refused_nothing_is_left(tmp_path: Path) -> None:
    for module in Path(__file__).parents[1].glob("*.js"):
        shutil.copy(module, tmp_path)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "counts.js").write_text(COUNTS)
    done = subprocess.run(
        ["node", "counts.js"], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    told = done.stdout.splitlines()
    assert "game  done" in told
    assert "game ale_env_create refused" in told
    assert "game ale_env_reset refused" in told
    assert "save ale_env_save refused" in told
