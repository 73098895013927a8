-- Keys that were used, with the answer that was given: written in the transaction of the effect, and only for effects.
create table idempotency_keys (
    caller text not null,
    operation text not null,
    key text not null,
    fingerprint bytea not null check (length(fingerprint) = 32),
    answer text not null,
    at timestamptz not null default now(),
    primary key (caller, operation, key)
);

-- What the service did. Append-only, apart from the tables that prevent doubles: the audit counts from it.
create table effects (
    seq bigint generated always as identity primary key,
    at timestamptz not null default now(),
    caller text not null,
    kind text not null,
    order_id text not null,
    generation integer not null,
    subject text not null,
    parts text[] not null default '{}'
);

create function refuse_change() returns trigger language plpgsql as $$
begin
    raise exception '% is append-only', tg_table_name;
end $$;

create trigger effects_append_only before update or delete on effects for each statement execute function refuse_change();

-- Takes the key for this transaction and looks it up. Two statements in one round trip: the second sees what was
-- committed while the first waited for nothing. `locked` is false when another transaction holds the key.
create function take_key(wanted_caller text, wanted_operation text, wanted_key text)
    returns table (locked boolean, fingerprint bytea, answer text) language plpgsql as $$
begin
    if not pg_try_advisory_xact_lock(hashtextextended(wanted_caller || '/' || wanted_operation || '/' || wanted_key, 0)) then
        return query select false, null::bytea, null::text;
        return;
    end if;
    return query
        select true, k.fingerprint, k.answer
        from (select 1) as one
        left join idempotency_keys k
            on k.caller = wanted_caller and k.operation = wanted_operation and k.key = wanted_key;
end $$;
