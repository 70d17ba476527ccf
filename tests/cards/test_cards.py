"""Cards in all layers of Python: wherever a game's name is accepted, a card's path is."""

from __future__ import annotations

import pickle
import re
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import pyale_ma  # noqa: F401 (registers the environments)
from pyale_ma import multi, roms
from pyale_ma.cli import main
from pyale_ma.recording import Recording, record
from pyale_ma.single import ALEInterface, AtariEnv
from pyale_ma.vector import AtariVectorEnv

FOLDER = Path(__file__).parent
PONG = str(FOLDER / "pong.toml")
PAIR = str(FOLDER / "pong_players.toml")
BREAKOUT = str(FOLDER / "breakout.toml")
DOCS = Path(__file__).parents[2] / "docs" / "cards.md"


@pytest.fixture
def card(tmp_path: Path) -> Any:
    """Write a card for the image of Pong, from what it says besides its name."""

    def write(text: str, head: str = 'name = "mine"\nrom = "mine.bin"\n') -> str:
        image = tmp_path / "mine.bin"
        if not image.exists():
            image.write_bytes(roms.read(roms.find_rom("pong")))
        (tmp_path / "mine.toml").write_text(head + text)
        return str(tmp_path / "mine.toml")

    return write


# ---- The layers ------------------------------------------------------------------------------


@pytest.mark.parametrize("path", [PONG, Path(PONG)], ids=["str", "Path"])
def test_gymnasium(path: str | Path) -> None:
    ours = gymnasium.make("pyale_ma/Atari-v5", game=path, obs_type="ram")
    env = gymnasium.make("ALE/Pong-v5", obs_type="ram")
    assert ours.action_space == env.action_space
    np.testing.assert_array_equal(ours.reset(seed=1)[0], env.reset(seed=1)[0])
    for action in np.random.default_rng(0).integers(6, size=500):
        for a, b in zip(ours.step(action), env.step(action), strict=True):
            np.testing.assert_equal(a, b)


def test_any_game_by_name_in_gymnasium() -> None:
    env = gymnasium.make("pyale_ma/Atari-v5", game="pong")
    assert env.action_space == gymnasium.make("ALE/Pong-v5").action_space
    envs = gymnasium.make_vec("pyale_ma/Atari-v5", 2, game=PONG, frameskip=4)
    assert envs.reset(seed=1)[0].shape == (2, 4, 84, 84)
    envs.close()


def test_environments_with_cards_are_pickled() -> None:
    env = AtariEnv(BREAKOUT, obs_type="ram", variation=None)
    again = pickle.loads(pickle.dumps(env))
    np.testing.assert_array_equal(env.reset(seed=3)[0], again.reset(seed=3)[0])


def test_loading_by_a_card() -> None:
    ale = ALEInterface()
    ale.loadROM(roms.find_rom("pong"), game=PONG, variation="no_score")
    ale.loadROM("", game=PONG)
    ale.loadROM("")  # by its MD5: the built-in game
    with pytest.raises(ValueError, match=r"breakout\.toml: line 4, column 7: .*MD5 f34f"):
        ale.loadROM(roms.find_rom("pong"), game=BREAKOUT)


def test_parallel_env() -> None:
    ours = multi.parallel_env(game=PAIR, num_players=4, mode=6, obs_type="ram")
    env = multi.parallel_env(game="pong", num_players=4, obs_type="ram")
    assert ours.metadata["name"] == env.metadata["name"]
    for one in (ours, env):
        one.reset(seed=1)
    random = np.random.default_rng(0)
    for _ in range(300):
        actions = {agent: int(random.integers(6)) for agent in env.agents}
        for a, b in zip(ours.step(actions), env.step(actions), strict=True):
            np.testing.assert_equal(a, b)
    assert multi.parallel_env(game=PAIR).num_players == 2
    assert pickle.loads(pickle.dumps(ours)).num_players == 4
    assert multi.env(game=Path(PAIR), num_players=1).possible_agents == ["first_0"]


def test_returns_of_more_than_32_bits(card: Any, tmp_path: Path) -> None:
    rich, steps = card(f"reward = '{2**28}'\n"), 36
    limit: dict[str, Any] = {"max_num_frames_per_episode": steps, "frameskip": 1}
    single = AtariEnv(rich, **limit)
    wrapped = gymnasium.wrappers.RecordEpisodeStatistics(single)
    vector = AtariVectorEnv(
        rich, 2, noop_max=0, reward_clipping=False, extra_infos=["episode"], **limit
    )
    wrap = gymnasium.wrappers.vector.RecordEpisodeStatistics
    both: Any = wrap(vector, stats_key="statistics")
    recorder = record(single, tmp_path / "rich.zip")
    returns = []
    for env, action in ((wrapped, 0), (both, [0, 0])):
        env.reset(seed=1)
        for infos in (env.step(action)[-1] for _ in range(2 * steps)):
            returns += [infos[key]["r"] for key in ("episode", "statistics") if key in infos]
            if "episode" in infos:
                break
    recorder.close()
    assert [np.max(value) for value in returns] == [steps * 2**28] * 3
    recording = Recording.open(tmp_path / "rich.zip")
    assert recording.episodes[0].returns.tolist() == [steps * 2**28]


def test_three_players(card: Any) -> None:
    env = multi.parallel_env(game=card("modes = {3 = [5]}\nreward = ['1', '2', '3']\n"))
    env.reset(seed=1)
    rewards = env.step(dict.fromkeys(env.agents, 0))[1]
    assert list(rewards.values()) == [1, 2, 3]


def test_vector() -> None:
    envs = AtariVectorEnv(games=["pong", PONG, BREAKOUT], num_envs=2, obs_type="ram")
    assert envs.games == ["pong", "pong", PONG, PONG, BREAKOUT, BREAKOUT]
    envs.reset(seed=[1, 2, 1, 2, 3, 4])
    random = np.random.default_rng(0)
    total = np.zeros(6)
    for _ in range(1500):
        actions = random.integers(4, size=6)
        actions[2:4] = actions[:2]
        observations, rewards, ends, _, _ = envs.step(actions)
        np.testing.assert_array_equal(observations[:2], observations[2:4])
        np.testing.assert_array_equal(rewards[:2], rewards[2:4])
        np.testing.assert_array_equal(ends[:2], ends[2:4])
        total += abs(rewards)
    assert (total > 0).all()
    envs.close()
    with AtariVectorEnvClosing(PAIR, 2, num_players=2, obs_type="ram") as pair:
        assert pair.reset(seed=1)[1]["lives"].shape == (2, 2)


class AtariVectorEnvClosing(AtariVectorEnv):
    def __enter__(self) -> AtariVectorEnv:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def test_states_and_copies() -> None:
    env = AtariEnv(BREAKOUT, obs_type="ram")
    env.reset(seed=1)
    state = env.clone_state(include_rng=True)
    first = [env.step(k % 4)[1:4] for k in range(300)]
    env.restore_state(pickle.loads(pickle.dumps(state)))
    assert [env.step(k % 4)[1:4] for k in range(300)] == first
    built_in = AtariEnv("breakout")
    with pytest.raises(ValueError, match="other rules"):
        built_in.restore_state(state)


# ---- Variations ------------------------------------------------------------------------------

VARIED = """
reward = "ram[14]"
[ram]
points = 14
[variations.nine]
hold = { points = 9 }
[variations.one]
hold = { points = 1 }
"""


def test_variations(card: Any) -> None:
    path = card(VARIED)
    env = AtariEnv(path, frameskip=1, variation="nine")
    env.reset(seed=1)
    assert env.step(0)[1] == 9.0
    players = multi.parallel_env(game=path, num_players=1, variation="one")
    players.reset(seed=1)
    assert players.step({"first_0": 0})[1]["first_0"] == 1
    envs = AtariVectorEnv(
        path, 3, frameskip=1, reward_clipping=False, variation=["nine", None, "one"]
    )
    envs.reset(seed=1)
    assert envs.step(np.zeros(3, int))[1].tolist() == [9, 0, 1]
    envs.close()
    both = AtariVectorEnv(path, 2, frameskip=1, reward_clipping=False, variation="nine")
    both.reset(seed=1)
    assert both.step(np.zeros(2, int))[1].tolist() == [9, 9]
    both.close()


def test_a_card_is_read_when_an_environment_is_made(card: Any) -> None:
    path = Path(card(VARIED))
    env = AtariEnv(path, frameskip=1, variation="nine")
    env.reset(seed=1)
    first = [env.step(0)[1] for _ in range(5)]
    for changed in (path.read_text("utf-8").replace("9", "5"), None):
        path.unlink()
        if changed:
            path.write_text(changed, "utf-8")
        env.reset(seed=1)
        assert [env.step(0)[1] for _ in range(5)] == first


def test_unknown_variations(card: Any) -> None:
    path = card(VARIED)
    for make in (
        lambda: AtariEnv(path, variation="nin"),
        lambda: multi.parallel_env(game=path, num_players=1, variation="nin"),
        lambda: AtariVectorEnv(path, variation="nin"),
        lambda: AtariVectorEnv(path, 2, variation=[None, "nin"]),
    ):
        with pytest.raises(ValueError, match=r"mine\.toml.*'nin'.*'nine'"):
            make()
    with pytest.raises(ValueError, match=r"pong.*'nine'"):
        AtariEnv("pong", variation="nine")
    with pytest.raises(ValueError, match=r"variation.*1 values.*2 environments"):
        AtariVectorEnv(path, 2, variation=["nine"])


# ---- Bad input -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("score =\n", r"line 3, column 8: expected a value"),
        ('scores = "1"\n', r"line 3, column 1: a card has no key scores; did you mean score\?"),
        ('score = "ram[200]"\n', r"column 14: ram\[200\] does not exist; .* 0xC8 being ram\[72\]"),
        ('score = "ram[1] // 0"\n', r"line 3, column 17: a division by zero"),
    ],
)
def test_mistakes_have_a_place(card: Any, text: str, error: str) -> None:
    path = card(text)
    for make in (
        lambda: AtariEnv(path),
        lambda: multi.parallel_env(game=path, num_players=1),
        lambda: AtariVectorEnv(path),
        lambda: ALEInterface().loadROM(roms.find_rom("pong"), game=path),
        lambda: roms.find_rom(path),
    ):
        with pytest.raises(ValueError, match=f"^{re.escape(path)}: .*{error}"):
            make()


def test_files_that_are_too_long(card: Any) -> None:
    with pytest.raises(ValueError, match=r"mine\.toml.*65536 bytes"):
        AtariEnv(card("#" * 70_000))


def test_mode_that_is_never_reached(card: Any) -> None:
    with pytest.raises(RuntimeError, match=r"bring.* 7.* line 5, column 9"):
        AtariEnv(card("modes = [7]\n[select]\nuntil = 'ram[22] == 200'\n"))


def test_missing_files(card: Any, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"card nowhere\.toml"):
        AtariEnv("nowhere.toml")
    path = card("")
    (tmp_path / "mine.bin").unlink()
    with pytest.raises(FileNotFoundError, match=r"mine\.toml.*mine\.bin"):
        AtariEnv(path)
    path = card("", f'name = "mine"\nmd5 = "{"0" * 32}"\n')
    with pytest.raises(FileNotFoundError, match="MD5 0000"):
        AtariEnv(path)
    (tmp_path / "mine.bin").write_bytes(bytes(4096))
    path = card("", f'name = "mine"\nrom = "mine.bin"\nmd5 = "{"0" * 32}"\n')
    with pytest.raises(ValueError, match=r"mine\.toml: line 3, column 7: .*MD5 0000"):
        AtariEnv(path)


# ---- The guide and the command line ----------------------------------------------------------


def test_the_card_of_the_guide(tmp_path: Path) -> None:
    block = re.findall(r"^```toml\n(.*?)^```$", DOCS.read_text(), re.DOTALL | re.MULTILINE)[0]
    (tmp_path / "guide.toml").write_text(block)
    ours = AtariEnv(tmp_path / "guide.toml", obs_type="ram")
    env = AtariEnv("breakout", obs_type="ram")
    assert ours.reset(seed=2)[1] == env.reset(seed=2)[1]
    rewards = 0.0
    for action in np.random.default_rng(0).integers(4, size=3000):
        one, other = ours.step(action), env.step(action)
        assert one[1:3] == other[1:3]
        rewards += one[1]
        if one[2]:
            ours.reset()
            env.reset()
    assert rewards > 5
    with_one = AtariEnv(tmp_path / "guide.toml", variation="one_ball")
    assert with_one.reset(seed=1)[1]["lives"] == 5  # as the rules saw it last
    with_one.step(1)
    assert with_one.ale.lives() == 1


def test_check(card: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["card", "check", PAIR, card(VARIED)]) == 0
    out = capsys.readouterr().out
    assert "Pong (Video Olympics)" in out
    assert "1: 1-2; 2: 3-4, 9-10" in out
    assert "variations  nine, one" in out
    path = card('score = "scor"\n[ram]\nscore_1 = 2\n')
    assert main(["card", "check", path]) == 2
    assert f"{path}: line 3, column 10: there is no scor" in capsys.readouterr().err
    assert main(["card", "check", path, "nowhere.toml", PAIR]) == 2
    seen = capsys.readouterr()
    assert f"{path}: line 3" in seen.err
    assert "There is no card nowhere.toml" in seen.err
    assert "Pong (Video Olympics)" in seen.out
    assert "actions     NOOP, FIRE, " in seen.out
    path = card('modes = [1]\n[select]\nuntil = "mode == 2"\n')
    assert main(["card", "check", path]) == 2
    assert f"{path}: the SELECT switch did not bring the cartridge to mode 1" in (
        capsys.readouterr().err
    )


def test_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    image = tmp_path / '2 my "Game".bin'
    image.write_bytes(roms.read(roms.find_rom("pong")))
    assert main(["card", "new", str(image)]) == 0
    file = image.with_suffix(".toml")
    assert f"{file.name} was written" in capsys.readouterr().out
    assert 'name = "g_2_my_game"' in file.read_text()
    (tmp_path / "my.bin").write_bytes(image.read_bytes())
    assert main(["card", "new", str(tmp_path / "my.bin")]) == 0
    assert main(["card", "check", str(tmp_path / "my.toml")]) == 0
    assert AtariEnv(tmp_path / "my.toml").reset(seed=1)[1]["lives"] == 0
    capsys.readouterr()
    assert main(["card", "new", str(tmp_path / "my.bin")]) == 2
    assert "my.toml exists already; -o FILE" in capsys.readouterr().err
    (tmp_path / "no.bin").write_bytes(b"no")
    assert main(["card", "new", str(tmp_path / "no.bin"), "-o", str(tmp_path / "x.toml")]) in (0, 2)
    assert main(["card", "new", str(tmp_path / "none.bin")]) == 2
