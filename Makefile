# Needs make and Python 3.11 or newer; everything else goes into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test check docs fuzz fuzz-guided slow bench truth coverage lowest newest clean

demo: $(VENV)/installed
	$(BIN)/labeldp-audit estimate-j sample_data/clinic.parquet

# On all cores, but each file on one: what it makes for all its tests is made once. Tests start the tool many times, which
# takes twice as long where no bytecode may be kept.
test: $(VENV)/tested
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n auto --maxprocesses 8 --dist loadfile

check: $(VENV)/tested
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(MAKE) test

# The pages as a site in site/; then every command in them runs. `make test` runs them too.
docs: $(VENV)/documented
	$(BIN)/mkdocs build --strict
	$(BIN)/python -m pytest tests/test_docs.py

# FUZZ_N hostile inputs from FUZZ_SEED, on all cores; and each parser by coverage for FUZZ_SECONDS.
fuzz: $(VENV)/tested
	cd tests && ../$(BIN)/python -m fuzz.run

fuzz-guided: $(VENV)/fuzzed
	for parser in policy mechanism csv eta report configuration; do \
		(cd tests && ../$(BIN)/python -m fuzz.guided $$parser -max_total_time=$${FUZZ_SECONDS:-60}) || exit 1; done

slow: $(VENV)/tested
	$(BIN)/python -m pytest -m slow

bench: $(VENV)/benched
	$(BIN)/python -m benchmarks

# What the tool says of populations with known eta, beside the truth: half an hour. ARGUMENTS="--n 20000" is quicker,
# ARGUMENTS="--draws 5" five new populations of each kind.
truth: $(VENV)/installed
	$(BIN)/python -m benchmarks.truth $(ARGUMENTS)

# How often limits are false, in 400 audits of tables with known eta: two hours. ARGUMENTS="--estimator boosted" is quicker.
coverage: $(VENV)/installed
	$(BIN)/python -m benchmarks.coverage $(ARGUMENTS)

# The fast tests with the lowest Python and the lowest versions of libraries that pyproject.toml declares.
LOWEST := import tomllib; own = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
  print(*(one.replace(">=", "==") for one in own["dependencies"]), sep="\n")
lowest:
	mkdir -p .venv-lowest
	python3.11 -c '$(LOWEST)' > .venv-lowest/lowest.txt
	PIP_CONSTRAINT=.venv-lowest/lowest.txt PIP_ONLY_BINARY=:all: $(MAKE) VENV=.venv-lowest PYTHON=python3.11 .venv-lowest/tested
	.venv-lowest/bin/python -m pip check
	$(MAKE) VENV=.venv-lowest test

# The fast tests with the newest libraries and the newest Python on PATH (or PYTHON=...) that all of them have wheels for.
newest:
	.ci/newest.sh $(if $(filter-out file,$(origin PYTHON)),$(PYTHON))

clean:
	rm -rf .venv .venv-lowest .venv-newest build dist site labeldp-report .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find labeldp_audit tests benchmarks sample_data -name __pycache__ -prune -exec rm -rf {} +

$(VENV)/made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	touch $@

$(VENV)/installed: pyproject.toml $(VENV)/made
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/tested: pyproject.toml $(VENV)/installed
	$(BIN)/python -m pip install --quiet --group dev
	touch $@

$(VENV)/documented: pyproject.toml $(VENV)/tested
	$(BIN)/python -m pip install --quiet --group docs
	touch $@

$(VENV)/fuzzed: pyproject.toml $(VENV)/tested
	$(BIN)/python -m pip install --quiet --group fuzz
	touch $@

$(VENV)/benched: pyproject.toml $(VENV)/tested
	$(BIN)/python -m pip install --quiet --group bench
	touch $@
