-- The highest closed generation of an order: forward effects of it and of all lower ones are refused. Kept for ever.
create table tombstones (
    order_id text primary key,
    generation integer not null check (generation > 0),
    at timestamptz not null default now()
);

-- Closes a generation. Waits for the transactions that are having forward effects of the order, and makes later ones
-- wait until this one has ended.
create function close_generation(closed_order text, closed_generation integer) returns void language plpgsql as $$
begin
    perform pg_advisory_xact_lock(hashtextextended('order/' || closed_order, 0));
    insert into tombstones (order_id, generation) values (closed_order, closed_generation)
    on conflict (order_id) do update set generation = excluded.generation, at = excluded.at
    where tombstones.generation < excluded.generation;
end $$;

-- Takes a key as take_key does, for a forward effect of an order: the order can't be closed until the transaction ends.
-- `closed` is true when it is closed already, and then the key is neither taken nor looked up. The order before the key,
-- always: nothing waits for a key, so nothing waits in a circle.
create function take_key_of_order(
    wanted_order text, wanted_generation integer, wanted_caller text, wanted_operation text, wanted_key text
) returns table (closed boolean, locked boolean, fingerprint bytea, answer text) language plpgsql as $$
begin
    perform pg_advisory_xact_lock_shared(hashtextextended('order/' || wanted_order, 0));
    if exists (
        select from tombstones t where t.order_id = wanted_order and t.generation >= wanted_generation
    ) then
        return query select true, false, null::bytea, null::text;
        return;
    end if;
    return query select false, k.locked, k.fingerprint, k.answer
        from take_key(wanted_caller, wanted_operation, wanted_key) as k;
end $$;
