# shellcheck shell=bash
# The pipeline's own processes, made from the tables in table.sh.

PROCESS_READY_SECONDS=60
PROCESS_GRACE_SECONDS=25 # what a process gives its work to finish, see ACUSE_GRACE_SECONDS
PROCESS_END_SECONDS=$((${ACUSE_GRACE_SECONDS:-$PROCESS_GRACE_SECONDS} + 5))
HEALTH_ANSWER_SECONDS=2

BINARIES=$(realpath -m -- "${CARGO_TARGET_DIR:-$REPO/target}")/release

# kind_of NAME: order-worker-2 is of kind order-worker.
kind_of() {
  local kind
  for kind in "${KINDS[@]}"; do
    if [[ -n ${INSTANCES[$kind]:-} ]]; then
      [[ ! $1 =~ ^"$kind"-[1-9][0-9]{0,2}$ ]] || { say "$kind" && return; }
    else
      [[ $1 != "$kind" ]] || { say "$kind" && return; }
    fi
  done
  return 1
}

# The processes that belong to the stack, and those beyond that somebody started by name.
process_names() {
  local kind number
  for kind in "${KINDS[@]}"; do
    if [[ -z ${INSTANCES[$kind]:-} ]]; then
      say "$kind"
    else
      for ((number = 1; number <= INSTANCES[$kind]; number++)); do say "$kind-$number"; done
    fi
  done
}

known_process_names() {
  local file
  {
    process_names
    for file in "$RUN"/pids/*; do
      if kind_of "${file##*/}" >/dev/null; then say "${file##*/}"; fi
    done
  } | awk '!seen[$0]++'
}

url_of() { say "http://127.0.0.1:$(port_of "$1")"; }

# callers_of KIND: who may call it, with the digest of each one's token: the token itself stays with the caller.
callers_of() {
  local caller list=''
  for caller in ${CALLERS[$1]}; do list+=${list:+,}$caller:$(printf %s "$(secret "token-$caller")" | digest); done
  say "$list"
}

environment_name() { local name=${1^^} && say "ACUSE_${name//-/_}"; }

process_environment() { # NAME
  local kind other setting
  kind=$(kind_of "$1")
  say "ACUSE_LISTEN=127.0.0.1:$(port_of "$1")"
  say "ACUSE_INSTANCE=$1"
  [[ -z ${DATABASE[$kind]:-} ]] || say "ACUSE_DATABASE_URL=$(database_url "${DATABASE[$kind]}")"
  [[ -z ${CALLERS[$kind]:-} ]] || say "ACUSE_CALLERS=$(callers_of "$kind")"
  [[ -z ${CALLS_AS[$kind]:-} ]] || say "ACUSE_TOKEN=$(secret "token-${CALLS_AS[$kind]}")"
  [[ -z ${BROKER_USER[$kind]:-} ]] || say "ACUSE_AMQP_URL=$(broker_url "${BROKER_USER[$kind]}")"
  [[ -z ${PUBLIC[$kind]:-} ]] || say "ACUSE_PUBLIC_URL=$(url_of "$1")"
  for other in ${CALLS[$kind]:-}; do say "$(environment_name "$other")_URL=$(url_of "$other")"; done
  for setting in "${PASSED_ON[@]}"; do
    [[ -z ${!setting+set} ]] || say "$setting=${!setting}"
  done
  for setting in ${SETTING[$kind]:-}; do say "$setting"; done
}

program_of() { say "$BINARIES/${PROGRAM[$1]:-$1}"; } # KIND

binaries_present() {
  local kind
  for kind in "${KINDS[@]}" acuse; do
    [[ -x $(program_of "$kind") ]] || die "$(program_of "$kind") is not there: run make build first"
  done
}

process_ready() { # NAME
  local code
  code=$(curl --silent --noproxy '*' --max-time "$HEALTH_ANSWER_SECONDS" --output /dev/null --write-out '%{http_code}' "$(url_of "$1")/health/ready") || return 1
  [[ $code == 200 ]]
}

process_launch() { # NAME
  local kind
  kind=$(kind_of "$1") || die "there is no process $1; there are: $(process_names | paste -sd' ')"
  [[ -x $(program_of "$kind") ]] || die "$(program_of "$kind") is not there: run make build first"
  require_free "$1"
  launch "$1" process_environment "$(program_of "$kind")"
}

process_describe() { note "$1" "$(url_of "$1")  process $(pid_of "$1")"; }

# A process whose executable has been built anew since it started.
is_outdated() { [[ $(readlink -- "/proc/$(pid_of "$1")/exe") == *' (deleted)' ]]; }

processes_up() { # [NAME…]: starts what does not run, all at once, and waits until each is ready
  local name
  for name; do
    if is_running "$name" && is_outdated "$name"; then
      say "$name runs an older build: starting it anew"
      processes_stop "$name"
    fi
    is_running "$name" || process_launch "$name"
  done
  for name; do
    await "$name" "$PROCESS_READY_SECONDS" process_ready "$name"
    process_describe "$name"
  done
}

processes_stop() { # [NAME…]
  local name
  for name; do signal "$name" TERM; done
  for name; do end_within "$name" "$PROCESS_END_SECONDS"; done
}

# What a person and the acuse command need to find the stack.
write_env() {
  local name
  (
    umask 077
    {
      say "# Written by deploy/local/stack. For a shell: set -a; . '$SHOWN/env'; set +a"
      say "# Logs: $RUN/logs"
      for name in checkout inventory logistics documents notifications console; do
        assignment "$(environment_name "$name")_URL" "$(url_of "$name")"
      done
      assignment ACUSE_TOKEN "$(secret token-operator)"
      assignment ACUSE_MANAGEMENT_URL "$(management_url)"
      assignment ACUSE_MANAGEMENT_USER operator
      assignment ACUSE_MANAGEMENT_PASSWORD "$(secret broker-operator)"
      assignment ACUSE_VHOST "$VHOST"
      for name in "${DATABASES[@]}"; do
        if [[ $name == acuse ]]; then assignment ACUSE_DATABASE_URL "$(database_url acuse)"; else
          assignment "$(environment_name "$name")_DATABASE_URL" "$(database_url "$name")"; fi
      done
    } >"$RUN/env.new"
  )
  mv -- "$RUN/env.new" "$RUN/env"
}

acuse() { ACUSE_RUN=$RUN "$BINARIES/acuse" "$@"; }
