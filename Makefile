# `make demo` and `make test` need Python 3.11 or newer, and nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

# Where the real loaders of other systems are, for the tests that ask them.
PEERS := tests/peers/.venv
# Where official test suites and schemas are unpacked, which packages of others contain; hidden, so that
# pytest and mypy do not read the rest of them.
SUITES := tests/suites/.unpacked
# VS Code's workbench in a browser, for the test of the extension.
WORKBENCH := tests/workbench/.server

# Bytecode is kept whatever the shell says: without it, every process compiles the package again.
unexport PYTHONDONTWRITEBYTECODE

# All cores; the tests of a file stay in one process, which then starts its servers once.
PYTEST := $(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

# Where the tests run with the lowest versions of all packages.
LOWEST := build/lowest

# The runs of the fast tests, one on each core: fast-1, fast-2.
FAST := $(addprefix fast-,$(shell seq "$$(getconf _NPROCESSORS_ONLN)"))

# What pip always gets to hear here.
PIP := -m pip install --quiet --disable-pip-version-check

.PHONY: demo test thorough fuzz check lint types imports fast messages site serve tables schemas typed man
.PHONY: $(FAST) generated bench bench-html bombs mutate lowest without-yaml-rs audit constraints peers suites
.PHONY: clean dist pythons vsix workbench pictures clusters

demo: $(READY)
	@$(BIN)/python demo/show.py

# Some seven minutes of processor time. What takes long and seldom finds anything is left to
# `make thorough`.
test: $(READY)
	$(PYTEST) -m "not thorough"

# Every test, with all the examples that properties are worth, and others every time. Coverage is
# measured where CI is set: it takes a fourth of the time.
thorough: $(READY)
	$(PYTEST) --hypothesis-profile=thorough $(if $(CI),--cov --cov-report=term)

# What makes the readers, the grammars and the checks fail, searched for so many seconds by each
# target; `make fuzz FUZZ=600 TARGETS="yaml pattern"` searches longer, for some.
FUZZ ?= 60
fuzz: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev,fuzz]"
	$(BIN)/python tests/fuzz/run_fuzz.py $(FUZZ) $(TARGETS)

# At most some 70 seconds of processor time, half of that on two cores; the types take another half
# minute the first time. What ends prints all that it has to say at once.
check: $(READY)
	@$(MAKE) --no-print-directory --jobs --output-sync=target --keep-going types $(FAST) lint imports

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

imports: $(READY)
	$(BIN)/lint-imports

# A run on each core, each with its share of the files.
fast: $(READY)
	@$(MAKE) --no-print-directory --jobs --keep-going $(FAST)

$(FAST): fast-%: $(READY)
	$(BIN)/python -m pytest -q -m "not costly" --hypothesis-profile=brief --share=$*/$(words $(FAST))

# The texts that people read, written anew; the tests compare with them.
messages: $(READY)
	$(BIN)/python -m pytest -q -m messages --snapshot-update

# The documentation, in build/site; a warning is an error. `make serve` also serves it to this
# machine, at http://127.0.0.1:8000.
site: $(VENV)/.docs
	$(BIN)/python docs/site/build_site.py

serve: site
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory build/site 8000

$(VENV)/.docs: $(READY)
	$(BIN)/python $(PIP) --constraint constraints.txt --editable ".[dev,docs]"
	@touch $@

# The tables of the documentation that come from schemas, from the fields of other systems, and from
# conversions to them.
tables: $(READY)
	$(BIN)/python docs/build_configuration.py
	$(BIN)/python docs/build_reports.py
	$(BIN)/python docs/build_formats.py
	$(BIN)/python docs/build_meanings.py
	$(BIN)/python docs/build_versions.py

# The schemas for editors and those that gates start from, from the canonical ones; tests compare
# them.
schemas: $(READY)
	$(BIN)/python editors/schemas/build_schemas.py
	$(BIN)/python release/build_closed.py

# The types of `evalcontract.types`, from the schemas; a test compares them.
typed: $(READY)
	$(BIN)/python release/build_types.py

# The manual pages, from the help texts; a test compares them.
man: $(READY)
	$(BIN)/python release/build_man.py

# All that is derived, after any change; the texts come last, since they show the rest.
generated: $(READY)
	@$(MAKE) --no-print-directory schemas typed tables man
	@$(MAKE) --no-print-directory messages

# Some twenty minutes on a quiet machine, once the data is written; writes docs/performance.md, where
# each line names the commit and the day. `make bench BENCH=--short` takes a fifth of the rows, less
# than ten minutes; a part of it is `make bench BENCH="--only yaml,jsonl --rounds 3"`.
bench: $(READY)
	$(BIN)/python bench/run.py $(BENCH)

# How smoothly the HTML report scrolls in Chromium.
bench-html: $(READY)
	PYTHONPATH=tests:tests/page $(BIN)/python bench/html_report.py

# What small hostile workspaces cost, some minutes; writes the table in docs/limits.md. A part of
# it: `make bombs BOMBS="--only near_weights,anchors"`.
bombs: $(READY)
	$(BIN)/python bench/bombs/run_bombs.py $(BOMBS)

# Which small changes of the code no test notices. Some hundred of them take some minutes:
# `make mutate MUTATE="--sample 50 --only model,structure/keys --seed 2"`.
mutate: $(VENV)/.mutate
	$(BIN)/python tests/mutation/mutate.py $(MUTATE)

$(VENV)/.mutate: $(READY)
	$(BIN)/python $(PIP) --constraint constraints.txt --editable ".[dev,mutate]"
	@touch $@

# The tests that are not slow, with the lowest versions that pyproject.toml allows. The texts that click
# and others print differ between versions.
lowest: $(LOWEST)/.ready
	$(LOWEST)/bin/python -m pytest -n auto --dist loadfile -q -m "not slow and not messages" --hypothesis-profile=brief

$(LOWEST)/.ready: pyproject.toml tests/lowest.py
	$(PYTHON) -m venv $(LOWEST)
	$(PYTHON) tests/lowest.py > $(LOWEST)/constraints.txt
	$(LOWEST)/bin/python $(PIP) --constraint $(LOWEST)/constraints.txt --editable ".[dev]"
	@touch $@

# The tests that are not slow, as on a platform for which yaml-rs has no wheel.
without-yaml-rs: $(READY)
	PYTHONPATH=$(CURDIR)/tests/without_yaml_rs $(PYTEST) -q -m "not slow" --hypothesis-profile=brief

# The sdist and the wheel of the commit; a release, in dist/, if it has the tag of the version.
dist: $(READY)
	$(BIN)/python release/dist.py

# The same with every other Python that the classifiers name and that is found here.
pythons: $(READY)
	$(BIN)/python release/pythons.py

# Known vulnerabilities of the packages in constraints.txt; asks the advisories of PyPI.
audit: $(VENV)/.audit
	$(BIN)/python tests/audit.py

$(VENV)/.audit: $(READY)
	$(BIN)/python $(PIP) --constraint constraints.txt --editable ".[dev,audit]"
	@touch $@

# The versions that development uses, written anew with the newest ones.
constraints:
	rm -rf build/constraints
	$(PYTHON) -m venv build/constraints
	build/constraints/bin/python $(PIP) ".[dev,mutate,audit,docs]"
	build/constraints/bin/python -m pip freeze --exclude evalcontract > build/constraints.txt
	{ sed '/^[^#]/,$$d' constraints.txt; cat build/constraints.txt; } > build/constraints.new
	mv build/constraints.new constraints.txt

# The real loaders of other systems: EVALCONTRACT_PEERS=$(PEERS)/bin/python lets the tests use them.
peers: $(PEERS)/.ready

# Spark and other engines, which are large: for thorough tests.
CLUSTERS := spark engines
clusters: $(PEERS)/.clusters

$(PEERS)/.clusters: $(CLUSTERS:%=tests/peers/%.txt)
	for own in $(CLUSTERS); do $(PYTHON) -m venv $(PEERS)/$$own && $(PEERS)/$$own/bin/python $(PIP) --requirement tests/peers/$$own.txt || exit 1; done
	@touch $@

# A system whose packages do not suit the others has a file and an environment of its own.
OWN_PEERS := $(filter-out requirements $(CLUSTERS),$(basename $(notdir $(wildcard tests/peers/*.txt))))

$(PEERS)/.ready: $(wildcard tests/peers/*.txt)
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python $(PIP) --requirement tests/peers/requirements.txt
	for own in $(OWN_PEERS); do $(PYTHON) -m venv $(PEERS)/$$own && $(PEERS)/$$own/bin/python $(PIP) --requirement tests/peers/$$own.txt || exit 1; done
	$(PEERS)/openai/bin/python $(PIP) --no-deps evals==3.0.1.post1
	$(PEERS)/plain/bin/python $(PIP) --no-deps ragas==0.4.3 lm_eval==0.4.13
	for old in 0.0.1 0.0.2; do $(PEERS)/bin/python $(PIP) --no-deps --target $(PEERS)/evret-$$old evret==$$old; done
	@touch $@

# The JSON-Schema-Test-Suite, for both JSON Schema engines, the XML schema of JUnit reports, and the
# schemas of every_eval_ever, whose package is for newer versions of Python and is only unpacked.
suites: $(SUITES)/.ready

$(SUITES)/.ready: $(wildcard tests/suites/*.txt) $(READY)
	rm -rf $(SUITES)
	for list in $(wildcard tests/suites/*.txt); do $(BIN)/python -m pip download --quiet --disable-pip-version-check --no-deps --ignore-requires-python --no-binary jsonschema,pytest --dest $(SUITES) --requirement $$list || exit 1; done
	for archive in $(SUITES)/*.tar.gz; do $(BIN)/python -m tarfile --extract $$archive $(SUITES); done
	for wheel in $(SUITES)/*.whl; do $(BIN)/python -m zipfile --extract $$wheel $${wheel%-py3-none-any.whl}; done
	@touch $@

# The extension for VS Code, editors/vscode/evalcontract.vsix: the same bytes from the same commit.
vsix:
	npm --prefix editors/vscode ci --ignore-scripts --loglevel=error
	npm --prefix editors/vscode run --silent package

# VS Code's workbench: EVALCONTRACT_WORKBENCH=$(WORKBENCH) lets the test of the extension use it.
workbench: $(WORKBENCH)/.ready

$(WORKBENCH)/.ready: tests/workbench/build.sh
	PYTHON=$(PYTHON) sh tests/workbench/build.sh $(WORKBENCH)
	@touch $@

# The pictures of the extension's readme and walkthrough, taken in the workbench by its test; those of
# the dark theme stay in build/pictures.
pictures: workbench $(READY)
	rm -rf build/pictures
	EVALCONTRACT_WORKBENCH=$(WORKBENCH) EVALCONTRACT_PICTURES=build/pictures $(BIN)/python -m pytest -q -n 0 tests/editor/test_workbench.py
	for name in finding fix completion problems report; do cp build/pictures/$$name.png editors/vscode/images/ || exit 1; done

clean:
	rm -rf $(SUITES) $(PEERS) $(WORKBENCH) $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .coverage

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.11 ...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python $(PIP) --constraint constraints.txt --editable ".[dev]"
	@touch $(READY)
