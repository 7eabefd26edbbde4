"""The page of the library: every public name with its docstring, from the code."""

import ast
import inspect
import re
import textwrap

import crosstable

CALLS = ("read", "check", "rate", "explain", "estimate", "estimates", "verify")
INTRODUCTION = """\
`import crosstable as ct` gives you seven functions. They use the same code as the command line, the site and the API,
and give the same answers. The import is fast, because modules load when they are first used. From the first release
on, later versions [only add](install.md#what-later-versions-will-not-change) to the functions and record fields on this
page. Other modules of the package may change. Install Crosstable into the Python environment that you use, not with
pipx ([how](install.md#step-by-step)).

```python
import crosstable as ct

report = ct.read("quad.json")  # a path, bytes, an open file, or plain data
for fault in ct.check(report).faults:
    print(fault.severity, fault.place, fault.message, fault.remedy)
rated = ct.rate(report)  # add members="members.csv", control="G/60;d5" … if the file lacks them
print(rated.sections[0].systems["OTBR"].players[0].post)
for line in ct.explain(rated, section=1, player=4):
    print(line.text, line.section, line.formula, line.value)
print(ct.estimate("1512/40", "W1640 D1720 L1600").post)
```

Plain data is a dict with the fields of an event file (`crosstable schema event`), or the dict of a single section. In
plain data you may leave out the players' numbers (they are then 1, 2, 3 …), write `rounds` as one text, and write
ratings as people do: `1512/40`, `1641P17`, `U`. In the signatures below, a `Source` is what `read` takes. The examples
assume `from crosstable import check, estimate, estimates, rate, read`.
"""


def library_page(note: str) -> str:
    """The whole page."""
    lines = ["# The library", note, INTRODUCTION, "## Functions", ""]
    for name in CALLS:
        call = getattr(crosstable, name)
        lines += [
            f"### `{name}`",
            "",
            "```python",
            _signature(call),
            "```",
            "",
            *_prose(inspect.getdoc(call) or ""),
            "",
        ]
    lines += ["## Records and errors", ""]
    for name in crosstable.__all__:
        if name not in CALLS and not name.startswith("_"):
            lines += [*_record(name), ""]
    return "\n".join(lines).rstrip() + "\n"


def _signature(call: object) -> str:
    """A call as its code writes it."""
    (function,) = ast.parse(textwrap.dedent(inspect.getsource(call))).body  # type: ignore[arg-type]
    assert isinstance(function, ast.FunctionDef)
    assert function.returns is not None
    whole = f"{function.name}({ast.unparse(function.args)}) -> {ast.unparse(function.returns)}"
    return re.sub(r"'(\w[^']*)'", r"\1", whole)  # annotations that are quoted in the code


def _record(name: str) -> list[str]:
    record = getattr(crosstable, name)
    lines = [f"### `{name}`", "", *_prose(inspect.getdoc(record) or "")]
    fields = getattr(record, "_fields", ())
    if fields:
        lines += ["", f"Fields: {', '.join(f'`{field}`' for field in fields)}."]
    own = [
        attribute
        for attribute, value in vars(record).items()
        if not attribute.startswith("_") and attribute not in fields and isinstance(value, property) | callable(value)
    ]
    if own and not issubclass(record, Exception):
        named = [f"`{one}{'()' if callable(getattr(record, one)) else ''}`" for one in own]
        lines += ["", f"Also: {', '.join(named)}."]
    return lines


def _prose(text: str) -> list[str]:
    """A docstring as Markdown: its parts as lists, its examples as code."""
    found: list[str] = []
    in_code = False
    for line in text.splitlines():
        is_code = line.startswith((">>>", "...")) or (in_code and bool(line.strip()))
        if is_code != in_code:
            found.append("```python" if is_code else "```")
            in_code = is_code
        found += [line] if is_code else _plain(line)
    return [*found, "```"] if in_code else found


def _plain(line: str) -> list[str]:
    tidy = line.replace("``", "`")
    part = re.fullmatch(r"(Args|Returns|Raises|Attributes):", tidy)
    if part:
        return [f"**{part[1]}**", ""]
    item = re.fullmatch(r"    (\**\w+): (.*)", tidy)
    if item:
        return [f"- `{item[1]}`: {item[2]}"]
    return [f"  {tidy.strip()}" if tidy.startswith("        ") else tidy.strip()]
