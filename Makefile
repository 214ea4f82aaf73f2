# The everyday commands. Each sets up what it needs: on a fresh Debian 12, `make run` and `make test` are enough.
#
#   make run      install, build, trace a small GPU workload and explain the recording
#   make test     install, build, run every test, and say what ran, failed and was skipped and why
#   make build    build the release preset
#   make install  build and install under PREFIX (default /usr/local), or below DESTDIR
#   make package  build a Debian package: build/release/ingero_VERSION_ARCH.deb
#   make exactness  a million calls for each way of attaching, each compared with the program's own log (root)
#   make soak     MINUTES=30 while everything comes and goes: what grows, and whether a call is missing (root)
#   make short-processes  COUNT=20000 short programs one after another: what the agent keeps of them (root)
#   make truth    planted causes and healthy runs, live; what explain would say first, compared with the plant (root)
#   make truth-programs  some fifty programs that know nothing of ingero, with one planted cause or none, traced and
#                   explained: first cause, budget against their own clock; TRUTH=--noisy counts false alarms (root)
#   make fleet-truth  simulated jobs of up to 16,384 ranks sent to a real cluster's server: precision, recall, class, time to name
#   make fleet-bench  what a cluster's server takes: 13,100 windows a second over TLS, as much as it can next to a bare
#                   loop, and questions about an hour; a table with bounds
#   make fleet-kills  SIGKILL to a cluster's server 50 times while nodes send to it: whether it kept its word
#   make kernels    boot other kernels under emulation and compare each recording made there with the program's own log;
#                   KERNELS="6.1 7.2" chooses, ALL=1 is every preemption model with 1, 2 and 4 CPUs (root)
#   make real     programs of others, each next to an independent counter of its calls, and what tracing costs them (root)
#   make bench    benchmarks and their comparison with a peer
#   make fuzz     what reads hostile input, for FUZZ seconds (default 60) each: broken messages, files and tables
#   make faults   POINTS=450 of each command and kind of call: the n-th allocation, read, write, mapping, opening, BPF or SQLite
#                   call fails; what each command made of it, by call (root: traces too)
#   make hostile  RECORDINGS=10000 with any value in any column, and views as tables, through every command, under ASan
#   make lint     the checks of tools/check_*, formatting, shellcheck, a build without precompiled headers, clang-tidy
#   make format   clang-format over the sources
#   make clang | asan | tsan | debug   build and test under that preset
#   make arm64    the program and the ground truth for arm64, built here (build/arm64); what runs them: tests/kernels
#   make page     bundle the dashboard's page anew (serve/page/), and install what its browser tests need
#   make packages install every Debian package that any of these uses
SHELL := /bin/sh
# bpftool and ip live where an ordinary user's PATH does not look.
export PATH := $(PATH):/usr/local/sbin:/usr/sbin:/sbin
JOBS ?= $(shell nproc)
PRESET ?= release
BUILD := build/$(PRESET)
# Filters for one run, as ctest takes them: make test CTEST='-R store'
CTEST ?=
FUZZ ?= 60
MINUTES ?= 30
COUNT ?= 20000
POINTS ?= 450
RECORDINGS ?= 10000
PREFIX ?= /usr/local

.PHONY: all install installable package page arm64 run test exactness kernels soak short-processes truth truth-programs fleet-truth fleet-kills fleet-bench real build bench faults fuzz hostile lint format clang asan tsan debug packages tested \
  clean
all: build

packages:
	@tools/bootstrap.sh build test gpu lint bench

build:
	@tools/bootstrap.sh build
	@cmake --preset $(PRESET)
	@cmake --build $(BUILD) -j $(JOBS)

installable:
	@tools/bootstrap.sh build package
	@cmake --preset release
	@cmake --build build/release -j $(JOBS) --target ingero completions

install: installable
	@cmake --install build/release --strip --prefix $(PREFIX)

package: installable
	@cd build/release && cpack

run:
	@tools/bootstrap.sh build $$(tests/workload/has_runtime.sh || echo gpu)
	@cmake --preset release
	@cmake --build build/release -j $(JOBS) --target ingero workload
	@tools/run_demo.sh build/release

test:
	@tools/bootstrap.sh build test gpu
	@$(MAKE) --no-print-directory tested PRESET=$(PRESET)

# Builds and tests one preset.
tested:
	@cmake --preset $(PRESET)
	@cmake --build $(BUILD) -j $(JOBS)
	@tools/run_tests.sh $(BUILD) $(JOBS) $(CTEST)

debug clang asan:
	@tools/bootstrap.sh build test gpu
	@$(MAKE) --no-print-directory tested PRESET=$@

# Debian's arm64 packages are unpacked outside of the tree (tools/arm64_sysroot.sh).
arm64:
	@tools/bootstrap.sh build arm64
	@tools/arm64_sysroot.sh $${INGERO_ARM64:-$$HOME/.cache/ingero/arm64}/sysroot
	@cmake --preset arm64
	@cmake --build build/arm64 -j $(JOBS) --target ingero ground_truth fake_libraries timed_libraries stack_truth scenarios

# The thread sanitizer cannot see what the kernel writes into a ring: the tests that load BPF stay out.
tsan:
	@tools/bootstrap.sh build test
	@$(MAKE) --no-print-directory tested PRESET=tsan CTEST="-LE bpf $(CTEST)"

fleet-kills:
	@tools/bootstrap.sh build
	@cmake --preset release
	@cmake --build build/release -j $(JOBS) --target ingero
	@python3 -B tests/cluster/fleet_kills.py --build build/release $(KILLS)

fleet-truth:
	@tools/bootstrap.sh build
	@cmake --preset release
	@cmake --build build/release -j $(JOBS) --target ingero fleet_load
	@python3 -B tests/cluster/fleet_truth.py --build build/release $(TRUTH)

fleet-bench:
	@tools/bootstrap.sh build bench
	@cmake --preset release
	@cmake --build build/release -j $(JOBS) --target ingero fleet_load
	@python3 -B bench/fleet_bench.py build/release $(LOAD)

exactness:
	@tools/bootstrap.sh build test gpu
	@cmake --preset release
	@cmake --build build/release -j $(JOBS)
	@python3 -B tests/e2e/run.py --build build/release --exactness

kernels:
	@tools/bootstrap.sh build kernels
	@cmake --preset release
	@cmake --build build/release -j $(JOBS) --target ingero ground_truth fake_libraries timed_libraries verifier_cost
	@KERNELS="$(KERNELS)" python3 -B tests/kernels/lab.py --build build/release $(if $(ALL),--all) $(LAB)

# The curves stay in the build folder.
soak:
	@tools/bootstrap.sh build test gpu
	@cmake --preset release
	@cmake --build build/release -j $(JOBS) --target ingero caller fake_libraries
	@python3 -B tests/soak/soak.py --build build/release --minutes $(MINUTES) --csv build/release/soak.csv $(SOAK)

short-processes:
	@tools/bootstrap.sh build test gpu
	@cmake --preset release
	@cmake --build build/release -j $(JOBS) --target ingero caller fake_libraries
	@python3 -B tests/soak/short_processes.py --build build/release --count $(COUNT) \
	  --csv build/release/short_processes.csv $(SHORT)

truth:
	@tools/bootstrap.sh build test truth
	@cmake --preset release
	@cmake --build build/release -j $(JOBS)
	@python3 -B tests/scenarios/run.py --build build/release $(TRUTH)

real:
	@tools/bootstrap.sh build real
	@cmake --preset release
	@cmake --build build/release -j $(JOBS) --target ingero
	@python3 -B tests/real/run.py --build build/release $(REAL)

truth-programs:
	@tools/bootstrap.sh build test
	@cmake --preset release
	@cmake --build build/release -j $(JOBS) --target ingero truth_programs
	@python3 -B tests/truth/run.py --build build/release $(TRUTH)

bench:
	@tools/bootstrap.sh build bench
	@cmake --preset release
	@cmake --build build/release -j $(JOBS)
	@bench/run.sh build/release

# What a harness finds on the way stays in the build folder; the corpus of the sources is where it begins. Harnesses that
# write files do so in memory.
fuzz: export TMPDIR := $(or $(wildcard /dev/shm),/tmp)
fuzz:
	@tools/bootstrap.sh build test fuzz
	@cmake --preset fuzz
	@cmake --build --preset fuzz -j $(JOBS)
	@for harness in tests/fuzz/*_fuzz.cc; do \
	  name=$$(basename $$harness .cc); found=build/fuzz/found/$$name; mkdir -p $$found; \
	  build/fuzz/tests/fuzz/$$name -max_total_time=$(FUZZ) -artifact_prefix=$$found. -print_final_stats=1 \
	    $$found tests/fuzz/corpus/$${name%_fuzz} >$$found.log 2>&1 || { tail -n 40 $$found.log; exit 1; }; \
	  echo "$$name: $$(sed -n 's/^stat::number_of_executed_units: *//p' $$found.log) inputs, nothing broken"; \
	done

faults:
	@tools/bootstrap.sh build test
	@cmake --preset release
	@cmake --build build/release -j $(JOBS) --target ingero page_recording faults caller fake_libraries
	@python3 -B tests/faults/faults.py build/release/cli/ingero build/release/tests/faults/libfaults.so \
	  build/release/tests/page/make_recording --points $(POINTS) $$(test $$(id -u) -ne 0 || echo --caller \
	  build/release/tests/soak/caller build/release/tests/fakes/plain) $(FAULTS)

# One range of them for each processor.
hostile: export TMPDIR := $(or $(wildcard /dev/shm),/tmp)
hostile:
	@tools/bootstrap.sh build test
	@cmake --preset asan
	@cmake --build build/asan -j $(JOBS) --target fork_client fork_server page_recording
	@each=$$((($(RECORDINGS) + $(JOBS) - 1) / $(JOBS))); seq 0 $$each $$(($(RECORDINGS) - 1)) | xargs -P $(JOBS) -I FIRST \
	  python3 -B tests/interfaces/hostile_recordings_test.py build/asan/tests/interfaces/fork_client \
	  build/asan/tests/page/make_recording --server build/asan/tests/interfaces/fork_server --first FIRST --recordings $$each

lint:
	@tools/bootstrap.sh build lint
	@tools/lint.sh

page:
	@tools/bootstrap.sh page
	@cd serve/page && npm ci --ignore-scripts --no-fund --no-audit && npm run --silent build
	@cd tests/page && npm ci --ignore-scripts --no-fund --no-audit

format:
	@tools/bootstrap.sh lint
	@tools/format.sh

clean:
	rm -rf build
