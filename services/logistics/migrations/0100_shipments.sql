-- What each carrier calls its next parcel; one sequence for all, so that no two have one number.
create sequence tracking_numbers start with 100000001;

-- Shipments. One per order, generation and origin, whatever the key that asked for it.
create table shipments (
    tracking_number text primary key,
    order_id text not null,
    generation integer not null check (generation > 0),
    origin text not null,
    country text not null,
    carrier text not null,
    service text not null,
    tracking_prefix text not null,
    estimated_delivery date not null,
    weight_grams bigint not null check (weight_grams >= 0),
    cost_minor bigint not null check (cost_minor >= 0),
    currency text not null,
    -- SHA-256 of the request: tells a repeat under another key from another request.
    content bytea not null check (length(content) = 32),
    at timestamptz not null default now(),
    unique (order_id, generation, origin)
);
