# `make` lists the commands. Hooks and .ci/run call the same ones.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# Tools work in this folder's environment, whichever one the caller is in.
export VIRTUAL_ENV := $(CURDIR)/$(VENV)
unexport CONDA_PREFIX

# What the extension is built from.
NATIVE := pyproject.toml Cargo.toml Cargo.lock $(shell find rust -type f -not -path "rust/dev/*")

.DEFAULT_GOAL := help
.PHONY: help demo docs test test-all test-browser test-sb3 evidence test-train test-integrations test-peers wheel wheel-manylinux sdist test-wheel test-sdist release check check-format clippy ruff prose layers types workflows generated \
	format generate stubs surface manifests scale leaderboard show new-family new-game contracts guesses shortcuts levels bench performance game-rates ladder health book clean needs-cargo needs-cc

help: ## List the commands.
	@awk -F ':.*## ' '/^##@ / { printf "\n%s\n", substr($$0, 5) } \
	/^[a-z0-9-]+:.*## / { line = sprintf("  %-17s", $$1); n = split($$2, words, " "); \
	for (i = 1; i <= n; i++) { \
	if (length(line) + length(words[i]) > 79) { print line; line = sprintf("%-19s", "") } \
	line = line " " words[i] } print line }' $(MAKEFILE_LIST)

##@ Start
demo: $(VENV)/.demo ## Set everything up and show it in forty lines; needs Python alone.
	$(BIN)/reasonenv demo

##@ Test
test: $(VENV)/.dev ## Run all tests, Rust and Python.
	cargo test --workspace -- --quiet
	$(BIN)/pytest --numprocesses=auto --dist=worksteal

test-all: $(VENV)/.oracle ## Run all tests and the long checks (a million texts and problems, other people's rules).
	REASONENV_FUZZ=1000000 REASONENV_LADDER=2000 PROPTEST_CASES=4096 cargo test --workspace -- --include-ignored
	$(BIN)/pytest --numprocesses=auto --dist=worksteal -m "slow or not slow"

##@ Document
docs: $(VENV)/.dev $(VENV)-docs/.made ## Build the documentation site into site/html; its links are checked. SERVE=8000 serves it at that port.
	PYTHONPATH=tools $(BIN)/python -m docs_site site
	$(if $(shell command -v timeout),timeout 600) $(VENV)-docs/bin/zensical build --strict --config-file site/mkdocs.yml
	$(if $(SERVE),$(BIN)/python -m http.server --bind 127.0.0.1 --directory site/html $(SERVE))

##@ Test with other programs
test-browser: docs ## Open reports and the documentation site in Chromium, at desk and phone width, light and dark; SHOTS=folder keeps pictures of them.
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || { echo "there is no Chromium here; on Debian: apt-get install chromium" >&2; exit 1; }
	REASONENV_SHOTS=$(SHOTS) $(BIN)/pytest tests/browser

test-sb3: $(VENV)/.tools | needs-cargo needs-cc ## Train with Stable-Baselines3, in a throw-away environment of 6 GB.
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT \
	&& $(BIN)/maturin build --quiet --profile dev --out "$$dir" \
	&& $(PYTHON) -m venv "$$dir/venv" \
	&& "$$dir/venv/bin/pip" install --quiet --no-cache-dir pytest "$$(ls "$$dir"/*.whl)[sb3]" \
	&& "$$dir/venv/bin/pytest" -s tests/sb3/test_sb3.py

test-integrations: $(VENV)/.tools | needs-cargo needs-cc ## Run the adapters with the real trainers, each in a throw-away environment: ONLY="trl ray" MINUTES=60 TORCH=.venv-train (SMALL=1: those of CI; RECORD=1: write the table of the docs).
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT \
	&& $(BIN)/maturin build --quiet --profile dev --out "$$dir" \
	&& $(PYTHON) tests/integrations/run.py "$$dir"/*.whl $(ONLY) $(if $(SMALL),--small) $(if $(RECORD),--record) $(if $(MINUTES),--minutes $(MINUTES)) $(if $(TORCH),--torch $(TORCH))

test-peers: $(VENV)/.dev ## Judge our items by reasoning-gym and its items by ours, and write docs/cross-checks.md.
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT \
	&& $(PYTHON) -m venv "$$dir" && "$$dir/bin/pip" install --quiet reasoning-gym==0.1.25 \
	&& $(BIN)/python tests/peers/cross_judging.py "$$dir/bin/python" --write docs/cross-checks.md
TRAIN := $(VENV)-train/bin

##@ Train
evidence: $(VENV)-train/.made ## Run every experiment of docs/evidence.md and write that page (hours; goes on where it was stopped): E=tic_tac_toe for one, MODEL=folder for those with a language model.
	@for name in $(or $(E),tic_tac_toe tabular "ascii_tree --size small" "ascii_tree --size large" tic_tac_toe_text retry_and_tools process_reward curriculum "curriculum --learner language_model --seeds 1" connect_four proofs selfplay language_model language_model_trees); do \
	    set -- $$name; script=$$1; shift; \
	    $(TRAIN)/python "examples/train/$$script.py" "$$@" || exit 1; \
	    $(TRAIN)/python examples/train/evidence.py; done

test-train: $(VENV)-train/.made ## Train a minute of each experiment: each must improve over its own start. In an environment of 6 GB, kept in .venv-train.
	$(TRAIN)/pytest tests/train
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT \
	&& for name in $(or $(E),tic_tac_toe tabular ascii_tree tic_tac_toe_text retry_and_tools process_reward curriculum connect_four proofs selfplay language_model language_model_trees); do \
	    $(TRAIN)/python "examples/train/$$name.py" --quick --out "$$dir" || exit 1; done

##@ Package
wheel: $(VENV)/.tools | needs-cargo needs-cc ## Build a wheel into dist/, for this platform and Python 3.11 or newer; PROFILE=dev builds fast.
	@rm -f dist/*.whl
	$(BIN)/maturin build --locked --profile $(or $(PROFILE),release) --out dist

LINUX = $(shell uname -m)-unknown-linux-$(or $(LIBC),gnu)

wheel-manylinux: $(VENV)/.zig | needs-cargo needs-cc ## Build a wheel into dist/ for any Linux with glibc 2.17 or newer, with Zig; LIBC=musl builds one for Alpine.
	@rm -f dist/*.whl
	$(if $(LIBC),rustup target add $(LINUX))
	PATH="$(CURDIR)/$(BIN):$$PATH" maturin build --locked --profile $(or $(PROFILE),release) --out dist \
	    --zig --target $(LINUX) --compatibility $(if $(LIBC),musllinux_1_2,manylinux_2_17)

sdist: $(VENV)/.tools | needs-cargo ## Build a source distribution into dist/ that builds without a network.
	@rm -f dist/*.tar.gz
	$(BIN)/python tools/sdist.py

test-wheel: wheel ## Build the wheel, install it into a fresh environment and use it there.
	$(PYTHON) tools/try_install.py

test-sdist: sdist ## Build the source distribution, install it offline into a fresh environment and use it there.
	$(PYTHON) tools/try_install.py dist/*.tar.gz

release: ## Name a version in every file and print how to tag it: VERSION=0.1.0.
	@$(if $(VERSION),,echo "which version? try: make release VERSION=0.1.0" >&2; exit 2)
	@$(PYTHON) tools/release.py cut $(VERSION)

##@ Check and generate
check: check-format clippy ruff prose layers types workflows generated ## Check format, lints, prose, layers, types, workflows and generated files.

format: $(VENV)/.tools | needs-cargo ## Format all code.
	cargo fmt --all
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

generate: | needs-cargo ## Write the generated files; UNRELEASED=1 lets items change that no release has; ONLY="sudoku pig" regenerates the tasks of those alone.
	cargo dev generate $(if $(UNRELEASED),--unreleased) $(ONLY)

stubs: $(VENV)/.dev ## Write the docstrings of the extension into its stub.
	$(BIN)/python tests/support/stubs.py
	$(BIN)/ruff format python/reasonenv/_native.pyi

surface: $(VENV)/.dev ## Write the list of public names, docs/surface.txt, for review, and the table of reasoning-gym's names.
	$(BIN)/python tests/support/surface.py
	$(BIN)/python tests/support/reasoning_gym_names.py

manifests: $(VENV)/.dev ## Write the benchmark's manifests that are still previews anew; FREEZE=core makes one final, UNRELEASED=1 makes all anew that no release has.
	$(BIN)/python -m reasonenv.benchmark.freeze $(FREEZE) $(if $(UNRELEASED),--unreleased)

scale: $(VENV)/.dev ## Measure the difficulty of every level on one scale: ROWS="model.json" adds results of other policies, ONLY="binairo maze" measures these families alone.
	$(BIN)/python tools/scale.py $(ROWS) $(ONLY)

leaderboard: $(VENV)/.demo ## Measure the built-in policies on every manifest, for docs/leaderboard.jsonl.
	$(BIN)/python -m reasonenv.benchmark.reference docs/leaderboard.jsonl

##@ Families and games
show: | needs-cargo ## Print items as a reader sees them: F=chain_sum LEVEL=2 SEED=0 N=1 SPLIT=train.
	@$(if $(F),,echo "which family? try: make show F=chain_sum LEVEL=2" >&2; exit 2)
	@cargo dev show $(F) --level $(or $(LEVEL),0) --seed $(or $(SEED),0) -n $(or $(N),1) --split $(or $(SPLIT),train)

new-family: | needs-cargo ## Start a family from a small one: DOMAIN=logic NAME=river_crossing KIND=number (constraint, grid, plan, derived); GROUP=puzzles for a new domain.
	@$(if $(and $(DOMAIN),$(NAME)),,echo "try: make new-family DOMAIN=logic NAME=river_crossing KIND=grid" >&2; exit 2)
	cargo build --bin reasonenv-dev
	@cargo dev new $(if $(KIND),--kind $(KIND)) $(if $(GROUP),--group $(GROUP)) $(DOMAIN) $(NAME)

new-game: | needs-cargo ## Start a game from the smallest one: NAME=nine_mens_morris.
	@$(if $(NAME),,echo "try: make new-game NAME=nine_mens_morris" >&2; exit 2)
	cargo build --bin reasonenv-dev
	@cargo dev new-game $(NAME)

contracts: | needs-cargo ## Hold one family to the contracts of all: F=sudoku.
	@$(if $(F),,echo "which family? try: make contracts F=sudoku" >&2; exit 2)
	cargo test --test families ::$(F)

guesses: | needs-cargo ## Measure what blind answers to a family earn: F=sudoku N=100000.
	@$(if $(F),,echo "which family? try: make guesses F=sudoku N=20000" >&2; exit 2)
	REASONENV_GUESSES=$(or $(N),100000) cargo test --test families what_is_declared_of_guessing_is_what_is_measured::$(F) -- --exact --ignored --nocapture

shortcuts: | needs-cargo ## Measure what greedy readers pass at every level of every family, and write docs/shortcuts.json.
	REASONENV_SHORTCUTS=1 cargo test --test families the_page_names_families -- --exact --nocapture

levels: | needs-cargo ## Measure how much harder each level of a family is: F=sudoku.
	@$(if $(F),,echo "which family? try: make levels F=sudoku" >&2; exit 2)
	cargo test --test families every_level_is_harder_than_the_one_before::$(F) -- --exact --nocapture

##@ Measure
bench: $(VENV)/.bench ## Measure speed, beside that of peers.
	$(BIN)/pytest benches

book: | needs-cargo ## Compute the opening book of Connect Four (hours; goes on where it was stopped): PLY=6 OUT=book.
	cargo run --profile demo --quiet --package reasonenv-dev -- book --ply $(or $(PLY),6) --out $(or $(OUT),book)

performance: $(VENV)/.bench ## Print the tables of docs/performance.md, measured here.
	$(BIN)/python -m benches.report

game-rates: $(VENV)/.bench ## Measure the steps per second of every game, for its page of the site: G="nim chomp".
	$(BIN)/python -m benches.game_rates $(G)

ladder: $(VENV)/.dev ## Measure how strong every game's opponents are, and write the table of docs/games.md (minutes).
	$(BIN)/python tools/ladder.py

health: $(VENV)/.bench ## Measure whether every family is what it says, and write docs/health.md (minutes): N=1000 items a level.
	@$(BIN)/reasonenv health --markdown -n $(or $(N),1000) > docs/health.new 2> docs/health.told; \
	sed -n '/^## /,$$p' docs/health.md > docs/health.kept; \
	{ echo '# Health of the families'; echo; \
	echo '`make health` writes this page with `reasonenv health --markdown` (see [the command line](cli.md)). The numbers come from $(or $(N),1000) training tasks of every level. Times are processor time on one core.'; echo; \
	cat docs/health.new; echo; echo 'What did not hold in this run:'; echo; test -s docs/health.told || echo nothing > docs/health.told; sed 's/^/- /' docs/health.told; echo; cat docs/health.kept; } > docs/health.md; \
	rm docs/health.new docs/health.told docs/health.kept

##@ Clean up
clean: ## Remove all that was built or installed here.
	rm -rf $(VENV) $(VENV)-train $(VENV)-docs target dist site .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks
	find python -name '*.so' -delete

# The parts of `make check`.

check-format: $(VENV)/.tools | needs-cargo
	cargo fmt --all --check
	$(BIN)/ruff format --check

clippy: | needs-cargo
	cargo clippy --workspace --all-targets -- -D warnings

ruff: $(VENV)/.tools
	$(BIN)/ruff check

prose:
	$(PYTHON) tools/prose.py

layers: $(VENV)/.tools
	PYTHONPATH=python $(BIN)/lint-imports

types: $(VENV)/.dev
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest reasonenv._native

workflows: $(VENV)/.tools
	$(BIN)/zizmor --offline --quiet .github

generated: | needs-cargo
	cargo dev generate --check

# Set-up, each step done again only when what it is made from changes. One build of the extension is
# installed at a time: .dev, which shares its objects with `cargo test`, for tests; .demo, which builds fast; .bench, as
# released, for whatever measures time.

$(VENV)/.made:
	@command -v $(PYTHON) >/dev/null || { echo "no $(PYTHON) here; name a Python 3.11 or newer: make PYTHON=python3.12 …" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "reasonenv needs Python 3.11 or newer and $(PYTHON) is $$($(PYTHON) --version); name another: make PYTHON=python3.12 …" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' || { echo "$(PYTHON) cannot make virtual environments; on Debian: apt-get install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/pip install --quiet --upgrade "pip>=25.1"
	@touch $@

$(VENV)/.tools: pyproject.toml | $(VENV)/.made
	$(BIN)/pip install --quiet --group dev
	@touch $@

$(VENV)/.zig: pyproject.toml | $(VENV)/.made
	$(BIN)/pip install --quiet --group zig
	@touch $@

$(VENV)-docs/.made: pyproject.toml
	$(PYTHON) -m venv --clear $(VENV)-docs
	$(VENV)-docs/bin/pip install --quiet --upgrade "pip>=25.1"
	$(VENV)-docs/bin/pip install --quiet --group docs
	@touch $@

$(VENV)/.dev: $(NATIVE) $(VENV)/.tools | needs-cargo needs-cc
	$(BIN)/maturin develop --profile dev
	@rm -f $(VENV)/.demo $(VENV)/.bench
	@touch $@

# A second round of .dev, which finds everything built.
$(VENV)/.oracle: $(VENV)/.dev
	$(BIN)/maturin develop --profile dev --extras oracle
	@touch $@

# Without Rust here pip's build fetches a toolchain into a cache of its own.
BUILD_FAILED = { echo "The build failed. It needs Rust 1.88 or newer (https://rustup.rs); where there is none it downloads one from static.rust-lang.org, which has to be within reach." >&2; exit 1; }

# With jinja2, the demo ends with a report.
$(VENV)/.demo: $(NATIVE) | $(VENV)/.made needs-cc
	@echo "Building reasonenv. The first time takes about two minutes on two cores."
	@$(BIN)/python tools/install.py --profile demo jinja2 || $(BUILD_FAILED)
	@rm -f $(VENV)/.dev $(VENV)/.bench
	@touch $@

$(VENV)/.bench: $(NATIVE) $(VENV)/.tools | needs-cc
	@$(BIN)/python tools/install.py --extras bench jinja2 || $(BUILD_FAILED)
	@rm -f $(VENV)/.dev $(VENV)/.demo
	@touch $@

# What the experiments need, with a release build: they spend their time in the learner.
$(VENV)-train/.made: $(NATIVE) | needs-cargo needs-cc
	$(PYTHON) -m venv $(VENV)-train
	$(TRAIN)/pip install --quiet --no-cache-dir pytest matplotlib ".[sb3,report,hf,trl]" "pettingzoo[classic]>=1.27" || $(BUILD_FAILED)
	@touch $@

needs-cargo:
	@command -v cargo >/dev/null || { echo "this needs Rust 1.88 or newer: https://rustup.rs (only make demo does without)" >&2; exit 1; }

needs-cc:
	@command -v cc >/dev/null || { echo "building needs a C compiler; on Debian: apt-get install gcc libc6-dev" >&2; exit 1; }
