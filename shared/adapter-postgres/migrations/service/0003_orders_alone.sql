-- Takes a key as take_key_of_order does, and the order for this transaction alone: whatever else is asked for the order
-- waits until it has ended. For a service whose forward effects of one order depend on each other.
create function take_key_of_order_alone(
    wanted_order text, wanted_generation integer, wanted_caller text, wanted_operation text, wanted_key text
) returns table (closed boolean, locked boolean, fingerprint bytea, answer text) language plpgsql as $$
begin
    perform pg_advisory_xact_lock(hashtextextended('order/' || wanted_order, 0));
    return query select k.closed, k.locked, k.fingerprint, k.answer
        from take_key_of_order(wanted_order, wanted_generation, wanted_caller, wanted_operation, wanted_key) as k;
end $$;

-- Takes the order alone if nobody has it; never waits, so whoever asks may hold what others wait for.
create function try_take_order(wanted_order text) returns boolean language sql as $$
    select pg_try_advisory_xact_lock(hashtextextended('order/' || wanted_order, 0))
$$;
