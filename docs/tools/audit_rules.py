"""Writes docs/games/audit.json and docs/rules-audit.md: faults of the originals' rules.

    nice python docs/tools/audit_rules.py [--part PART | --page] [--resume] [GAME ...]

Experiments test each game that one player can play, without knowledge of its rules:

* Wraps (audit_wraps.py): the script plays at random until it scores and goes back some frames.  It
  sets the digits of the score's label to 9.  Without a label it tries all values of all bytes of
  RAM to find those that change the score, and sets them to their highest decimal value.  Then it
  plays on.  Where random play does not score, it also changes other bytes of RAM until it does.
* Ends: three policies play an episode of 108,000 frames each.  Where the last 20,000 frames brought
  no reward, no loss of a life and no end, copies of the environment play 20,000 frames by each
  action, held, and by six random policies.  If none brings an event either, the episode is stuck.
* Starts: the rewards of the first 60 frames without an action, after each of two resets.
* Screen (audit_screen.py, audit_final.py): the number on the screen is compared with the sum of
  rewards.
* Modes (audit_modes.py): wraps and screens of corrected games in all modes and difficulties.
* After (audit_ends.py): play goes on after the ends of episodes.
* Idle (audit_ends.py): the pictures of an idle player are counted.

Everything follows from constant seeds.  All games take an hour of an idle processor.
Results are saved after each game.  `--part` does one part, `--resume` leaves out saved results,
and `--page` only writes the page: its summary and its table.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from pyale_ma import _native
from pyale_ma._base.files import written_aside
from pyale_ma._native import Env, Rules

sys.path.append(str(Path(__file__).parent))
import audit_ends
import audit_final
import audit_screen
import audit_wraps
from audit_modes import in_modes
from audit_play import HELD, at_random, make, saved

DOCS = Path(__file__).parents[1]
FILE, PAGE = DOCS / "games" / "audit.json", DOCS / "rules-audit.md"
EPISODE = 108_000
SILENCE = 20_000  # frames without an event after which an episode may be stuck
BLINKING = 20  # pictures of an idle game that waits: a cursor or a figure may blink

Policy = Callable[[], Iterator[int]]


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
    episodes = {}
    policies = {"idle": None, "random": at_random(actions, 1, 5), "slow": at_random(actions, 30, 5)}
    for name, policy in policies.items():
        played = episode(env, policy)
        if not played["over"] and played["silent"] >= SILENCE:
            played["stuck"] = is_stuck(env, actions)
        episodes[name] = played
    return episodes


# ---- Starts --------------------------------------------------------------------------------------


def starts(env: Env) -> list[dict[str, int]]:
    """Return the rewards without an action after each of two resets, and the lives."""
    resets = []
    for _ in range(2):
        env.reset()
        lives = env.report.lives[0]
        first = env.act_alone(0)
        resets.append({"lives": lives, "first": first, "next": env.act_alone(0, 59)})
        for _ in range(300):
            env.act_alone(1)
    return resets


PARTS = ("starts", "ends", "wrap", "screen", "after", "idle", "modes")


def audit(game: str, part: str) -> dict[str, Any]:
    """Return the results of one part for a game."""
    env = make(game)
    actions = _native.bits(env.info.minimal_actions)
    if part == "starts":
        return {part: starts(env)}
    if part == "ends":
        return {part: ends(env, actions)}
    if part == "screen":
        if game in SHOWN_AFTER_ENDS:
            return {part: {"read": 0, **audit_final.compare_after(env, game, actions)}}
        return {part: audit_screen.compare(env, game, actions)}
    if part == "modes":
        return {part: in_modes(game)}
    if part == "after":
        return {part: audit_ends.later(env, game, actions, at_random)}
    if part == "idle":
        return {part: audit_ends.idle(env)}
    facts: dict[str, Any] = {part: audit_wraps.wrap(env, game, actions), "corrected": None}
    by_change = facts[part]["found"] == "no score" and bool(audit_screen.scores_of(game))
    if by_change:
        facts[part] = audit_wraps.wrap(env, game, actions, by_change) | {"stirred": True}
    if facts[part]["found"] == "wraps":
        again = audit_wraps.wrap(make(game, corrected=True), game, actions, by_change)
        facts["corrected"] = [again["found"], again.get("reward")]
    return facts


# ---- The page ------------------------------------------------------------------------------------

SUMMARY = "<!-- docs/tools/audit_rules.py writes the summary. -->"
SUMMARY_END = "<!-- end of the summary -->"
NO_CORRECTION = "**none yet**"
# Findings by hand, and explanations of numbers that the script finds.
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
    "enduro": "wraps after day 99: -45,800",
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
    "klax": "wraps: -999,995 for 5",
    "kung_fu_master": "999,999 ends the game and gives 666,666 points; the episode goes on",
    "laser_gates": "goes on after 999,999; the highest digit is then a sign",
    "miniature_golf": "cannot be reached: an episode is one round",
    "othello": "cannot be reached: there are 64 squares",
    "pitfall": "cannot be reached: 32 treasures are worth 112,000 points",
    "pitfall2": "cannot be reached: the treasures are worth 199,000 points",
    "pong": "cannot be reached: 21 points end the game",
    "private_eye": "wraps: -799,900 for 100; scores of 800,000 or more become 0",
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
    "turmoil": "wraps after 99,990",
}
# Rewards that are wrong before the highest score.
FAULTS = {"enduro": "each tenth day brings 1,800 points for nothing"}
# Faults of ends, which `corrected_rules` corrects.
ENDS = {
    "casino": "the last chips that are lost or won give no reward",
    "demon_attack": "modes 3, 5 and 7 are over as soon as they begin",
    "frostbite": "an episode whose last life is lost to the cold does not end",
    "pitfall": "the clock runs out after 72,000 frames, but only the last life ends the episode",
    "sir_lancelot": "an episode may end in the middle of the last life",
    "space_war": "in modes 6 and 7, the other side's tenth point does not end the episode",
    "video_checkers": "an episode does not end when a side with pieces has no move",
    "word_zapper": "while the wall clock stands at 0, the latest reward is given again",
    "yars_revenge": "a game that ends with the author's initials does not end the episode",
}
NO_ENDS = ("casino", "word_zapper")  # faults of rewards, near an end
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
SHOWN_AFTER_ENDS = ("et",)
# What stands on the screen beside the sum of rewards.
SHOWN = {
    "donkey_kong": "in the others the bonus stands in its place",
    "pooyan": "before the first points a 1 stands there",
    "quartet": "points are drawn after four frames; at the start, the mode's number stands there",
    "turmoil": "points that are still to be shown are rewarded at once",
}
# Games that show no number to which rewards add up.
NOT_SHOWN = {
    "adventure": "not shown",
    "backgammon": "not shown",
    "basic_math": "not shown in play, but after the end",
    "earthworld": "not shown in play",
    "miniature_golf": "strokes and par are shown, the reward is their difference",
    "road_runner": "cut off: the picture has two rows of the digits",
    "superman": "not shown: the reward comes at the end",
    "tennis": "points and games are shown, rewards are changes of both leads",
    "tic_tac_toe_3d": "not shown",
    "video_checkers": "not shown",
    "video_chess": "not shown",
    "video_cube": "not shown",
    "word_zapper": "not shown: the words are",
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
SHOWN_LIVES, SPARE_LIVES = "those shown", "one more than the spare ones shown"
LIVES = {
    **dict.fromkeys(SAME, SHOWN_LIVES),
    **dict.fromkeys(SPARE, SPARE_LIVES),
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
    "demon_attack": "the points count, and modes 3, 5 and 7 can be played",
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
    "enduro": "days are not misread",
    "klax": "the points count",
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


def highest(name: str, facts: dict[str, Any]) -> str:
    """Return a description of what happens at the highest score."""
    if name in HIGHEST:
        return "; ".join([HIGHEST[name], *([FAULTS[name]] if name in FAULTS else [])])
    kind = facts["wrap"]["found"]
    if kind == "wraps":
        size = 10 ** round(math.log10(facts["wrap"]["range"]))
        return f"wraps: {facts['wrap']['expected'] - size:,} for {facts['wrap']['expected']}"
    if kind == "no wrap":
        return "no wrap seen, but maybe not reached"
    return "not checked: random play does not score" if kind == "no score" else "not clear"


FEW = 3  # numbers: with less of them, play says little


def on_the_screen(name: str, facts: dict[str, Any]) -> str:
    """Return how the number on the screen compares with the sum of rewards."""
    seen = facts.get("screen", {})
    if seen.get("ends"):
        return f"not shown in play; equal after {seen['equal']} of {seen['ends']} ends"
    if not seen.get("read"):
        return NOT_SHOWN.get(name, "not read")
    if seen["wrong"] and name not in SHOWN:
        return f"differs in {seen['wrong']:,} of {seen['read']:,} frames"
    equal = seen["read"] - seen["wrong"] - seen["counting"]
    several = f"{seen['values']:,} numbers" if seen["values"] > 1 else "1 number"
    words = [f"equal in {equal:,} frames, {several}"]
    right, tried = seen["jumps"][0]
    if seen["values"] < FEW and tried:
        words.append(f"and in {right} of {tried} changes by hand")
    if name in SHOWN:
        words.append(SHOWN[name])
    if any(worth > 1 for hidden in seen["hidden"] for worth in hidden):
        words.append("the highest digit is not shown")
    return "; ".join(words)


# Where the script's test of modes does not fit.
BEYOND = "what a reward has beyond 1,000,000 is lost, on the screen, too"
MODES = {"defender": f"all 20; {BEYOND}", "riverraid": f"all 2; {BEYOND}"}


def modes_seen(name: str, facts: dict[str, Any]) -> str:
    """Return in how many modes and difficulties the rewards were right."""
    seen = facts.get("modes")
    if not seen:
        return "not checked" if seen is None else "-"
    if name in MODES:
        return MODES[name]
    faults = {
        (mode, difficulty)
        for mode, difficulty, kind, *_ in seen["faults"]
        if kind != "screen" or name not in SHOWN
    }
    if faults:
        return f"not clear in {len(faults)} of {seen['settings']}"
    return f"all {seen['settings']}" + (f"; no points in {seen['set']}" if seen["set"] else "")


def lives_shown(name: str, facts: dict[str, Any]) -> str:
    """Return how `lives()` compares with the screen."""
    most = max(start["lives"] for start in facts["starts"])
    return LIVES.get(name, "not seen" if most > 1 else "-")


def after_the_end(name: str, facts: dict[str, Any]) -> str:
    """Return whether scores rise after ends."""
    after = facts.get("after", {})
    if not after.get("ends"):
        return "not checked"
    if not after["rises"]:
        return "no points"
    if name in RISES:
        return RISES[name]
    policy, frame, before, score = after["rises"][0]
    return f"{score - before:,} points after {frame + 1} frames ({policy})"


def how_it_ends(name: str, facts: dict[str, Any]) -> str:
    """Return a description of how episodes end."""
    if name in ENDS or name in ENDLESS:
        return ENDS.get(name) or ENDLESS[name]
    played = facts["ends"]
    if played["idle"]["over"]:
        return "ends"
    if not (played["random"]["over"] or played["slow"]["over"]):
        return "no end in 108,000 frames"
    moves = facts["idle"]["pictures"] > BLINKING
    return f"ends once played; {'nothing hurts an idle player' if moves else 'the game waits'}"


def correction(name: str, facts: dict[str, Any]) -> str:
    """Return a description of the correction."""
    if name in CORRECTIONS:
        return CORRECTIONS[name]
    is_wrap = facts["wrap"]["found"] == "wraps" and name not in HIGHEST
    is_right = is_wrap and facts["corrected"][1] > 0
    return ("the points count" if is_right else NO_CORRECTION) if is_wrap else "nothing"


def fault(name: str, facts: dict[str, Any]) -> str:
    """Return the faults that `corrected_rules` corrects in a game."""
    faults = [ENDS[name]] if name in ENDS else []
    is_reached = not highest(name, facts).startswith("cannot be")
    if (facts["corrected"] or name in HIGHEST) and is_reached:
        faults.append(f"the highest score {highest(name, facts)}")
    return "; ".join(faults)


def titles(names: Iterable[str]) -> str:
    """Return the titles of games, as a list in words."""
    all_games = _native.games()
    *others, last = (all_games[name].title for name in names)
    return f"{', '.join(others)} and {last}" if others else last


def summary(data: dict[str, Any]) -> list[str]:
    """Return the findings in numbers, one sentence or two for each kind."""
    kinds = {name: highest(name, facts) for name, facts in data.items()}
    done = {name: correction(name, facts) for name, facts in data.items()}
    wraps = [name for name, kind in kinds.items() if kind.startswith("wraps")]
    right = [name for name in wraps if done[name] == "nothing"]
    unreached = [name for name, kind in kinds.items() if kind.startswith("cannot be")]
    corrected = [name for name in data if done[name] not in ("nothing", NO_CORRECTION)]
    ends = [
        name
        for name in corrected
        if (name in ENDS and name not in NO_ENDS) or "the episode" in done[name]
    ]
    in_play = [name for name in ends if name in ENDS]
    late = [name for name in ends if name not in ENDS]
    others = (ENDS.keys() | FAULTS.keys()) - set(ends)
    rewards = [name for name in corrected if name in others]
    missing = [name for name in data if done[name] == NO_CORRECTION]
    screens = [facts["screen"] for facts in data.values()]
    equal = sum(bool(seen.get("read") or seen.get("ends")) for seen in screens)
    modes = {name: modes_seen(name, facts) for name, facts in data.items()}
    unclear = [name for name, seen in modes.items() if seen.startswith("not clear")]
    unseen = sum(seen == "not checked" for seen in modes.values())
    same, spare = (
        sum(text.startswith(words) for text in LIVES.values())
        for words in (SHOWN_LIVES, SPARE_LIVES)
    )
    other = [n for n, text in LIVES.items() if not text.startswith((SHOWN_LIVES, SPARE_LIVES))]
    several = len(_native.games()) - len(data)
    lines = [
        f"**Games**: experiments played {len(data)} games for one player: those of ale-py, and "
        f"Quartet. The {several} games that are for several players only were not audited.",
        f"**Scores that wrap**: in {len(wraps)} games the counter of the score goes on at 0 after "
        f"its highest value. In {len(wraps) - len(right)} of these the reward of that step is "
        f"wrong. In {titles(right)} it is right, or play cannot reach it.",
        f"**Scores that do not wrap**: in {len(unreached)} games the highest score cannot be "
        f"reached. In {len(data) - len(wraps) - len(unreached)} the counter stops there, the game "
        "ends, or the counter has room for more.",
        f"**Wrong ends**: {len(ends)} games end an episode too early, too late or not at all. "
        f"In play these are {titles(in_play)}. "
        f"At the highest score only, there are {titles(late)}.",
        f"**Other wrong rewards**: {len(rewards)} games: {titles(rewards)}.",
        f"**Corrected** by `corrected_rules=True`: all of these faults, in {len(corrected)} games.",
        f"**Score on the screen**: in {equal} games the number on the screen is the sum of rewards "
        "wherever play shows it. The others show no such number.",
        f"**Lives**: `lives()` is the number that the screen shows in {same} games, and one more "
        f"in {spare}. In {titles(other)} it is another number. It is not corrected.",
        "**Open**: [see below](#not-checked)."
        + (f" In {titles(unclear)} some modes need a closer look." if unclear else "")
        + (f" {unseen} games were not checked in all modes." if unseen else ""),
    ]
    if missing:
        lines.insert(6, f"**Not corrected**: {titles(missing)}.")
    return [f"* {line}" for line in lines]


def page(data: dict[str, Any], before: str) -> str:
    """Return the page's text: what stands there already, the summary and the table."""
    text, _, _ = before.partition("| game | highest score |")
    start, _, rest = text.partition(SUMMARY)
    _, _, rest = rest.partition(SUMMARY_END)
    lines = itertools.chain.from_iterable(
        textwrap.wrap(line, 120, subsequent_indent="  ", break_on_hyphens=False)
        for line in summary(data)
    )
    text = "\n".join([start + SUMMARY, *lines, SUMMARY_END + rest])
    heads = (
        *("game", "highest score", "score on the screen", "modes", "`lives()`", "ends"),
        *("after ends", "start", "`corrected_rules`"),
    )
    rows = [heads, ("---",) * len(heads)]
    for name, game in _native.games().items():
        link = f"[{game.title}](games/{name}.md)"
        if name in data:
            facts = data[name]
            start_facts = facts["starts"][0]
            first = f"{start_facts['first'] + start_facts['next']:,}"
            shown = on_the_screen(name, facts), modes_seen(name, facts), lives_shown(name, facts)
            ends = how_it_ends(name, facts), after_the_end(name, facts)
            rows.append((link, highest(name, facts), *shown, *ends, first, correction(name, facts)))
        else:
            unknown = "not checked"
            several = f"{unknown}: for several players only"
            rows.append((link, several, *[unknown] * 6, "nothing"))
    return text + "".join(f"| {' | '.join(row)} |\n" for row in rows)


def main() -> None:
    """Audit the games that are named, or all, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*")
    parser.add_argument("--part", choices=PARTS, action="append")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--page", action="store_true")
    arguments = parser.parse_args()
    data = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    alone = [name for name, game in _native.games().items() if Rules.SOLO in game.rules]
    parts = arguments.part or PARTS
    for game in [] if arguments.page else arguments.games or alone:
        before = data.get(game, {})
        facts = data[game] = {
            part: before[part] for part in (*PARTS, "corrected") if part in before
        }
        for part in parts:
            if not (arguments.resume and part in facts):
                facts |= audit(game, part)
        text = ",\n".join(f"{json.dumps(name)}: {json.dumps(data[name])}" for name in sorted(data))
        with written_aside(FILE) as path:
            path.write_text(f"{{\n{text}\n}}\n", encoding="utf-8")
    PAGE.write_text(page(data, PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
