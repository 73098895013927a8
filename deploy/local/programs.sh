# shellcheck shell=bash
# Programs in the background, servers and processes alike. A pid file holds the process id, its start time and the
# machine's boot id: a number that the kernel has given to somebody else is never taken for ours.

KILL_WAIT_SECONDS=10

BOOT_ID=$(</proc/sys/kernel/random/boot_id)

# start_time PID: ticks since boot; false when there is no such process or only its remains (a zombie).
start_time() {
  local line fields
  { read -r line <"/proc/$1/stat"; } 2>/dev/null || return 1
  read -ra fields <<<"${line##*) }" # after the command's name, which may hold blanks; state is first, start time 20th
  [[ ${fields[0]} != [ZX] ]] && say "${fields[19]}"
}

# pid_of NAME: the process id of our NAME; false when it does not run.
pid_of() {
  local pid started boot
  { read -r pid started boot <"$RUN/pids/$1"; } 2>/dev/null || return 1
  [[ $boot == "$BOOT_ID" && $(start_time "$pid") == "$started" ]] && say "$pid"
}

is_running() { pid_of "$1" >/dev/null; }
is_gone() { ! is_running "$1"; }

# group_is_gone GROUP: no process of the group is left, remains (zombies) not counted.
group_is_gone() {
  local stat line fields
  for stat in /proc/[0-9]*/stat; do
    { read -r line <"$stat"; } 2>/dev/null || continue
    read -ra fields <<<"${line##*) }"
    [[ ${fields[2]} != "$1" || ${fields[0]} == [ZX] ]] || return 1
  done
}

# launch NAME ENVIRONMENT COMMAND…: starts COMMAND in a session of its own with PATH, HOME and LANG and the
# NAME=value lines that the function ENVIRONMENT prints for NAME; nothing else is inherited. The values pass through
# no command line, where others could read them.
launch() {
  local name=$1 environment=$2 lines line open
  shift 2
  lines=$("$environment" "$name") || die "cannot work out the environment of $name"
  (
    for open in "/proc/$BASHPID/fd/"*; do # the lock above all, but also whatever make or a terminal left open
      open=${open##*/}
      ((open <= 2 || open == 255)) || exec {open}>&-
    done
    cd /
    while read -r line; do
      case $line in PATH | HOME | LANG) ;; *) export -n "${line?}" ;; esac
    done < <(compgen -e)
    while IFS= read -r line; do [[ -z $line ]] || export "${line?}"; done <<<"$lines"
    exec setsid "$@" </dev/null >>"$RUN/logs/$name.log" 2>&1
  ) &
  say "$! $(start_time $!) $BOOT_ID" >"$RUN/pids/$name"
}

no_environment() { :; }

tail_of_log() {
  warn "--- the end of $RUN/logs/$1.log"
  tail -n "$LOG_TAIL_LINES" -- "$RUN/logs/$1.log" >&2 || true
  warn "---"
}

# await NAME SECONDS COMMAND…: until COMMAND is true; ends the command with the tail of NAME's log when NAME has ended
# or does not get there in time.
await() {
  local name=$1 seconds=$2 deadline=$((SECONDS + $2))
  shift 2
  until "$@"; do
    if ! is_running "$name"; then
      tail_of_log "$name"
      die "$name ended while starting"
    fi
    if ((SECONDS >= deadline)); then
      tail_of_log "$name"
      die "$name was not ready after $seconds s"
    fi
    sleep "$POLL_SECONDS"
  done
}

# signal NAME SIGNAL: asks our NAME, if it runs.
signal() {
  local pid
  pid=$(pid_of "$1") || return 0
  kill -s "$2" "$pid" 2>/dev/null || true
}

# end_within NAME SECONDS: waits for NAME, which has been asked to end, and kills it with all its children when it has
# not after SECONDS.
end_within() {
  local pid
  if pid=$(pid_of "$1"); then
    if ! wait_until "$2" is_gone "$1"; then
      warn "$1 did not end within $2 s: killed"
      kill_group "$1" "$pid"
    fi
  fi
  rm -f -- "$RUN/pids/$1"
}

# kill_now NAME: SIGKILL at once.
kill_now() {
  local pid
  if pid=$(pid_of "$1"); then kill_group "$1" "$pid"; fi
  rm -f -- "$RUN/pids/$1"
}

kill_group() {
  # Each program leads a session, so its process group has its number (but for the moment before it does).
  kill -s KILL -- "-$2" 2>/dev/null || kill -s KILL "$2" 2>/dev/null || true
  wait_until "$KILL_WAIT_SECONDS" group_is_gone "$2" || die "$1 (process group $2) is still there $KILL_WAIT_SECONDS s after SIGKILL"
}
