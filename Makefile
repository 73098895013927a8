# The ways into this repository. Logic lives in deploy/local; this file only names it.

STACK := deploy/local/stack

.DEFAULT_GOAL := help
.PHONY: help build up down reset status logs demo test lint real-data sqlx sqlx-check

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## builds all programs
	cargo build --release --locked --bins

demo: ## one command from a clone to a running pipeline that has worked off 200 orders
	@deploy/local/demo

test: ## runs every test, with servers of its own; ARGS='-p inventory' chooses
	@deploy/local/test $(ARGS)

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

real-data: ## real orders through an empty stack of its own, where the data are at hand
	@deploy/local/real-data


sqlx: ## renews .sqlx, what the compiler knows of the SQL
	@deploy/local/sqlx write

sqlx-check: ## shows that .sqlx is current
	@deploy/local/sqlx check
