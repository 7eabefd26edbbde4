"""What a shell and its user need around the program: ``completion`` of what is typed, and ``doctor``."""

import argparse
import os
import platform
import re
import sys
from collections.abc import Iterable, Iterator
from importlib import metadata

from crosstable import __version__, errors
from crosstable.cli import COMMANDS, parser_of
from crosstable.cli.options import LazyCommands, Parser, command_parser, option, take
from crosstable.cli.printing import print_answer

DOCTOR = "crosstable-doctor/1"
# The word that is being typed comes first, behind an equals sign: some shells drop an empty word.
SCRIPTS = {
    "bash": """\
_crosstable() {
    local IFS=$'\\n' typed=("${COMP_WORDS[@]:1:COMP_CWORD-1}")
    COMPREPLY=($(crosstable completion words -- "=${COMP_WORDS[COMP_CWORD]}" "${typed[@]}" 2>/dev/null))
}
complete -o default -F _crosstable crosstable
""",
    "zsh": """\
#compdef crosstable
_crosstable() {
    local -a found
    found=("${(@f)$(crosstable completion words -- "=${words[CURRENT]}" "${(@)words[2,CURRENT-1]}" 2>/dev/null)}")
    if [[ -n "${found[1]}" ]]; then compadd -- "${found[@]}"; else _files; fi
}
compdef _crosstable crosstable
""",
    "fish": """\
function __crosstable_words
    set -l typed (commandline -opc)
    crosstable completion words -- "="(commandline -ct) $typed[2..-1] 2>/dev/null
end
complete -c crosstable -a '(__crosstable_words)'
""",
    "powershell": """\
Register-ArgumentCompleter -Native -CommandName crosstable -ScriptBlock {
    param($word, $ast, $position)
    $typed = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
    if ($word -and $typed.Count) { $typed = @($typed | Select-Object -SkipLast 1) }
    crosstable completion words -- "=$word" @typed 2>$null |
        ForEach-Object { [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_) }
}
""",
}


def completion_parser() -> Parser:
    """What ``crosstable completion`` takes."""
    made = command_parser(
        "completion",
        _completion,
        epilog='bash: add  eval "$(crosstable completion bash)"  to ~/.bashrc. zsh: the same in ~/.zshrc, after '
        "compinit. fish: crosstable completion fish > ~/.config/fish/completions/crosstable.fish. PowerShell: add  "
        "crosstable completion powershell | Out-String | Invoke-Expression  to $PROFILE.",
    )
    made.add_argument("shell", choices=[*SCRIPTS, "words"], metavar="SHELL", help=", ".join(SCRIPTS))
    option(made, "typed WORD", argparse.SUPPRESS, nargs="*")
    return made


def _completion(options: argparse.Namespace) -> None:
    """Print the lines that make a shell complete commands, options and their values."""
    if options.shell == "words":
        current, *before = options.typed or ["="]
        sys.stdout.write("".join(f"{word}\n" for word in words(current.removeprefix("="), before)))
    else:
        sys.stdout.write(SCRIPTS[options.shell])


def words(current: str, before: list[str]) -> list[str]:
    """What can stand where ``current`` is being typed, after the words ``before``; nothing where a file can."""
    if not before:
        return _beginning(current, [*COMMANDS, "--help", "--version"])
    if before[0] not in COMMANDS:
        return []
    try:
        parser = parser_of(before[0])
    except ImportError:  # a library of the command is not installed; typing the command says which
        return []
    for typed in before[1:]:
        inner = _commands_of(parser)
        if inner is not None and typed in inner.choices:
            inner.fill(typed, inner.choices[typed])
            parser = inner.choices[typed]
    asked = parser._option_string_actions.get(before[-1])
    if asked is not None and asked.nargs != 0:
        return _beginning(current, map(str, asked.choices or ()))
    if current.startswith("-"):
        shown = [name for name, one in parser._option_string_actions.items() if one.help is not argparse.SUPPRESS]
        return _beginning(current, sorted(name for name in shown if name.startswith("--")))
    return _beginning(current, _values(parser))


def _values(parser: Parser) -> Iterator[str]:
    """Commands inside a command, and the values of an argument that takes one of a few."""
    for action in parser._get_positional_actions():
        if action.choices is not None:
            yield from (str(choice) for choice in action.choices if choice != "words")


def _commands_of(parser: Parser) -> LazyCommands | None:
    return next((one for one in parser._get_positional_actions() if isinstance(one, LazyCommands)), None)


def _beginning(current: str, candidates: Iterable[str]) -> list[str]:
    return [one for one in candidates if one.startswith(current)]


def doctor_parser() -> Parser:
    """What ``crosstable doctor`` takes."""
    made = command_parser("doctor", _doctor)
    take(made, "--json", json=f"print {DOCTOR}")
    return made


def _doctor(options: argparse.Namespace) -> None:
    """Tell what is installed: versions, extras and what they lack, and where crosstable keeps data.

    Send what it prints along with a question or an error.
    """
    names = ("", "site", "history", "uschess", "encryption", "lab-dask", "lab-ray")
    extras = {name: _libraries(name) for name in names}
    missing = {name: [library for library, found in sorted(of.items()) if not found] for name, of in extras.items()}
    document = {
        "format": DOCTOR,
        "crosstable": __version__,
        "python": platform.python_version(),
        "system": platform.platform(),
        "program": os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
        "extras": {name or "plain": of for name, of in extras.items()},
        "data": _data(),
    }
    lines = [
        f"crosstable {__version__}, Python {platform.python_version()}, {platform.platform()}",
        f"program: {document['program']}",
        "",
    ]
    for name, of in extras.items():
        lacks = missing[name]
        said = f"lacks {', '.join(lacks)}; type: {errors.install_line(name)}" if lacks else "installed"
        lines.append(f"{name or 'plain install'}: {said}")
        lines += [f"    {library} {version}" for library, version in sorted(of.items()) if version]
    lines += ["", *(f"{what}: {where}" for what, where in _data().items())]
    print_answer(document, "\n".join(lines) + "\n", as_json=options.json)


def _libraries(extra: str) -> dict[str, str | None]:
    """The libraries that an extra brings, each with its version or none; without a name those of a plain install."""
    found: dict[str, str | None] = {}
    for line in metadata.requires("crosstable") or []:
        needed, _, condition = (part.strip() for part in line.partition(";"))
        if _extra_in(condition) != extra or (_is_for_others(condition)):
            continue
        name = re.split(r"[^\w-]", needed)[0]
        if name == "crosstable":
            for inner in re.findall(r"\[(.*?)\]", needed)[0].split(","):
                found |= _libraries(inner)
        else:
            found[name] = _version(name)
    return found


def _extra_in(condition: str) -> str:
    named = re.search(r"extra == ['\"]([\w-]+)['\"]", condition)
    return named[1] if named else ""


def _is_for_others(condition: str) -> bool:
    """Whether a requirement is not for this system: uvloop is not made for Windows."""
    return "sys_platform" in condition and sys.platform == "win32"


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _data() -> dict[str, str]:
    """Where data lies: the office that commands open, and what can be deleted at any time."""
    home = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or os.path.expanduser("~/.cache")
    return {
        "office": os.environ.get("CROSSTABLE_OFFICE") or os.path.abspath("office.db"),
        "kept answers and compiled replays (may be deleted)": os.path.join(home, "crosstable"),
    }
