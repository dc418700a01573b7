# The front door: each target installs the packages it needs (if any are missing) and hands over to CMake or
# to a script in tools/.
PREFIX ?= /usr/local
DESTDIR ?=
FUZZ_SECONDS ?= 60
FUZZ_RUNS ?=

.NOTPARALLEL:
.PHONY: build run test bench check check-format check-lint check-layers check-asan check-tsan check-fuzz \
        check-interface check-determinism coverage install format clean help

build: ## library and command line tool, optimised, into build/
	@tools/install_packages.sh build
	@tools/build.sh release product

run: build ## the story on one screen, with the paper's Table 2 at a quick scale; report in out/report
	build/experior study table2 --scale quick --brief -o out/report
	@tools/story.sh build/experior examples/data/treatments.csv examples/data/treatments_history.csv \
	    out/treatments.json out/report table2

test: ## every test; the last line counts the claims
	@tools/install_packages.sh build test
	@tools/build.sh release
	@tools/run_tests.sh build

bench: ## speed of the parts and of whole runs, into bench/results/<processor>.csv
	@tools/install_packages.sh build bench
	@tools/build.sh release product benchmarks
	@tools/run_benchmarks.sh build

check: check-format check-layers check-lint check-asan check-tsan check-determinism check-fuzz check-interface ## all that begin with check-
	@echo "all checks passed"

check-format: ## layout of the sources (clang-format)
	@tools/install_packages.sh format
	@tools/format.sh --check

check-layers: ## who may include whom
	@tools/install_packages.sh python
	@tools/check_layers.py

check-lint: ## clang-tidy on library and command line tool
	@tools/install_packages.sh build lint
	@tools/build.sh release product
	@tools/lint.sh build

check-asan: ## every test under address and undefined behaviour sanitizers; memory that runs out at every allocation
	@tools/install_packages.sh build test
	@tools/build.sh asan
	@tools/run_tests.sh build-asan

check-tsan: ## every test under the thread sanitizer
	@tools/install_packages.sh build test
	@tools/build.sh tsan
	@tools/run_tests.sh build-tsan

check-fuzz: ## every fuzzer for FUZZ_SECONDS (60), or on FUZZ_RUNS inputs that are the same each time
	@tools/install_packages.sh build fuzz
	@tools/build.sh fuzz fuzzers
	@tools/run_fuzzers.sh build-fuzz $(FUZZ_SECONDS) $(FUZZ_RUNS)

check-interface: ## schemathesis (from PyPI) against the service, on every store that is there
	@tools/install_packages.sh build environment
	@tools/build.sh release product
	@tools/explore_interface.sh build

check-determinism: ## the same bytes from gcc and clang, -O1 and -O3, one thread and two; no warnings
	@tools/install_packages.sh build python clang
	@tools/check_determinism.sh

coverage: ## share of src/ that tests run, at least 95 %; out/coverage/index.html
	@tools/install_packages.sh build test coverage
	@tools/build.sh coverage
	@tools/coverage.sh build-coverage out/coverage

install: build ## library, headers, tool and manual into DESTDIR/PREFIX (/usr/local)
	DESTDIR="$(DESTDIR)" cmake --install build --prefix "$(PREFIX)"

format: ## lays the sources out (clang-format)
	@tools/install_packages.sh format
	@tools/format.sh

clean: ## removes what was built and written
	rm -rf build build-* out

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/\1\t\2/' | \
	    while IFS="$$(printf '\t')" read -r name what; do printf '  %-18s %s\n' "$$name" "$$what"; done
