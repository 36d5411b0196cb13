# Needs: make, and Python 3.11 or newer with pip. Everything else goes into this folder: uv into .tools/, the
# environment into .venv/. Another Python: make clean, then make PYTHON=/path/to/python3.12 test

PYTHON ?= python3
UV_VERSION := 0.13.9

# Relative on purpose: make cannot hold a name with spaces in a target, and the checkout may lie under one.
UV := .tools/bin/uv
UV_STAMP := .tools/uv-$(UV_VERSION).stamp
VENV_STAMP := .venv/synced.stamp
VENV_PYTHON := .venv/bin/python
PYTEST := $(VENV_PYTHON) -m pytest -q
# Of the examples that hypothesis thinks of, quick tries a fifth.
EXAMPLES := few
test: EXAMPLES := all

export UV_PYTHON := $(PYTHON)
export UV_PYTHON_DOWNLOADS := never
export UV_PROJECT_ENVIRONMENT := .venv
export UV_COMPILE_BYTECODE := 1
# Copies work where the cache is on another file system, and where two users share one checkout.
export UV_LINK_MODE := copy
# Trust whom the machine trusts (a company's proxy, say); where it has no list, uv's own is used.
export UV_SYSTEM_CERTS := $(if $(wildcard /etc/ssl/certs/*.crt /etc/ssl/cert.pem /etc/pki/tls/certs/*.crt),1,0)
unexport VIRTUAL_ENV PYTHONHOME PYTHONPATH

.DELETE_ON_ERROR:
.PHONY: help setup quick test demo docs format wheel bench pictures clean

help:
	@echo 'make demo    set everything up and two programs and a person write to each other'
	@echo 'make quick   lint, types, layers, unit tests (under 30 s)'
	@echo 'make test    everything, real clients included'
	@echo 'make docs    the site of the documentation into build/site/, its links checked'
	@echo 'make format | wheel | bench | pictures | setup | clean'

setup: $(VENV_STAMP)

$(UV_STAMP):
	@echo '== uv $(UV_VERSION) into .tools/'
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11) and "mailstop needs Python 3.11 or newer, this is " + sys.version.split()[0] + "; say which: make PYTHON=/path/to/python3")'
	@rm -rf .tools
	@PIP_USER=0 "$(PYTHON)" -m pip install --quiet --disable-pip-version-check --root-user-action=ignore \
		--no-deps --only-binary=:all: --target .tools 'uv==$(UV_VERSION)'
	@touch $@

$(VENV_STAMP): pyproject.toml uv.lock src/mailstop/__init__.py $(UV_STAMP)
	@echo '== environment into .venv/'
	@$(UV) sync --quiet --frozen
	@touch $@

quick: setup
	@echo '== ruff check'
	@.venv/bin/ruff check --quiet .
	@echo '== ruff format'
	@.venv/bin/ruff format --quiet --check . || { echo 'not formatted: run make format' >&2; exit 1; }
	@echo '== mypy'
	@$(VENV_PYTHON) -m mypy --no-error-summary
	@echo '== import-linter'
	@.venv/bin/lint-imports > .venv/layers.txt 2>&1 || { cat .venv/layers.txt >&2; exit 1; }
	@echo '== unit tests'
	@MAILSTOP_EXAMPLES=$(EXAMPLES) $(PYTEST) -n 2 tests/unit

test: quick
	@echo '== conformance tests'
	@$(PYTEST) -n 2 tests/conformance
	@[ ! -d tests/integration ] || { echo '== integration tests'; $(PYTEST) -n 2 tests/integration; }
	@echo '== distribution tests'
	@$(PYTEST) tests/distribution
	@[ ! -d tests/faults ] || { echo '== fault tests'; $(PYTEST) -n 2 tests/faults; }
	@[ ! -f tests/clients/run.sh ] || \
		{ echo '== real clients'; sh tests/clients/run.sh "$(CURDIR)/$(VENV_PYTHON)" -n 2; }

demo: setup
	@.venv/bin/mailstop demo

# The theme says in many lines which tool its makers write next.
docs: setup
	@echo '== documentation into build/site/'
	@NO_MKDOCS_2_WARNING=1 $(VENV_PYTHON) -m mkdocs build --quiet

format: setup
	@echo '== ruff'
	@.venv/bin/ruff check --quiet --fix-only .
	@.venv/bin/ruff format --quiet .

wheel: $(UV_STAMP)
	@echo '== sdist and wheel into dist/'
	@rm -rf dist
	@$(UV) build --quiet --out-dir dist
	@ls dist

bench: setup
	@echo '== benchmarks'
	@[ -d benchmarks ] || { echo 'there is no folder benchmarks yet' >&2; exit 1; }
	@$(VENV_PYTHON) -m benchmarks

pictures: setup
	@echo '== pictures into docs/pictures/'
	@$(VENV_PYTHON) -m recordings

clean:
	@echo '== clean'
	@rm -rf .venv .tools dist build .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	@find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
