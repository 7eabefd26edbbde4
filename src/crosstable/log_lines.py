"""How every process logs: to standard error, a line of text or of JSON for each thing."""

import json
import logging
import time
from contextvars import ContextVar
from typing import Any

# The id of the request that is being answered; every line that is logged meanwhile carries it.
REQUEST_ID: ContextVar[str] = ContextVar("request_id", default="")


def settings(is_json: bool) -> dict[str, Any]:
    """As ``logging.config`` takes them."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"lines": {"()": JsonLines if is_json else TextLines}},
        "handlers": {
            "stderr": {"class": "logging.StreamHandler", "formatter": "lines", "stream": "ext://sys.stderr"},
        },
        "root": {"level": "WARNING", "handlers": ["stderr"]},
    }


class JsonLines(logging.Formatter):
    """A line of JSON for each thing that is logged."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        line: dict[str, Any] = {
            "time": _when(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "request_id": REQUEST_ID.get() or None,
            "message": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps({name: value for name, value in line.items() if value is not None}, ensure_ascii=False)


class TextLines(logging.Formatter):
    """A line of text for each thing that is logged, and the traceback of an error below it."""

    def format(self, record: logging.LogRecord) -> str:
        """One line, and perhaps a traceback."""
        request_id = REQUEST_ID.get()
        said = f"{_when(record)} {record.levelname} {f'[{request_id}] ' if request_id else ''}{record.getMessage()}"
        return f"{said}\n{self.formatException(record.exc_info)}" if record.exc_info else said


def _when(record: logging.LogRecord) -> str:
    seconds = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
    return f"{seconds}.{int(record.msecs):03d}Z"
