# `make demo` and `make test` set everything up in .venv; only Python 3.11 or newer, git and
# make are needed.
PYTHON ?= python3
BIN := .venv/bin
JOBS ?= auto

.PHONY: help demo test unit filecheck lint format gpu bench clean

help:
	@echo "make demo    compile examples/sum32.mlir for sm_100a and show every step"
	@echo "make test    all tests: lint, types, unit tests, filecheck tests"
	@echo "make gpu     the tests that run kernels on an NVIDIA GPU"
	@echo "make bench   compare with other compilers; writes docs/benchmarks.md"

.venv/installed: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --editable '.[dev]'
	touch $@

demo: .venv/installed
	$(BIN)/python examples/demo.py

test: lint unit filecheck

lint: .venv/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright

unit: .venv/installed
	$(BIN)/pytest -q -n $(JOBS)

filecheck: .venv/installed
	$(BIN)/lit -q tests/filecheck

format: .venv/installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

gpu: .venv/installed
	$(BIN)/pip install --quiet --editable '.[gpu]'
	$(BIN)/pytest -q -m gpu

# A peer that cannot be installed is named as missing in the tables.
bench: .venv/installed
	$(BIN)/pip install --quiet --editable '.[bench]' \
		|| for peer in llvmlite triton apache-tvm==0.27.0.post1 nvidia-cutlass-dsl matplotlib tqdm; do \
			$(BIN)/pip install --quiet $$peer || true; done
	$(BIN)/python -m bench

clean:
	rm -rf .venv
