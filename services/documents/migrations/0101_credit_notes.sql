-- What takes invoices back: each whole and once.
create table credit_notes (
    credit_note_uuid uuid primary key,
    cfdi_uuid uuid not null unique references invoices,
    order_id text not null,
    -- The invoice's.
    generation integer not null check (generation > 0),
    document text not null,
    at timestamptz not null default now(),
    unique (order_id, generation)
);

-- A label is void since its invoice was credited; its number may come again.
alter table labels add column voided_at timestamptz;
alter table labels drop constraint labels_pkey;
alter table labels add primary key (cfdi_uuid, place);
create unique index labels_one_not_void on labels (tracking_number) where voided_at is null;
create index labels_void on labels (tracking_number) where voided_at is not null;
