"""Programs that override parts of the console or of the environment see the same as with ale-py."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import gymnasium
import numpy as np
import pytest

import pyale_ma.single as ours
from pyale_ma.recording import Recording, record


@pytest.fixture(params=["ours", "theirs"])
def package(request: pytest.FixtureRequest) -> Any:
    """Each test that takes it is true of ale-py, too."""
    return ours if request.param == "ours" else pytest.importorskip("ale_py")


def replaced(package: Any, methods: dict[str, Callable[..., Any]], **options: Any) -> Any:
    """An environment whose console is of a subclass with these methods, after a reset."""
    env = package.AtariEnv("breakout", **options)
    env.ale = type("Console", (package.ALEInterface,), methods)()
    env.reset(seed=1)
    return env


def painting(package: Any) -> dict[str, Callable[..., Any]]:
    def screen(self: Any) -> Any:
        image = package.ALEInterface.getScreenRGB(self)
        image[:20] = 77
        return image

    return {"getScreenRGB": screen}


def test_a_screen_that_is_painted_over(package: Any) -> None:
    env = replaced(package, painting(package), render_mode="rgb_array")
    seen = [env.reset()[0], env.step(1)[0], env.render(), env._get_obs()]
    assert all((image[:20] == 77).all() for image in seen)


def test_an_inpainting_client_sees_the_same_on_both() -> None:
    def play(package: Any) -> list[Any]:
        env = replaced(package, painting(package), frameskip=(2, 5))
        told = [env.reset(seed=5)]
        told += [env.step(step % 4) for step in range(150)]
        return [
            [part.tobytes() if index == 0 else part for index, part in enumerate(each)]
            for each in told
        ]

    assert play(ours) == play(pytest.importorskip("ale_py"))


def test_a_class_that_is_given_to_the_console_later() -> None:
    env = ours.AtariEnv("breakout", obs_type="ram")
    env.reset(seed=1)
    env.step(1)
    played: list[Any] = []
    act = ours.ALEInterface.act

    def noted(self: Any, *given: Any) -> Any:
        played.append(given)
        return act(self, *given)

    env.ale.__class__ = type("Console", (ours.ALEInterface,), {"act": noted})
    env.step(1)
    assert len(played) == 4


def test_methods_of_a_subclass(package: Any) -> None:
    played: list[Any] = []

    def act(self: Any, action: Any, strength: float = 1.0) -> int:
        played.append((action.name, strength))
        return 7

    env = replaced(
        package,
        {
            "act": act,
            "lives": lambda self: 50,
            "game_over": lambda self, with_truncation=True: not with_truncation,
            "game_truncated": lambda self: True,
            "getFrameNumber": lambda self: -5,
        },
        frameskip=3,
    )
    _, reward, over, truncated, info = env.step(2)
    assert played == [("RIGHT", 1.0)] * 3
    assert (reward, over, truncated) == (21, True, True)
    assert (info["lives"], info["frame_number"]) == (50, -5)
    assert env.reset()[1]["lives"] == 50


def test_methods_patched_for_a_while(package: Any) -> None:
    env = package.AtariEnv("breakout", repeat_action_probability=0)
    env.reset(seed=1)
    with mock.patch.object(package.ALEInterface, "act", return_value=2):
        assert env.step(1)[1] == 8
    assert env.step(1)[1] == 0
    with mock.patch.object(package.ALEInterface, "getScreenRGB", return_value="screen"):
        assert env.step(0)[0] == "screen"
    assert env.step(0)[0].shape == (210, 160, 3)


def test_methods_of_one_console() -> None:
    """ale-py's consoles take no attributes; subclasses do."""
    env = ours.AtariEnv("breakout")
    env.reset(seed=1)
    with mock.patch.object(env.ale, "act", return_value=3) as act:
        assert env.step(1)[1] == 12
    act.assert_called_with(ours.Action.FIRE, 1.0)
    assert env.step(1)[1] == 0
    env.ale.lives = lambda: 9  # type: ignore[method-assign]
    assert env.step(1)[4]["lives"] == 9
    del env.ale.lives
    assert env.step(1)[4]["lives"] == 5


def test_a_console_that_passes_calls_on(package: Any) -> None:
    class Proxy:
        def __init__(self, ale: Any) -> None:
            self.inner, self.acts = ale, 0

        def act(self, *arguments: Any) -> Any:
            self.acts += 1
            return self.inner.act(*arguments)

        def __getattr__(self, name: str) -> Any:
            return getattr(self.inner, name)

    env, same = (package.AtariEnv("breakout") for _ in range(2))
    env.ale = Proxy(env.ale)
    assert np.array_equal(env.reset(seed=3)[0], same.reset(seed=3)[0])
    for step in range(20):
        results, expected = env.step(step % 4), same.step(step % 4)
        assert np.array_equal(results[0], expected[0])
        assert results[1:] == expected[1:]
    assert env.ale.acts == 80
    env.close()


def test_methods_patched_on_the_base_of_both_consoles() -> None:
    env = ours.AtariEnv("breakout")
    env.reset(seed=1)
    env.step(0)
    with mock.patch("pyale_ma.console.interface.Interface.getFrameNumber", return_value=-5):
        assert env.step(0)[4]["frame_number"] == -5
    with mock.patch("pyale_ma.console.interface.Interface.game_over", return_value=True):
        assert env.step(0)[2]
    with mock.patch("pyale_ma.single.ALEInterface.lives", return_value=9):
        assert env.step(0)[4]["lives"] == 9
    assert env.step(0)[2] is False


class Mixin:
    """A base class with a metaclass of its own, which nobody watches."""

    def more(self) -> int:
        return 1


def test_methods_that_a_mixin_gets_later() -> None:
    """ale-py's consoles take no second base class."""
    env = ours.AtariEnv("breakout", repeat_action_probability=0)
    env.ale = type("Console", (Mixin, ours.ALEInterface), {})()
    env.reset(seed=1)
    assert env.step(1)[1] == 0
    with mock.patch.object(Mixin, "act", create=True, return_value=2):
        assert env.step(1)[1] == 8
    assert env.step(1)[1] == 0


def test_a_console_that_looks_its_methods_up(package: Any) -> None:
    instead: dict[str, Any] = {}

    class Console(package.ALEInterface):  # type: ignore[misc]
        def __getattribute__(self, name: str) -> Any:
            return instead.get(name) or super().__getattribute__(name)

    env = package.AtariEnv("breakout")
    env.ale = Console()
    env.reset(seed=1)
    env.step(1)
    instead["act"] = lambda *_: 2
    assert env.step(1)[1] == 8


def test_methods_written_into_the_dict_of_a_console(package: Any) -> None:
    """ale-py's consoles have no dict; those of subclasses do."""
    env = package.AtariEnv("breakout", repeat_action_probability=0)
    env.ale = type("Console", (package.ALEInterface,), {})()
    env.reset(seed=1)
    env.step(1)
    env.ale.__dict__["act"] = lambda *_: 2
    assert env.step(1)[1] == 8
    del env.ale.__dict__["act"]
    assert env.step(1)[1] == 0
    vars(env.ale).update(lives=lambda: 9)
    assert env.step(1)[4]["lives"] == 9


OPTIONS: dict[str, dict[str, Any]] = {
    "rgb": {"render_mode": "rgb_array"},
    "ram": {"obs_type": "ram", "mode": 4, "difficulty": 1},
    "sound": {"obs_type": "grayscale", "sound_obs": True},
}


@pytest.mark.parametrize("options", OPTIONS)
def test_the_same_methods_are_called_in_the_same_order(options: str) -> None:
    def calls(package: Any) -> list[Any]:
        log: list[Any] = []
        inside: list[str] = []  # ours call each other

        def logged(name: str) -> Callable[..., Any]:
            method = getattr(package.ALEInterface, name)

            def call(self: Any, *arguments: Any, **named: Any) -> Any:
                if not inside:
                    numbers = (float, int, np.integer)
                    plain = [float(each) for each in arguments if isinstance(each, numbers)]
                    log.append((name, len(arguments), str(plain), named))
                inside.append(name)
                try:
                    return method(self, *arguments, **named)
                finally:
                    inside.pop()

            return call

        names = [name for name in dir(package.ALEInterface) if name[0] != "_"]
        env = replaced(package, {name: logged(name) for name in names}, **OPTIONS[options])
        log.clear()
        env.reset()
        env.reset(seed=1)
        env.step(1)
        if env.render_mode:
            env.render()
        env.load_game()
        env.restore_state(env.clone_state())
        env._get_obs()
        return log

    found = calls(ours)
    assert found == calls(pytest.importorskip("ale_py"))
    assert len(found) > 20


# ---- The environment -----------------------------------------------------------------------------


def test_observations_of_a_subclass(package: Any) -> None:
    class Cropped(package.AtariEnv):  # type: ignore[misc]
        def _get_obs(self) -> Any:
            return super()._get_obs()[34:194]

        def _get_info(self) -> Any:
            return {**super()._get_info(), "score": 3}

    env, same = Cropped("pong"), package.AtariEnv("pong")
    for results, expected in [
        (env.reset(seed=2), same.reset(seed=2)),
        *((env.step(step % 6), same.step(step % 6)) for step in range(20)),
    ]:
        assert np.array_equal(results[0], expected[0][34:194])
        assert results[1:-1] == expected[1:-1]
        assert results[-1] == {**expected[-1], "score": 3}
    with mock.patch.object(package.AtariEnv, "_get_obs", return_value="seen"):
        assert same.step(0)[0] == same.reset()[0] == "seen"
    same._get_obs = lambda: "told"
    assert same.step(0)[0] == same.reset()[0] == "told"


@pytest.mark.parametrize("options", [{}, {"obs_type": "ram"}, {"sound_obs": True}], ids=str)
def test_the_present_observation(package: Any, options: dict[str, Any]) -> None:
    env = package.AtariEnv("pong", **options)

    def same(one: Any, other: Any) -> bool:
        return (
            all(map(np.array_equal, one.values(), other.values()))
            if isinstance(one, dict)
            else np.array_equal(one, other)
        )

    start, info = env.reset(seed=0)
    assert same(env._get_obs(), start)
    state = env.clone_state()
    for _ in range(30):
        last = env.step(3)
    assert same(env._get_obs(), last[0])
    assert env._get_info() == last[4]
    env.restore_state(state)
    if package is ours or options.get("obs_type") == "ram":  # ale-py's states have no picture
        assert same(env._get_obs(), start)
    assert env._get_info()["frame_number"] == info["frame_number"]


def test_actions_changed_later(package: Any) -> None:
    env, same = (package.AtariEnv("breakout", repeat_action_probability=0) for _ in range(2))
    env.reset(seed=0), same.reset(seed=0)
    env._action_set = [package.Action.FIRE, package.Action.LEFT]
    assert env.get_action_meanings() == ["FIRE", "LEFT"]
    env._action_set.append(4)  # LEFT by its number
    for action in (0, 1, 1, 2, 1):
        assert np.array_equal(env.step(action)[0], same.step([1, 3, 3][action])[0])
    with pytest.raises(IndexError):
        env.step(3)


def test_a_threshold_changed_later(package: Any) -> None:
    env, same = (package.AtariEnv("pong", continuous=True) for _ in range(2))
    same = package.AtariEnv("pong", continuous=True, continuous_action_threshold=0.1)
    env.reset(seed=0), same.reset(seed=0)
    env.continuous_action_threshold = 0.1
    for angle in (0, 2, 3, 1, 0, 0, 0):
        action = np.array([0.3, angle, 0.2], np.float32)
        assert np.array_equal(env.step(action)[0], same.step(action)[0])


def test_a_type_of_observation_changed_later(package: Any) -> None:
    env = package.AtariEnv("pong")
    env.reset(seed=0)
    for obs_type, shape in {"ram": (128,), "grayscale": (210, 160), "rgb": (210, 160, 3)}.items():
        env._obs_type = obs_type
        assert env.step(0)[0].shape == env.reset()[0].shape == env._get_obs().shape == shape
    for unknown in ("sonar", ["sonar"], {"sonar": 1}):
        env._obs_type = unknown
        for call in (lambda: env.step(0), env._get_obs, env.reset):
            with pytest.raises(gymnasium.error.Error, match="sonar"):
                call()


def test_a_frameskip_changed_later(package: Any) -> None:
    env = package.AtariEnv("pong", frameskip=2)
    env.reset(seed=0)
    frames = [env.ale.getFrameNumber()]
    for frameskip in (3, (2, 3), (np.int64(5), np.int64(6)), 1):
        env._frameskip = frameskip
        env.step(0)
        frames.append(env.ale.getFrameNumber())
    assert np.diff(frames).tolist() == [3, 2, 5, 1]
    for wrong in (np.int64(4), np.array(3), 2.5, "4", None, [2, 4]):
        env._frameskip = wrong
        with pytest.raises(gymnasium.error.Error, match="Invalid frameskip type"):
            env.step(0)
    assert env.ale.getFrameNumber() == frames[-1]


@pytest.mark.parametrize(
    "frameskip", [0, -1, 2**31, (0, 3), (4, 2), (-3, -1), (2,), (1, 2, 3), (2.5, 4), (2, 2**31)]
)
def test_a_frameskip_out_of_bounds_changed_later(frameskip: Any) -> None:
    """ale-py plays no frame for some of them."""
    env = ours.AtariEnv("pong")
    env.reset(seed=0)
    frame = env.ale.getFrameNumber()
    env._frameskip = frameskip
    for _ in range(2):
        with pytest.raises(gymnasium.error.Error, match="frameskip") as later:
            env.step(0)
    with pytest.raises(gymnasium.error.Error) as first:
        ours.AtariEnv("pong", frameskip=frameskip)
    assert str(later.value) == str(first.value)
    assert env.ale.getFrameNumber() == frame


def test_a_game_changed_later(package: Any) -> None:
    env, same = package.AtariEnv("pong"), package.AtariEnv("breakout", full_action_space=True)
    env._game = "breakout"
    assert np.array_equal(env.reset(seed=4)[0], same.reset(seed=4)[0])
    env._game_mode, env._game_difficulty = 4, 1
    env.load_game()
    assert env.clone_state().getDifficulty() == 1


def test_objects_cannot_be_asked_for_later() -> None:
    env = ours.AtariEnv("pong")
    env.reset()
    env._obs_type = "objects"
    for call in (lambda: env.step(0), env._get_obs):
        with pytest.raises((RuntimeError, ValueError), match="objects"):
            call()


# ---- Inside --------------------------------------------------------------------------------------


def test_nothing_overridden_is_one_call() -> None:
    env = ours.AtariEnv("pong")
    env.reset()
    with mock.patch.object(ours.AtariEnv, "_step_by_methods") as by_methods:
        env.step(0)
        env.ale._anything = env.ale.some_name = 1  # type: ignore[attr-defined]
        env.step(0)
        env.ale = type("Console", (ours.ALEInterface,), {"more": lambda self: 1})()
        env.reset(seed=0)
        env.step(0)
    by_methods.assert_not_called()


def test_a_recording_overrides_nothing(tmp_path: Path) -> None:
    env = ours.AtariEnv("pong")
    with record(env, tmp_path / "a.zip"):
        env.reset(seed=1)
        with mock.patch.object(ours.AtariEnv, "_step_by_methods") as by_methods:
            env.step(0)
        by_methods.assert_not_called()
        env.ale.lives = lambda: 8  # type: ignore[method-assign]
        assert env.step(0)[4]["lives"] == 8
    assert Recording.open(tmp_path / "a.zip").verify().steps == 2
