# Everything a developer or a CI job runs.  `make help` lists the targets.

PYTHON ?= python3
VENV ?= .venv
# Much of their time tests wait, for a deadline or a process: two workers for each core that most
# machines of this purpose have.
JOBS ?= 4
CC ?= cc
# Seconds of testing for `make certify`; empty for what halcert takes by itself.
BUDGET ?=

BIN := $(abspath $(VENV))/bin
PARTS := spec model conformance adapters reports
CODE := $(wildcard halcert $(PARTS) tests bench docs setup.py)
TREE := build/tree/halcert

# What an installation is made of.  The list itself is a prerequisite, so that a deleted file counts.
SOURCES := $(shell find halcert $(PARTS) -type f ! -name '*.so' ! -name '*.pyc' 2>/dev/null | sort)
PROJECT := pyproject.toml setup.py MANIFEST.in README.md LICENSE

DRIVER := adapters/softhal
RUNTIME := adapters/softacl
C_SOURCES = $(sort $(wildcard $(1)/src/*.c))
C_HEADERS = $(wildcard $(1)/*.h $(1)/src/*.h $(1)/include/*.h $(1)/include/acl/*.h)
C_FLAGS := -std=c11 -O2 -g -fPIC -shared -fvisibility=hidden -D_GNU_SOURCE -Wall -Wextra -Werror
LIBRARIES := $(DRIVER)/libsofthal.so $(DRIVER)/libsofthal-faults.so \
	$(RUNTIME)/libsoftacl.so $(RUNTIME)/libsoftacl-faults.so

.DEFAULT_GOAL := help
.PHONY: help venv certify test lint driver proofs docs bench tree clean FORCE

help:  ## list the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16
	@echo "variables: PYTHON=$(PYTHON) VENV=$(VENV) JOBS=$(JOBS) CC=$(CC) BUDGET=$(BUDGET)"

# ------------------------------------------------------------------------------- use what was built

venv: $(VENV)/.installed  ## create .venv and install halcert with its development tools

certify: venv  ## prove the rules and certify the bundled software driver, results in halcert-out/
	@echo "certify: prove the rules"
	@$(BIN)/halcert prove
	@echo "certify: run the suite, results in halcert-out/"
	@$(BIN)/halcert certify$(if $(BUDGET), --budget $(BUDGET))

bench: venv  ## run the benchmarks, one JSON object each
	@for script in bench/*.py; do \
		[ -e "$$script" ] || continue; \
		echo "bench: $$script" >&2; $(BIN)/python "$$script" || exit 1; \
	done

# ----------------------------------------------------------------------------------------- checking

# The first two have stretches in which they keep one core busy at most, so they run side by side.
test: venv  ## everything that CI checks
	@$(MAKE) --no-print-directory -j2 lint proofs
	@echo "test: pytest on $(JOBS) workers"
	@$(BIN)/pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder --timeout=300

proofs: venv
	@echo "test: prove the rules"
	@$(BIN)/halcert prove --out build/proofs > build/proofs.txt || { cat build/proofs.txt; exit 1; }

lint: venv tree  ## format, lint, types, import directions, warnings of the C compiler
	@echo "lint: ruff format"
	@$(BIN)/ruff format --quiet --check $(CODE)
	@echo "lint: ruff check"
	@$(BIN)/ruff check --quiet --output-format=concise $(CODE)
	@echo "lint: mypy --strict"
	@cd build/tree && $(BIN)/mypy --config-file ../../pyproject.toml --cache-dir ../mypy -p halcert
	@echo "lint: import directions"
	@cd build/tree && $(BIN)/lint-imports ../../pyproject.toml --no-cache > ../imports.txt \
		|| { cat ../imports.txt; exit 1; }
	@echo "lint: $(CC), warnings are errors"
	@for defines in "" -DSOFTHAL_FAULTS; do \
		$(CC) $(C_FLAGS) -I$(DRIVER) $$defines -fsyntax-only $(call C_SOURCES,$(DRIVER)) || exit 1; \
	done
	@for defines in "" -DSOFTACL_FAULTS; do \
		$(CC) $(C_FLAGS) -I$(RUNTIME)/include -I$(DRIVER) $$defines -fsyntax-only \
			$(call C_SOURCES,$(RUNTIME)) || exit 1; \
	done

docs: venv  ## build the site of the documents in build/site, warnings are errors
	@echo "docs: build build/site"
	@$(BIN)/python docs/build.py build/site

driver: $(LIBRARIES)  ## compile the software driver and runtime in place, warnings are errors

$(DRIVER)/libsofthal-faults.so: DEFINES := -DSOFTHAL_FAULTS
$(RUNTIME)/libsoftacl-faults.so: DEFINES := -DSOFTACL_FAULTS
$(DRIVER)/%.so: $(call C_SOURCES,$(DRIVER)) $(call C_HEADERS,$(DRIVER)) $(wildcard adapters/*.h)
	@echo "driver: compile $@"
	@$(CC) $(C_FLAGS) -I$(DRIVER) $(CFLAGS) $(DEFINES) -o $@ $(call C_SOURCES,$(DRIVER)) -pthread
$(RUNTIME)/%.so: $(call C_SOURCES,$(RUNTIME)) $(call C_HEADERS,$(RUNTIME)) $(call C_HEADERS,$(DRIVER))
	@echo "driver: compile $@"
	@$(CC) $(C_FLAGS) -I$(RUNTIME)/include -I$(DRIVER) $(CFLAGS) $(DEFINES) -o $@ \
		$(call C_SOURCES,$(RUNTIME)) -pthread -ldl

# ------------------------------------------------------------------------------------------- making

PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check
# What pip would compile file by file, on all cores; nobody imports the tests of others.
COMPILE := $(BIN)/python -m compileall -q -j 0 -x '/tests?/'
COMPILED = $(VENV)/lib$(if $(filter pyproject.toml,$?),,/python*/site-packages/halcert)

$(VENV)/bin/python:
	@echo "venv: create $(VENV) with $(PYTHON)"
	@$(PYTHON) -m venv $(VENV)

# A change of the metadata installs the dependencies too, any other change only the package itself.
$(VENV)/.installed: $(VENV)/bin/python $(PROJECT) $(SOURCES) build/sources.txt
	@echo "venv: install halcert$(if $(filter pyproject.toml,$?), and what it needs)"
	@$(if $(filter pyproject.toml,$?),$(PIP) --no-compile "setuptools>=77")
	@$(PIP) --no-compile --no-build-isolation $(if $(filter pyproject.toml,$?),".[dev]",--no-deps --force-reinstall .)
	@$(COMPILE) $(COMPILED) || echo "venv: not all was compiled, which only costs time"
	@touch $@

build/sources.txt: FORCE
	@mkdir -p build
	@printf '%s\n' $(SOURCES) | cmp -s - $@ || printf '%s\n' $(SOURCES) > $@

# mypy, the import linter and PYTHONPATH=build/tree see the working copy as one ordinary package.
tree:  ## link the working copy as one package under build/tree
	@echo "tree: link the working copy as one package under build/tree"
	@mkdir -p $(TREE)
	@find -L $(TREE) -maxdepth 1 -type l -exec rm -f {} +
	@for entry in halcert/*; do \
		link="$(TREE)/$${entry#halcert/}"; \
		[ -L "$$link" ] || [ "$$entry" = halcert/__pycache__ ] || ln -s "../../../$$entry" "$$link"; \
	done
	@for part in $(PARTS); do \
		[ -L "$(TREE)/$$part" ] || ln -s "../../../$$part" "$(TREE)/$$part"; \
	done

clean:  ## remove everything that was made
	@echo "clean: remove builds, caches and results"
	@rm -rf build dist halcert.egg-info halcert-out $(VENV) \
		.hypothesis .mypy_cache .pytest_cache .ruff_cache $(DRIVER)/*.so $(RUNTIME)/*.so
	@find $(filter-out %.py,$(CODE)) -name __pycache__ -type d -prune -exec rm -rf {} +

FORCE:
