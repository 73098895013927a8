# shellcheck shell=bash
# The three servers together. RabbitMQ takes longest to start, so it starts first.

SERVERS=(rabbitmq postgres redis)

is_server() { [[ " ${SERVERS[*]} " == *" $1 "* ]]; }

servers_up() { # [NAME…]
  local name
  (($#)) || set -- "${SERVERS[@]}"
  for name; do is_running "$name" || "${name}_start"; done
  for name; do
    case $name in
      rabbitmq) await rabbitmq "$RABBITMQ_READY_SECONDS" rabbitmq_ready ;;
      postgres) await postgres "$POSTGRES_READY_SECONDS" postgres_ready ;;
      redis) await redis "$REDIS_READY_SECONDS" redis_ready ;;
    esac
    "${name}_describe"
  done
}

servers_down() { # [NAME…]
  local name
  (($#)) || set -- "${SERVERS[@]}"
  for name; do
    if is_running "$name"; then note "$name" "stopping"; fi
    "${name}_stop"
  done
}

# Ends the servers without letting them put their house in order: for data that go away next.
servers_discard() {
  signal postgres QUIT # killed outright it would leave its children behind for a moment
  kill_now rabbitmq
  kill_now epmd
  kill_now redis
  end_within postgres "$POSTGRES_STOP_SECONDS"
}

# What a test needs to make databases and virtual hosts of its own.
servers_env() {
  assignment ACUSE_TEST_RUN "$RUN"
  assignment ACUSE_TEST_PG_URL "$(postgres_superuser_url)"
  assignment ACUSE_TEST_AMQP_URL "amqp://$ADMINISTRATOR:$(secret rabbitmq-administrator)@127.0.0.1:$(port_of rabbitmq)"
  assignment ACUSE_TEST_MANAGEMENT_URL "$(management_url)"
  assignment ACUSE_TEST_MANAGEMENT_USER "$ADMINISTRATOR"
  assignment ACUSE_TEST_MANAGEMENT_PASSWORD "$(secret rabbitmq-administrator)"
}
