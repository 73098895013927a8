# shellcheck shell=bash
# A run folder for one script alone: empty at its start, gone at its end, whatever happens in between.

# scratch NAME: takes .run/NAME and points ACUSE_RUN to it. KEEP=1 leaves everything running.
scratch() {
  mkdir -p .run
  exec {SCRATCH}>".run/$1.lock"
  flock -n "$SCRATCH" || {
    echo "make $1 is already running in this checkout" >&2
    exit 1
  }
  export ACUSE_RUN=$PWD/.run/$1
  stack purge # what a killed run left
  trap 'exit 130' INT
  trap 'exit 143' TERM
  trap scratch_end EXIT
}

scratch_end() {
  local code=$?
  trap '' INT TERM
  if [[ ${KEEP:-} == 1 ]]; then
    echo "kept: ACUSE_RUN=$ACUSE_RUN deploy/local/stack status, and purge when you are done"
  else
    stack purge || echo "could not clean up; see $ACUSE_RUN" >&2
    rm -f -- "$ACUSE_RUN.lock"
    rmdir .run 2>/dev/null || true
  fi
  exit "$code"
}

stack() { "$PWD/deploy/local/stack" "$@"; }

# build_beside_servers NAME…: builds all programs while these servers start, in a scratch run folder or any other.
build_beside_servers() {
  local output=''
  output=$(mktemp)
  stack servers up "$@" >"$output" 2>&1 &
  cargo build --release --locked --bins || {
    wait
    rm -f -- "$output"
    return 1
  }
  wait $! || {
    cat -- "$output" >&2
    rm -f -- "$output"
    return 1
  }
  rm -f -- "$output"
}
