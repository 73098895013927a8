-- Ids compare byte by byte everywhere ("C"): rows are locked in this order by all, and pages follow it.

-- The products that inventory knows.
create table products (
    sku text collate "C" primary key,
    weight_grams integer not null check (weight_grams between 0 and 10000000)
);

-- What lies where and is not reserved. Half of each page is kept free: every reserve rewrites its rows.
create table stock (
    sku text collate "C" not null references products,
    warehouse text collate "C" not null,
    -- Second segment of the warehouse's name; null where that is no country.
    country text collate "C",
    available integer not null check (available >= 0),
    primary key (sku, warehouse)
) with (fillfactor = 50);

create sequence reservation_numbers as bigint start 1001;

create table reservations (
    id text collate "C" primary key,
    order_id text collate "C" not null,
    generation integer not null check (generation > 0),
    status text not null check (status in ('live', 'committed')),
    -- SHA-256 of country and goods: tells whether another request of the order asks for the same.
    content bytea not null check (length(content) = 32),
    reserved_at timestamptz not null,
    expires_at timestamptz not null,
    committed_at timestamptz,
    check ((status = 'committed') = (committed_at is not null))
);

-- At most one per order that holds goods, whatever key or generation asks.
create unique index reservations_one_per_order on reservations (order_id) where status in ('live', 'committed');

create table reservation_lines (
    reservation_id text collate "C" not null references reservations,
    sku text collate "C" not null,
    warehouse text collate "C" not null,
    units integer not null check (units > 0),
    primary key (reservation_id, sku, warehouse)
);

create table deliveries (
    id text collate "C" primary key,
    content bytea not null check (length(content) = 32),
    caller text not null,
    rows bigint not null,
    units bigint not null,
    at timestamptz not null default now()
);

-- Every change of stock. Append-only: deliveries, less what was reserved, is what is available.
create table movements (
    seq bigint generated always as identity primary key,
    at timestamptz not null default now(),
    kind text not null check (kind in ('delivery', 'reserve', 'commit')),
    sku text collate "C" not null,
    warehouse text collate "C" not null,
    units integer not null check (units > 0),
    order_id text collate "C",
    delivery_id text collate "C",
    check ((kind = 'delivery') = (delivery_id is not null)),
    check ((kind = 'delivery') = (order_id is null))
);

create trigger movements_append_only before update or delete on movements
    for each statement execute function refuse_change();
