//! Checkout's side of an order: what it promises is stored with the message that makes it happen.

use async_trait::async_trait;
use pipeline::id::{Generation, OrderId, Version};
use pipeline::outgoing::Outgoing;
use pipeline::ports::{Intake, NewOrder, Placement, Source, StoreError};
use sqlx::PgPool;

use crate::orders::{OutboxRows, failed};
use crate::relay::Wake;

/// [`Intake`] in PostgreSQL, over a durable pool.
#[derive(Debug, Clone)]
pub struct PgIntake {
    pool: PgPool,
    instance: String,
    wake: Wake,
}

impl PgIntake {
    /// An intake that signs the order's history as `instance`, and rings `wake` for each row in the outbox.
    #[must_use]
    pub fn new(pool: PgPool, instance: String, wake: Wake) -> Self {
        Self { pool, instance, wake }
    }

    /// One statement, so one transaction; 0 when the id or the key is taken.
    async fn insert(&self, order: &NewOrder) -> Result<i64, Source> {
        let message = Outgoing::Process {
            document: order.document.as_str().into(),
            not_before: order.content.not_before,
            replay: false,
        };
        let rows = OutboxRows::from(&order.content.order, Generation::FIRST, Version(1), &[message])?;
        let placed = sqlx::query_scalar!(
            r#"with placed as (
                   insert into orders (order_id, idempotency_key, generation, version, state, accepted_at)
                   values ($1, $2, $3, 1, 'accepted', now())
                   on conflict do nothing
                   returning order_id, generation, version
               ), kept as (
                   insert into order_documents (order_id, generation, document, fingerprint)
                   select order_id, generation, $4, $5 from placed
               ), told as (
                   insert into history (order_id, version, generation, to_state, event, attempt, worker)
                   select order_id, version, generation, 'accepted', 'accepted', 0, $6 from placed
               ), sent as (
                   insert into outbox (order_id, generation, message_id, exchange, kind, body, available_at)
                   select order_id, generation, m.message_id, m.exchange, m.kind, m.body,
                       greatest(now(), coalesce(m.not_before, now()))
                   from placed, unnest($7::uuid[], $8::text[], $9::text[], $10::text[], $11::timestamptz[])
                       as m(message_id, exchange, kind, body, not_before)
               )
               select count(*) as "count!" from placed"#,
            order.content.order.as_str(),
            order.content.key.as_str(),
            i32::try_from(Generation::FIRST.0)?,
            order.document,
            &order.fingerprint[..],
            self.instance,
            &rows.message_ids,
            &rows.exchanges,
            &rows.kinds,
            &rows.bodies,
            &rows.not_before as &[Option<time::OffsetDateTime>],
        );
        Ok(placed.fetch_one(&self.pool).await?)
    }

    /// What stands in the way of an order that was not inserted.
    async fn existing(&self, order: &NewOrder) -> Result<Placement, Source> {
        let rows = sqlx::query!(
            "select o.order_id, o.idempotency_key, o.state, d.fingerprint
             from orders o join order_documents d on d.order_id = o.order_id and d.generation = 1
             where o.order_id = $1 or o.idempotency_key = $2",
            order.content.order.as_str(),
            order.content.key.as_str(),
        );
        let rows = rows.fetch_all(&self.pool).await?;
        let same_id = rows.iter().find(|row| row.order_id == order.content.order.as_str());
        Ok(match (same_id, rows.first()) {
            (Some(row), _) => {
                let same = row.idempotency_key == order.content.key.as_str() && row.fingerprint == order.fingerprint;
                if same {
                    Placement::Known(row.state.parse()?)
                } else {
                    Placement::OrderIdTaken
                }
            }
            (None, Some(row)) => Placement::KeyTaken(OrderId::parse(&row.order_id)?),
            (None, None) => return Err("the order that stood in the way is gone".into()),
        })
    }
}

#[async_trait]
impl Intake for PgIntake {
    async fn place(&self, order: &NewOrder) -> Result<Placement, StoreError> {
        let stored = |source| StoreError {
            doing: "storing a new order",
            source,
        };
        match self.insert(order).await.map_err(stored)? {
            0 => self.existing(order).await.map_err(|source| StoreError {
                doing: "looking up a known order",
                source,
            }),
            _placed => {
                self.wake.ring();
                Ok(Placement::Accepted)
            }
        }
    }

    async fn backlog(&self) -> Result<u64, StoreError> {
        let count = sqlx::query_scalar!(r#"select count(*) as "count!" from orders where state = 'accepted'"#);
        let count = count
            .fetch_one(&self.pool)
            .await
            .map_err(|error| failed("counting the backlog", error))?;
        Ok(count.unsigned_abs())
    }
}
