"""The page plays what the native library plays, to the same bit, and does what visitors expect."""

from __future__ import annotations

import ctypes
import hashlib
import io
import json
import re
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from pyale_ma import _native, roms
from pyale_ma._native import abi
from pyale_ma.labels import GAMES, labels_of

WEB = Path(__file__).parents[1]
MELEE = 6
MINUS = "\N{MINUS SIGN}"
QUARTET = roms.find_rom("quartet")
ENTER, ESCAPE = "\ue007", "\ue00c"  # as WebDriver writes them

# Keep the checksum of RAM, screen and sound after every act, and what the players have won.
WATCH = """
const sum = (parts) => {
    let a = 1, b = 0;
    for (const byte of parts.flatMap((part) => [...part])) {
        a = (a + byte) % 65521;
        b = (b + a) % 65521;
    }
    return b * 65536 + a;
};
const { game } = player;
window.sums = [];
const act = game.act.bind(game);
game.act = (...all) => {
    act(...all);
    sums.push(sum([game.console.ram, game.console.screen, game.console.audio]));
};
"""
RESULT = """
const { game } = player;
const { file, seed, players, mode, difficulty, acts, strengths, returns, report } = game;
const { rules } = game.console.info;
const record = { file, md5: game.rom.md5, rules, seed, players, mode, difficulty, acts, strengths };
return { record, sums, returns, report };
"""


def replay(played: dict[str, Any], rom: Path = QUARTET) -> _native.Env:
    """Play the page's record natively; every frame must be the page's."""
    record = played["record"]
    env = _native.Env(
        _native.Rom(rom.read_bytes()),
        rules=record["rules"],
        random_seed=record["seed"],
        repeat_action_probability=0,
        sound=1,
    )
    assert record["md5"] == hashlib.md5(rom.read_bytes()).hexdigest()
    env.set_mode(record["mode"])
    env.set_difficulty(record["difficulty"])
    env.reset()
    returns = [0] * 4
    steps = zip(record["acts"], record["strengths"], played["sums"], strict=True)
    for frame, (actions, strengths, expected) in enumerate(steps):
        env.actions[: len(actions)] = actions
        env.strengths[: len(strengths)] = strengths
        env.act(record["players"])
        seen = (env.ram, env.screen(_native.Pixels.INDEXED), env.audio)
        found = zlib.adler32(b"".join(part.tobytes() for part in seen))
        assert found == expected, f"frame {frame} differs"
        returns = [sum(both) for both in zip(returns, env.report.rewards, strict=True)]
    assert returns == played["returns"]
    for name in ("players", "terminated", "frame_number", "episode_frame_number", "mode"):
        assert getattr(env.report, name) == played["report"][name], name
    assert list(env.report.lives) == played["report"]["lives"]
    return env


def play(page: Any, frames: int) -> None:
    """Frames one after another, as quickly as they go, with what is pressed now."""
    page.run("for (let i = 0; i < arguments[0]; i++) player.frame()", frames)


def test_one_player_in_real_time(page: Any) -> None:
    page.choose("#difficulty", 1)
    page.run(WATCH)
    page.click("#go")
    page.wait("return player.game.acts.length > 30")
    for key in ("ArrowUp", "ArrowLeft", " ", "ArrowRight", "ArrowDown"):
        page.keys(("keyDown", key))
        page.wait(
            "window.mark ??= player.game.acts.length; return player.game.acts.length > mark + 25"
        )
        page.keys(("keyUp", key))
        page.run("delete window.mark")
    page.click("#pause")
    played = page.run(RESULT)
    actions = {action for (action,) in played["record"]["acts"]}
    assert actions == {0, 1, 3, 4}  # paddles turn by all four arrows
    replay(played)


@pytest.mark.parametrize("mode", [MELEE, 10, 14, 18])
def test_four_players(page: Any, mode: int) -> None:
    page.choose("#players", 4)
    page.choose("#mode", mode)
    page.run(WATCH)
    page.run("document.querySelector('#stage').focus()")
    for keys in ("\ue014wfl", "sgk", "\ue013 eyo", "d\ue012tj"):
        page.keys(*(("keyDown", key) for key in keys))
        play(page, 60)
        page.keys(*(("keyUp", key) for key in keys))
        play(page, 20)
    play(page, 300 if mode == MELEE else 0)
    played = page.run(RESULT)
    assert played["report"]["players"] == 4
    by_player = zip(*played["record"]["acts"], strict=True)
    assert all({0, 3, 4} <= set(actions) for actions in by_player)
    assert any(played["returns"]) or mode != MELEE  # the others may last without
    replay(played)
    cards = page.run(
        "return [...document.querySelectorAll('.player')].map((card) => card.innerText)"
    )
    assert len(cards) == 4
    for card, won, lives in zip(cards, played["returns"], played["report"]["lives"], strict=True):
        numbers = re.findall(rf"^(out|[+{MINUS}]?\d+)$", card, re.MULTILINE)
        assert numbers[0] == str(won).replace("-", MINUS)
        assert numbers[2] == ("out" if lives < 0 else str(lives))


def test_mouse_turns_the_paddle_by_parts(page: Any) -> None:
    page.run(WATCH)
    page.run("player.input.drag(0.06, 0)")
    play(page, 10)
    page.run("player.input.drag(0, 0.011)")
    play(page, 10)
    played = page.run(RESULT)
    assert any(0 < strength < 1 for (strength,) in played["record"]["strengths"])
    assert {action for (action,) in played["record"]["acts"]} == {0, 3, 4}
    replay(played)


def test_episode_ends_and_begins_anew(page: Any) -> None:
    page.run(WATCH)
    page.run("while (!player.game.over) player.frame(60)")
    played = page.run(RESULT)
    env = replay(played)
    assert env.report.terminated
    words = f"The episode is over. Return {played['returns'][0]}".replace("-", MINUS)
    assert words in page.run("return document.body.innerText")
    page.click("#go")
    page.wait("return player.game.acts.length > 2 && !player.game.over")


def test_saved_moment_comes_back(page: Any) -> None:
    page.run(WATCH)
    play(page, 100)
    page.click("#save")
    before = page.run("return [...player.game.console.ram]")
    page.keys(("keyDown", "ArrowUp"))
    play(page, 40)
    page.keys(("keyUp", "ArrowUp"))
    assert page.run("return [...player.game.console.ram]") != before
    page.click("#restore")
    assert page.run("return [...player.game.console.ram]") == before
    page.run("sums.length = 100")
    play(page, 20)
    replay(page.run(RESULT))  # the record is that of what led here


@pytest.mark.parametrize("game", ["pong", "seaquest", "pitfall2", "surround"])
def test_rom_file(page: Any, game: str) -> None:
    rom = Path(roms.find_rom(game))
    page.upload("#file", rom)
    page.wait("return player.game.name === arguments[0]".replace("arguments[0]", json.dumps(game)))
    most = page.run("return player.game.playerCounts().at(-1)")
    if most > 1:
        page.choose("#players", most)
        usual = _native.games()[game].default_mode(_native.Rules.MULTI, most)
        chosen = f"return [player.game.mode, player.game.find({{ players: {most} }}).mode]"
        assert page.run(chosen) == [usual, usual]
    page.run(WATCH)
    page.run("document.querySelector('#stage').focus()")
    page.keys(("keyDown", "ArrowUp"), ("keyDown", " "), ("keyDown", "d"))
    play(page, 120)
    page.keys(("keyUp", "ArrowUp"), ("keyUp", " "), ("keyUp", "d"))
    play(page, 60)
    replay(page.run(RESULT), rom)


def test_games_that_are_installed(page: Any, address: str) -> None:
    """The page lists them, and opens with the one that its address names."""
    names = page.run("return [...document.querySelectorAll('#game option')].map((o) => o.value)")
    assert names[0] == "quartet"
    assert set(names) == {name for name in roms.game_names() if roms_of(name)}
    page.post("url", url=address + "?game=warlords&players=4&seed=3")
    page.wait("return !!window.player")
    about = "return [player.game.name, player.game.players, player.game.seed]"
    assert page.run(about) == ["warlords", 4, 3]
    page.run(WATCH)
    play(page, 60)
    replay(page.run(RESULT), roms.find_rom("warlords"))
    page.click("#game option[value='pong']")
    page.wait("return player.game.name === 'pong'")
    page.upload("#file", QUARTET)
    page.wait("return player.game.name === 'quartet'")
    assert page.run("return document.querySelector('#game').value") == "quartet"


def roms_of(game: str) -> list[Path]:
    """The ROM file of a game, if there is one."""
    try:
        return [roms.find_rom(game)]
    except FileNotFoundError:
        return []


def zipped(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", method) as made:
        for name, content in files.items():
            made.writestr(name, content)
    return archive.getvalue()


DAMAGED = zipped({"a.bin": bytes(99)})
DAMAGED = DAMAGED[:35] + b"\xff" + DAMAGED[36:]  # where its data begins; there is no such block


DROP = """
const files = new DataTransfer();
files.items.add(new File([new Uint8Array(arguments[0])], arguments[1]));
const how = { dataTransfer: files, bubbles: true, cancelable: true };
document.body.dispatchEvent(new DragEvent('drop', how));
"""


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_zip_archive(page: Any, method: int) -> None:
    rom = Path(roms.find_rom("pong"))
    archive = zipped({"read me.txt": b"Hello", "games/pong.bin": rom.read_bytes()}, method)
    page.run(DROP, list(archive), "games.zip")
    page.wait("return player.game.name === 'pong'")
    page.run(WATCH)
    play(page, 60)
    played = page.run(RESULT)
    assert played["record"]["file"] == "pong.bin"
    replay(played, rom)


def brought_several(page: Any, refused: dict[str, bytes]) -> None:
    """Drop an archive of two known games, one of them in another archive, and a file of no game."""
    inner = zipped({"games/pong.bin": Path(roms.find_rom("pong")).read_bytes()})
    files = {"unknown.a26": b"?", "inner.zip": inner, "quartet.rom": QUARTET.read_bytes()}
    page.run(DROP, list(zipped(files | refused)), "several.zip")
    page.wait("return document.querySelector('#roms-box').open")


def test_one_of_several_rom_files_is_chosen_by_keys(page: Any) -> None:
    page.click("#go")
    brought_several(page, {})
    assert page.run("return [...document.querySelectorAll('#rom option')].map((o) => o.text)") == [
        "unknown.a26",
        "inner.zip: games/pong.bin \N{EN DASH} Pong (Video Olympics)",
        "quartet.rom \N{EN DASH} Quartet",
    ]
    assert page.run("return document.activeElement.id") == "rom"
    assert page.run("return document.querySelector('#roms-refused').textContent") == ""
    assert page.run("return player.paused")  # while nobody plays
    page.keys(("keyDown", "ArrowDown"), ("keyUp", "ArrowDown"))
    page.keys(("keyDown", ENTER), ("keyUp", ENTER))
    page.wait("return player.game.name === 'pong'")
    assert page.run("return [player.game.file, player.paused]") == ["pong.bin", False]
    assert page.run("return document.activeElement.id") == "stage"


@pytest.mark.parametrize("how", ["Escape", "Cancel"])
@pytest.mark.parametrize("running", [False, True])
def test_choice_of_none_leaves_all_as_it_was(page: Any, how: str, running: bool) -> None:
    play(page, 5)
    if running:
        page.click("#go")
    brought_several(page, {"damaged.zip": DAMAGED})
    words = page.run("return document.querySelector('#roms-refused').textContent")
    assert words == "Cannot be opened: damaged.zip: a.bin: it is damaged."
    if how == "Escape":
        page.keys(("keyDown", ESCAPE), ("keyUp", ESCAPE))
    else:
        page.click("#roms-box button:not(.primary)")
    page.wait("return !document.querySelector('#roms-box').open")
    page.wait(f"return player.paused === {json.dumps(not running)}")
    assert page.run("return [player.game.name, document.querySelector('#message').hidden]") == [
        "quartet",
        True,
    ]
    assert page.run("return player.game.acts.length") >= 5
    brought_several(page, {})  # it can be opened again, with the button
    page.choose("#rom", 2)
    page.click("#roms-box .primary")
    page.wait("return player.game.file === 'quartet.rom'")


def test_file_that_was_brought_last_is_opened(page: Any) -> None:
    """Even if one before it takes longer to read."""
    page.run(
        """
        const read = File.prototype.arrayBuffer;
        File.prototype.arrayBuffer = function () {
            if (this.name !== 'slow.zip') return read.call(this);
            return new Promise((go) => { window.finish = go; }).then(() => read.call(this));
        };
        """
    )
    page.run(DROP, list(zipped({"slow.bin": QUARTET.read_bytes()})), "slow.zip")
    page.wait("return !!window.finish")
    page.run(DROP, list(QUARTET.read_bytes()), "quick.bin")
    page.wait("return player.game.file === 'quick.bin'")
    page.run("finish(); return new Promise((go) => setTimeout(go, 200))")
    assert page.run("return player.game.file") == "quick.bin"


@pytest.mark.parametrize(
    ("content", "name", "words"),
    [
        (
            b"5 bytes",
            "letter.txt",
            "letter.txt: a ROM image of 7 bytes fits no bank-switching scheme",
        ),
        (b"", "nothing.bin", "nothing.bin: "),
        (bytes(600 * 1024), "large.bin", "large.bin: it is too large, with 614400 bytes"),
        (
            b"PK\3\4 and so on",
            "broken.zip",
            "it is no zip file that can be read: it has no directory",
        ),
        (zipped({"letter.txt": b"5"}), "letter.zip", "holds no file that ends in .a26, .bin"),
        (zipped({"a.bin": bytes(10**6)}), "bomb.zip", "a.bin: it has more than 524288 bytes."),
        (
            zipped({"a.bin": bytes(10**6), "b.zip": zipped({"c.zip": DAMAGED})}),
            "bad.zip",
            "bad.zip: nothing in it can be opened: a.bin: it has more than 524288 bytes; "
            "b.zip: c.zip: a.bin: it is damaged.",
        ),
        (
            zipped({f"{i}.zip": b"" for i in range(9)}),
            "nine.zip",
            "4.zip: it is no zip file that can be read: it has no directory; and 4 more.",
        ),
    ],
)
def test_bad_file_is_explained(page: Any, content: bytes, name: str, words: str) -> None:
    play(page, 5)
    page.run(DROP, list(content), name)
    page.wait("return !document.querySelector('#message').hidden")
    assert words in page.run("return document.querySelector('#message').innerText")
    assert page.run("return [player.game.name, player.game.acts.length]") == ["quartet", 5]
    play(page, 5)  # the game that was there goes on
    page.click("#message button")
    assert page.run("return document.querySelector('#message').hidden")


def test_unknown_image_plays_without_rules(page: Any) -> None:
    image = bytearray(QUARTET.read_bytes())
    image[100] ^= 1
    page.run(DROP, list(image), "mine.a26")
    page.wait("return player.game.file === 'mine.a26'")
    play(page, 30)
    assert "mine.a26 is no known game" in page.run("return document.body.innerText")
    assert page.run("return [player.game.returns, player.game.over]") == [[0, 0, 0, 0], 0]
    page.click("#quartet")
    page.wait("return player.game.name === 'quartet'")


def test_keys_can_be_changed(page: Any) -> None:
    page.click("#keys")
    page.click("#remap tr:nth-child(1) td:nth-of-type(4) button")
    page.keys(("keyDown", "x"), ("keyUp", "x"))
    page.click("#keys-box .primary")
    assert page.run("return player.input.keys[0][3]") == "KeyX"
    page.run("document.querySelector('#stage').focus()")
    page.keys(("keyDown", "x"))
    play(page, 1)
    page.keys(("keyUp", "x"))
    assert page.run("return player.game.acts") == [[3]]
    page.post("refresh")
    page.wait("return !!window.player")
    assert page.run("return player.input.keys[0][3]") == "KeyX"
    page.run("document.querySelector('#usual').click()")
    assert page.run("return player.input.keys[0][3]") == "ArrowRight"


def test_gamepads_belong_to_players_in_their_order(page: Any) -> None:
    page.choose("#players", 2)
    page.run("""
        const pad = (x, y, fire) => ({connected: true, axes: [x, y], buttons: [{pressed: fire}]});
        player.heedPads = () => {};  // or FIRE would begin
        navigator.getGamepads = () => [null, pad(0.5, 0, false), pad(0, 1, true)];
    """)
    play(page, 1)
    assert page.run("return [player.game.acts, player.game.strengths]") == [[[3, 12]], [[0.5, 1]]]


def test_a_gamepad_starts_pauses_and_begins_anew(page: Any) -> None:
    page.run("""
        const buttons = [...Array(16)].map(() => ({pressed: false}));
        navigator.getGamepads = () => [{connected: true, axes: [0, 0], buttons}];
        window.push = (i) => {
            buttons.forEach((button, place) => { button.pressed = place === i; });
        };
    """)
    page.run("push(0)")  # FIRE
    page.wait("return !player.paused && player.game.acts.length > 5")
    page.run("push(9)")  # START
    page.wait("return player.paused")
    corner = "return document.querySelector('#curtain').classList.contains('corner')"
    assert page.run(corner)  # a badge, which leaves the picture to be seen
    page.run("window.before = player.game.seed; push(8)")  # SELECT
    page.wait("return player.game.seed !== before && !player.game.acts.length")


def test_address_holds_what_is_played(page: Any) -> None:
    page.run("return player.findingLevels")
    page.choose("#players", 4)
    page.run("""
        const levels = player.game.levels;
        const box = document.querySelector('#against');
        box.value = levels.findIndex(({ name, mode }) => name === 'strong' && mode === 10);
        box.dispatchEvent(new Event('change'));
    """)
    page.choose("#seat", -1)  # opponents have all seats
    assert page.run("return player.game.people") == 0
    play(page, 20)
    assert page.run("return new Set(player.game.acts.map(String)).size") > 1
    page.post("refresh")
    page.wait("return !!window.player")
    played = "const { name, players, mode, level, seat } = player.game; "
    played += "return [name, players, mode, level.name, seat]"
    assert page.run(played) == ["quartet", 4, 10, "strong", -1]


def test_views(page: Any) -> None:
    for panel in ("objects", "numbers"):
        page.click(f"#{panel} summary")
    play(page, 40)
    seen = page.run("""const texts = (cells) =>
        [...document.querySelectorAll(cells)].map((cell) => cell.textContent);
    return {
        ram: texts('.ram td').map((text) => parseInt(text, 16)),
        really: [...player.game.console.ram],
        boxes: player.game.console.boxes(),
        counts: texts('.objects td:nth-of-type(1)'),
        facts: document.querySelector('#facts').innerText,
    }""")
    assert seen["ram"] == seen["really"]
    assert len(seen["boxes"]) > 4
    for number, count in enumerate(seen["counts"]):
        found = sum(box["object"] == number for box in seen["boxes"])
        assert count == (str(found) if found else "\N{EN DASH}")
    assert _native.games()["quartet"].md5 in seen["facts"]


def test_labels_beside_bytes(page: Any) -> None:
    play(page, 40)
    seen = page.run("""const texts = (cells) =>
        [...document.querySelectorAll(cells)].map((cell) => cell.textContent);
    document.querySelectorAll('.ram td')[player.ram.labels[0].bytes[0]].click();
    return {
        ram: [...player.game.console.ram],
        names: texts('.labels tbody th'),
        bytes: texts('.labels tbody td:nth-of-type(1)'),
        values: texts('.labels tbody td:nth-of-type(2)').map(Number),
        underlined: [...document.querySelectorAll('.ram td')].flatMap(
            (cell, index) => (cell.classList.contains('labelled') ? [index] : [])),
        detail: document.querySelector('#cell').textContent,
    }""")
    labels = labels_of("quartet")
    ram = np.array(seen["ram"], np.uint8)
    assert seen["names"] == labels.names
    assert seen["bytes"] == [" ".join(map(str, label.bytes)) for label in labels.labels]
    assert seen["values"] == labels.values(ram).tolist()
    assert seen["underlined"] == sorted({byte for one in labels.labels for byte in one.bytes})
    assert seen["detail"].endswith(f", {labels.names[0]}: {seen['values'][0]}")


def test_labels_are_those_of_python(page: Any) -> None:
    games = [*_native.games()]
    told = page.run(f"""const numbers = [...Array({len(games)}).keys()];
    return numbers.map((game) => player.library.labels(game));""")
    for game, labels in zip(games, told, strict=True):
        ours = labels_of(game).labels if game in GAMES else ()
        assert labels == [
            {"name": one.name, "about": one.about, "unit": one.unit, "bytes": [*one.bytes]}
            for one in ours
        ]


@pytest.mark.parametrize(
    ("width", "height", "touch"), [(1280, 900, False), (390, 844, True), (844, 390, True)]
)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_page_fits(
    page: Any, width: int, height: int, touch: bool, theme: str, tmp_path: Path
) -> None:
    page.size(width, height, touch=touch)
    page.run("localStorage.setItem('libale-theme', arguments[0])", theme)
    page.post("refresh")
    page.wait("return !!window.player")
    page.click("#go")
    page.wait("return player.game.acts.length > 20")
    assert page.run("return document.documentElement.scrollWidth") <= width
    path = tmp_path / "page.png"
    path.write_bytes(page.picture())
    picture = Image.open(path).convert("L")
    assert picture.size == (width, height)
    at_edge: Any = picture.getpixel((2, height - 2))
    assert (at_edge < 60) == (theme == "dark")
    assert len(picture.getcolors(256) or []) > 20  # not empty
    if touch:  # all that is needed to play is on the first screen
        page.run("document.querySelectorAll('details').forEach((panel) => { panel.open = true })")
        assert page.run("return document.documentElement.scrollWidth") <= width
        fire = page.run("return document.querySelector('#fire').getBoundingClientRect().bottom")
        assert 0 < fire < height
        page.run("""
            const pad = document.querySelector('#pad');
            const { right, top, height } = pad.getBoundingClientRect();
            const at = { pointerId: 1, clientX: right - 10, clientY: top + height / 2 };
            pad.setPointerCapture = () => {};
            pad.dispatchEvent(new PointerEvent('pointerdown', at));
        """)
        assert page.run("return [...player.input.touched]") == ["right"]


def test_everything_has_a_name(page: Any) -> None:
    nameless = page.run("""
        const named = (one) =>
            one.textContent.trim() || one.getAttribute('aria-label') || one.labels?.length;
        return [...document.querySelectorAll('button, select, input, a, summary')]
            .filter((one) => !named(one)).map((one) => one.outerHTML);
    """)
    assert nameless == []


def test_structs_are_those_of_the_library(page: Any) -> None:
    structs = page.run("return import('./libale.js').then((module) => module.STRUCTS)")
    for name, words in structs.items():
        struct = getattr(abi, name.removeprefix("ale_").title().replace("_", ""))
        fields = []
        for field, kind, *_ in struct._fields_:
            length = getattr(kind, "_length_", 0)
            is_bytes = length and kind._type_ in (ctypes.c_char, ctypes.c_uint8)
            fields += [field] * (length // 4 if is_bytes else max(length, 1))
        told = words.split()
        assert told == (fields[: len(told)] if name == "ale_label" else fields), name
