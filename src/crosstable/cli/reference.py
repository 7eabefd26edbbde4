"""What the program says of the rules and of itself: ``rules``, ``findings``, ``schema``, ``completion``, ``doctor``."""

import argparse
import json
import os
import platform
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from importlib import metadata
from typing import TYPE_CHECKING, Any

from crosstable import __version__, errors, schemas
from crosstable.cli import COMMANDS, parser_of
from crosstable.cli.options import LazyCommands, Parser, command_parser, day, option, take
from crosstable.cli.printing import print_answer, wrapped
from crosstable.errors import RefusedError
from crosstable.rules.amending import Amendment, Edition
from crosstable.rules.amendments import AMENDMENTS
from crosstable.rules.editions import EDITIONS, LAW_SEEN_THROUGH, edition_for
from crosstable.sentences import american

if TYPE_CHECKING:
    from crosstable.rules.statements import ChangedStatement

# What crosstable reads; everything else it prints or writes.
READ = {
    "event": "the JSON Schema of the event file",
    "members": "a template of a members file",
    "wallchart": "a template of a CSV wallchart",
}
FINDINGS = "crosstable-findings/1"
NEAR = 3

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


def rules_parser() -> Parser:
    """What ``crosstable rules`` takes."""
    made = command_parser("rules", _rules)
    which = made.add_mutually_exclusive_group()
    take(which, "--on")
    which.add_argument("--diff", nargs=2, type=day, metavar=("D1", "D2"), help="what changed between two days")
    take(made, "--json")
    return made


def _rules(options: argparse.Namespace) -> None:
    """Show the timeline of the rules; with --on, the rules of a day; with --diff, what changed between two days."""
    if options.on:
        text, document = _edition(edition_for(options.on))
    elif options.diff:
        text, document = _difference(*options.diff)
    else:
        text, document = _amendments_text(AMENDMENTS), {"amendments": _amendment_objects(AMENDMENTS)}
    document["law_seen_through"] = LAW_SEEN_THROUGH.isoformat()
    print_answer(document, text, as_json=options.json)


def _amendments_text(amendments: Sequence[Amendment]) -> str:
    from crosstable.rules.documents import evidence_for
    from crosstable.rules.in_words import KNOWN

    lines = []
    for one in amendments:
        stated = f"stated as {one.stated}; " if one.stated != one.effective.isoformat() else ""
        assumed = "date assumed; " if one.is_uncertain else ""
        announced = f"announced {american(one.announced)}; " if one.announced else ""
        lines.append(
            f"{one.effective}  {one.summary}\n"
            f"            {assumed}{stated}{announced}{KNOWN[one.knowledge]}: {one.source}\n"
            f"            official results of 2001 to 2021: {evidence_for(one).verdict}\n"
        )
    return "".join(lines)


def _amendment_objects(amendments: Sequence[Amendment]) -> list[dict[str, Any]]:
    from crosstable.rules.documents import evidence_for

    return [
        {
            "effective": one.effective.isoformat(),
            "stated": one.stated,
            "announced": one.announced.isoformat() if one.announced else None,
            "date_assumed": one.is_uncertain,
            "summary": one.summary,
            "knowledge": one.knowledge.value,
            "source": one.source,
            "evidence": evidence_for(one).verdict,
        }
        for one in amendments
    ]


def _edition(edition: Edition) -> tuple[str, dict[str, Any]]:
    from crosstable.rules.in_words import edition_values
    from crosstable.rules.statements import DOCUMENTS, known_from, statements

    lines = [f"The rules of {american(edition.effective)}, as of the text of {american(LAW_SEEN_THROUGH)}.\n"]
    sentences = []
    part = ""
    for one in statements(edition):
        known = known_from(edition, one)
        lines += [f"\n{one.part}\n"] if one.part != part else []
        part = one.part
        since = f"since {american(known.since)}{' (date assumed)' if known.is_assumed else ''}: {known.source}"
        lines.append(wrapped(f"  {one.sentence}", "  ") + wrapped(f"    {one.mark}{since}", "    "))
        sentences.append(
            {
                "id": one.sentence.key,
                "part": one.part,
                "text": one.sentence.text,
                "section": f"§{one.section}" if one.section else None,
                "since": known.since.isoformat(),
                "date_assumed": known.is_assumed,
                "source": known.source,
            }
        )
    lines.append(f"\n{wrapped(DOCUMENTS)}")
    lines.append("crosstable rules prints every amendment. With --json you get every number of this day by name.\n")
    return "".join(lines), {
        "edition": edition.name,
        "rules": edition_values(edition),
        "sentences": sentences,
        "amendments": _amendment_objects(edition.amendments),
    }


def _difference(one: date, other: date) -> tuple[str, dict[str, Any]]:
    from crosstable.rules.in_words import edition_values
    from crosstable.rules.statements import changed_statements

    earlier, later = sorted((one, other))
    editions = edition_for(earlier), edition_for(later)
    before, after = map(edition_values, editions)
    statements = changed_statements(*editions)
    pairs = {name: (before.get(name, "-"), after.get(name, "-")) for name in (*before, *after)}
    changed = {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
    between = [amendment for amendment in AMENDMENTS if earlier < amendment.effective <= later]
    nothing = f"Nothing changed between {american(earlier)} and {american(later)}.\n"
    said = f"From {american(earlier)} to {american(later)}:\n{_changed_text(statements)}\n" if changed else nothing
    return said + _amendments_text(between), {
        "from": earlier.isoformat(),
        "to": later.isoformat(),
        "changed": {name: list(pair) for name, pair in changed.items()},
        "statements": [
            {
                "part": each.part,
                "section": f"§{each.section}" if each.section else None,
                "before": each.before or None,
                "after": each.after or None,
            }
            for each in statements
        ],
        "amendments": _amendment_objects(between),
    }


def _changed_text(statements: "Sequence[ChangedStatement]") -> str:
    """Each part with the sentences that changed in it."""
    lines, part = [], ""
    for one in statements:
        lines += [f"\n{one.part}\n"] if one.part != part else []
        part = one.part
        mark = f" (§{one.section})" if one.section else ""
        lines.append(wrapped(f"  Before: {one.before or 'nothing'}", "    "))
        lines.append(wrapped(f"  After:  {one.after or 'nothing'}{mark}", "    "))
    return "".join(lines)


def findings_parser() -> Parser:
    """What ``crosstable findings`` takes."""
    made = command_parser("findings", _findings)
    option(made, "code CODE", "the code in brackets at the end of a finding", nargs="?")
    take(made, "--on", "--json", on="by the rules of this day (default: the newest rules)", json=f"print {FINDINGS}")
    return made


def _findings(options: argparse.Namespace) -> None:
    """Explain the code of a finding: what it means, how serious it is, and what to do.

    Without a code, explain all.
    """
    from difflib import get_close_matches

    from crosstable.catalogue import CATALOGUE, meaning_of
    from crosstable.rules.in_words import phrases

    if options.code is not None and options.code not in CATALOGUE:
        near = get_close_matches(options.code.lower(), CATALOGUE, n=NEAR, cutoff=0.4)
        hint = f" Did you mean {', '.join(near)}?" if near else ""
        raise RefusedError(f"there is no code {options.code!r}.{hint}")
    edition = edition_for(options.on) if options.on else EDITIONS[-1]
    words = phrases(edition)
    found = [
        {
            "code": code,
            "severity": CATALOGUE[code].severity.value,
            "level": CATALOGUE[code].level.value,
            "meaning": meaning_of(code, words),
            "remedy": CATALOGUE[code].remedy,
        }
        for code in (CATALOGUE if options.code is None else [options.code])
    ]
    texts = [
        f"{one['code']} ({one['severity']}, {one['level']})\n"
        + wrapped(f"  {one['meaning']}", "  ")
        + wrapped(f"  What to do: {one['remedy']}", "  ")
        for one in found
    ]
    document = {"format": FINDINGS, "edition": edition.name, "findings": found}
    print_answer(document, "\n".join(texts), as_json=options.json)


def schema_parser() -> Parser:
    """What ``crosstable schema`` takes."""
    made = command_parser("schema", _schema)
    option(made, "name NAME", "which format", nargs="?", choices=(*READ, *schemas.names()))
    return made


def _schema(options: argparse.Namespace) -> None:
    """Print the format of a file.

    For event it is the JSON Schema of the event file, for members a template of a members file, for wallchart a
    template of a CSV wallchart. Every other name is a format that crosstable prints or writes, like rated for
    crosstable-rated/1, and you get its JSON Schema. Without a name, list all names.
    """
    sys.stdout.write(_listed() if options.name is None else _shape(options.name))


def _listed() -> str:
    every = {**READ, **{name: str(schemas.schema(name)["description"]) for name in schemas.names()}}
    width = max(map(len, every))
    return "".join(f"{name:<{width}}  {words}\n" for name, words in every.items())


def _shape(name: str) -> str:
    if name == "members":
        from crosstable.formats import members

        return members.TEMPLATE
    if name == "wallchart":
        from crosstable.formats import wallchart

        return wallchart.TEMPLATE
    if name == "event":
        from importlib.resources import files

        return files("crosstable.formats").joinpath("event.schema.json").read_text("utf-8")
    return json.dumps(schemas.schema(name), ensure_ascii=False, indent=1) + "\n"


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
