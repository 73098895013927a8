//! The outbox, read back.

use contracts::effects::Page;
use contracts::notifications::StoredMessage;
use pipeline::id::OrderId;
use sqlx::PgPool;
use time::OffsetDateTime;

/// A message and its notice.
struct Row {
    seq: i64,
    notification_id: String,
    at: OffsetDateTime,
    order_id: String,
    customer_id: String,
    template: String,
    channel: String,
    language: String,
    address: Option<String>,
    subject: String,
    body: String,
}

impl From<Row> for StoredMessage {
    fn from(row: Row) -> Self {
        Self {
            notification_id: row.notification_id,
            at: row.at,
            order_id: row.order_id,
            customer_id: row.customer_id,
            template: row.template,
            channel: row.channel,
            language: row.language,
            address: row.address,
            subject: row.subject,
            body: row.body,
        }
    }
}

pub(super) async fn page(
    pool: &PgPool,
    order: Option<&OrderId>,
    after: i64,
    limit: i64,
) -> Result<Page<StoredMessage>, sqlx::Error> {
    let rows = match order {
        Some(order) => of_order(pool, order, after, limit).await?,
        None => of_all(pool, after, limit).await?,
    };
    let full = i64::try_from(rows.len()).is_ok_and(|count| count == limit);
    let next = rows.last().filter(|_| full).map(|last| last.seq.to_string());
    Ok(Page {
        rows: rows.into_iter().map(StoredMessage::from).collect(),
        next,
    })
}

async fn of_order(pool: &PgPool, order: &OrderId, after: i64, limit: i64) -> Result<Vec<Row>, sqlx::Error> {
    let rows = sqlx::query_as!(
        Row,
        "select m.seq, n.notification_id, m.at, m.order_id, n.customer_id, m.template, m.channel, m.language, m.address,
             m.subject, m.body
         from messages m join notices n using (order_id, template)
         where m.order_id = $1 and m.seq > $2 order by m.seq limit $3",
        order.as_str(),
        after,
        limit,
    );
    rows.fetch_all(pool).await
}

async fn of_all(pool: &PgPool, after: i64, limit: i64) -> Result<Vec<Row>, sqlx::Error> {
    let rows = sqlx::query_as!(
        Row,
        "select m.seq, n.notification_id, m.at, m.order_id, n.customer_id, m.template, m.channel, m.language, m.address,
             m.subject, m.body
         from messages m join notices n using (order_id, template)
         where m.seq > $1 order by m.seq limit $2",
        after,
        limit,
    );
    rows.fetch_all(pool).await
}
