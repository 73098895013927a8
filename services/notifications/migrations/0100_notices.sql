-- Whom notices go to, where the shop has told. Who is not in here is told in the language of the shipping country.
create table customers (
    customer_id text primary key,
    email text,
    language text not null check (language in ('es', 'pt', 'en')),
    at timestamptz not null default now()
);

create sequence notification_numbers start with 100001;

-- What an order's customer is told: each template once, whatever the generation of the order.
create table notices (
    order_id text not null,
    template text not null,
    notification_id text not null,
    -- The generation that asked first.
    generation integer not null check (generation > 0),
    customer_id text not null,
    at timestamptz not null default now(),
    primary key (order_id, template)
);

-- The outbox: each notice once per channel, as it was written.
create table messages (
    seq bigint generated always as identity primary key,
    order_id text not null,
    template text not null,
    channel text not null,
    language text not null,
    address text,
    subject text not null,
    body text not null,
    status text not null default 'queued' check (status in ('queued', 'sent')),
    at timestamptz not null default now(),
    unique (order_id, template, channel),
    foreign key (order_id, template) references notices
);
