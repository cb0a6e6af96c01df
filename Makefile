# Two commands do everything: `make book` and `make test`. The environment is made on demand.
# While one works: `make quick`.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
JOBS   ?= 2
HTML   := _build/html/index.html

# Two notebooks run at a time; one thread each in the linear algebra keeps them out of each other's way.
test quick notebooks outside check mutate: export OPENBLAS_NUM_THREADS = 1
# Modules and tests are compiled once, not again by each process, whatever the shell says.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help book pdf test quick notebooks drawings outside check mutate lab bench lint pins clean
.DEFAULT_GOAL := help

help:  ## list the commands
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST)

$(VENV)/.ready: requirements.txt pyproject.toml
	@echo "environment: installing the pinned packages into $(VENV) (once, about two minutes)"
	@$(PYTHON) -c 'import sys; sys.exit("privlib needs Python 3.11 or newer, this is " + sys.version if sys.version_info < (3, 11) else 0)'
	@$(PYTHON) -m venv $(VENV) && $(BIN)/pip install --quiet --disable-pip-version-check -r requirements.txt && touch $@

# What changed is built; after a warning, after a change of the references (their numbers shift), and with ALL=1,
# everything (a new title shows in links of other pages then).
NUMBERS = $(shell find book/references.bib -newer _build/.doctrees/environment.pickle 2>/dev/null)
book: $(VENV)/.ready  ## build the book, warnings are errors (ALL=1: every page anew)
	@echo "book: building from the executed notebooks into _build/html"
	@$(BIN)/jupyter-book build . $(if $(ALL)$(NUMBERS),--all) -W --keep-going -q || { rm -rf _build/.doctrees; exit 1; }
	@echo "book: open file://$(CURDIR)/$(HTML)"

pdf: book  ## the repaired papers and the errata as PDF files, in English and Japanese (PAGES=sketch: one page)
	@echo "pdf: printing into _build/pdf"
	@$(BIN)/python tools/pdf.py $(PAGES)

test: lint  ## everything: style, types, unit tests, doctests, the book, every cell of every notebook
	@echo "test: building the book for the tests, warnings are errors"
	@rm -rf _build/tested && env -u PRIVLIB_BOOK_URL -u PRIVLIB_REPOSITORY_URL \
	  $(BIN)/jupyter-book build . --path-output _build/tested --all -W --keep-going -q
	@echo "test: unit tests, doctests, the pages, the browser"
	@PRIVLIB_HTML=_build/tested/_build/html $(BIN)/python -m pytest -n $(JOBS) --dist loadfile --cov $(ARGS)
	@echo "test: every notebook, cell by cell, text and pictures"
	@$(BIN)/python -m pytest -p nbval --nbval -n $(JOBS) --dist loadfile notebooks $(ARGS)

# What `make quick` tests: a module, a part, or everything, which alone is worth several processes.
QUICK = $(if $(MODULE),privlib/$(PART)/$(MODULE).py tests/$(PART)/test_$(MODULE).py,$(if \
  $(PART),$(wildcard privlib/$(PART)) tests/$(PART),-n $(JOBS) --dist worksteal))
quick: $(VENV)/.ready  ## unit tests that take seconds (PART=laplace: of a part; PART=laplace MODULE=erm: of a module)
	@echo "quick: unit tests$(if $(PART), of $(PART))$(if $(MODULE), $(MODULE)), without book, browser and notebooks"
	@$(BIN)/python -m pytest -q -m "not slow" $(QUICK) $(ARGS)

lint: $(VENV)/.ready  ## style and types
	@echo "lint: ruff and mypy"
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy --num-workers $(JOBS)

notebooks: $(VENV)/.ready  ## bring the three formats in step, execute what is stale (ALL=1: everything)
	@echo "notebooks: syncing .md, .py and .ipynb, executing what is stale"
	@$(BIN)/python tools/notebooks.py --jobs $(JOBS) $(if $(ALL),--all)

drawings: $(VENV)/.ready  ## draw the schematic drawings anew, on the first page and at the opening of each part
	@$(BIN)/python tools/schematics.py

outside: $(VENV)/.ready  ## write our numbers beside those of others, after a change of them (ASK=1: theirs, too)
	@echo "outside: writing into tests/outside/numbers.yml"
	@$(BIN)/python -m tests.outside.record $(if $(ASK),--ask)

check: $(VENV)/.ready  ## run the checks of one claim (CLAIM=N-8)
	@$(BIN)/python tools/check.py $(CLAIM)

mutate: $(VENV)/.ready  ## change what the claims of a part rest on, see which checks fail (PART=laplace CLAIM=N-8)
	@$(BIN)/python tools/mutation/mutate.py $(PART) --jobs $(JOBS) $(if $(CLAIM),--claim $(CLAIM))

lab: $(VENV)/.ready  ## JupyterLab on the notebooks
	@$(BIN)/jupyter lab notebooks $(ARGS)

bench: $(VENV)/.ready  ## measure ten functions beside their peers, a minute or two on a quiet machine
	@$(BIN)/python -m benchmarks.speed

pins:  ## renew requirements.txt: the newest versions that pyproject.toml allows
	@echo "pins: installing into an environment of its own, then writing down what came"
	@rm -rf _build/pins && $(PYTHON) -m venv _build/pins && _build/pins/bin/pip install --quiet --upgrade pip
	@_build/pins/bin/pip install --quiet --upgrade --upgrade-strategy eager -e ".[dev]" wheel
	@{ grep '^#' requirements.txt; echo "-e ."; _build/pins/bin/pip freeze --all --exclude-editable | grep -v '^pip=='; } \
	  > _build/pins.txt && mv _build/pins.txt requirements.txt && rm -rf _build/pins

clean:  ## remove what was built, keep the environment
	@echo "clean: removing _build and caches"
	@rm -rf _build .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage
