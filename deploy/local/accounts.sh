# shellcheck shell=bash
# Databases, the virtual host and the users of both, each with the least that it needs. All of it can be run again.

databases_create() {
  local name
  say 'REVOKE ALL ON DATABASE postgres, template1 FROM PUBLIC;' | psql_as_superuser || die "PostgreSQL refuses its superuser; see $RUN/logs/postgres.log"
  for name in "${DATABASES[@]}"; do
    cat <<-END
	SELECT 'CREATE ROLE $name LOGIN' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '$name') \gexec
	ALTER ROLE $name PASSWORD '$(secret "database-$name")';
	SELECT 'CREATE DATABASE $name OWNER $name' WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = '$name') \gexec
	REVOKE ALL ON DATABASE $name FROM PUBLIC;
	END
  done | psql_as_superuser || die "the databases could not be made; see $RUN/logs/postgres.log"
}

databases_drop() {
  local name
  for name in "${DATABASES[@]}"; do say "DROP DATABASE IF EXISTS $name WITH (FORCE);"; done |
    psql_as_superuser || die "the databases could not be dropped; see $RUN/logs/postgres.log"
}

database_url() { say "postgres://$1:$(secret "database-$1")@127.0.0.1:$(port_of postgres)/$1"; }

vhost_create() {
  management PUT "/api/vhosts/$VHOST" <<<'{}' || die "the virtual host $VHOST could not be made; see $RUN/logs/rabbitmq.log"
}

vhost_drop() {
  if management GET "/api/vhosts/$VHOST" >/dev/null 2>&1; then
    management DELETE "/api/vhosts/$VHOST" || die "the virtual host $VHOST could not be deleted; see $RUN/logs/rabbitmq.log"
  fi
}

broker_users_create() {
  local user
  for user in "${BROKER_USERS[@]}"; do
    management PUT "/api/users/$user" <<<"{\"password\": \"$(secret "broker-$user")\", \"tags\": \"${BROKER_TAGS[$user]:-}\"}" &&
      broker_permissions "$user" | management PUT "/api/permissions/$VHOST/$user" ||
      die "the broker's user $user could not be made; see $RUN/logs/rabbitmq.log"
  done
}

broker_permissions() { # USER: as JSON, where a backslash is written twice; ^$ matches no name
  local configure=${BROKER_CONFIGURE[$1]:-^\$} write=${BROKER_WRITE[$1]:-^\$} read=${BROKER_READ[$1]:-^\$}
  say "{\"configure\": \"${configure//\\/\\\\}\", \"write\": \"${write//\\/\\\\}\", \"read\": \"${read//\\/\\\\}\"}"
}

broker_url() { say "amqp://$1:$(secret "broker-$1")@127.0.0.1:$(port_of rabbitmq)/$VHOST"; }

accounts_create() {
  databases_create
  vhost_create
  broker_users_create
}
