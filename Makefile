# plumbline's tasks. "make" alone lists them.

# The newest staticcheck that reads Go 1.26; go run builds it on first use.
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
# How long each fuzz target runs in "make fuzz".
FUZZTIME ?= 10s
# Flags of "make run": make run ARGS='--profile openai --target http://127.0.0.1:8080'
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help run test race lint fuzz bench witness browser mutants real tidy ci clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## judge the reference gateway, or with ARGS='--target URL …' any other
	go run ./cmd/plumbline run $(ARGS)

test: ## run all tests of the main module
	go test ./...

race: ## run all tests with the race detector (needs a C compiler)
	go test -race ./...

lint: ## gofmt, go vet, staticcheck
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "gofmt would change:"; echo "$$unformatted"; exit 1; fi
	go vet ./...
	go run $(STATICCHECK) ./...

fuzz: ## run each fuzz target for FUZZTIME (10s)
	ci/fuzz.sh $(FUZZTIME)

bench: ## run all benchmarks
	go test -run '^$$' -bench . -benchmem ./...

witness: ## drive the reference gateway with OpenAI's Go SDK (first build: minutes)
	cd witness && go vet ./... && go test ./...

browser: ## look at the live page in a Chromium, if there is one
	cd browser && go vet ./... && go test ./...

mutants: ## prove that every check can fail: judge gateways broken on purpose
	go run ./cmd/plumbline mutants

real: ## judge a gateway in front of a real model server (first build: ten minutes)
	go run ./ci/real

tidy: ## tidy go.mod and go.sum of every module, after a dependency has changed
	go mod tidy
	cd witness && go mod tidy
	cd browser && go mod tidy

ci: ## everything that guards main: lint, tests, race, witness, browser, mutants
	.ci/run

clean: ## remove built programs, reports and caches of this checkout
	rm -rf bin out .cache
