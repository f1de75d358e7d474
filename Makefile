# A menu of one-line verbs; what they do lives in scripts/ and pyproject.toml.
.DEFAULT_GOAL := help
PYTHON ?= python3
BIN := .venv/bin
# Tests start hundreds of processes; half of a start is compilation where Python may not keep its bytecode.
unexport PYTHONDONTWRITEBYTECODE
# Two workers per core, because many tests wait; a file stays on one worker, and those of tests/data/slowest_files.txt
# begin first, so that all workers end together.
WORKERS ?= $$((2 * $$(getconf _NPROCESSORS_ONLN)))
PARALLEL = --numprocesses $(WORKERS) --dist loadfile --no-loadscope-reorder $(PYTEST_ARGS)
# BASE, else the last commit. An empty one comes of a script that failed: a comparison with HEAD would find nothing.
REVISION = $(or $(BASE),$(if $(filter undefined,$(origin BASE)),HEAD,$(error BASE is empty: name a git revision)))
# What make test leaves out because it takes long; its test of a part of the operations is one of a test of all.
ALL_TESTS = -m "not soak and not tools" \
	--deselect tests/contract/test_documents.py::test_a_part_of_the_operations_keeps_its_documents

.PHONY: help
help: ## Print this menu
	@awk -F ':.* ## ' '/^[a-z-]+:.* ## / {printf "  make %-17s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: help-all
help-all: ## Print the rest of the menu, too
	@awk -F ':.* ##+ ' '/^[a-z-]+:.* ##/ {printf "  make %-17s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.venv/%.installed: requirements/%.txt pyproject.toml
	@$(PYTHON) scripts/install.py $<
	@touch $@

.PHONY: setup
setup: .venv/dev.installed ## Make .venv with everything the project needs

# As in scripts/install.py: uv takes a quarter of pip's time, but may not reach an index that only pip is configured for.
.cache/engines/%.installed: requirements/%.txt | .venv/dev.installed
	@echo "installing requirements/$*.txt into .cache/engines/$*"
	@$(BIN)/python -m venv --clear --without-pip .cache/engines/$*
	@$(BIN)/uv pip install -q --python .cache/engines/$*/bin/python -r $< || $(BIN)/python -m pip --python \
		.cache/engines/$*/bin/python install -qq --disable-pip-version-check -r $<
	@touch $@

.PHONY: engine-pytorch
engine-pytorch: .cache/engines/pytorch.installed ### Install PyTorch into an environment of its own
.PHONY: engine-tensorflow
engine-tensorflow: .cache/engines/tensorflow.installed ### Install TensorFlow into an environment of its own
engine-%:
	$(error no demo is made for ENGINE=$*: say ENGINE=pytorch or ENGINE=tensorflow, or leave it out)

.PHONY: browser
browser: setup .venv/browser.installed ### Install what drives Chromium in the tests of the page; without it they are skipped

.PHONY: peers
peers: setup ### Install what benchmarks and tests compare with into an environment of its own
	@$(BIN)/python -c "from benchmarks import peers; peers.python()"

# TensorFlow's demo opens TensorBoard.
DEMO := $(if $(filter tensorflow,$(ENGINE)),demo-tensorboard,demo)

.PHONY: demo
demo: $(if $(ENGINE),engine-$(ENGINE)) .venv/$(DEMO).installed ## Train a real model on the emulator; ENGINE=pytorch: on two nodes; ENGINE=tensorflow: by the first version of the API
	@$(BIN)/python examples/demo$(if $(ENGINE),_$(ENGINE)).py

.PHONY: test
test: lint ## Lint, types, tests, contract tests; ALL=1: also those of test-ci and test-engines
	@$(BIN)/pytest $(PARALLEL) $(if $(ALL),$(ALL_TESTS))

.PHONY: test-ci
test-ci: setup ### The tests that take long, which .ci/run runs beside those of make test
	@$(BIN)/pytest $(PARALLEL) -m "ci and not soak and not engine"

.PHONY: slowest-files
slowest-files: setup ### Run the tests of make test ALL=1 and list the files that took longest, by which the next runs begin
	@mkdir -p .cache
	@$(BIN)/pytest $(PARALLEL) $(ALL_TESTS) --durations=0 --durations-min=0.1 > .cache/durations
	@awk '$$2 ~ /^(setup|call|teardown)$$/ {split($$3, id, "::"); s[id[1]] += $$1} END {for (f in s) print s[f], f}' \
		.cache/durations | sort -rn | head -50 | cut -d " " -f 2 > tests/data/slowest_files.txt

.PHONY: warm
warm: setup ### Fill the caches of mypy, Python and hypothesis, which else every process of the first run would do
	-@$(BIN)/mypy > /dev/null
	-@$(BIN)/pytest --collect-only -qq > /dev/null
	@$(BIN)/python -c "from hypothesis import strategies; strategies.text().validate()"

.PHONY: clients
clients: setup ### Install published clients, each group into an environment of its own
	@$(BIN)/python scripts/install_clients.py

.PHONY: test-clients
test-clients: clients ### Run published clients against the emulator; one that is not installed is skipped
	@$(BIN)/pytest $(PARALLEL) tests/clients

.PHONY: test-postgresql
test-postgresql: setup ### The tests of the API and of jobs, with the state in a PostgreSQL of the tests' own
	@$(BIN)/pytest $(PARALLEL) --database postgresql tests/emulator/v2 tests/emulator/engine tests/emulator/tuning tests/stories/test_front_ends.py

.PHONY: test-engines
test-engines: setup ### The tests that need a Slurm cluster, on daemons of the tests' own; skipped where it is not installed
	@$(BIN)/pytest $(PARALLEL) -m engine tests/emulator/execution tests/stories

.cache/stock-tools/.installed: requirements/stock-tools/package-lock.json requirements/stock-tools.txt
	@mkdir -p $(@D)
	@cp requirements/stock-tools/*.json $(@D)
	@npm ci --prefix $(@D) --no-audit --no-fund --ignore-scripts --loglevel error
	@$(BIN)/uv pip install -q --no-deps --require-hashes --target $(@D)/python -r requirements/stock-tools.txt
	@touch $@

.PHONY: stock-tools
stock-tools: setup .cache/stock-tools/.installed ### Try the documents with the tools of others, which need node, npm and Java
	@$(BIN)/pytest --numprocesses $$(getconf _NPROCESSORS_ONLN) -m tools tests/openapi $(PYTEST_ARGS)

.PHONY: test-lowest
test-lowest: setup ### A part of the tests with the lowest versions of the libraries that pyproject.toml allows
	@scripts/test_lowest.sh $(PARALLEL)

.PHONY: check
check: lint ## Lint, types, and the tests of what changed since BASE=<git revision> (what is not committed)
	@$(BIN)/python scripts/affected_tests.py $(REVISION) | xargs -r $(BIN)/pytest $(PARALLEL) -m "not soak and not engine"

.PHONY: lint
lint: setup ### Style, types, import rules, generated code up to date
	@$(MAKE) --no-print-directory --jobs=2 types style

# What generated/ is made of, and itself.
OF_GENERATION = generated openapi overlays/modelarts_documents overlays/modelarts_runtime scripts pyproject.toml requirements/dev.txt

.PHONY: types
types: setup ### Types alone
	@$(BIN)/mypy

.PHONY: style
style: setup ### Style, import rules, generated code up to date: lint without types
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check --quiet --isolated --select F401 generated
	@$(BIN)/lint-imports
	@scripts/once.sh "$(OF_GENERATION)" $(BIN)/python scripts/generate.py --check
	@$(BIN)/python scripts/derive_sync.py --check

.PHONY: contract
contract: setup ## Check the emulator against the documents; SERVICE=https://...: a real service
	@$(BIN)/modelarts contract run --report .cache/contract \
		$(if $(SERVICE),--service $(SERVICE) $(if $(WRITE),--write) $(if $(FORCE),--force))

.PHONY: contract-clean
contract-clean: setup ### Delete what killed runs of make contract SERVICE=https://... WRITE=1 left at the service
	@$(BIN)/modelarts contract clean --service $(or $(SERVICE),$(error say SERVICE=https://...))

.PHONY: soak
soak: setup ### Run the tests that take long: many seeds, kills, jobs and requests
	@$(BIN)/pytest -m soak --timeout 3600

.PHONY: seeded-defects
seeded-defects: setup ### Put five defects into the code, drawn by the commit, and see that the tests find them; make soak: all
	@DEFECTS=5 $(BIN)/pytest -v -m soak tests/repository/test_seeded_defects.py $(PYTEST_ARGS)

.PHONY: mutation
mutation: setup ### Change the code in small ways and see whether its tests notice; MODULES=paging: these only; SAMPLE=100: 100 of each
	@$(BIN)/python scripts/mutation.py $(MODULES) --sample $(or $(SAMPLE),0)

.PHONY: generate
generate: setup ## Documents -> bundled documents -> client
	@$(BIN)/python scripts/generate.py
	@$(BIN)/python scripts/derive_sync.py
	@$(BIN)/python scripts/evidence.py --derive

.PHONY: site
site: setup ## Build the documentation site in .cache/site/html
	@$(BIN)/python docs/build.py

.PHONY: pictures
pictures: setup browser ### Make the pictures of the terminal and of the page in docs/pictures anew
	@$(BIN)/python docs/terminal_pictures.py
	@$(BIN)/python docs/page_pictures.py

.PHONY: diff-api
diff-api: setup ### Say which changes of the documents since BASE=<git revision> (HEAD) break which clients
	@$(BIN)/python -m modelarts_contract diff $(REVISION):openapi openapi $(ARGS)

.PHONY: diff-names
diff-names: setup ### Say which public Python names were removed or changed since BASE=<git revision> (HEAD)
	@$(BIN)/python scripts/diff_names.py $(REVISION)

.PHONY: evidence
evidence: clients ### Run contract checks, stories and foreign clients, and write what they show into docs/coverage.md
	@$(BIN)/python scripts/evidence.py $(ARGS)

.PHONY: bench
bench: setup ### Measure speed and memory as ratios against peers; PARTS="imports calls": these only
	@$(BIN)/python -m benchmarks $(PARTS)

.PHONY: bench-pairs
bench-pairs: setup ### Compare the CPU time of requests with that of BASE=<git revision> (HEAD)
	@$(BIN)/python -m benchmarks.pairs $(REVISION)

.PHONY: bench-engines
bench-engines: setup ### Measure what the emulator adds to the time of a Slurm cluster, where it is installed
	@$(BIN)/python -m benchmarks.engines

.PHONY: release
release: setup ## Build wheel and sdist, check them, and try the wheel on Python 3.11 to 3.14; uploads nothing
	@$(BIN)/python scripts/release.py

.PHONY: lock
lock: ### Pin the requirements anew (needs uv on the PATH)
	@scripts/lock.sh

.PHONY: clean
clean: ### Remove .venv and every cache
	@rm -rf .venv .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
