"""Films of recordings: as fast as they were played, with all frames and their sound."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image

from common import rom_path
from films import decoded, seconds
from pyale_ma.cli import main
from pyale_ma.multi import ParallelAtariEnv
from pyale_ma.recording import Console, Recording, record
from pyale_ma.single import AtariEnv
from pyale_ma.vector import AtariVectorEnv
from recording.playing import play_frames, play_one, play_vector, recorded, solo_console

PAL, NTSC = "adventure", "pong"


def single(game: str) -> AtariEnv:
    rom_path(game)
    return AtariEnv(game, obs_type="ram", frameskip=4)


def frames(game: str) -> Console:
    return solo_console(game)


def vector_of(game: str) -> AtariVectorEnv:
    rom_path(game)
    return AtariVectorEnv(game, 2, img_height=8, img_width=8, stack_num=1, frameskip=1)


@pytest.mark.parametrize("suffix", [".gif", ".webp"])
@pytest.mark.parametrize(
    ("make", "play", "steps"),
    [(single, play_one, 15), (frames, play_frames, 60), (vector_of, play_vector, 60)],
)
@pytest.mark.parametrize(("game", "rate"), [(NTSC, 60), (PAL, 50)])
def test_films_have_the_speed_of_the_console(
    tmp_path: Path,
    suffix: str,
    make: Callable[[str], Any],
    play: Callable[..., Any],
    steps: int,
    game: str,
    rate: int,
) -> None:
    recording = recorded(tmp_path / "a.zip", make(game), play, steps)
    film = recording.film(tmp_path / f"film{suffix}")
    assert seconds(film) == pytest.approx(60 / rate, abs=0.02)


# ---- Sound ---------------------------------------------------------------------------------------

Sound = npt.NDArray[np.uint8]


def one_agent(file: Path, frameskip: Any) -> list[Sound]:
    """Record one agent, and play the same in single frames.  The sound of each frame."""
    rom_path("seaquest")
    skips = AtariEnv("seaquest", obs_type="ram", frameskip=frameskip)
    env = AtariEnv("seaquest", obs_type="ram", frameskip=1, sound_obs=True)
    env.reset(seed=3)
    heard = []
    with record(skips, file, keyframes=True, steps_per_chunk=16):
        skips.reset(seed=3)
        for number in range(40):
            skips.step(number // 4 % 18)
            frames = env.np_random.integers(*frameskip) if frameskip != 4 else 4
            heard += [env.step(number // 4 % 18)[0]["sound"] for _ in range(frames)]
            assert (env.ale.getRAM() == skips.ale.getRAM()).all()
    return heard


def several_agents(file: Path, frame_skip: int) -> list[Sound]:
    """Record two agents.  The sound after each step."""
    rom_path("surround")
    env = ParallelAtariEnv(
        "surround", 2, obs_type="ram", sound_obs=True, frame_skip=frame_skip, noop_max=7
    )
    heard = []
    with record(env, file):
        env.reset(seed=3)
        for number in range(120):
            actions = dict.fromkeys(env.agents, number // 10 % 5)
            observations = env.step(actions)[0]
            heard.append(observations["first_0"]["sound"].copy())
    return heard


def person(file: Path) -> list[Sound]:
    """Record a person.  The sound of each frame."""
    played = solo_console("seaquest", sound=True)
    heard = []
    with record(played, file):
        played.env.reset()
        for number in range(120):
            played.env.actions[0] = number // 10 % 18
            played.env.act()
            heard.append(played.env.audio.copy())
    return heard


@pytest.mark.parametrize(
    "play",
    [
        partial(one_agent, frameskip=4),
        partial(one_agent, frameskip=(2, 5)),
        partial(several_agents, frame_skip=1),
        person,
    ],
    ids=["frameskip 4", "random frameskip", "agents", "person"],
)
def test_films_have_the_sound_of_all_frames(
    tmp_path: Path, play: Callable[[Path], list[Sound]], capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("imageio_ffmpeg")
    file, film = tmp_path / "a.zip", tmp_path / "a.mp4"
    heard = play(file)
    assert Recording.open(file).verify()
    assert main(["replay", str(file), "--film", str(film)]) == 0
    assert capsys.readouterr().out == f"{film}\n"
    pictures = decoded(film, "-f", "rawvideo", "-pix_fmt", "gray", "-vf", "scale=4:4")
    assert len(pictures) == len(heard) * 16
    told = decoded(film, "-vn", "-f", "s16le", "-ac", "1", "-ar", "30720")
    samples = np.frombuffer(told, np.int16).astype(float)
    assert len(samples) == pytest.approx(len(heard) * 512, rel=0.06)
    # The same waves at the same time, nearly, by AAC, which needs a moment to begin.
    part = slice(5000, len(heard) * 512 - 5000)
    ours = np.concatenate(heard)[part].astype(float)
    assert np.corrcoef(samples[part], ours)[0, 1] > 0.95


@pytest.mark.parametrize("frameskip", [4, (2, 5)])
def test_parts_of_films_begin_with_their_step(tmp_path: Path, frameskip: Any) -> None:
    """Also from a keyframe on; and they have all frames."""
    one_agent(tmp_path / "a.zip", frameskip)
    recording = Recording.open(tmp_path / "a.zip")
    for start, stop in ((5, 20), (20, None), (32, 40)):
        before, *steps = recording.steps(start - 1, stop, obs_type="rgb")
        with Image.open(recording.film(tmp_path / "a.png", start, stop, overwrite=True)) as picture:
            pixels = np.asarray(picture.convert("RGB"))[:, ::2]
        assert (pixels == steps[-1].next_observation).all()
        frames = steps[-1].info["frame_number"] - before.info["frame_number"]
        film = recording.film(tmp_path / "a.webp", start, stop, overwrite=True)
        assert seconds(film) == pytest.approx(-(-frames // 2) / 30, abs=0.001)


def test_films_without_all_frames_are_silent(tmp_path: Path) -> None:
    pytest.importorskip("imageio_ffmpeg")
    heard = several_agents(tmp_path / "a.zip", 2)
    assert any(sound.any() for sound in heard)
    agents = Recording.open(tmp_path / "a.zip")
    many = recorded(tmp_path / "b.zip", vector_of(NTSC), play_vector, 30)
    for recording in (agents, many):
        film = recording.film(tmp_path / "a.mp4", 0, 30, overwrite=True)
        with pytest.raises(subprocess.CalledProcessError):
            decoded(film, "-vn", "-f", "s16le")
    film = agents.film(tmp_path / "a.webp")
    assert seconds(film) == pytest.approx(len(agents) / 30, abs=0.001)


def test_what_people_heard_is_observed(tmp_path: Path) -> None:
    heard = person(tmp_path / "a.zip")
    steps = Recording.open(tmp_path / "a.zip").steps(20, 25, obs_type="ram", sound_obs=True)
    for step, sound in zip(steps, heard[20:25], strict=True):
        assert (step.next_observation["sound"] == sound).all()
        assert (step.next_observation["image"] == step.ram[0]).all()
