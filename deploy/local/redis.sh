# shellcheck shell=bash
# An own Redis instance with a password and an append-only file.

REDIS_READY_SECONDS=30
REDIS_STOP_SECONDS=30

redis_settings() {
  cat <<-END
	bind 127.0.0.1
	port $(port_of redis)
	requirepass $(secret redis)
	dir "$RUN/redis"
	appendonly yes
	save ""
	END
}

redis_start() {
  require_free redis
  mkdir -p -m 700 -- "$RUN/redis"
  (umask 077 && redis_settings >"$RUN/redis/redis.conf")
  launch redis no_environment "$(command -v redis-server)" "$RUN/redis/redis.conf"
}

redis_ready() {
  local answer
  {
    exec 4<>"/dev/tcp/127.0.0.1/$(port_of redis)" || return 1
  } 2>/dev/null
  printf 'AUTH %s\r\nPING\r\n' "$(secret redis)" >&4
  read -r -t 2 -u 4 answer && read -r -t 2 -u 4 answer || answer=''
  exec 4>&-
  [[ $answer == +PONG* ]]
}

redis_stop() {
  signal redis TERM
  end_within redis "$REDIS_STOP_SECONDS"
}

redis_describe() { note "Redis $(redis-server --version | sed 's/.* v=\([0-9.]*\).*/\1/')" "127.0.0.1:$(port_of redis)"; }
