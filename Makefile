# The ways into this repository. Logic lives in deploy/local; this file only names it.

STACK := deploy/local/stack
TEST_FAST := cargo test --release --locked --workspace --lib --bins \
	$(foreach suite,conformance golden layering rules saga seeds service,--test $(suite))

.DEFAULT_GOAL := help
.PHONY: help build up down reset status logs demo test test-fast simulate lint real-data sqlx sqlx-check

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## builds all programs
	cargo build --release --locked --bins

demo: ## one command from a clone to a running pipeline that has worked off a mixed batch
	@deploy/local/demo

test: ## runs every test, with servers of its own; ARGS='-p inventory' chooses
	@deploy/local/test $(ARGS)

test-fast: ## every test that needs no server, the simulation included
	@$(TEST_FAST)

simulate: ## 2,000 seeds of 20 orders with 20 % faults; ARGS='--seed 7' tells one seed's history
	@cargo run --release --locked -p simulation -- $(or $(ARGS),--seeds 2000)

lint: ## format, clippy, documentation, dependencies, file lengths, scripts
	@deploy/local/lint

up: build ## starts the stack without the batch
	@$(STACK) up

down: ## ends the stack and keeps its data
	@$(STACK) down

reset: ## ends the processes and empties databases and broker
	@$(STACK) reset

status: ## what runs, where, and whether it is ready
	@$(STACK) status

logs: ## follows the logs; NAME=checkout chooses
	@$(STACK) logs $(NAME)

real-data: ## real orders, half their stock, and faults in every service, where the data are at hand; ARGS=half chooses
	@deploy/local/real-data $(ARGS)


sqlx: ## renews .sqlx, what the compiler knows of the SQL
	@deploy/local/sqlx write

sqlx-check: ## shows that .sqlx is current
	@deploy/local/sqlx check
