"""OpenSpiel: a game for two to four players as a simultaneous-move game.

::

    from pyale_ma.integrations.openspiel import load_game

    game = load_game("pong", num_players=2, max_game_length=200)
    state = game.new_initial_state()
    while not state.is_terminal():
        state.apply_actions([2, 5])
    print(state.returns())

Take the bots of ``open_spiel.python.algorithms``: those in C++, `pyspiel.MCTSBot` and
`pyspiel.ISMCTSBot`, end the process with every game of Python's.

Importing this module registers the game with OpenSpiel, so that
``pyspiel.load_game("pyale_ma(game=pong)")`` finds it.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from pyale_ma import _native
from pyale_ma._base.arguments import flag, integer, known_names, probability
from pyale_ma._base.callers import one_caller
from pyale_ma._base.text import nearest
from pyale_ma._native import MAX_FRAME_SKIP, OUT, RAM_SIZE, Pixels, Rules
from pyale_ma.games.selection import resolve
from pyale_ma.integrations.adapters import missing_library
from pyale_ma.single import Action, ALEState

try:
    import pyspiel
except ModuleNotFoundError as missing:
    raise missing_library("openspiel", missing) from missing

__all__ = ["AtariGame", "AtariObserver", "AtariState", "load_game"]

_NAME = "pyale_ma"
_UNSET = -1  # OpenSpiel's parameters have no None
_DEFAULTS: dict[str, Any] = {
    "game": "quartet",  # whose ROM image is always there
    "num_players": _UNSET,
    "mode": _UNSET,
    "difficulty": _UNSET,
    "variation": "",
    "frameskip": 4,
    "repeat_action_probability": 0.0,
    "full_action_space": False,
    "max_game_length": 1000,
    "terminal_rewards": False,
    "seed": 0,
}
_MOST_INT = 2**31 - 1  # of a parameter
# A reward is an int32; no game says how much its players can win or lose.
_MOST_REWARD = 2.0**31

# The least and the greatest value of parameters that are whole numbers; games have less.
_LIMITS = {
    "num_players": (-_MOST_INT, _MOST_INT),
    "mode": (-_MOST_INT, _MOST_INT),
    "difficulty": (-_MOST_INT, _MOST_INT),
    "frameskip": (1, MAX_FRAME_SKIP),
    "max_game_length": (1, _MOST_INT),
    "seed": (0, _MOST_INT),
}


def _text(name: str, value: Any) -> str:
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a string, not {value!r}")
    return value


def _checked(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """All parameters, of the types that OpenSpiel knows; those left out have their defaults."""
    checked = dict(_DEFAULTS)
    for name, value in parameters.items():
        if name not in _DEFAULTS:
            raise ValueError(f"there is no parameter {name!r}; {nearest(name, _DEFAULTS)}")
        kind = type(_DEFAULTS[name])
        if name in _LIMITS:
            checked[name] = integer(name, value, *_LIMITS[name])
        elif kind is float:
            checked[name] = probability(name, value)
        else:
            checked[name] = flag(name, value) if kind is bool else _text(name, value)
    return checked


@known_names
def load_game(
    game: str | os.PathLike[str],
    *,
    num_players: int | None = None,
    mode: int | None = None,
    difficulty: int | None = None,
    variation: str | None = None,
    frameskip: int = 4,
    repeat_action_probability: float = 0.0,
    full_action_space: bool = False,
    max_game_length: int = 1000,
    terminal_rewards: bool = False,
    seed: int = 0,
) -> AtariGame:
    """Load a game through OpenSpiel.

    Args:
        game: The game's name, such as "pong"; the name of an environment for several agents, such
            as "quadrapong_v4", which chooses what is left open; or the path of a card.
        num_players: None for the environment's, or 2.  See `AtariGame`, as for all arguments below.
        mode: None for the environment's, or the game's default.
        difficulty: None for the environment's, or the game's own.
        variation: None for none.
        frameskip: Frames of a step.
        repeat_action_probability: Above 0 the game is sampled stochastic.
        full_action_space: All 18 actions.
        max_game_length: Joint actions after which the game is over.
        terminal_rewards: Rewards and returns are 0 until then.
        seed: The seed of everything random.

    Raises:
        FileNotFoundError: The game's ROM file was not found; the text says how to get one.
        TypeError: An argument is of another type.
        ValueError: There is no such game, or an argument is not allowed.

    Examples:
        ```python
        from pyale_ma.integrations.openspiel import load_game

        game = load_game("quartet", num_players=2, max_game_length=100)
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_actions([0, 1])  # of both players; game.action_names names them
        print(state.returns())
        ```
    """
    left_open = {
        "num_players": num_players,
        "mode": mode,
        "difficulty": difficulty,
        "variation": variation,
    }
    parameters = {
        **{name: value for name, value in left_open.items() if value is not None},
        "game": game,
        "frameskip": frameskip,
        "repeat_action_probability": repeat_action_probability,
        "full_action_space": full_action_space,
        "max_game_length": max_game_length,
        "terminal_rewards": terminal_rewards,
        "seed": seed,
    }
    # Checked before OpenSpiel does it, which does not name a number that is too large.
    return pyspiel.load_game(_NAME, _checked(parameters))  # type: ignore[no-any-return]


def _game_type(random: bool = False, terminal_rewards: bool = False) -> Any:
    chance, rewards = pyspiel.GameType.ChanceMode, pyspiel.GameType.RewardModel
    return pyspiel.GameType(
        short_name=_NAME,
        long_name="Atari 2600 games of pyale_ma",
        dynamics=pyspiel.GameType.Dynamics.SIMULTANEOUS,
        chance_mode=chance.SAMPLED_STOCHASTIC if random else chance.DETERMINISTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.GENERAL_SUM,
        reward_model=rewards.TERMINAL if terminal_rewards else rewards.REWARDS,
        max_num_players=4,
        min_num_players=2,
        # With chance, the actions of a history do not tell what happened.
        provides_information_state_string=not random,
        provides_information_state_tensor=not random,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=_DEFAULTS,
        provides_factored_observation_string=True,
    )


@dataclass(frozen=True)
class _Moment:
    """Data of a state of the game.  It is immutable, so that clones can share it.

    Attributes:
        console: The console's state; without its random generator if there is chance.
        ram: Its 128 bytes.
        steps: Joint actions so far.
        rewards: Of the last of them, by player.
        returns: Of all of them, by player.
        out: Whether each player is out.
        over: Whether the game is.
        chosen: The joint action that chance has yet to play, as codes of the console.
    """

    console: ALEState
    ram: bytes
    steps: int
    rewards: tuple[float, ...]
    returns: tuple[float, ...]
    out: tuple[bool, ...]
    over: bool = False
    chosen: tuple[int, ...] | None = None

    def __deepcopy__(self, memo: dict[int, Any]) -> _Moment:
        return self


class AtariConsole:
    """The console of a game, which goes from moment to moment for all its states.

    It serves one caller at a time, so threads must take turns with a game's states.

    Args:
        env: The library's environment, in the mode and difficulty to be played.
        players: Number of players.
        frameskip: Frames of a step.
        most_steps: Joint actions after which the game is over.
        has_chance: Whether the same actions may lead from a moment to different ones.
    """

    def __init__(
        self,
        env: _native.Env,
        *,
        players: int,
        frameskip: int,
        most_steps: int,
        has_chance: bool,
    ) -> None:
        self._env = env
        self._players = players
        self._frameskip = frameskip
        self._most_steps = most_steps
        self._has_chance = has_chance
        self._at: _Moment | None = None  # where the console is
        self._is_busy = False
        env.reset()
        none = (0.0,) * players
        self.first = self._moment(0, none, none, (False,) * players, False)

    def _moment(self, steps: int, *whose: Any) -> _Moment:
        state = self._env.saved(ALEState, include_random=not self._has_chance)
        self._at = _Moment(state, self._env.ram.tobytes(), steps, *whose)
        return self._at

    def _go_to(self, moment: _Moment) -> None:
        if self._at is not moment:
            self._at = None
            self._env.restore(moment.console)

    @one_caller
    def play(self, moment: _Moment, codes: Sequence[int]) -> _Moment:
        """The moment after a joint action, given as the console's codes."""
        self._go_to(moment)
        self._at = None  # if the call below is stopped, the state is unknown
        players = self._players
        seats = [OUT if out else code for out, code in zip(moment.out, codes, strict=True)]
        rewards = tuple(map(float, self._env.play(seats, repeat=self._frameskip)[:players]))
        report, steps = self._env.report, moment.steps + 1
        lives = report.lives[:players]
        out = tuple(was or left < 0 for was, left in zip(moment.out, lives, strict=True))
        over = bool(report.terminated) or all(out) or steps >= self._most_steps
        returns = tuple(map(float.__add__, moment.returns, rewards))
        return self._moment(steps, rewards, returns, out, over)

    @one_caller
    def screen(self, moment: _Moment) -> npt.NDArray[np.uint8]:
        """A moment's screen, uint8 (height, 160, 3)."""
        self._go_to(moment)
        return self._env.screen(Pixels.RGB)


class AtariGame(pyspiel.Game):
    """A game for two to four players as OpenSpiel's simultaneous-move game.

    All players act at once, and see the console's RAM: a game of perfect information and general
    sum.  Each initial state is the same.  The game plays as `pyale_ma.multi.parallel_env` does
    after ``reset(seed)``.

    Args:
        params: OpenSpiel's parameters.  Those left out have these defaults:

            * ``game`` ("quartet"): the game's name, an environment's, or the path of a card
              (docs/cards.md).
            * ``num_players`` (-1): 2 to 4, as the game's modes allow; -1 for the environment's, or
              2.
            * ``mode`` (-1): one of the game's modes for that many players; -1 for the default.
            * ``difficulty`` (-1): one of the game's difficulties: bit 0 is the left player's
              switch, bit 1 the right player's.  -1 for the game's own.
            * ``variation`` (""): one of the card's variations; "" for none.
            * ``frameskip`` (4): frames of a step, with the same actions; rewards are summed.
            * ``repeat_action_probability`` (0.0): in each frame, the probability that a player's
              previous action is repeated.  Above 0 the game is sampled stochastic: each joint
              action leads to a chance node with one outcome, which plays it.
            * ``full_action_space`` (False): all 18 actions instead of those that have an effect.
            * ``max_game_length`` (1000): joint actions after which the game is over.
            * ``terminal_rewards`` (False): rewards and returns are 0 until the game is over, as
              OpenSpiel's MCTS wants them.
            * ``seed`` (0): the seed of everything random, 0 to 2**31 - 1.

            OpenSpiel's own strings cannot hold a path with parentheses, commas or "=".

    Attributes:
        action_names: Names of the actions, such as "UPFIRE".

    Raises:
        FileNotFoundError: The game's ROM file was not found; the text says how to get one.
        TypeError: A parameter is of another type.
        ValueError: There is no such game or parameter, or a parameter is not allowed.

    Examples:
        ```python
        import pyspiel

        from pyale_ma.integrations import openspiel  # registers the game

        game = pyspiel.load_game("pyale_ma(game=quartet,num_players=4)")
        assert isinstance(game, openspiel.AtariGame)
        state = game.new_initial_state()
        state.apply_actions([0] * 4)
        assert state.rewards() == [0] * 4
        ```
    """

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        chosen = _checked(params or {})
        players, mode, difficulty = (
            None if chosen[name] == _UNSET else chosen[name]
            for name in ("num_players", "mode", "difficulty")
        )
        # Two players, unless a number is given or the environment has one.
        played = resolve(
            chosen["game"],
            players,
            mode,
            difficulty,
            chosen["full_action_space"],
            chosen["variation"] or None,
            counts=(2,) if players is None else (2, 3, 4),
        )
        chosen |= {
            "game": played.source,
            "num_players": played.players,
            "mode": played.mode if played.environment else chosen["mode"],
            "difficulty": _UNSET if played.difficulty is None else played.difficulty,
            "full_action_space": played.full_action_space,
        }
        players, steps = played.players, chosen["max_game_length"]
        self._has_chance = chosen["repeat_action_probability"] > 0
        self._terminal_rewards = chosen["terminal_rewards"]

        self._codes = tuple(played.action_set)
        env = _native.Env(
            played.rom(),
            rules=Rules.MULTI,
            idle_action=self._codes[0],
            repeat_action_probability=chosen["repeat_action_probability"],
            random_seed=chosen["seed"],
        )
        env.set_mode(played.mode)
        if played.difficulty is not None:
            env.set_difficulty(played.difficulty)
        self._range = f"0 to {len(self._codes) - 1}"
        self.action_names = [Action(code).name for code in self._codes]
        self._console = AtariConsole(
            env,
            players=players,
            frameskip=chosen["frameskip"],
            most_steps=steps,
            has_chance=self._has_chance,
        )
        info = pyspiel.GameInfo(
            num_distinct_actions=len(self._codes),
            max_chance_outcomes=int(self._has_chance),
            num_players=players,
            min_utility=-_MOST_REWARD * steps,
            max_utility=_MOST_REWARD * steps,
            utility_sum=None,
            max_game_length=steps,
        )
        super().__init__(_game_type(self._has_chance, self._terminal_rewards), info, chosen)

    def new_initial_state(self) -> AtariState:
        """The first moment of the game."""
        return AtariState(self)

    def max_chance_nodes_in_history(self) -> int:
        """One for each joint action, or none."""
        return self.max_game_length() if self._has_chance else 0

    def make_py_observer(
        self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None
    ) -> AtariObserver:
        """Return an observer of states: see `AtariObserver`."""
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        return AtariObserver(self, kind, params)


class AtariState(pyspiel.State):
    """A moment of a game, made by `AtariGame`.

    A clone shares what it holds with the original until one of them goes on, and costs
    microseconds; `copy.copy` and `copy.deepcopy` clone too.

    `serialize` and pickle keep the console's saved state, which only the same version of this
    package on the same kind of processor is sure to read.  In both formats OpenSpiel keeps a
    pickle, and reading that runs any code in it: read states only from whom you trust.  A state
    that does not fit the game that reads it is refused with a ValueError.

    With chance, OpenSpiel can neither pickle games and states nor use
    `pyspiel.serialize_game_and_state`; `serialize` and `AtariGame.deserialize_state` work.

    A player who is out, while others play on, has one legal action, 0: NOOP in nearly all games.

    Args:
        game: The game.
    """

    def __init__(self, game: AtariGame) -> None:
        super().__init__(game)
        self._now: _Moment = game._console.first  # all that OpenSpiel copies and pickles

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "_now":  # OpenSpiel sets it so when it reads a state
            _check_fits(value, self.get_game())
        super().__setattr__(name, value)

    def __copy__(self) -> AtariState:
        return self.clone()  # type: ignore[no-any-return]

    def __deepcopy__(self, memo: dict[int, Any]) -> AtariState:
        return self.clone()  # type: ignore[no-any-return]

    # ---- What OpenSpiel calls --------------------------------------------------------------------

    def current_player(self) -> int:
        """Who acts: players, chance, or nobody once the game is over."""
        if self._now.over:
            return int(pyspiel.PlayerId.TERMINAL)
        chance = self._now.chosen is not None
        return int(pyspiel.PlayerId.CHANCE if chance else pyspiel.PlayerId.SIMULTANEOUS)

    def _legal_actions(self, player: int) -> list[int]:
        """A player's actions, ascending."""
        if not 0 <= player < len(self._now.out):
            last = len(self._now.out) - 1
            raise ValueError(f"player is {player}; it must be 0 to {last}")
        return [0] if self._now.out[player] else list(range(self.num_distinct_actions()))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The one outcome, in which the joint action is played."""
        return [(0, 1.0)]

    def _apply_actions(self, actions: Sequence[int]) -> None:
        """Play a joint action, one for each player; with chance, it is played by that."""
        now, game = self._now, self.get_game()
        if now.over:
            raise ValueError(f"the game is over after {now.steps} joint actions")
        if now.chosen is not None:
            raise ValueError(
                f"actions are {list(actions)}; chance must play the last ones before, "
                "by apply_action(0)"
            )
        if len(actions) != len(now.out):
            raise ValueError(f"actions are {list(actions)}; there must be {len(now.out)}")
        for player, action in enumerate(actions):
            if action not in self._legal_actions(player):
                allowed = "0, as the player is out" if now.out[player] else game._range
                raise ValueError(f"the action of player {player} is {action}; it must be {allowed}")
        codes = tuple(game._codes[action] for action in actions)
        if game._has_chance:
            self._now = replace(now, chosen=codes)
        else:
            self._now = game._console.play(now, codes)

    def _apply_action(self, action: int) -> None:
        """Play the outcome of chance."""
        if self._now.over:
            raise ValueError(f"the game is over after {self._now.steps} joint actions")
        if self._now.chosen is None:
            raise ValueError(f"action is {action}; players act at once, by apply_actions")
        if action:
            raise ValueError(f"action is {action}; it must be 0, the one outcome of chance")
        self._now = self.get_game()._console.play(self._now, self._now.chosen)

    def _action_to_string(self, player: int, action: int) -> str:
        """An action's name, such as "UPFIRE"."""
        game = self.get_game()
        chance = player == pyspiel.PlayerId.CHANCE
        names = ["play"] if chance else game.action_names
        if not 0 <= action < len(names):
            raise ValueError(f"action is {action}; it must be {'0' if chance else game._range}")
        return str(names[action])

    def is_terminal(self) -> bool:
        """Whether the game is over, or has its greatest length."""
        return self._now.over

    def rewards(self) -> list[float]:
        """Each player's reward for the last joint action."""
        if self.get_game()._terminal_rewards:
            return self.returns()
        if self._now.chosen is not None:  # it is not played yet
            return [0.0] * len(self._now.out)
        return list(self._now.rewards)

    def returns(self) -> list[float]:
        """Each player's sum of rewards."""
        if self.get_game()._terminal_rewards and not self._now.over:
            return [0.0] * len(self._now.out)
        return list(self._now.returns)

    def __str__(self) -> str:
        now = self._now
        out = f", out: {[player for player, is_out in enumerate(now.out) if is_out]}"
        waits = "" if now.chosen is None else f", chosen: {list(now.chosen)}"
        scores = [int(score) for score in now.returns]
        return (
            f"step {now.steps}, returns: {scores}{out if any(now.out) else ''}{waits}\n"
            f"RAM: {now.ram.hex()}"
        )

    # ---- What can be seen ------------------------------------------------------------------------

    def ram(self) -> npt.NDArray[np.uint8]:
        """The console's RAM, uint8 (128,)."""
        ram: npt.NDArray[np.uint8] = np.frombuffer(self._now.ram, np.uint8).copy()
        return ram

    def screen(self) -> npt.NDArray[np.uint8]:
        """The screen, uint8 (height, 160, 3)."""
        game: AtariGame = self.get_game()
        return game._console.screen(self._now)


class AtariObserver:
    """Observes states for OpenSpiel: ``tensor``, float32, and ``dict``, views of its pieces.

    * "player", (num_players,): 1 for the observing player, unless no private information is asked
      for.
    * "ram", (128,): the console's RAM divided by 255; public information.
    * "actions", (max_game_length, num_players), with perfect recall: (action + 1) divided by the
      number of actions; 0 for steps that have not been played.

    Args:
        game: The game.
        iig_obs_type: The kind of observation.
        params: OpenSpiel's parameters of observers; must be empty.

    Attributes:
        tensor: All pieces, flat: float32.
        dict: The pieces by name.

    Raises:
        ValueError: There are parameters, or perfect recall is asked of a game with chance.
    """

    def __init__(
        self, game: AtariGame, iig_obs_type: Any, params: Mapping[str, Any] | None = None
    ) -> None:
        if params:
            raise ValueError(f"params is {dict(params)}; there are no parameters of observers")
        recall = iig_obs_type.perfect_recall
        if recall and game._has_chance:
            raise ValueError(
                "iig_obs_type has perfect_recall=True; it must be False with a "
                "repeat_action_probability above 0, as actions do not tell what happened"
            )
        players = game.num_players()
        shapes: dict[str, tuple[int, ...]] = {}
        if iig_obs_type.private_info != pyspiel.PrivateInfoType.NONE:
            shapes["player"] = (players,)
        if iig_obs_type.public_info:
            shapes["ram"] = (RAM_SIZE,)
            if recall:
                shapes["actions"] = (game.max_game_length(), players)
        self._actions = game.num_distinct_actions()
        self.tensor = np.zeros(sum(map(math.prod, shapes.values())), np.float32)
        self.dict = {}
        start = 0
        for name, shape in shapes.items():
            end = start + math.prod(shape)
            self.dict[name] = self.tensor[start:end].reshape(shape)
            start = end

    def set_from(self, state: AtariState, player: int) -> None:
        """Make `tensor` and `dict` what a player observes."""
        self.tensor.fill(0)
        if "player" in self.dict:
            self.dict["player"][player] = 1
        if "ram" in self.dict:
            np.divide(state.ram(), 255, out=self.dict["ram"], dtype=np.float32)
        if "actions" in self.dict:
            played = np.array(state.history(), np.float32).reshape(-1, state.num_players())
            self.dict["actions"][: len(played)] = (played + 1) / self._actions

    def string_from(self, state: AtariState, player: int) -> str:
        """Return a player's observation as text, with RAM in hexadecimal digits."""
        pieces = []
        if "player" in self.dict:
            pieces.append(f"p{player}")
        if "ram" in self.dict:
            pieces.append(f"ram:{state._now.ram.hex()}")
        if "actions" in self.dict:
            pieces.append(f"actions:{state.history_str()}")
        return " ".join(pieces)


def _check_fits(moment: Any, game: AtariGame) -> None:
    """Refuse what is no moment of a game.  The console itself refuses that of another ROM image."""
    if not isinstance(moment, _Moment):
        raise ValueError(f"the state is not one of {_NAME}: it holds {type(moment).__name__}")
    players, most = game.num_players(), game.max_game_length()
    if len(moment.out) != players:
        wrong = f"it has {len(moment.out)} players, and this one {players}"
    elif moment.steps > most:
        wrong = f"it is after {moment.steps} joint actions, and this one ends after {most}"
    elif moment.chosen is not None and not game._has_chance:
        wrong = "it waits for chance, and this one has none"
    else:
        return
    raise ValueError(f"the state is of another game: {wrong}")


pyspiel.register_game(_game_type(), AtariGame)
