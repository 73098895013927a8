# shellcheck shell=bash
# What runs, where, and whether it is ready: for a person and for programs.

# state_of NAME: running, ended (it should run, its process is gone) or stopped.
state_of() {
  if is_running "$1"; then say running; elif [[ -e $RUN/pids/$1 ]]; then say ended; else say stopped; fi
}

address_of() {
  grep -qs "^$1=" "$RUN/ports" || return 0 # nobody has asked for a port yet, and a look does not take one
  if is_server "$1"; then say "127.0.0.1:$(port_of "$1")"; else url_of "$1"; fi
}

ready_of() {
  is_running "$1" || { say false && return; }
  local check=("process_ready" "$1")
  ! is_server "$1" || check=("${1}_ready")
  if "${check[@]}"; then say true; else say false; fi
}

status_table() { # NAME…
  local name ready
  printf '%s%-18s %-8s %-8s %-6s %s%s\n' "$BOLD" name state process ready address "$PLAIN"
  for name; do
    [[ $(ready_of "$name") == true ]] && ready=yes || ready=no
    printf '%-18s %-8s %-8s %-6s %s\n' "$name" "$(state_of "$name")" "$(pid_of "$name" || say -)" "$ready" "$(address_of "$name")"
  done
}

status_json() { # NAME…
  local name separator=''
  printf '{"run": "%s", "programs": [' "${RUN//\"/\\\"}"
  for name; do
    printf '%s\n  {"name": "%s", "state": "%s", "process": %s, "ready": %s, "address": "%s"}' "$separator" \
      "$name" "$(state_of "$name")" "$(pid_of "$name" || say null)" "$(ready_of "$name")" "$(address_of "$name")"
    separator=,
  done
  printf '\n]}\n'
}

status() {
  mapfile -t names < <(known_process_names)
  case ${1:-} in
    '') say "${DIM}run folder $RUN$PLAIN" && status_table "${SERVERS[@]}" "${names[@]}" ;;
    --json) status_json "${SERVERS[@]}" "${names[@]}" ;;
    *) die "status takes --json or nothing" ;;
  esac
}

logs() { # [NAME]
  local files=("$RUN"/logs/*.log)
  if (($#)); then files=("$RUN/logs/$1.log"); fi
  [[ -e ${files[0]} ]] || die "there is no log ${files[0]}"
  exec tail -n "$LOG_TAIL_LINES" -F -- "${files[@]}"
}
