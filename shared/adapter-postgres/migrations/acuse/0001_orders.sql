-- One row per order, narrow, since every step of its work rewrites it.
create table orders (
    order_id text primary key,
    idempotency_key text not null unique,
    generation integer not null check (generation >= 1),
    version bigint not null check (version >= 1),
    state text not null,
    result jsonb,
    accepted_at timestamptz not null,
    finished_at timestamptz
) with (fillfactor = 70);

-- The backlog: accepted, and no worker has begun. Few rows match, so counting them is cheap.
create index orders_waiting on orders (accepted_at) where state = 'accepted';

-- What was ordered, as it was written.
create table order_documents (
    order_id text primary key references orders,
    document text not null,
    fingerprint bytea not null check (length(fingerprint) = 32)
);

-- Every change of an order, and with the end of a step what the step left: the journal that a redelivery resumes from.
-- No two changes share a version. No foreign key: rows come out of the statement that changes the order, and a check for
-- each would cost as much as the row.
create table history (
    order_id text not null,
    version bigint not null,
    generation integer not null,
    at timestamptz not null default now(),
    from_state text,
    to_state text not null,
    event text not null,
    result jsonb,
    attempt integer not null,
    worker text not null,
    primary key (order_id, version)
);

-- Which message's work is done.
create table processed (
    message_id uuid primary key,
    order_id text not null,
    generation integer not null,
    at timestamptz not null default now()
);

-- Messages that must leave. Claimed by status, never by cursor: ids commit out of order.
create table outbox (
    id bigint generated always as identity primary key,
    order_id text not null,
    generation integer not null,
    message_id uuid not null,
    exchange text not null,
    kind text not null,
    body text not null,
    created_at timestamptz not null default now(),
    available_at timestamptz not null default now(),
    claimed_by uuid,
    claimed_until timestamptz,
    queued_at timestamptz
);

create index outbox_unsent on outbox (exchange, available_at) where queued_at is null;
create index outbox_sent on outbox (queued_at) where queued_at is not null;
