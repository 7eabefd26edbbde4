"""``crosstable convert``: from any known format to any that can be written."""

import argparse
import os
import sys
from collections.abc import Sequence

from crosstable.cli.files import FAULTY, USAGE, Help, add_completing_options, faults_text, read_given
from crosstable.errors import Fault, FormatError
from crosstable.formats.detect import inputs
from crosstable.pipeline.completing import chosen, completed
from crosstable.pipeline.submitting import for_submission
from crosstable.terms import Report

FORMATS = {
    "json": "our event file",
    "dbf": "the three US Chess DBF files, zipped (or into a folder with --out FOLDER)",
    "trf16": "FIDE TRF16",
    "trf26": "FIDE TRF26",
    "csv": "a CSV wallchart",
    "xlsx": "an XLSX wallchart",
}
BINARY = ("dbf", "xlsx")


def parser() -> argparse.ArgumentParser:
    """What the command takes."""
    listed = ", ".join(f"{name} ({what})" for name, what in FORMATS.items())
    made = argparse.ArgumentParser(
        prog="crosstable convert",
        formatter_class=Help,
        description=f"Read an event file of any known format and write it in another: {listed}.",
        epilog="Exit code 1: the file has errors of its own, or a value does not fit the other format. What could be "
        "read is then still printed, but no file is written. Details for which the other format has no place are left "
        "out. Texts are cut and respelled for dbf, each with a warning; a section without a game is left out.",
    )
    made.add_argument("files", nargs="+", metavar="FILE", help="an event file, a folder or the three DBF files")
    made.add_argument("--to", choices=list(FORMATS), required=True, help="the format to write")
    add_completing_options(made)
    made.add_argument("--event-name", metavar="NAME", default="", help="the name of the event, in place of the file's")
    made.add_argument(
        "--out", metavar="OUT", help="write to this file (for dbf also a folder) instead of standard output"
    )
    return made


def run(arguments: list[str]) -> int:
    """Run the command."""
    options = parser().parse_args(arguments)
    given = inputs(options.files)
    if len(given) > 1:
        sys.stderr.write("crosstable convert: give one event at a time\n")
        return USAGE
    try:
        whole = read_given(given[0])
        _print_faults(given[0].name, whole.faults)
        has_errors = any(fault.severity.stops for fault in whole.faults)
        report = chosen(whole, options.section, options.exclude)
        report = completed(report, options.control, options.start, options.end, override=options.override)
        if not report.sections and whole.sections:
            sys.stderr.write(f"crosstable convert: there is no section {', '.join(map(str, options.section))}\n")
            return USAGE
        if has_errors and options.out:
            sys.stderr.write(f"crosstable convert: the input has errors; {options.out} was not written\n")
            return FAULTY
        if options.event_name:
            report = report._replace(name=options.event_name)
        if options.to == "dbf":
            report, found = for_submission(report)
            _print_faults(given[0].name, found)
            if any(fault.severity.stops for fault in found):
                sys.stderr.write("crosstable convert: US Chess would not take this; no file was written\n")
                return FAULTY
        return _write(report, options) or (FAULTY if has_errors else 0)
    except FormatError as error:
        _print_faults(given[0].name, [error.fault])
        return FAULTY


def _print_faults(name: str, faults: Sequence[Fault]) -> None:
    """Faults on standard error; nothing is rated here, so nothing is said about it."""
    sys.stderr.write(faults_text(name, faults))


def _write(report: Report, options: argparse.Namespace) -> int:
    changes: list[Fault] = []
    if options.to == "dbf" and options.out and not options.out.lower().endswith(".zip"):
        from crosstable.formats import uschess_dbf

        tables = uschess_dbf.write(report, changes)
        os.makedirs(options.out, exist_ok=True)
        for name, data in tables.items():
            with open(os.path.join(options.out, name), "wb") as file:
                file.write(data)
        _print_faults(report.place, changes)
        return 0
    data = written(report, options.to, changes)
    _print_faults(report.place, changes)
    if options.out:
        with open(options.out, "wb") as file:
            file.write(data)
        return 0
    if options.to in BINARY and sys.stdout.isatty():
        sys.stderr.write(f"crosstable convert: {options.to} is not text; give --out FILE\n")
        return USAGE
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    return 0


def written(report: Report, name: str, changes: list[Fault]) -> bytes:
    """A report in a format, as bytes; what had to be changed to fit is added to ``changes``."""
    if name == "json":
        from crosstable.formats import event_json_write

        return event_json_write.write(report)
    if name == "dbf":
        from crosstable.formats import uschess_dbf

        return uschess_dbf.write_zip(report, changes)
    if name in ("trf16", "trf26"):
        from crosstable.formats import trf

        return trf.write(report, int(name.removeprefix("trf")))
    if name == "csv":
        from crosstable.formats import wallchart_write

        return wallchart_write.write(report)
    from crosstable.formats import wallchart_xlsx

    return wallchart_xlsx.write(report)
