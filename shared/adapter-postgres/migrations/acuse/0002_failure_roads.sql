-- An edited replay gives an order another document; the earlier ones stay.
alter table order_documents add column generation integer not null default 1 check (generation >= 1);
alter table order_documents drop constraint order_documents_pkey;
alter table order_documents add primary key (order_id, generation);
alter table order_documents alter column generation drop default;

-- What stands on a message beside its body and its identity.
alter table outbox add column marks jsonb not null default '{}';

-- Money that goes back. One per order, whatever happens; append-only, and the audit counts from it.
create table refunds (
    seq bigint generated always as identity primary key,
    at timestamptz not null default now(),
    order_id text not null unique references orders,
    generation integer not null,
    payment_id text not null,
    amount text not null,
    notice text not null,
    worker text not null
);

create function keep_as_written() returns trigger language plpgsql as $$
begin
    raise exception '% is append-only', tg_table_name;
end $$;

create trigger refunds_append_only before update or delete on refunds for each statement execute function keep_as_written();

-- What waits for a person, and what waited. `of_row`: it belongs to its order's row; else the order is what the message
-- says, or null, and nobody knows it.
create table dead_letters (
    id uuid primary key,
    queue text not null,
    order_id text,
    generation integer not null,
    of_row boolean not null,
    class text not null,
    step text,
    reason text not null,
    attempt integer not null,
    body bytea not null,
    properties jsonb not null,
    at timestamptz not null default now(),
    state text not null default 'open',
    closed_at timestamptz,
    closed_by text,
    closing_reason text,
    check ((state = 'open') = (closed_at is null)),
    check (not of_row or order_id is not null)
);

-- Rule: at most one open entry per order.
create unique index dead_letters_one_open on dead_letters (order_id) where of_row and state = 'open';
create index dead_letters_listed on dead_letters (state, at, id);
create index dead_letters_of_order on dead_letters (order_id);
