-- A reservation that ran out may be followed by one of other goods at the same origin: their parcel is another one.
alter table shipments drop constraint shipments_order_id_generation_origin_key;
alter table shipments add unique (order_id, generation, origin, content);
