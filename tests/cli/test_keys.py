"""The keys of ``pyale-ma play``: their table, and a person's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyale_ma.cli import keys, main


def test_no_key_of_four_players_is_used_twice() -> None:
    used = [key for player in keys.PLAYERS for named in player.values() for key in named]
    assert len(used) == len(set(used))
    for name, named in keys.COMMANDS.items():
        assert set(named) - set(used), f"{name} has no key left with four players"


def test_all_are_keys_of_pygame(monkeypatch: pytest.MonkeyPatch) -> None:
    pygame = pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    pygame.display.init()
    try:
        for table in (*keys.PLAYERS, keys.COMMANDS):
            for named in table.values():
                for key in named:
                    assert pygame.key.key_code(key)
    finally:
        pygame.display.quit()


def test_titles() -> None:
    assert keys.title_of("left shift") == "Left Shift"
    assert keys.title_of("[8]") == "Keypad 8"
    assert keys.title_of("f5") == "F5"
    assert keys.title_of("up") == "↑"


def test_what_is_written_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "keys.toml"
    file.write_text(keys.to_toml(keys.Keys()), encoding="utf-8")
    assert keys.load(file) == keys.Keys()
    assert main(["keys", "--keys", str(file)]) == 0
    assert capsys.readouterr().out == file.read_text(encoding="utf-8")


def test_own_keys_take_the_place_of_the_usual(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "keys.toml"
    file.write_text('[player2]\nfire = ["E", "\\\\"]\n[commands]\npause = "n"\n')
    changed = keys.load(file)
    assert changed.players[1] == {**keys.PLAYERS[1], "FIRE": ("e", "\\")}
    assert changed.players[0] == keys.PLAYERS[0]
    assert changed.commands["pause"] == ("n",)
    assert changed.commands["advance"] == ("f3",)  # n is another's now
    other = tmp_path / "again.toml"
    other.write_text(keys.to_toml(changed), encoding="utf-8")
    assert keys.load(other) == changed

    monkeypatch.setattr(keys, "usual_file", lambda: file)
    assert keys.load() == changed
    monkeypatch.setattr(keys, "usual_file", lambda: tmp_path / "none.toml")
    assert keys.load() == keys.Keys()


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("[player1", "no TOML"),
        ("player1 = 3", "'player1' is no table"),
        ("[player5]", "'player5' is no table"),
        ('[player1]\njump = "a"', "player1 has 'jump'"),
        ("[player1]\nup = 3", "player1.up is 3"),
        ('[player1]\nup = ["a", 3]', "player1.up"),
        ('[player1]\nup = ""', "player1.up"),
        ('[player1]\nup = "a"\ndown = "A"', "'a' is both up and down"),
        ('[commands]\nhelp = "a"\nquit = ["b", "a"]', "'a' is both help and quit"),
    ],
)
def test_files_with_mistakes(text: str, word: str, tmp_path: Path) -> None:
    file = tmp_path / "keys.toml"
    file.write_text(text)
    with pytest.raises(ValueError, match=word) as error:
        keys.load(file)
    assert str(file) in str(error.value)
