# Each target sets up what it needs in .venv. Only python3, make and g++ have to be there:
# CMake and Ninja come with the other build tools.

PYTHON ?= python3
ARGS ?=
# A worker for each core, which takes tests from the others when it has none left; some tests need
# a gigabyte of memory.
WORKERS := --numprocesses auto --maxprocesses 8 --dist worksteal

VENV := .venv
BIN := $(VENV)/bin
KERNEL := CMakeLists.txt $(shell find native -name '*.cc' -o -name '*.h' -o -name '*.inc' -o -name '*.py')
PACKAGES := $(shell find src -name __init__.py)
CXX_FILES := $(filter %.cc %.h,$(KERNEL))
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check

# The parts of the kernel that a browser needs, and the options of their compiler: docs/export.md
WASM_PARTS := web/module unicode/code_point unicode/utf8 tokenize/ascii tokenize/hangul tokenize/negation \
  tokenize/tape tokenize/tokenizer tokenize/tweets tokenize/unspaced vocabulary/gram_table vocabulary/hash \
  vocabulary/stems vocabulary/trace vocabulary/vocabulary vocabulary/word_table score/bound_rows \
  score/bounds score/scorer
WASM_CXX = $(BIN)/python -m ziglang c++ -target wasm32-wasi -mcpu=generic+bulk_memory+simd128
WASM_FLAGS := -std=c++20 -O2 -fexceptions -ffp-contract=off -fvisibility=hidden -Inative -I$(VENV)/.wasm

.PHONY: demo test test-engines lint bench bench-scale bench-spark fuzz mutants crash wasm wheel .wheel docs clean

demo: $(VENV)/.demo
	$(BIN)/nabi demo $(ARGS)

# Some tests start processes, two hundred in all: modules are compiled once and not in each of them,
# also where the environment says that bytecode is not written.
test: export PYTHONDONTWRITEBYTECODE =
test: $(VENV)/.package $(VENV)/.tools $(VENV)/.browser $(VENV)/.postgres
	$(BIN)/python -m pytest $(WORKERS) --cov --ignore tests/engines $(ARGS)

# Engines that are large to install: ClickHouse, Spark, and browsers by WebAssembly. The tests of a
# file share a session of Spark, and stay together.
test-engines: $(VENV)/.package $(VENV)/.tools $(VENV)/.engines $(VENV)/.browser $(VENV)/.java wasm
	$(BIN)/python -m pytest $(WORKERS:worksteal=loadfile) tests/engines $(ARGS)

lint: $(VENV)/.package $(VENV)/.tools
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $(CXX_FILES)
	$(BIN)/lint-imports
	$(BIN)/codespell

bench: $(VENV)/.package $(VENV)/.tools
	$(BIN)/python -m bench.speed $(ARGS)
	$(BIN)/python -m bench.speed.vectorizers
	$(BIN)/python -m bench.speed.estimators
	$(BIN)/python -m bench.speed.gaussian
	$(BIN)/python -m bench.speed.metrics
	$(BIN)/python -m bench.speed.crossval
	$(BIN)/python -m bench.speed.crossval_tables
	$(BIN)/python -m bench.speed.live

# What shared training costs, and that its bytes are those of one process.
bench-scale: $(VENV)/.package $(VENV)/.tools
	$(BIN)/python -m bench.scale.costs
	$(BIN)/python -m bench.scale.merge --texts 3900
	$(BIN)/python -m bench.scale.equal
	$(BIN)/python -m bench.scale.kills

# Bytes, the driver's memory, killed workers and speed by Spark: an hour on two cores.
bench-spark: $(VENV)/.package $(VENV)/.tools $(VENV)/.engines $(VENV)/.java
	$(BIN)/python -m bench.scale.spark_equal
	$(BIN)/python -m bench.scale.spark_equal --by connect
	$(BIN)/python -m bench.scale.spark_driver
	$(BIN)/python -m bench.scale.spark_kills
	$(BIN)/python -m bench.scale.spark

fuzz: $(VENV)/.build-tools
	PATH="$(abspath $(BIN)):$$PATH" native/fuzz/run $(ARGS)

# For Python 3.12 or newer one wheel serves all later versions: make wheel PYTHON=python3.13
# That Python has an environment of its own, whatever Python .venv is of.
wheel:
	$(MAKE) .wheel VENV=build/$$($(PYTHON) -c 'import sys; print("python%d.%d" % sys.version_info[:2])')

.wheel: $(VENV)/.build-tools
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python -m pip wheel --disable-pip-version-check \
	  --no-deps --no-build-isolation --wheel-dir dist .
	@ls -l dist/*.whl

# mkdocs speaks of its own future at each build unless it is told not to.
docs: $(VENV)/.package $(VENV)/.tools
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict $(ARGS)
	@echo "open build/site/index.html"

# Losses of power, failing disks and killed servers under the store, a thousand of each: half an hour.
crash: $(VENV)/.package $(VENV)/.tools
	PYTHONPATH=tests $(BIN)/python tests/crash_runs.py $(ARGS)

wasm: src/nabi/engines/web/nabi.wasm

src/nabi/engines/web/nabi.wasm: $(WASM_PARTS:%=$(VENV)/.wasm/%.o)
	$(WASM_CXX) -mexec-model=reactor -Wl,--strip-all -o $@ $^
	@ls -l $@

$(VENV)/.wasm/%.o: native/%.cc $(VENV)/.wasm/unicode_tables.inc $(filter %.h %.inc,$(KERNEL))
	@mkdir -p $(@D)
	$(WASM_CXX) $(WASM_FLAGS) -c -o $@ $<

$(VENV)/.wasm/unicode_tables.inc: native/unicode/unicode_tables.py | $(VENV)/.engines
	@mkdir -p $(@D)
	$(BIN)/python $< > $@

mutants: $(VENV)/.package $(VENV)/.tools
	$(BIN)/python tests/mutants.py $(ARGS)

clean:
	rm -rf $(VENV) build dist .coverage htmlcov .hypothesis .*_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The build tools stand in .venv, not in a new environment for each build: so a change in the
# kernel compiles only what it touches, and needs no network.
$(VENV)/.build-tools: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) cmake ninja $$($(BIN)/python -c 'import tomllib; \
	  print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"])')
	touch $@

# An editable install: a change in src needs no new one; a new package there, or a change in the
# kernel, does.
$(VENV)/.package: $(VENV)/.build-tools $(KERNEL) $(PACKAGES)
	$(INSTALL) --no-build-isolation --editable .
	touch $@

$(VENV)/.demo: $(VENV)/.package
	$(INSTALL) --no-build-isolation --editable '.[demo]'
	touch $@

# Reports are tested in a real browser, which is installed where that can be done. Where it cannot,
# those tests are skipped; in CI that is an error.
$(VENV)/.browser: | $(VENV)/.build-tools
	@if command -v chromium > /dev/null; then touch $@; \
	elif command -v apt-get > /dev/null && [ "$$(id -u)" = 0 ]; then \
	  echo "no chromium: apt-get installs it, for the tests of reports"; \
	  if apt-get -qq update && apt-get -qq -y install --no-install-recommends chromium; \
	  then touch $@; else test -z "$$CI"; fi; \
	else echo "no chromium, and no right to install it: tests in a browser are skipped"; fi

# Spark runs on Java, which is installed as chromium is.
$(VENV)/.java: | $(VENV)/.build-tools
	@if command -v java > /dev/null; then touch $@; \
	elif command -v apt-get > /dev/null && [ "$$(id -u)" = 0 ]; then \
	  echo "no java: apt-get installs it, for the tests of Spark"; \
	  if apt-get -qq update && apt-get -qq -y install --no-install-recommends default-jre-headless; \
	  then touch $@; else test -z "$$CI"; fi; \
	else echo "no java, and no right to install it: tests of Spark are skipped"; fi

# Likewise the database that several servers share; tests start one of their own, on loopback.
$(VENV)/.postgres: | $(VENV)/.build-tools
	@if ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 || command -v initdb > /dev/null; then touch $@; \
	elif command -v apt-get > /dev/null && [ "$$(id -u)" = 0 ]; then \
	  echo "no PostgreSQL: apt-get installs it, for the tests of servers that share a store"; \
	  if apt-get -qq update && apt-get -qq -y install --no-install-recommends postgresql; \
	  then touch $@; else test -z "$$CI"; fi; \
	else echo "no PostgreSQL, and no right to install it: tests on it are skipped"; fi

# pyspark comes as source, which an older setuptools cannot make a wheel of.
$(VENV)/.engines: pyproject.toml | $(VENV)/.package
	$(INSTALL) 'setuptools>=70.1'
	$(INSTALL) --no-build-isolation --editable '.[test-engines]'
	touch $@

$(VENV)/.tools: pyproject.toml | $(VENV)/.package
	$(INSTALL) --no-build-isolation --editable '.[test,lint,bench,docs]'
	touch $@
