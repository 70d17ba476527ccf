"""Parts of the rules in rules.py, and Game, which runs one.

    from rules import RULES, Game
    g = Game("breakout")            # names as in solo.toml: those of RULES
    g.clear()                       # where the environment resets the rule
    g.select(mode)                  # where its mode selection runs
    g.step(ram)                     # after every emulated frame except SELECT-held ones
    g.reward, g.over, g.lives, g.saved()   # saved(): (name, value) pairs in saved-state order

`ram` has 128 integers from 0 to 255: ram[i] is the byte at address 0x80 + i.  Klax also takes the
128 bytes of the cartridge's own RAM: g.step(ram, ext).  In a rule, `s` holds its variables:
what a step does not write keeps its value.  Arithmetic is that of 32-bit signed integers.

After a reset of the environment, one step of a cleared rule gives it the variables of the
reference, in every mode and difficulty that was tried.  The reward alone is another: 0, and -2 in
word_zapper.  A restored state brings the variables that `saved` lists; the others keep the values
that they had just before.
"""

TRUE_WORD, FALSE_WORD = -88999246, -1160660270      # 0xFAB1FAB2, 0xBAD1BAD2: stored booleans
RULES = {}


def digits(ram, *places):
    """Packed-decimal number; places are indices, least significant first.  Nibbles above 9 are
    not rejected: they count at face value (0xFF gives 165)."""
    return sum((10 * (ram[i] >> 4) + (ram[i] & 15)) * 100 ** k for k, i in enumerate(places))


def figures(ram, first, count):
    """Number with one figure in the low nibble of each byte, least significant first.  10 stands
    for a blank place, so it counts 0; 11 to 15 count at face value."""
    nibbles = [ram[first + k] & 15 for k in range(count)]
    return sum((0 if nibble == 10 else nibble) * 10 ** k for k, nibble in enumerate(nibbles))


def signed8(value):
    """Keep the low eight bits, read as a signed number."""
    return (value + 128) % 256 - 128


def signed32(value):
    """Wrap to a signed 32-bit number (only ever matters after a restore of miniature_golf)."""
    return (value + 2**31) % 2**32 - 2**31


def gain(s, score):
    """Reward is the change of the score; the new score is remembered."""
    s["reward"] = score - s["score"]
    s["score"] = score


# ---- lives() ----------------------------------------------------------------------------------

def counted(s):
    return 0 if s["terminal"] else s["lives"]


def raw(s):
    return s["lives"]


def flag(s):                                # the game's own lives, if any, are not reported
    return 0 if s["terminal"] else 1


def zero(s):
    return 0


def one(s):
    return 1


# ---- rules ------------------------------------------------------------------------------------

class Rule:
    """A game's rule.

    saved    variables of a saved state, in the order in which they are stored
    initial  all variables right after the rule is reset
    step     step(ram, s), after each emulated frame
    lives    lives(s): what lives() reports
    over     over(s): what game_over(with_truncation=False) reports
    mangled  variables that are stored as booleans but read back as numbers
    """

    def __init__(self, saved, initial, step, lives, over, mangled):
        self.saved, self.initial, self.step = saved, initial, step
        self.lives, self.over, self.mangled = lives, over, mangled

    def save(self, s):
        """The variables as a saved state holds them, each a signed 32-bit little-endian word."""
        booleans = {k for k in self.saved if isinstance(self.initial[k], bool)} | {*self.mangled}
        return [(TRUE_WORD if s[k] else FALSE_WORD) if k in booleans else s[k] for k in self.saved]

    def restore(self, s, words):
        for k, word in zip(self.saved, words):
            s[k] = word == TRUE_WORD if isinstance(self.initial[k], bool) else word


def rule(saved, lives_of, over=lambda s: s["terminal"], mangled=(), **variables):
    """Make a step function the rule of the game that it is named after; `lives_of` makes lives() of
    the variables.  They begin with what is given here; reward, score, terminal with 0, 0, false."""
    def register(step):
        initial = dict(reward=0, score=0, terminal=False) | variables
        initial = {k: v for k, v in initial.items() if k in saved or k in variables}
        RULES[step.__name__] = Rule(tuple(saved), initial, step, lives_of, over, mangled)
        return step
    return register


RT = ("reward", "terminal")
RST = ("reward", "score", "terminal")
RSTL = (*RST, "lives")


class Game:
    """A game's rule with its variables."""

    def __init__(self, name):
        self.name = name
        self.rule = RULES[name]
        self.vars = {}
        self.clear()
        self.max_lives = self.lives         # atlantis2: undefined in the reference

    def clear(self):
        kept = {k: v for k, v in self.vars.items() if k in ("reverse", "clock")}
        self.vars = self.rule.initial | kept  # those two are not touched by the reset of the rule

    def select(self, mode):
        if self.name == "video_checkers":
            self.vars["reverse"] = mode >= 11
        elif self.name == "video_cube" and mode >= 100:
            self.vars["cube"] = mode // 100
        elif self.name == "demon_attack":   # before the soft reset of the mode selection
            self.vars["level_change"] = True

    def step(self, ram, *ext):
        self.rule.step([int(b) for b in ram], self.vars, *([int(b) for b in e] for e in ext))

    @property
    def reward(self):
        return self.vars["reward"]

    @property
    def over(self):
        return bool(self.rule.over(self.vars))

    @property
    def lives(self):
        return self.rule.lives(self.vars)

    def saved(self):
        return [(k, self.vars[k]) for k in self.rule.saved]
