# stressweb: `make stress MODE=remap` runs the main job, `make test` the tests; each sets up what it needs first.
.PHONY: help stress testers sweep nightly test quick lint format audit bench docs site doctor lock setup browser clean known
.DEFAULT_GOAL := help
.NOTPARALLEL:

# What the user types reaches the program through the environment, as it was typed: it is never pasted into a command,
# and make never expands it.
define pass
ifneq ($$(origin $(1)),undefined)
unexport $(1)
export STRESSWEB_$(1) := $$(value $(1))
endif
endef
# Every variable that make takes is named here, and checked in runner/commands/precheck.py.
variables := MODE TASK EXCLUDE AGENT MODEL BASE_URL SEED STRESS_SEEDS EPOCHS WORKERS IN_FLIGHT LIMIT SCREENSHOTS RUN RESUME LOAD FILE SET
# What the tests take, too.
testing := SHARD
$(foreach name,$(variables) $(testing),$(eval $(call pass,$(name))))

# Anything else on the command line is a mistake, but for what make itself and the program take from the environment.
typed := $(foreach name,$(.VARIABLES),$(if $(filter command,$(firstword $(origin $(name)))),$(name)))
taken := $(variables) $(testing) STRESSWEB_% OPENAI_API_KEY OPENAI_BASE_URL MAKE% MFLAGS -% SHELL .SHELLFLAGS CURDIR
unknown := $(filter-out $(taken),$(typed))
ifneq ($(unknown),)
export STRESSWEB_UNKNOWN := $(unknown)
export STRESSWEB_VARIABLES := $(variables) $(testing)
endif

# A run, and the tests even more, start many processes: without compiled files each would compile everything anew.
export PYTHONDONTWRITEBYTECODE :=

python := .venv/bin/python -P
# By its path, so that the commands that it prints can be typed as they stand.
stressweb := .venv/bin/stressweb

known:
	$(if $(unknown),@python=$$(sh scripts/find-python.sh) && exec "$$python" -I runner/commands/precheck.py)

help: known
	@echo 'make stress [MODE=remap] [TASK=] [EXCLUDE=] [LIMIT=] [AGENT=] [SEED=] [WORKERS=] [RUN=]   run the main job'
	@echo 'make stress [STRESS_SEEDS=0..4] [EPOCHS=3] [SCREENSHOTS=0]   with repetitions, without screenshots'
	@echo 'make stress RUN=name RESUME=1   continue a run       make stress LOAD=my_agent.py AGENT=mine   your own plug-ins'
	@echo 'make stress AGENT=model MODEL=name [BASE_URL=]   with a language model; its key is OPENAI_API_KEY'
	@echo 'make testers [MODE=failure] [LIMIT=20]   test cases instead of tasks; docs/testers.md'
	@echo 'make sweep FILE=experiments/graded.yaml [LIMIT=6] [SET=epochs=3] [SHARD=1/4]   run an experiment from a file'
	@echo 'make nightly [AGENT=] [LIMIT=30]   tonight against the pinned baseline; docs/nightly.md'
	@echo 'make test     lint and tests       make audit    every proof, long       make bench    speed ratios'
	@echo 'make quick    the tests that start neither a browser nor a process, in a minute'
	@echo 'make test SEED=7 with other samples   make audit SHARD=2/8 the second of eight parts   make audit RESUME=1 the rest'
	@echo 'make doctor   what was found       make docs     every figure of the documents, anew'
	@echo 'make site     the documents as a web site, in build/site; stressweb docs shows it'
	@echo 'make clean    remove what make made, runs excepted'

setup: known
	@sh scripts/setup.sh

browser: setup
	@$(python) -m stressweb.core.browser_program

stress: browser
	@$(stressweb) run

testers: browser
	@STRESSWEB_TASK="$${STRESSWEB_TASK:-cases}" STRESSWEB_AGENT="$${STRESSWEB_AGENT:-oracle,retry,literal}" STRESSWEB_MODE="$${STRESSWEB_MODE:-failure}" $(stressweb) run

sweep: browser
	@$(stressweb) sweep

nightly: browser
	@$(stressweb) nightly experiments/nightly.yaml

test: lint browser
	@$(python) -m pytest -n 2 --dist loadfile --no-loadscope-reorder

quick: setup
	@$(python) -m pytest --quick -n 2 --dist loadfile -q

lint: setup
	@$(python) -m ruff check --quiet --output-format concise .
	@$(python) -m ruff format --check --quiet .
	@$(python) -m mypy
	@$(python) scripts/check_js.py

format: setup
	@$(python) -m ruff check --fix --quiet . || true
	@$(python) -m ruff format --quiet .

audit: browser
	@$(python) -m pytest -n 2 --hypothesis-profile=audit -m 'audit or sampled'

bench: browser
	@$(python) -m scripts.bench

docs: browser
	@$(python) -m scripts.docs

site: known
	@sh scripts/site.sh

doctor: setup
	@$(stressweb) doctor

lock: known
	@sh scripts/lock.sh

clean: known
	@rm -rf .venv .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist
	@find . -name __pycache__ -type d -not -path './runs/*' -prune -exec rm -rf {} +
