-- A reservation may end: released or returned by a close, or expired. Its row stays, and tells.
alter table reservations
    add column ended_at timestamptz,
    drop constraint reservations_status_check,
    drop constraint reservations_check,
    add constraint reservations_status_check
        check (status in ('live', 'committed', 'released', 'expired', 'returned')),
    add constraint reservations_committed_check
        check ((status in ('committed', 'returned')) = (committed_at is not null)),
    add constraint reservations_ended_check
        check ((status in ('released', 'expired', 'returned')) = (ended_at is not null));

-- A close tells every reservation that an order ever had.
create index reservations_of_order on reservations (order_id);

-- Who looks for reservations that ran out reads these alone.
create index reservations_due on reservations (expires_at) where status = 'live';

alter table movements
    drop constraint movements_kind_check,
    add constraint movements_kind_check
        check (kind in ('delivery', 'reserve', 'commit', 'release', 'expire', 'return'));

-- All that ever came: no more than can be counted, so that everything that is out can always come back.
alter table stock add column delivered integer not null default 0 check (delivered >= 0);
update stock s set delivered = m.units
from (select sku, warehouse, sum(units) as units from movements where kind = 'delivery' group by sku, warehouse) m
where m.sku = s.sku and m.warehouse = s.warehouse;
