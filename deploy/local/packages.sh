# shellcheck shell=bash
# PostgreSQL, RabbitMQ and Redis come from the system. What is missing is installed as Debian packages, if we may; none
# of them is left running or set to start with the machine: the stack starts instances of its own.

POLICY=/usr/sbin/policy-rc.d # while it exits 101, packages start no service
NO_CLUSTER=/etc/postgresql-common/createcluster.d/acuse.conf # while it says so, postgresql makes no database cluster
SERVICES=(postgresql.service rabbitmq-server.service redis-server.service epmd.service epmd.socket)

postgres_bin() { # the folder with initdb and postgres: the version that made our data, else the newest
  local folder made_by=none
  if [[ -s $RUN/postgres/data/PG_VERSION ]]; then made_by=$(<"$RUN/postgres/data/PG_VERSION"); fi
  for folder in "${ACUSE_POSTGRES_BIN:-}" "/usr/lib/postgresql/$made_by/bin" $(printf '%s\n' /usr/lib/postgresql/*/bin | sort -Vr); do
    if [[ -x $folder/initdb && -x $folder/postgres ]]; then
      say "$folder"
      return
    fi
  done
  folder=$(command -v initdb) && dirname -- "$(readlink -f -- "$folder")"
}

rabbitmq_bin() { # the folder with the plain scripts; those that Debian puts into the path insist on a user of their own
  local folder
  for folder in "${ACUSE_RABBITMQ_BIN:-}" /usr/lib/rabbitmq/bin /opt/rabbitmq/sbin; do
    if [[ -x $folder/rabbitmq-server ]]; then
      say "$folder"
      return
    fi
  done
  return 1
}

# missing_packages [EXTRA…]: the names of what is not there; EXTRA are commands named as their packages are.
missing_packages() {
  local extra
  postgres_bin >/dev/null || say postgresql
  rabbitmq_bin >/dev/null || say rabbitmq-server
  command -v redis-server >/dev/null || say redis-server
  for extra in curl "$@"; do command -v "$extra" >/dev/null || say "$extra"; done
}

packages() {
  local missing as_root=()
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]})) || return 0
  command -v apt-get >/dev/null || die "missing: ${missing[*]}. This is no Debian: install them with your system's own tool."
  if ((EUID)); then
    sudo -n true 2>/dev/null || die "missing: ${missing[*]}. Install them (apt-get install ${missing[*]}), or run this once as a user who may."
    as_root=(sudo -n)
  fi
  note packages "installing ${missing[*]} (log: $SHOWN/logs/packages.log)"
  if ! "${as_root[@]}" bash -c "$(declare -p POLICY NO_CLUSTER SERVICES); $(declare -f install_packages); install_packages \"\$@\"" _ "${missing[@]}" >"$RUN/logs/packages.log" 2>&1; then
    tail -n "$LOG_TAIL_LINES" -- "$RUN/logs/packages.log" >&2
    die "the packages could not be installed: ${missing[*]}"
  fi
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]} == 0)) || die "still missing after the installation: ${missing[*]}; see $RUN/logs/packages.log"
}

# Runs as root, in a shell of its own.
install_packages() {
  set -euo pipefail
  local service before guard
  kept='' # not local: the trap below runs when this function is over
  exec {guard}>/var/lock/acuse-packages # two stacks may want the same at once
  flock "$guard"
  restore() {
    rm -f -- "$POLICY" "$NO_CLUSTER"
    if [[ -n $kept ]]; then mv -- "$kept" "$POLICY"; fi
  }
  if [[ -e $POLICY.acuse ]]; then # an earlier run was killed before it could put it back
    kept=$POLICY.acuse
  elif [[ -e $POLICY ]]; then
    kept=$POLICY.acuse
    mv -- "$POLICY" "$kept"
  fi
  trap restore EXIT
  trap 'exit 1' INT TERM
  printf '#!/bin/sh\nexit 101\n' >"$POLICY"
  chmod 755 "$POLICY"
  mkdir -p -- "${NO_CLUSTER%/*}"
  echo 'create_main_cluster = false' >"$NO_CLUSTER"

  before=" $(for service in "${SERVICES[@]}"; do [[ -e /lib/systemd/system/$service ]] && printf '%s ' "$service"; done) " || true
  export DEBIAN_FRONTEND=noninteractive
  apt-get update
  apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=300 "$@"
  # A package sets its service to start with the machine; for those that came just now, that is not wanted.
  for service in "${SERVICES[@]}"; do
    if [[ $before != *" $service "* && -e /lib/systemd/system/$service ]] && command -v systemctl >/dev/null; then
      systemctl disable "$service" || true
    fi
  done
}
