# shellcheck shell=bash
# What every part of the local stack needs: words for the person, the run folder, secrets, ports, bounded waits.

LOCK_WAIT_SECONDS=180  # longer than any single command of the stack holds the lock
POLL_SECONDS=0.2
LOG_TAIL_LINES=20
PORT_FIRST=20000       # ports lie below 32768, where the kernel takes its own
PORT_BLOCK=25          # ports set aside for one run folder
PORT_BLOCKS=480

if [[ -t 1 && -z ${NO_COLOR:-} ]]; then BOLD=$'\e[1m' DIM=$'\e[2m' RED=$'\e[31m' PLAIN=$'\e[0m'; else BOLD='' DIM='' RED='' PLAIN=''; fi

say() { printf '%s\n' "$*"; }
note() { printf '%s%-18s%s %s\n' "$BOLD" "$1" "$PLAIN" "$2"; }
warn() { printf '%s%s%s\n' "$RED" "$*" "$PLAIN" >&2; }
die() {
  warn "stack: $*"
  exit 1
}

REPO=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
RUN=$(realpath -m -- "${ACUSE_RUN:-$REPO/.run}")
[[ $RUN == "$REPO"/.run* ]] && SHOWN=${RUN#"$REPO"/} || SHOWN=$RUN

# Makes the run folder. Others on the machine may look in (PostgreSQL runs as another user when we are root), but not
# into the secrets.
run_folder() {
  mkdir -p -- "$RUN" || die "cannot make the run folder $RUN; choose another one with ACUSE_RUN"
  [[ -O $RUN ]] || die "the run folder $RUN belongs to $(stat -c %U -- "$RUN"), you are $(id -un); choose another one with ACUSE_RUN"
  chmod 755 -- "$RUN"
  mkdir -p -- "$RUN"/{logs,pids}
  mkdir -p -m 700 -- "$RUN/secrets"
}

# One command at a time changes a run folder. The lock ends with the process that holds it.
lock() {
  run_folder
  exec {LOCK}>"$RUN/lock"
  flock -n "$LOCK" && return
  say "waiting for another command that is at work on $SHOWN"
  flock -w "$LOCK_WAIT_SECONDS" "$LOCK" || die "another command has been at work on $SHOWN for $LOCK_WAIT_SECONDS s; see $RUN/lock"
}

# wait_until SECONDS COMMAND…: true as soon as COMMAND is, false when the time is over.
wait_until() {
  local deadline=$((SECONDS + $1))
  shift
  until "$@"; do
    ((SECONDS < deadline)) || return 1
    sleep "$POLL_SECONDS"
  done
}

digest() { sha256sum | cut -c1-64; }

# secret NAME: 32 random bytes as hex, made once, readable by the owner alone.
secret() {
  local file=$RUN/secrets/$1
  if [[ ! -s $file ]]; then
    (umask 077 && od -An -v -tx1 -N32 /dev/urandom | tr -d ' \n' >"$file.new" && mv -- "$file.new" "$file") || return 1
  fi
  cat -- "$file"
}

port_open() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# port_of NAME: the port recorded for NAME in this run folder; the first time, a free one is found and recorded. Each
# run folder searches from a place of its own, so that two of them rarely want the same port.
port_of() {
  local line port
  if line=$(grep -s "^$1=" "$RUN/ports"); then
    say "${line#*=}"
    return
  fi
  port=$((PORT_FIRST + 16#$(printf %s "$RUN" | digest | cut -c1-6) % PORT_BLOCKS * PORT_BLOCK))
  while grep -qs "=$port\$" "$RUN/ports" || port_open "$port"; do port=$((port + 1)); done
  say "$1=$port" >>"$RUN/ports"
  say "$port"
}

# require_free NAME…: complains when a port that belongs to NAME answers although NAME does not run.
require_free() {
  local name port
  for name; do
    port=$(port_of "$name") || return 1
    ! port_open "$port" || die "port $port, recorded for $name in $RUN/ports, is taken by a program that is not ours.
End that program, or delete the line $name=$port from the file to have another port chosen."
  done
}

# assignment NAME VALUE: a line for a shell or an env file to read, quoted only where it has to be.
assignment() {
  if [[ $2 =~ ^[A-Za-z0-9_./:@%+,=-]*$ ]]; then say "$1=$2"; else say "$1='${2//\'/\'\\\'\'}'"; fi
}
