# Needs make and Python 3.11 or newer; everything else goes into .venv.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test check docs fuzz fuzz-guided slow bench truth coverage clean

demo: .venv/installed
	$(BIN)/labeldp-audit estimate-j sample_data/clinic.parquet

# On all cores, but each file on one: what it makes for all its tests is made once. Tests start the tool many times, which
# takes twice as long where no bytecode may be kept.
test: .venv/tested
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n auto --maxprocesses 8 --dist loadfile

check: .venv/tested
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(MAKE) test

# The pages as a site in site/; then every command in them runs. `make test` runs them too.
docs: .venv/documented
	$(BIN)/mkdocs build --strict
	$(BIN)/python -m pytest tests/test_docs.py

# FUZZ_N hostile inputs from FUZZ_SEED, on all cores; and each parser by coverage for FUZZ_SECONDS.
fuzz: .venv/tested
	cd tests && ../$(BIN)/python -m fuzz.run

fuzz-guided: .venv/fuzzed
	for parser in policy mechanism csv eta report configuration; do \
		(cd tests && ../$(BIN)/python -m fuzz.guided $$parser -max_total_time=$${FUZZ_SECONDS:-60}) || exit 1; done

slow: .venv/tested
	$(BIN)/python -m pytest -m slow

bench: .venv/benched
	$(BIN)/python -m benchmarks

# What the tool says of populations with known eta, beside the truth: half an hour. ARGUMENTS="--n 20000" is quicker,
# ARGUMENTS="--draws 5" five new populations of each kind.
truth: .venv/installed
	$(BIN)/python -m benchmarks.truth $(ARGUMENTS)

# How often limits are false, in 400 audits of tables with known eta: two hours. ARGUMENTS="--estimator boosted" is quicker.
coverage: .venv/installed
	$(BIN)/python -m benchmarks.coverage $(ARGUMENTS)

clean:
	rm -rf .venv build dist site labeldp-report .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find labeldp_audit tests benchmarks sample_data -name __pycache__ -prune -exec rm -rf {} +

.venv/made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.12")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	touch $@

.venv/installed: pyproject.toml .venv/made
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

.venv/tested: pyproject.toml .venv/installed
	$(BIN)/python -m pip install --quiet --group dev
	touch $@

.venv/documented: pyproject.toml .venv/tested
	$(BIN)/python -m pip install --quiet --group docs
	touch $@

.venv/fuzzed: pyproject.toml .venv/tested
	$(BIN)/python -m pip install --quiet --group fuzz
	touch $@

.venv/benched: pyproject.toml .venv/tested
	$(BIN)/python -m pip install --quiet --group bench
	touch $@
