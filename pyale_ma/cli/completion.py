"""``pyale-ma completion``: a script that lets a shell complete commands, options, and games.

It is made from the parser: whatever the commands take is in it.  Nothing of this package runs while
somebody types.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator

from pyale_ma import _native
from pyale_ma.cli.common import Commands, add_command
from pyale_ma.games.environments import ENVIRONMENTS

_HOW = """\
bash:  pyale-ma completion bash > ~/.local/share/bash-completion/completions/pyale-ma
zsh:   pyale-ma completion zsh > DIR/_pyale-ma     (DIR: one of $fpath)
"""
# In zsh, names of arrays such as `words` and `options` are taken.
_SCRIPT = """\
_pyale_ma() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} at= others= named= i
    local games='{games}'
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "$at ${{COMP_WORDS[i]}}" in ({known}) at+=" ${{COMP_WORDS[i]}}" ;; esac
    done
    # Without an answer, the shell completes files.
    case "${{at# }} $before" in
{values}
    esac
    case "${{at# }}" in
{commands}
    esac
    [[ $word == -* ]] && others=$named
    COMPREPLY=($(compgen -W "$others" -- "$word"))
}}
complete -o default -F _pyale_ma pyale-ma
"""
_ZSH = """\
#compdef pyale-ma
autoload -U +X bashcompinit && bashcompinit
{script}\
if [[ $funcstack[1] == _pyale-ma ]]; then _bash_complete -o default -F _pyale_ma; fi
"""


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = add_command(
        commands,
        "completion",
        "print a script that completes commands in your shell",
        epilog=_HOW,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("shell", choices=("bash", "zsh"), help="your shell")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Print the script."""
    from pyale_ma.cli import parser

    print(script(arguments.shell, parser()), end="")


def script(shell: str, parser: argparse.ArgumentParser) -> str:
    """The script for "bash" or "zsh", which runs bash's."""
    values, commands, known = [], [], []
    for path, command in _commands(parser, ""):
        named: list[str] = []
        others: list[str] = []
        for action in command._actions:
            choices = [str(choice) for choice in action.choices or ()]
            if not action.option_strings:
                others += choices or ["$games"] * (action.dest == "game")
                continue
            named += action.option_strings
            if action.nargs != 0:  # a value follows
                names = (shlex.quote(f"{path} {name}") for name in action.option_strings)
                answer = f"COMPREPLY=($(compgen -W '{' '.join(choices)}' -- \"$word\")); "
                values.append(f"    ({'|'.join(names)}) {answer * bool(choices)}return ;;")
        known.append(shlex.quote(f" {path}"))
        commands.append(
            f'    ({shlex.quote(path)}) named="{" ".join(named)}" others="{" ".join(others)}" ;;'
        )
    text = _SCRIPT.format(
        games=" ".join((*_native.games(), *ENVIRONMENTS)),
        known="|".join(known[1:]),  # the first is the program
        values="\n".join(values),
        commands="\n".join(commands),
    )
    return text if shell == "bash" else _ZSH.format(script=text)


def _commands(
    parser: argparse.ArgumentParser, path: str
) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """A command, by its words, and those below it."""
    yield path, parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, command in action.choices.items():
                yield from _commands(command, f"{path} {name}".strip())
