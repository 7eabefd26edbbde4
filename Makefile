# Everything a working day needs. Each target does its own set-up; `make help` lists them.
# Needed on the machine: Python 3.11 or newer with pip and venv, and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.package-installed
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input -qq
CODE := $(wildcard src tests tools benchmarks)
COUNT ?= 20000

# The packages whose every branch must be run by a test.
EXACT := */crosstable/rules/*,*/crosstable/formulas/*,*/crosstable/engine/*,*/crosstable/office/ledger/*

# Every commit of an office waits for the disk. The tests make thousands of them and keep their files in memory where
# there is room for that; what is flushed and when stays the same.
SCRATCH := $(shell [ "$$(df --output=avail /dev/shm 2>/dev/null | tail -n 1)" -gt 2000000 ] 2>/dev/null && echo TMPDIR=/dev/shm)

# Without bytecode every start of the program compiles it anew: pip compiles what it installs, we compile src,
# and Python may keep what it compiles later.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: app node dist matrix help install postgres browser wrk peers tutorial run test coverage lint format types fidelity bench docs screenshots fuzz soak solver evidence clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: $(READY) ## put the package and its tools into .venv (every other target does this first)

# The whole environment is made anew when a pinned version changes, so that it holds what the file says and no more.
$(VENV)/.requirements-installed: requirements/dev.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed.")'
	@echo "Installing the tools into $(VENV) ..."
	@$(PYTHON) -m venv --clear $(VENV)
	@$(PIP) install --no-deps --require-hashes -r requirements/dev.txt
	@touch $@

$(READY): $(VENV)/.requirements-installed pyproject.toml
	@echo "Installing crosstable into $(VENV) ..."
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m compileall -q src
	@touch $@

run: $(READY) ## serve a demonstration office on 127.0.0.1:8000; make run ARGS="rate FILE" runs any command
	@$(BIN)/crosstable $(if $(strip $(ARGS)),$(ARGS),serve --demo)

# The tests start a PostgreSQL of their own; only its programs have to be there.
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)
postgres:
	@if ! command -v initdb >/dev/null && ! ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then \
	  echo "Installing PostgreSQL ..." && $(SUDO) apt-get -qq update && \
	  DEBIAN_FRONTEND=noninteractive $(SUDO) apt-get -qq install -y --no-install-recommends postgresql >/dev/null; fi

# The site is tested in a real browser.
browser:
	@if ! command -v chromium >/dev/null && ! command -v chromium-browser >/dev/null; then \
	  echo "Installing Chromium ..." && $(SUDO) apt-get -qq update && \
	  DEBIAN_FRONTEND=noninteractive $(SUDO) apt-get -qq install -y --no-install-recommends chromium >/dev/null; fi

test: postgres browser node lint ## lint, format, types, the whole suite and its coverage: what has to hold before a change lands
	@echo "The types are checked while replays and sweeps are compiled ..."
	@$(BIN)/python -m tools.compile_ahead replays & replays=$$!; $(BIN)/python -m tools.compile_ahead sweeps & sweeps=$$!; \
	  $(BIN)/mypy $(CODE); checked=$$?; wait $$replays && wait $$sweeps && exit $$checked
	@echo "The suite; the tests that have to cover rules, formulas, engine and ledger run beside it, traced ..."
	@traced=$$(mktemp); $(SCRATCH) $(BIN)/pytest -q -m traced --cov --cov-report= $(TRACED) >$$traced 2>&1 & beside=$$!; \
	  trap "kill $$beside; exit 130" INT TERM; { tail --pid=$$beside -f /dev/null; cat $$traced; } & shown=$$!; \
	  $(SCRATCH) $(BIN)/pytest -n 3 --dist worksteal -m "not traced"; rest=$$?; \
	  wait $$beside; covered=$$?; wait $$shown; rm -f $$traced; [ $$rest = 0 ] && [ $$covered = 0 ]
	$(BIN)/coverage report --fail-under=100

# Where the tests are that tests/conftest.py marks as traced.
TRACED := tests/spec tests/rules tests/engine tests/notation tests/office
coverage: postgres browser node $(READY) ## the whole suite with every line of the program traced: 95 % of what make test does not ask about
	$(SCRATCH) $(BIN)/pytest -n 2 --dist worksteal --cov=crosstable --cov-report=
	$(BIN)/coverage report --omit='$(EXACT)' --fail-under=95

lint: $(READY) ## ruff: rules and formatting, changing nothing
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(READY) ## ruff: format, and mend what it can mend
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: $(READY) ## mypy, strict
	$(BIN)/mypy $(CODE)

fidelity: $(READY) ## compare with the official results, when they lie beside the project
	@if [ -f ../shared/check ]; then $(BIN)/python ../shared/check && \
	  $(BIN)/crosstable verify ../shared/cases/official-2001-2021 && \
	  $(BIN)/python tools/compare_replay.py ../shared/cases/official-2001-2021; \
	else echo "No official results here (../shared/check is missing): nothing was compared."; fi

fuzz: $(READY) ## 20,000 random mutations per file format; make fuzz COUNT=N for another number
	CROSSTABLE_FUZZ=$(COUNT) $(BIN)/pytest -q -n 2 -o timeout=0 tests/formats -k "mutat or damage"

# The tests that know a larger amount than that of every change.
LONGER := tests/office tests/web tests/history tests/engine tests/spec tests/lab tests/pipeline tests/explanation \
  tests/browser tests/cli/test_office_guide.py

soak: $(READY) postgres browser node ## faults, random offices and random questions at ten times the amounts of make test or more
	CROSSTABLE_SOAK=10 CROSSTABLE_CASES=$(wildcard ../shared/cases) $(BIN)/pytest -q -n 2 -o timeout=0 $(LONGER)

solver: $(READY) ## what public output gives away of birth dates, over 500 random sections
	$(BIN)/python tools/solve_birth_dates.py

evidence: $(READY) ## make the table in rules/documents.py and docs/fidelity.md anew from the official results
	$(BIN)/python tools/make_evidence.py ../shared/cases/official-2001-2021 ../shared/cases/official-pages
	$(BIN)/ruff format -q src/crosstable/rules/documents.py
	$(BIN)/python -m tools.make_fidelity ../shared/cases/official-2001-2021 ../shared/cases/official-pages \
	  ../shared/cases/official-members/members.jsonl.gz

# Other rating libraries have an environment of their own: none of them is needed to run or to test anything.
.venv-peers/.installed: requirements/peers.txt
	@echo "Installing the libraries to compare with into .venv-peers ..."
	@$(PYTHON) -m venv --clear .venv-peers
	@.venv-peers/bin/python -m pip --disable-pip-version-check --no-input -qq install --no-deps --require-hashes -r requirements/peers.txt
	@touch $@

peers: .venv-peers/.installed ## the environment with other rating libraries, for the benchmarks

tutorial: $(READY) ## run docs/lab-tutorial.md with the official results and keep what it prints
	$(BIN)/python tools/make_tutorial.py ../shared/cases/official-2001-2021

# The load generator of the site's benchmark.
wrk:
	@if ! command -v wrk >/dev/null; then echo "Installing wrk ..." && $(SUDO) apt-get -qq update && \
	  DEBIAN_FRONTEND=noninteractive $(SUDO) apt-get -qq install -y --no-install-recommends wrk >/dev/null; fi

bench: $(READY) .venv-peers/.installed postgres wrk browser node ## the benchmarks, ratios side by side; make bench ONLY=replays for one of them
	$(BIN)/python -m benchmarks $(ONLY)

# Pyodide is taken from npm's registry, once, and checked against its hash.
node:
	@if ! command -v npm >/dev/null; then echo "Installing npm ..." && $(SUDO) apt-get -qq update && \
	  DEBIAN_FRONTEND=noninteractive $(SUDO) apt-get -qq install -y --no-install-recommends npm >/dev/null; fi

app: $(READY) node ## the browser application, a folder of static files, in dist/app
	$(BIN)/python -m tools.make_app

dist: $(READY) ## wheel, source archive, a single file that any Python runs, and their checksums, in dist/
	$(BIN)/python tools/make_dist.py

matrix: dist postgres browser ## the wheel in fresh environments, every extra and none, and the suite, on every Python at hand
	$(BIN)/python tools/run_matrix.py $(if $(ONLY),$(ONLY),--suite)

screenshots: $(READY) browser node ## make the pictures of docs/images anew
	@mkdir -p docs/images build
	CROSSTABLE_SCREENSHOTS=docs/images $(BIN)/pytest -q -n 0 tests/browser/test_looks.py -k "axe and (home or member or section or explanation or estimate)"
	CROSSTABLE_SCREENSHOTS=docs/images $(BIN)/pytest -q -n 0 tests/browser/test_app.py -k "hall"
	@sed -n '/^```csv/,/^```/{/^```/!p}' docs/directors.md > build/saturday.csv
	$(BIN)/crosstable rate build/saturday.csv --pairing-ratings --control "G/60;d5" --start 11/14/2026 \
	  --event-name "Saturday Quad" --html --out build/wall.html --force
	$$(command -v chromium || command -v chromium-browser) --headless --no-sandbox --disable-gpu --hide-scrollbars \
	  --user-data-dir=build/browser --disable-background-networking --window-size=1000,420 --screenshot=docs/images/wall-sheet.png \
	  file://$(CURDIR)/build/wall.html

.venv-docs/.installed: requirements/docs.txt
	@echo "Installing MkDocs into .venv-docs ..."
	@$(PYTHON) -m venv --clear .venv-docs
	@.venv-docs/bin/python -m pip --disable-pip-version-check --no-input -qq install --no-deps --require-hashes -r requirements/docs.txt
	@touch $@

docs: $(READY) .venv-docs/.installed ## make the generated pages of docs/ anew, and the documentation site in build/docs
	$(BIN)/python -m tools.make_docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python tools/make_site.py .venv-docs/bin/mkdocs
	$(BIN)/python -m tools.check_site

clean: ## remove everything that was made here
	rm -rf $(VENV) .venv-peers .venv-docs build dist .coverage .coverage.* htmlcov .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name .git -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +
