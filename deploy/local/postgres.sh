# shellcheck shell=bash
# An own PostgreSQL instance, with the durability settings of production.

POSTGRES_READY_SECONDS=60
POSTGRES_STOP_SECONDS=60
POSTGRES_LEFTOVER_SECONDS=30
POSTGRES_CONNECTIONS_MAX=300
POSTGRES_BUFFERS=256MB

# PostgreSQL refuses to run as root; then it runs as the user that its package made.
AS_POSTGRES=()
if ((EUID == 0)); then AS_POSTGRES=(setpriv --reuid=postgres --regid=postgres --clear-groups --); fi

# The data lie in the run folder; where the database's user cannot reach that (it may be below /root), they lie under
# /var/tmp and the run folder has a link.
postgres_folder() {
  local elsewhere
  if [[ ! -e $RUN/postgres ]]; then
    rm -f -- "$RUN/postgres" # a link that leads nowhere
    if ((EUID)) || "${AS_POSTGRES[@]}" test -x "$RUN"; then
      mkdir -m 700 -- "$RUN/postgres" || return 1
    else
      elsewhere=$(postgres_elsewhere)
      [[ -O $elsewhere ]] || mkdir -m 755 -- "$elsewhere" || return 1
      mkdir -p -m 700 -- "$elsewhere/postgres" && ln -s -- "$elsewhere/postgres" "$RUN/postgres" || return 1
      say "PostgreSQL's user cannot reach $RUN: its data lie in $elsewhere" >&2
    fi
    if ((EUID == 0)); then chown -- postgres:postgres "$RUN/postgres/"; fi
  fi
  readlink -f -- "$RUN/postgres"
}

postgres_elsewhere() { say "/var/tmp/acuse-$(printf %s "$RUN" | digest | cut -c1-16)"; }

# postgres_initialise BIN DATA: makes DATA beside its place and moves it there when it is whole.
postgres_initialise() {
  local new=$2.new password_file=$2.password
  note PostgreSQL "makes an empty database cluster in $2"
  rm -rf -- "${new:?}" # what an interrupted first start left
  secret postgres-superuser >/dev/null || return 1
  (umask 077 && secret postgres-superuser >"$password_file")
  if ((EUID == 0)); then chown -- postgres "$password_file"; fi
  # The locale is the same on every machine: text sorts by code point.
  if ! (cd / && "${AS_POSTGRES[@]}" "$1/initdb" --pgdata "$new" --username postgres --pwfile "$password_file" \
    --auth scram-sha-256 --encoding UTF8 --no-locale) >>"$RUN/logs/postgres.log" 2>&1; then
    rm -f -- "$password_file"
    tail_of_log postgres
    die "PostgreSQL could not make its data folder $new"
  fi
  rm -f -- "$password_file"
  echo "include 'acuse.conf'" >>"$new/postgresql.conf"
  mv -- "$new" "$2"
}

postgres_settings() { # PORT
  cat <<-END
	listen_addresses = '127.0.0.1'
	port = $1
	unix_socket_directories = ''
	max_connections = $POSTGRES_CONNECTIONS_MAX
	shared_buffers = $POSTGRES_BUFFERS
	timezone = 'UTC'
	log_timezone = 'UTC'
	log_line_prefix = '%m [%p] %q%u@%d '
	# durability as in production: an answered commit survives a power cut
	fsync = on
	full_page_writes = on
	synchronous_commit = on
	END
}

# Every process of PostgreSQL works in its data folder.
postgres_unused() { ! find /proc/[0-9]*/cwd -maxdepth 0 -printf '%l\n' 2>/dev/null | grep -Fxq -- "$1"; }

# After a crash the lock file stays, and where nobody collects the dead process (a container without an init) a new
# server would take its predecessor for alive for ever. So we look ourselves, the crashed server's children included.
postgres_forget_crash() { # DATA
  [[ -e $1/postmaster.pid ]] || return 0
  wait_until "$POSTGRES_LEFTOVER_SECONDS" postgres_unused "$1" ||
    die "another PostgreSQL works on $1, see its postmaster.pid; end it first"
  rm -f -- "$1/postmaster.pid"
}

postgres_start() {
  local bin data port
  if ((EUID == 0)) && ! id postgres >/dev/null 2>&1; then
    die "PostgreSQL does not run as root and there is no user postgres; make one, or run the stack as an ordinary user"
  fi
  data=$(postgres_folder) || die "no place for the data of PostgreSQL"
  port=$(port_of postgres)
  require_free postgres
  bin=$(postgres_bin) || die "PostgreSQL is missing: run $0 packages"
  data=$data/data
  if [[ ! -d $data ]]; then
    postgres_initialise "$bin" "$data"
  elif [[ $("$bin/postgres" --version) != *" $(<"$data/PG_VERSION")."* ]]; then
    die "the data in $data are of PostgreSQL $(<"$data/PG_VERSION"), found is $("$bin/postgres" --version).
Point ACUSE_POSTGRES_BIN to the folder of the older version, or empty everything: $0 purge"
  fi
  postgres_forget_crash "$data"
  postgres_settings "$port" >"$data/acuse.conf"
  chmod 644 -- "$data/acuse.conf"
  launch postgres no_environment "${AS_POSTGRES[@]}" "$bin/postgres" -D "$data"
}

postgres_ready() { "$(postgres_bin)/pg_isready" --quiet --host 127.0.0.1 --port "$(port_of postgres)"; }

postgres_stop() {
  signal postgres INT # closes sessions, writes everything, ends
  end_within postgres "$POSTGRES_STOP_SECONDS"
}

postgres_describe() {
  local user
  user=$(stat -c %U -- "/proc/$(pid_of postgres)")
  note "PostgreSQL $("$(postgres_bin)/postgres" --version | sed 's/^[^0-9]*\([0-9.]*\).*/\1/')" "127.0.0.1:$(port_of postgres)  as $user, data in $(readlink -f -- "$RUN/postgres")"
}

postgres_superuser_url() { say "postgres://postgres:$(secret postgres-superuser)@127.0.0.1:$(port_of postgres)/postgres"; }

# psql_as_superuser: runs the SQL on its standard input, stops at the first error.
psql_as_superuser() {
  PGPASSWORD=$(secret postgres-superuser) PGCONNECT_TIMEOUT=10 "$(postgres_bin)/psql" --no-psqlrc --quiet --tuples-only --no-align \
    --set ON_ERROR_STOP=1 --host 127.0.0.1 --port "$(port_of postgres)" --username postgres --dbname postgres
}
