-- Invoices. At most one per order is not credited; the index is what makes that so, whatever the key or generation.
create table invoices (
    cfdi_uuid uuid primary key,
    order_id text not null,
    generation integer not null check (generation > 0),
    customer_id text not null,
    reservation_id text not null,
    status text not null default 'issued' check (status in ('issued', 'credited')),
    document text not null,
    -- SHA-256 of the request: tells a repeat under another key from another request.
    content bytea not null check (length(content) = 32),
    at timestamptz not null default now()
);

create unique index invoices_one_uncredited on invoices (order_id) where status <> 'credited';

-- Shipping labels: one per shipment, whichever order claims it.
create table labels (
    tracking_number text primary key,
    cfdi_uuid uuid not null references invoices,
    -- Its place in the request, from 1.
    place integer not null check (place > 0),
    carrier text not null,
    document text not null,
    at timestamptz not null default now()
);
