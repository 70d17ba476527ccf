"""``pyale-ma completion``: a script that lets a shell complete commands, options, and games.

It is made from the parser: whatever the commands take is in it.  Nothing of this package runs while
somebody types.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator
from typing import NamedTuple

from pyale_ma import _native
from pyale_ma.cli.common import Commands, add_command
from pyale_ma.games.environments import ENVIRONMENTS

_HOW = """\
bash:  pyale-ma completion bash > ~/.local/share/bash-completion/completions/pyale-ma
zsh:   pyale-ma completion zsh > DIR/_pyale-ma     (DIR: one of $fpath)
fish:  pyale-ma completion fish > ~/.config/fish/completions/pyale-ma.fish
"""


class Option(NamedTuple):
    """An option, by all its names.

    Attributes:
        names: Such as "-o" and "--output".
        help: What it does.
        values: What can stand after it; None: nothing does; empty: anything, files among it.
    """

    names: tuple[str, ...]
    help: str
    values: tuple[str, ...] | None


class Place(NamedTuple):
    """A command and what can stand behind it.

    Attributes:
        path: The command's words, such as "roms import"; "" is the program itself.
        options: Its options.
        words: Commands below it or choices of its arguments, each with what it means.
        games: Whether it takes names of games.
    """

    path: str
    options: tuple[Option, ...]
    words: dict[str, str]
    games: bool


def _games() -> str:
    """Return all that names a game, with spaces between; the library must be there."""
    return " ".join((*_native.games(), *ENVIRONMENTS))


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = add_command(
        commands,
        "completion",
        "print a script that completes commands in your shell",
        epilog=_HOW,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("shell", choices=tuple(_SHELLS), help="your shell")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Print the script."""
    from pyale_ma.cli import parser

    print(script(arguments.shell, parser()), end="")


def script(shell: str, parser: argparse.ArgumentParser) -> str:
    """The script for "bash", "zsh" or "fish"."""
    return _SHELLS[shell](list(_places(parser, "")))


def _places(parser: argparse.ArgumentParser, path: str) -> Iterator[Place]:
    options: list[Option] = []
    words: dict[str, str] = {}
    below: list[tuple[str, argparse.ArgumentParser]] = []
    games = False
    for action in parser._actions:
        about = (action.help or "").replace("%%", "%")
        choices = tuple(str(choice) for choice in action.choices or ())
        if isinstance(action, argparse._SubParsersAction):
            words |= {choice.dest: choice.help or "" for choice in action._choices_actions}
            below += [(name, action.choices[name]) for name in words]
        elif action.option_strings:
            takes = action.nargs != 0
            options.append(Option(tuple(action.option_strings), about, choices if takes else None))
        else:
            words |= dict.fromkeys(choices, "")
            games = games or action.dest == "game"
    yield Place(path, tuple(options), words, games)
    for name, command in below:
        yield from _places(command, f"{path} {name}".strip())


# ---- The shells ----------------------------------------------------------------------------------


def _cases(places: list[Place], values: str, files: str) -> str:
    """For bash and zsh: what follows each option with a value, of some values or a file."""
    lines = []
    for place in places:
        for option in place.options:
            if option.values is not None:
                names = "|".join(shlex.quote(f"{place.path} {name}") for name in option.names)
                then = values.format(" ".join(option.values)) if option.values else files
                lines.append(f"    ({names}) {then}; return ;;")
    return "\n".join(lines)


def _known(places: list[Place]) -> str:
    """For bash and zsh: the pattern that all commands match."""
    return "|".join(shlex.quote(f" {place.path}") for place in places if place.path)


_BASH = """\
# Completes pyale-ma in bash.
_pyale_ma() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
    local at= words= options= i
    local games='{games}'
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "$at ${{COMP_WORDS[i]}}" in ({known}) at+=" ${{COMP_WORDS[i]}}" ;; esac
    done
    # Without an answer, bash completes files.
    case "${{at# }} $before" in
{values}
    esac
    case "${{at# }}" in
{words}
    esac
    [[ $word == -* ]] && words=$options
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _pyale_ma pyale-ma
"""


def _bash(places: list[Place]) -> str:
    words = []
    for place in places:
        options = " ".join(name for option in place.options for name in option.names)
        others = " ".join([*place.words, *["$games"] * place.games])
        words.append(f'    ({shlex.quote(place.path)}) options="{options}" words="{others}" ;;')
    return _BASH.format(
        known=_known(places),
        values=_cases(places, "COMPREPLY=($(compgen -W '{}' -- \"$word\"))", ":"),
        games=_games(),
        words="\n".join(words),
    )


_ZSH = """\
#compdef pyale-ma
# Completes pyale-ma in zsh.
_pyale_ma() {{
    local at= i
    for ((i = 2; i < CURRENT; i++)); do
        case "$at $words[i]" in ({known}) at+=" $words[i]" ;; esac
    done
    case "${{at# }} $words[CURRENT-1]" in
{values}
    esac
    local -a options others games
    games=({games})
    case "${{at# }}" in
{words}
    esac
    if [[ $words[CURRENT] == -* ]]; then
        _describe option options
    elif (( $#others )); then
        _describe argument others
    else
        _files
    fi
}}
if [[ $funcstack[1] == _pyale-ma ]]; then _pyale_ma "$@"; else compdef _pyale_ma pyale-ma; fi
"""


def _zsh(places: list[Place]) -> str:
    def described(words: dict[str, str]) -> str:
        return " ".join(
            shlex.quote(f"{word}:{text}" if text else word) for word, text in words.items()
        )

    words = []
    for place in places:
        options = {name: option.help for option in place.options for name in option.names}
        others = " ".join([described(place.words), *["$games"] * place.games]).strip()
        words.append(
            f"    ({shlex.quote(place.path)}) options=({described(options)}) others=({others}) ;;"
        )
    return _ZSH.format(
        known=_known(places),
        values=_cases(places, "compadd -- {}", "_files"),
        games=_games(),
        words="\n".join(words),
    )


_FISH = """\
# Completes pyale-ma in fish.
function __pyale_ma_at
    set -l at ''
    for word in (commandline -opc)[2..-1]
        if contains -- "$at $word" {known}
            set at "$at $word"
        end
    end
    test "$at" = "$argv[1]"
end
complete -c pyale-ma -f -n '__pyale_ma_at ""'
"""


def _fish(places: list[Place]) -> str:
    def quote(text: str) -> str:
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    known = " ".join(quote(f" {place.path}") for place in places if place.path)
    lines = [_FISH.format(known=known).rstrip()]
    for place in places:
        at = f" {place.path}" if place.path else ""
        here = "complete -c pyale-ma -n " + quote(f'__pyale_ma_at "{at}"')
        for word, text in place.words.items():
            lines.append(f"{here} -f -a {quote(word)} -d {quote(text)}")
        if place.games:
            lines.append(f"{here} -a {quote(_games())} -d game")
        for option in place.options:
            names = " ".join(
                f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}"
                for name in option.names
            )
            values = ""
            if option.values is not None:
                values = f" -x -a {quote(' '.join(option.values))}" if option.values else " -r"
            lines.append(f"{here} {names}{values} -d {quote(option.help)}")
    return "\n".join(lines) + "\n"


_SHELLS = {"bash": _bash, "zsh": _zsh, "fish": _fish}
