"""Writes docs/games/audit.json and docs/rules-audit.md: what of the originals' rules is odd.

    nice python docs/tools/audit_rules.py [--part PART | --page] [--resume] [GAME ...]

Each game that one player can play is looked at by experiment, without knowledge of its rules:

* Wraps: the script plays at random until it scores and goes back some frames.  It sets the digits
  of the score's label to 9.  Without a label it tries all values of all bytes of RAM to find those
  that change the score, and sets them to their highest decimal value.  Then it plays on.  Where
  random play does not score, it also changes other bytes of RAM until it does.
* Ends: three policies play an episode of 108,000 frames each.  Where the last 20,000 frames brought
  no reward, no loss of a life and no end, copies of the environment play 20,000 frames by each
  action, held, and by six random policies.  If none brings an event either, the episode is stuck.
* Starts: the rewards of the first 60 frames without an action, after each of two resets.
* Screen (audit_screen.py): the number on the screen is compared with the sum of rewards.
* After (audit_ends.py): play goes on after the ends of episodes.
* Idle (audit_ends.py): the pictures of an idle player are counted.

Everything follows from constant seeds.  All games take some 30 minutes of an idle processor.
Results are saved after each game.  `--part` does one part, `--resume` leaves out what is saved
already, and `--page` only writes the page.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from pyale_ma import _native, roms
from pyale_ma._base.files import written_aside
from pyale_ma._native import RAM_SIZE, Env, Rules

sys.path.append(str(Path(__file__).parent))
import audit_ends
import audit_screen

DOCS = Path(__file__).parents[1]
FILE, PAGE = DOCS / "games" / "audit.json", DOCS / "rules-audit.md"
EPISODE = 108_000
SILENCE = 20_000  # frames without an event after which an episode may be stuck
SEARCH = 40_000  # frames in which each policy must score
REPLAY = 24  # frames before a score from which it is played again
LATER = 3600  # frames that are played after it, in case something else scores
SETTLED = 4  # of them at least, so that the rules have seen the changed bytes before
DECIMAL = [16 * high + low for high in range(10) for low in range(10)]
STIRS = 1000  # changes of RAM after which a game may score
STIRRED = 400  # frames that are played after each
BLINKING = 20  # pictures of an idle game that waits: a cursor or a figure may blink
HELD = (1, 4, 15, 60)  # frames for which policies hold an action

Policy = Callable[[], Iterator[int]]


def make(game: str, *, corrected: bool = False) -> Env:
    """Return the game for one player, reset, without sticky actions."""
    rom = _native.shared_rom(roms.read(roms.find_rom(game)))
    env = Env(
        rom,
        rules=Rules.SOLO,
        random_seed=1,
        repeat_action_probability=0.0,
        corrected_rules=corrected,
    )
    env.reset()
    return env


def at_random(actions: list[int], hold: int, seed: int) -> Iterator[int]:
    """Yield random actions, each for up to `hold` frames."""
    random = np.random.default_rng(seed)
    while True:
        drawn = random.integers(len(actions), size=1024).tolist()
        lengths = random.integers(1, hold + 1, size=1024).tolist()
        for action, length in zip(drawn, lengths, strict=True):
            yield from itertools.repeat(actions[action], length)


def saved(env: Env) -> _native.State:
    """Return the present state."""
    return env.saved(_native.State, include_random=True)


# ---- Wraps ---------------------------------------------------------------------------------------


def scoring(env: Env, actions: list[int]) -> Iterator[tuple[_native.State, list[int], int]]:
    """Yield moments before rewards: a state, the actions up to the reward, and the reward."""
    for seed, hold in itertools.product(range(2), HELD):
        env.reset()
        states: list[tuple[int, _native.State]] = [(0, saved(env))]
        played: list[int] = []
        policy = at_random(actions, hold, seed)
        for frame in range(SEARCH):
            action = next(policy)
            reward = env.act_alone(action)
            played.append(action)
            if reward > 0:
                old = [(at, state) for at, state in states if frame - at >= SETTLED]
                if old and not any(env_rewards(env, old[-1], played)[:-1]):
                    at, state = old[-1]
                    yield state, played[at:], reward
                env.restore(states[-1][1])
                for again in played[states[-1][0] :]:
                    env.act_alone(again)
            if env.report.terminated:
                env.reset()
                states = [(frame + 1, saved(env))]
            elif frame % 8 == 7:
                states = [*states[-REPLAY // 8 :], (frame + 1, saved(env))]


def stirred(
    env: Env, actions: list[int], avoid: set[int]
) -> Iterator[tuple[_native.State, list[int], int]]:
    """Yield moments before rewards as `scoring` does, after a change of one byte of RAM."""
    random = np.random.default_rng(0)
    for attempt in range(STIRS):
        env.reset()
        policy = at_random(actions, HELD[attempt % len(HELD)], attempt)
        for _ in range(random.integers(30, 600)):
            env.act_alone(next(policy))
        byte, value = random.integers(RAM_SIZE), random.integers(256)
        if byte in avoid or env.report.terminated:
            continue
        env.set_ram(byte, value)
        states: list[tuple[_native.State, list[int]]] = []
        for frame in range(STIRRED):
            if frame % 16 == 0:
                states = [*states[-1:], (saved(env), [])]
            action = next(policy)
            for _, played in states:
                played.append(action)
            reward = env.act_alone(action)
            if reward or env.report.terminated:
                state, played = states[0]
                if reward > 0 and len(played) > 16:
                    yield state, played, reward
                break


def env_rewards(env: Env, since: tuple[int, _native.State], played: list[int]) -> list[int]:
    """Return the rewards of actions that are played again."""
    at, state = since
    env.restore(state)
    return [env.act_alone(action) for action in played[at:]]


def responses(env: Env, state: _native.State, action: int) -> dict[int, list[int]]:
    """Return how the reward of a frame changes with each value of the bytes that change it."""
    env.restore(state)
    usual = env.act_alone(action)

    def change(byte: int, value: int) -> int:
        env.restore(state)
        env.set_ram(byte, value)
        reward = env.act_alone(action) - usual
        return 0 if env.report.terminated else reward

    probes = [0, 1, 2, 5, 0x10, 0x11, 0x25, 0x50, 0x55, 0x90, 0x99]
    moving = [i for i in range(RAM_SIZE) if any(change(i, probe) for probe in probes)]
    return {i: [change(i, value) for value in range(256)] for i in moving}


def highest_of(changes: list[int]) -> int | None:
    """Return the highest value of a byte of the score; None: it is no such byte."""
    low = {changes[digit + 1] - changes[digit] for digit in range(9)}
    high = {changes[16 * digit + 16] - changes[16 * digit] for digit in range(9)}
    is_digit = [len(steps) == 1 and min(steps) > 0 for steps in (low, high)]
    if any(is_digit):
        return 9 * is_digit[0] + 9 * 16 * is_digit[1]
    # Other ways to write digits: whatever rises with the byte, in steps of any size.
    distinct = [*dict.fromkeys(changes)]
    if len(distinct) >= 9 and distinct == sorted(distinct):
        return changes.index(distinct[-1])
    return None


def highest_by_label(env: Env, game: str, state: _native.State) -> tuple[dict[int, int], int]:
    """Return the bytes of the first score with all digits 9, and the score that they hold."""
    labels = audit_screen.scores_of(game)
    if not labels:
        return {}, 0
    if labels[0].code == "binary":
        return dict.fromkeys(labels[0].bytes, 255), 256 ** len(labels[0].bytes) - 1
    env.restore(state)
    values = {byte: int(env.ram[byte]) for byte in labels[0].bytes}
    places = audit_screen.places(labels[0])
    for byte, shift in places:
        values[byte] = values[byte] & ~(15 << shift) & 255 | 9 << shift
    return values, 9 * sum(places.values())


def highest_by_search(env: Env, state: _native.State, action: int) -> tuple[dict[int, int], int]:
    """Return the bytes that change the score with their highest values, and the score they hold."""
    highest, reach = {}, 0
    for byte, changes in responses(env, state, action).items():
        value = highest_of(changes)
        if value is not None:
            highest[byte] = value
            reach += max(changes[value] - changes[0], 0)
    return highest, reach


def wrap(env: Env, game: str, actions: list[int], by_change: bool = False) -> dict[str, Any]:
    """Return what happens when a score passes the highest one."""
    tried = 0
    best: dict[str, Any] = {"found": "no score"}
    moments = scoring(env, actions)
    if by_change:
        labels = audit_screen.scores_of(game)
        moments = stirred(env, actions, {byte for label in labels for byte in label.bytes})
    for state, played, reward in itertools.islice(moments, 12):
        tried += 1
        highest, reach = highest_by_label(env, game, state)
        if not highest:
            highest, reach = highest_by_search(env, state, played[0])
        env.restore(state)
        for byte, value in highest.items():
            env.set_ram(byte, value)
        rewards = [env.act_alone(action) for action in played]
        policy = at_random(actions, 15, 3)
        later = [env.act_alone(next(policy)) for _ in range(LATER)]
        told: dict[str, Any] = {
            "bytes": {str(byte): value for byte, value in highest.items()},
            "jump": rewards[0],
            "expected": reward,
            "reward": rewards[-1],
            "between": sum(rewards[1:-1]),
            "later": [reward for reward in later if reward][:4],
            "over": bool(env.report.terminated),
        }
        # A game may take points, but not most of the highest score.
        if rewards[-1] < -reach // 2 < 0:
            return {"found": "wraps", "range": reward - rewards[-1], **told}
        if min(later) < -reach // 2 < 0:
            return {"found": "wraps", "range": -min(later), **told}
        if rewards[-1] == reward and rewards[0] > 0:
            best = {"found": "no wrap", **told}
        elif best["found"] != "no wrap":
            best = {"found": "unclear", **told}
    return best | {"tried": tried}


# ---- Ends ----------------------------------------------------------------------------------------


def episode(env: Env, policy: Iterator[int] | None) -> dict[str, Any]:
    """Play one episode, by NOOP without a policy; return its end and its latest event."""
    env.reset()
    total = event = frames = 0
    lives = env.report.lives[0]
    while frames < EPISODE and not env.report.terminated:
        if policy is None:
            reward = env.act_alone(0, 60)
            frames += 60
        else:
            reward = env.act_alone(next(policy))
            frames += 1
        total += reward
        if reward or env.report.lives[0] != lives:
            event, lives = frames, env.report.lives[0]
    return {
        "frames": frames,
        "over": bool(env.report.terminated),
        "points": total,
        "silent": frames - event,
    }


def is_stuck(env: Env, actions: list[int]) -> bool:
    """Whether none of many policies brings an event within `SILENCE` frames."""
    state, lives = saved(env), env.report.lives[0]
    policies: list[Iterator[int]] = [itertools.repeat(action) for action in actions]
    policies += [at_random(actions, hold, 7) for hold in (*HELD, 200, 1000)]
    for policy in policies:
        env.restore(state)
        for _ in range(SILENCE):
            if env.act_alone(next(policy)) or env.report.terminated:
                return False
            if env.report.lives[0] != lives:
                return False
    return True


def ends(env: Env, actions: list[int]) -> dict[str, Any]:
    """Return how episodes end by each policy."""
    told = {}
    policies = {"idle": None, "random": at_random(actions, 1, 5), "slow": at_random(actions, 30, 5)}
    for name, policy in policies.items():
        played = episode(env, policy)
        if not played["over"] and played["silent"] >= SILENCE:
            played["stuck"] = is_stuck(env, actions)
        told[name] = played
    return told


# ---- Starts --------------------------------------------------------------------------------------


def starts(env: Env) -> list[dict[str, int]]:
    """Return the rewards without an action after each of two resets, and the lives."""
    told = []
    for _ in range(2):
        env.reset()
        lives = env.report.lives[0]
        first = env.act_alone(0)
        told.append({"lives": lives, "first": first, "next": env.act_alone(0, 59)})
        for _ in range(300):
            env.act_alone(1)
    return told


PARTS = ("starts", "ends", "wrap", "screen", "after", "idle")


def audit(game: str, part: str) -> dict[str, Any]:
    """Return what one part finds of a game."""
    env = make(game)
    actions = _native.bits(env.info.minimal_actions)
    if part == "starts":
        return {part: starts(env)}
    if part == "ends":
        return {part: ends(env, actions)}
    if part == "screen":
        return {part: audit_screen.compare(env, game, actions, at_random)}
    if part == "after":
        return {part: audit_ends.later(env, game, actions, at_random)}
    if part == "idle":
        return {part: audit_ends.idle(env)}
    told: dict[str, Any] = {part: wrap(env, game, actions), "corrected": None}
    by_change = told[part]["found"] == "no score" and bool(audit_screen.scores_of(game))
    if by_change:
        told[part] = wrap(env, game, actions, by_change) | {"stirred": True}
    if told[part]["found"] == "wraps":
        again = wrap(make(game, corrected=True), game, actions, by_change)
        told["corrected"] = [again["found"], again.get("reward")]
    return told


# ---- The page ------------------------------------------------------------------------------------

# What was found by hand, or what the numbers of the script need for an explanation.
HIGHEST = {
    "adventure": "cannot be reached: one point ends the game",
    "assault": "999,999 ends the game; the counter stays there, so no points are lost",
    "asteroids": "wraps after 99,990; the originals give the right reward",
    "backgammon": "cannot be reached: an episode is one game",
    "blackjack": "cannot be reached: 1,000 chips end the game",
    "bowling": "cannot be reached: 300 at most",
    "boxing": "cannot be reached: a knockout ends the game at 100",
    "beam_rider": "the score stays at 999,999",
    "breakout": "cannot be reached: the game has 864 points",
    "basic_math": "cannot be reached: there are ten problems",
    "carnival": "wraps after 99,990; bonus boxes may take points, which is no wrap",
    "casino": "cannot be passed: 10,000 chips end the game",
    "centipede": "wraps after 999,999; the reward is then 0",
    "chopper_command": "999,900 ends the game; the counter stays there, so no points are lost",
    "crazy_climber": "wraps after 999,900; the reward is then 0",
    "darkchambers": "wraps after 99,990, which ends the episode",
    "defender": "wraps: -999,850 for 150",
    "earthworld": "cannot be reached: ten clues end the game",
    "entombed": "wraps after 255 sections: -255 for 1",
    "fishing_derby": "99 ends the game",
    "freeway": "cannot be reached in two minutes",
    "galaxian": "wraps after 999,999; the originals give the right reward",
    "hangman": "cannot be reached: an episode is one word",
    "haunted_house": "cannot be reached: an episode has no score",
    "hero": "999,999 ends the game and gives 222,222 points; the episode goes on",
    "human_cannonball": "cannot be reached: seven hits end the game",
    "ice_hockey": "wraps: -99 for a side's hundredth goal, which three minutes do not allow",
    "journey_escape": "wraps after 999,900, which the game's time does not allow; stays at 0 below",
    "kaboom": "999,999 ends the game",
    "kung_fu_master": "999,999 ends the game and gives 666,666 points; the episode goes on",
    "laser_gates": "goes on after 999,999; the highest digit is then a sign",
    "miniature_golf": "cannot be reached: an episode is one round",
    "othello": "cannot be reached: there are 64 squares",
    "pitfall": "cannot be reached: 32 treasures are worth 112,000 points",
    "pitfall2": "cannot be reached: the treasures are worth 199,000 points",
    "pong": "cannot be reached: 21 points end the game",
    "private_eye": "wraps: -999,900 for 100; penalties at 800,000 or more clear the score",
    "quartet": "cannot be reached: a score is a sum of few points",
    "robotank": "wraps after 3,071 tanks: -3,071 for 1",
    "seaquest": "999,999 ends the game; the counter stays there, so no points are lost",
    "skiing": "cannot be reached: the reward is a time",
    "space_invaders": "wraps after 9,999; the originals give the right reward",
    "space_war": "cannot be reached: ten points end the game",
    "superman": "cannot be reached: an episode has one reward",
    "surround": "cannot be reached: ten points end the game",
    "tennis": "cannot be reached: an episode is one set",
    "tetris": "wraps after 9,999; the reward is then 0",
    "tic_tac_toe_3d": "cannot be reached: an episode is one game",
    "up_n_down": "wraps after 999,999",
    "video_checkers": "cannot be reached: an episode is one game",
    "video_chess": "cannot be reached: an episode is one game",
    "video_cube": "cannot be reached: a cube has six faces",
    "wizard_of_wor": "wraps after 199,900",
    "word_zapper": "cannot be reached: three words end the game",
    "alien": "wraps after 999,990",
    "turmoil": "wraps after 99,990",
}
# Faults of ends, which `corrected_rules` corrects.
ENDS = {
    "casino": "the last chips that are lost or won give no reward",
    "frostbite": "an episode whose last life is lost to the cold does not end",
    "pitfall": "the clock runs out after 72,000 frames, but only the last life ends the episode",
    "sir_lancelot": "an episode may end in the middle of the last life",
    "space_war": "in modes 6 and 7, the other side's tenth point does not end the episode",
    "video_checkers": "an episode does not end when a side with pieces has no move",
    "word_zapper": "while the wall clock stands at 0, the latest reward is given again",
    "yars_revenge": "a game that ends with the author's initials does not end the episode",
}
# Games in which random play did not end an episode, for reasons that are no fault.
ENDLESS = {
    "backgammon": "none before difficulty 3 is chosen: the cartridge is in its set-up mode",
    "earthworld": "with the tenth clue; random play found none",
    "elevator_action": "ends once the player has taken the lift from the roof",
    "miniature_golf": "with the last hole, which random play does not reach",
    "pitfall2": "only at 199,000 points: nobody dies",
    "superman": "only when all is done, which random play does not reach",
    "video_chess": "with mate; random play seldom finds a legal move",
    "video_cube": "with a solved cube, or 65,280 frames without a movement",
}
# Scores that rise after ends, looked at by eye.
RISES = {
    "casino": "no points: FIRE begins a new game",
    "jamesbond": "no points: the title screen uses the bytes of the score",
    "qbert": "no points: the demonstration uses the bytes of the score",
    "sir_lancelot": "1,250 points: the last life was not lost yet",
}
# What stands on the screen beside the sum of rewards.
SHOWN = {
    "donkey_kong": "while the bonus does not stand in the score's place",
    "pooyan": "after the first points; before, a 1 stands there",
    "turmoil": "points that are still to be shown are rewarded at once",
}
# Lives as the screens of one game show them, looked at by eye.
SAME = (
    "asteroids bank_heist battle_zone breakout defender donkey_kong frogger gopher "
    "haunted_house keystone_kapers lost_luggage space_invaders turmoil tutankham "
    "wizard_of_wor zaxxon"
).split()
SPARE = (
    "alien assault asterix beam_rider centipede chopper_command demon_attack elevator_action "
    "frostbite galaxian gravitar hero kangaroo krull kung_fu_master mario_bros montezuma_revenge "
    "ms_pacman phoenix pitfall pooyan qbert riverraid road_runner robotank seaquest solaris "
    "up_n_down venture"
).split()
LIVES = {
    **dict.fromkeys(SAME, "those shown"),
    **dict.fromkeys(SPARE, "one more than the spare ones shown"),
    "amidar": "eight more than the spare ones shown: 11, 10, 9, 8",
    "atlantis": "one less than the buildings",
    "atlantis2": "one less than the buildings",
    "crazy_climber": "those shown, of which the screen has three at most",
    "jamesbond": "one more than the spare ones shown, of which the screen has three at most",
    "star_gunner": "those shown, of which the screen has three at most",
    "video_pinball": "4 less the number of the ball",
}
CORRECTIONS = {
    "casino": "the last chips count",
    "sir_lancelot": "the points count, and the episode ends with the last life",
    "space_war": "the episode ends",
    "video_checkers": "the episode ends, and rewards the other side",
    "yars_revenge": "the points count, and the episode ends",
    "darkchambers": "the points count, and the episode goes on",
    "entombed": "the points count",
    "et": "the points count",
    "krull": "the points count",
    "montezuma_revenge": "the points count",
    "ice_hockey": "the points count",
    "robotank": "the points count",
    "tetris": "the points count",
    "wizard_of_wor": "the points count",
    "defender": "the points count",
    "private_eye": "the points count",
    "word_zapper": "the latest reward is given once",
    "alien": "the points count",
    "turmoil": "the points count",
    "centipede": "the points count",
    "carnival": "the points count",
    "crazy_climber": "the points count",
    "up_n_down": "the points count",
    "frostbite": "the episode ends; points count after 999,999",
    "hero": "the reward leads to 1,000,000, and the episode ends",
    "kung_fu_master": "the reward leads to 1,000,000, and the episode ends",
    "pitfall": "the episode ends at 0:00",
}


def highest(name: str, told: dict[str, Any]) -> str:
    """Return what is known of the highest score."""
    if name in HIGHEST:
        return HIGHEST[name]
    found = told["wrap"]["found"]
    if found == "wraps":
        size = 10 ** round(math.log10(told["wrap"]["range"]))
        return f"wraps: {told['wrap']['expected'] - size:,} for {told['wrap']['expected']}"
    if found == "no wrap":
        return "no wrap seen, but maybe not reached"
    return "not checked: random play does not score" if found == "no score" else "not clear"


def on_the_screen(name: str, told: dict[str, Any]) -> str:
    """Return how the number on the screen compares with the sum of rewards."""
    seen = told.get("screen", {})
    if not seen.get("read") and not seen.get("samples"):
        return "not read"
    if seen["wrong"] and name not in SHOWN:
        return f"differs in {seen['wrong']:,} of {seen['read']:,} frames"
    if not seen["read"]:
        return f"equal in {seen['samples']} moments with set digits"
    facts = [f"equal in {seen['read'] - seen['wrong'] - seen['counting']:,} frames"]
    if name in SHOWN:
        facts = [f"equal {SHOWN[name]}" if seen["wrong"] else f"equal; {SHOWN[name]}"]
    if any(worth > 1 for hidden in seen["hidden"] for worth in hidden):
        facts.append("the highest digit is not shown")
    return "; ".join(facts)


def lives_shown(name: str, told: dict[str, Any]) -> str:
    """Return how `lives()` compares with the screen."""
    most = max(start["lives"] for start in told["starts"])
    return LIVES.get(name, "not seen" if most > 1 else "-")


def after_the_end(name: str, told: dict[str, Any]) -> str:
    """Return whether scores rise after ends."""
    after = told.get("after", {})
    if not after.get("ends"):
        return "not checked"
    if not after["rises"]:
        return "no points"
    if name in RISES:
        return RISES[name]
    policy, frame, before, score = after["rises"][0]
    return f"{score - before:,} points after {frame + 1} frames ({policy})"


def how_it_ends(name: str, told: dict[str, Any]) -> str:
    """Return what is known of ends."""
    if name in ENDS or name in ENDLESS:
        return ENDS.get(name) or ENDLESS[name]
    played = told["ends"]
    if played["idle"]["over"]:
        return "ends"
    if not (played["random"]["over"] or played["slow"]["over"]):
        return "no end in 108,000 frames"
    moves = told["idle"]["pictures"] > BLINKING
    return f"ends once played; {'nothing hurts an idle player' if moves else 'the game waits'}"


def correction(name: str, told: dict[str, Any]) -> str:
    """Return what `corrected_rules` does."""
    if name in CORRECTIONS:
        return CORRECTIONS[name]
    is_wrap = told["wrap"]["found"] == "wraps" and name not in HIGHEST
    is_right = is_wrap and told["corrected"][1] > 0
    return ("the points count" if is_right else "**none yet**") if is_wrap else "nothing"


def fault(name: str, told: dict[str, Any]) -> str:
    """Return what `corrected_rules` corrects, for a game where it does something."""
    faults = [ENDS[name]] if name in ENDS else []
    is_reached = not highest(name, told).startswith("cannot be")
    if (told["corrected"] or name in HIGHEST) and is_reached:
        faults.append(f"the highest score {highest(name, told)}")
    return "; ".join(faults)


def page(data: dict[str, Any], before: str) -> str:
    """Return the page's text: what stands before the table, and the table."""
    text, _, _ = before.partition("| game | highest score |")
    titles = (
        *("game", "highest score", "score on the screen", "`lives()`", "ends"),
        *("after ends", "start", "`corrected_rules`"),
    )
    rows = [titles, ("---",) * len(titles)]
    for name, game in _native.games().items():
        link = f"[{game.title}](games/{name}.md)"
        if name in data:
            told = data[name]
            start = told["starts"][0]
            first = f"{start['first'] + start['next']:,}"
            shown = on_the_screen(name, told), lives_shown(name, told)
            ends = how_it_ends(name, told), after_the_end(name, told)
            rows.append((link, highest(name, told), *shown, *ends, first, correction(name, told)))
        else:
            unknown = "not checked"
            several = f"{unknown}: for several players only"
            rows.append((link, several, *[unknown] * 5, "nothing"))
    return text + "".join(f"| {' | '.join(row)} |\n" for row in rows)


def main() -> None:
    """Audit the games that are named, or all, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*")
    parser.add_argument("--part", choices=PARTS)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--page", action="store_true")
    arguments = parser.parse_args()
    data = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    alone = [name for name, game in _native.games().items() if Rules.SOLO in game.rules]
    parts = [arguments.part] if arguments.part else PARTS
    for game in [] if arguments.page else arguments.games or alone:
        told = data.setdefault(game, {})
        for part in parts:
            if not (arguments.resume and part in told):
                told |= audit(game, part)
        text = ",\n".join(f"{json.dumps(name)}: {json.dumps(data[name])}" for name in sorted(data))
        with written_aside(FILE) as path:
            path.write_text(f"{{\n{text}\n}}\n", encoding="utf-8")
    PAGE.write_text(page(data, PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
