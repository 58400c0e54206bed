# Everything runs in .venv, which the first target that needs it makes from requirements/dev.txt.
#   make deal FILE=tuesday.pbn        another file          make test ARGS="-k framing"   other options
#   make test PYTHON=python3.13       another Python (after `make clean`)

PYTHON ?=
FILE ?= tests/data/club36.pbn
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/set-up-done
PIP_INSTALL := -m pip -qq --disable-pip-version-check install --require-hashes --requirement
LOCK := build/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-header --no-annotate --no-emit-index-url --no-emit-find-links $(ARGS)

# Sets the shell variable `python` to the first Python that will do, or stops with a sentence.
define find_python
for python in $(or $(PYTHON),python3 python3.13 python3.12 python3.11); do \
	"$$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null && break; \
	python=; \
done; \
if [ -z "$$python" ]; then \
	echo "This needs Python 3.11, 3.12 or 3.13; $(or $(PYTHON),python3) is $$($(or $(PYTHON),python3) --version 2>&1 | head -n 1)." >&2; \
	echo "Install one of them, or name it: make PYTHON=/path/to/python3.12 ..." >&2; \
	exit 1; \
fi
endef

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help deal test emulated qemu lint check bench campaign lock clean

help:
	@echo "make deal       deal $(FILE) on a simulated machine (FILE=... takes another file)"
	@echo "make test       run the tests (ARGS=... goes to pytest)"
	@echo "make emulated   the part of the tests that needs emulated USB devices, on Linux"
	@echo "make qemu       deal over the USB of a real Linux kernel, in QEMU"
	@echo "make check      what CI runs: linters, types, import rules, tests, wheel and sdist"
	@echo "make bench      print the measurements"
	@echo "make campaign   the long searches: an hour at most"
	@echo "make mutation   how many small changes of the code its tests find (ARGS=link: of one part)"
	@echo "make lock       renew requirements/ from pyproject.toml (ARGS=--upgrade takes newer versions)"
	@echo "make clean      remove .venv and everything that tools leave behind"

$(STAMP): requirements/dev.txt pyproject.toml
	@$(find_python); \
	started=$$(date +%s); \
	echo "setting up $(VENV) with $$("$$python" --version) (once) ..."; \
	"$$python" -m venv --clear $(VENV) || { \
		echo "$$python cannot make a virtual environment (on Debian and Raspberry Pi OS: install python3-venv)." >&2; \
		exit 1; }; \
	$(BIN)/python $(PIP_INSTALL) requirements/dev.txt && \
	$(BIN)/python -m pip -qq --disable-pip-version-check install --no-deps --no-build-isolation --editable . && \
	touch $@ && \
	echo "set-up took $$(($$(date +%s) - started)) s"

deal: $(STAMP)
	@$(BIN)/dealctl practise "$(FILE)" $(ARGS)

# Given options choose tests of the first part.
test: $(STAMP)
	$(BIN)/python -m pytest -p tests.shared_by_files --numprocesses auto $(ARGS)
	$(if $(ARGS),,$(BIN)/python -m tests.emulated)

emulated: $(STAMP)
	$(BIN)/python -m tests.emulated $(ARGS)

qemu: $(STAMP)
	$(BIN)/python -m tests.emulated.qemu $(ARGS)

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The wheel and the sdist are built, installed and tried by tests/packaging.
check: lint test

bench: $(STAMP)
	$(BIN)/python -m tests.bench $(ARGS)

campaign: $(STAMP)
	DEALING_MACHINE_CAMPAIGN=1 $(BIN)/python -m pytest -p tests.shared_by_files --numprocesses auto -m campaign --timeout 0 $(ARGS)

mutation: $(STAMP)
	$(BIN)/python -m tests.mutation $(ARGS)

lock:
	@$(find_python); "$$python" -m venv --clear build/lock
	build/lock/bin/python $(PIP_INSTALL) requirements/tool.txt
	$(LOCK) pyproject.toml --output-file requirements/runtime.txt
	$(LOCK) pyproject.toml --group dev --constraint requirements/runtime.txt --output-file requirements/dev.txt
	echo uv | $(LOCK) - --output-file requirements/tool.txt

clean:
	rm -rf $(VENV) build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
