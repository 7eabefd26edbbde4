"""Sites are made by the hundred here: what is the same in all of them is made once."""

from collections.abc import Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi import FastAPI
from jinja2 import BytecodeCache, Environment
from jinja2.bccache import Bucket
from starlette.routing import BaseRoute

from crosstable.web import app as making
from crosstable.web import templating
from crosstable.web.routes import Route


class MadeRoutes:
    """FastAPI reads the signature of every endpoint for each site; a route knows nothing of the site it belongs to."""

    def __init__(self) -> None:
        self._add = making._add
        self._made: dict[tuple[str, tuple[str, ...]], BaseRoute] = {}

    def __call__(self, app: FastAPI, route: Route) -> None:
        key = route.path, tuple(route.methods)
        if key in self._made:
            app.router.routes.append(self._made[key])
        else:
            self._add(app, route)
            self._made[key] = app.router.routes[-1]


class KeptTemplates(BytecodeCache):
    """Templates that another site compiled."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], Any] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._kept.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._kept[bucket.key, bucket.checksum] = bucket.code


@pytest.fixture(scope="session", autouse=True)
def _what_all_sites_share() -> Iterator[None]:
    """Routes and templates; and no site asks the collector to look through everything that the tests have imported."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(making, "_add", MadeRoutes())
        patch.setattr(making, "gc", SimpleNamespace(collect=int, freeze=int, unfreeze=int))
        patch.setattr(templating, "Environment", partial(Environment, bytecode_cache=KeptTemplates()))
        yield
