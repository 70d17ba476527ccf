"""Programs that replace parts of the console or of the environment see the same as with ale-py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np
import pytest

import pyale_ma.single as ours


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


def test_an_inpainting_client_sees_the_same_on_both() -> None:
    def play(package: Any) -> list[Any]:
        def screen(self: Any) -> Any:
            image = package.ALEInterface.getScreenRGB(self)
            image[:20] = 77
            return image

        env = replaced(package, {"getScreenRGB": screen}, frameskip=(2, 5), render_mode="rgb_array")
        told = [env.reset(seed=5)]
        told += [env.step(step % 4) for step in range(150)]
        assert all(
            (image[:20] == 77).all() for image in (told[-1][0], env.render(), env._get_obs())
        )
        return [
            [part.tobytes() if index == 0 else part for index, part in enumerate(each)]
            for each in told
        ]

    assert play(ours) == play(pytest.importorskip("ale_py"))


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
    env.ale.__dict__["lives"] = lambda: 9  # objects of a subclass have a dict
    assert env.step(1)[4]["lives"] == 9


def test_methods_patched_for_a_while(package: Any) -> None:
    env = package.AtariEnv("breakout", repeat_action_probability=0)
    env.reset(seed=1)
    with mock.patch.object(package.ALEInterface, "act", return_value=2):
        assert env.step(1)[1] == 8
    assert env.step(1)[1] == 0
    with mock.patch.object(package.ALEInterface, "getScreenRGB", return_value="screen"):
        assert env.step(0)[0] == "screen"
    assert env.step(0)[0].shape == (210, 160, 3)
    with mock.patch.object(package.AtariEnv, "_get_obs", return_value="seen"):
        assert env.step(0)[0] == env.reset()[0] == "seen"


def test_methods_patched_on_the_base_of_both_consoles() -> None:
    env = ours.AtariEnv("breakout")
    env.reset(seed=1)
    with mock.patch("pyale_ma.console.base_interface.Interface.getFrameNumber", return_value=-5):
        assert env.step(0)[4]["frame_number"] == -5
    with mock.patch("pyale_ma.console.base_interface.Interface.game_over", return_value=True):
        assert env.step(0)[2]
        with mock.patch("pyale_ma.single.ALEInterface.lives", return_value=9):
            assert env.step(0)[4]["lives"] == 9
        assert env.step(0)[2]
    with mock.patch.object(ours.AtariEnv, "_step_by_methods") as by_methods:
        assert env.step(0)[2] is False
    by_methods.assert_not_called()


def test_a_console_of_another_class(package: Any) -> None:
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


def test_methods_of_one_environment(package: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """`step` looks at them as `reset` does."""
    env = package.AtariEnv("pong")
    monkeypatch.setattr(env, "_get_obs", lambda: "seen")
    monkeypatch.setattr(env, "_get_info", lambda: {"told": True})
    assert env.reset(seed=1)[0] == env.step(0)[0] == "seen"
    assert env.step(0)[-1] == {"told": True}
