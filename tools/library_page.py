"""The page of the library: every public name with its docstring, from the code."""

import ast
import inspect
import re
import textwrap

import crosstable
from tools.library_fields import FIELDS

CALLS = ("read", "check", "rate", "explain", "estimate", "estimates", "verify")
# In a docstring the functions stand alone, on the page as somebody calls them who has imported the package.
_CALL = re.compile(rf"\b({'|'.join(CALLS)})\(")
INTRODUCTION = """\
`import crosstable as ct` gives you seven functions. They use the same code as the command line, the site and the API,
and give the same answers. The import is fast, because modules load when they are first used. From the first release on,
later versions [only add](install.md#what-later-versions-will-not-change) to the functions on this page and to [their
records](library-records.md). Other modules of the package may change.

For the import, Crosstable must be installed in the Python that you use. `pipx` installs only the command. In the
project folder, type `python3 -m venv env`, then `env/bin/pip install .`, and start `env/bin/python`.

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
ratings as people do: `1512/40`, `1641P17`, `U`. A result such as `W2` is a win against player 2, `D3` a draw with
player 3. In a signature, `Source` means a path, bytes, an open file, or plain data.
"""
RECORDS = """\
What [the functions of the library](library.md) return and raise. The records are named tuples. [How a rating is
calculated](how-ratings-work.md) explains the formulas, [the glossary](glossary.md) the words.
"""


def library_page(note: str) -> str:
    """The page of the functions."""
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
    lines += ["## Options", "", *_record("RateOptions", "###")]
    return "\n".join(lines).rstrip() + "\n"


def records_page(note: str) -> str:
    """The page of the records and errors."""
    lines = ["# The library: records and errors", note, RECORDS]
    for name in crosstable.__all__:
        if name not in (*CALLS, "RateOptions") and not name.startswith("_"):
            lines += [*_record(name), ""]
    return "\n".join(lines).rstrip() + "\n"


def _signature(call: object) -> str:
    """A call as its code writes it."""
    (function,) = ast.parse(textwrap.dedent(inspect.getsource(call))).body  # type: ignore[arg-type]
    assert isinstance(function, ast.FunctionDef)
    assert function.returns is not None
    whole = f"{function.name}({ast.unparse(function.args)}) -> {ast.unparse(function.returns)}"
    return re.sub(r"'(\w[^']*)'", r"\1", whole)  # annotations that are quoted in the code


def _record(name: str, level: str = "##") -> list[str]:
    record = getattr(crosstable, name)
    lines = [f"{level} `{name}`", "", *_prose(inspect.getdoc(record) or "")]
    fields = getattr(record, "_fields", ())
    if fields:
        types = _types(record)
        lines += ["", "| field | type | meaning |", "|---|---|---|"]
        lines += [f"| `{field}` | `{types[field]}` | {FIELDS[name][field]} |" for field in fields]
    own = {
        attribute: value
        for attribute, value in vars(record).items()
        if not attribute.startswith("_") and attribute not in fields and isinstance(value, property) | callable(value)
    }
    if own and not issubclass(record, Exception):
        lines += ["", "Properties and methods:", ""]
        lines += [_attribute(attribute, value) for attribute, value in own.items()]
    return lines


def _types(record: type) -> dict[str, str]:
    """The types of a record's fields, as its code writes them."""
    (made,) = ast.parse(textwrap.dedent(inspect.getsource(record))).body
    assert isinstance(made, ast.ClassDef)
    fields = [line for line in made.body if isinstance(line, ast.AnnAssign)]
    return {ast.unparse(one.target): ast.unparse(one.annotation).strip("'").replace("|", "\\|") for one in fields}


def _attribute(name: str, value: object) -> str:
    """A property or a method, and the first line of its docstring."""
    said = (inspect.getdoc(value) or "").splitlines()[0].replace("``", "`")
    return f"- `{name}{'' if isinstance(value, property) else '()'}`: {said}"


def _prose(text: str) -> list[str]:
    """A docstring as Markdown: its parts as lists, its examples as code."""
    found: list[str] = []
    in_code = False
    for line in text.splitlines():
        is_code = line.startswith((">>>", "...")) or (in_code and bool(line.strip()))
        if is_code != in_code:
            found.append("```python" if is_code else "```")
            in_code = is_code
        found += [_CALL.sub(r"ct.\1(", line)] if is_code else _plain(line)
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
