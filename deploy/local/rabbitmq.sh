# shellcheck shell=bash
# An own RabbitMQ node with its own name, folders, cookie and port mapper (epmd), everything on the loopback interface.
# The plain scripts of the package run as root and as an ordinary user alike. Versions 3.10 to 4.x.

RABBITMQ_READY_SECONDS=120
RABBITMQ_STOP_SECONDS=60
MANAGEMENT_ANSWER_SECONDS=20
# A worker that holds a message longer than this has lost it. Below 3.12 this is a setting of the server alone.
CONSUMER_TIMEOUT_MS=300000
ADMINISTRATOR=administrator
VHOST=acuse

rabbitmq_node() { say "acuse-$(printf %s "$RUN" | digest | cut -c1-8)@localhost"; }

rabbitmq_environment() {
  local home=$RUN/rabbitmq
  # Everything lies in our folder; without a home of its own the node would take the user's cookie.
  cat <<-END
	HOME=$home
	ERL_EPMD_PORT=$(port_of epmd)
	ERL_EPMD_ADDRESS=127.0.0.1
	RABBITMQ_NODENAME=$(rabbitmq_node)
	RABBITMQ_DIST_PORT=$(port_of rabbitmq-distribution)
	RABBITMQ_CONF_ENV_FILE=$home/rabbitmq-env.conf
	RABBITMQ_CONFIG_FILE=$home/rabbitmq.conf
	RABBITMQ_ENABLED_PLUGINS_FILE=$home/enabled_plugins
	RABBITMQ_MNESIA_BASE=$home/data
	RABBITMQ_LOG_BASE=$RUN/logs
	RABBITMQ_LOGS=-
	RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=-kernel inet_dist_use_interface {127,0,0,1}
	RABBITMQ_CTL_ERL_ARGS=-kernel inet_dist_use_interface {127,0,0,1}
	END
}

# The administrator is made when the node starts for the first time, instead of the usual guest.
rabbitmq_settings() {
  cat <<-END
	listeners.tcp.local = 127.0.0.1:$(port_of rabbitmq)
	management.tcp.ip = 127.0.0.1
	management.tcp.port = $(port_of rabbitmq-management)
	default_user = $ADMINISTRATOR
	default_pass = $(secret rabbitmq-administrator)
	default_user_tags.administrator = true
	consumer_timeout = $CONSUMER_TIMEOUT_MS
	END
}

rabbitmq_configure() {
  local home=$RUN/rabbitmq
  mkdir -p -m 700 -- "$home"
  (
    umask 077
    rabbitmq_settings >"$home/rabbitmq.conf"
    say '[rabbitmq_management].' >"$home/enabled_plugins"
    : >"$home/rabbitmq-env.conf"
    if [[ ! -e $home/.erlang.cookie ]]; then
      secret erlang-cookie >"$home/.erlang.cookie"
      chmod 400 -- "$home/.erlang.cookie"
    fi
  )
}

rabbitmq_start() {
  local bin
  bin=$(rabbitmq_bin) || die "RabbitMQ is missing: run $0 packages"
  require_free rabbitmq rabbitmq-management rabbitmq-distribution
  rabbitmq_configure
  if ! is_running epmd; then
    require_free epmd
    launch epmd rabbitmq_environment "$(command -v epmd)"
    await epmd "$RABBITMQ_READY_SECONDS" port_open "$(port_of epmd)"
  fi
  launch rabbitmq rabbitmq_environment "$bin/rabbitmq-server"
}

rabbitmq_ready() { port_open "$(port_of rabbitmq)" && management GET /api/overview >/dev/null 2>&1; }

rabbitmq_stop() {
  signal rabbitmq TERM
  end_within rabbitmq "$RABBITMQ_STOP_SECONDS"
  signal epmd TERM
  end_within epmd "$RABBITMQ_STOP_SECONDS"
}

rabbitmq_describe() {
  local version
  version=$(management GET /api/overview | grep -o '"rabbitmq_version":"[^"]*"' | cut -d'"' -f4)
  note "RabbitMQ $version" "127.0.0.1:$(port_of rabbitmq)  management $(management_url), node $(rabbitmq_node)"
}

management_url() { say "http://127.0.0.1:$(port_of rabbitmq-management)"; }

# management METHOD PATH: asks the broker's HTTP API as its administrator, with standard input as the body of a PUT.
management() {
  local body=()
  if [[ $1 == PUT || $1 == POST ]]; then body=(--data-binary @-); fi
  curl --silent --show-error --fail --noproxy '*' --max-time "$MANAGEMENT_ANSWER_SECONDS" --request "$1" --header 'content-type: application/json' "${body[@]}" \
    --config <(say "user = \"$ADMINISTRATOR:$(secret rabbitmq-administrator)\"") "$(management_url)$2"
}

# broker_publish EXCHANGE KEY FILE [PROPERTIES]: puts a file's bytes there, as anyone can who may write to the exchange.
broker_publish() {
  local properties=${4:-'{}'} answer
  answer=$(printf '{"properties": %s, "routing_key": "%s", "payload": "%s", "payload_encoding": "base64"}' \
    "$properties" "$2" "$(base64 --wrap=0 -- "$3")" | management POST "/api/exchanges/$VHOST/$1/publish") ||
    die "the broker does not take a message for $1"
  [[ $answer == *'"routed":true'* ]] || die "no queue takes a message for $1 with the key $2"
}

# rabbitmq_tool PROGRAM ARGUMENTS…: one of the broker's own tools (rabbitmqctl, rabbitmq-queues…) on this node.
rabbitmq_tool() {
  local line tool=$1
  shift
  while IFS= read -r line; do export "${line?}"; done < <(rabbitmq_environment)
  exec "$(rabbitmq_bin)/$tool" "$@"
}
