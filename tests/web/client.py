"""A client of the site for tests: the application itself, without a network."""

import warnings

with warnings.catch_warnings():
    # Starlette asks for another client library than the one that is pinned here; both do the same.
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient as TestClient

HOST = "testserver"
