//! What an order holds.

use adapter_http::server::StoreError;
use contracts::inventory::{ReservedLine, kilograms};
use pipeline::id::{Generation, OrderId};
use sqlx::PgConnection;

use super::{failed, id, status, strange};
use crate::reservation::Held;

/// The order's live or committed reservation; it stays as it is while the order is held alone.
pub(super) async fn held(
    connection: &mut PgConnection,
    doing: &'static str,
    order: &OrderId,
) -> Result<Option<Held>, StoreError> {
    let found = sqlx::query!(
        "select id, generation, status, content, expires_at from reservations
         where order_id = $1 and status in ('live', 'committed')",
        order.as_str(),
    );
    let Some(found) = found.fetch_optional(connection).await.map_err(failed(doing))? else {
        return Ok(None);
    };
    let content = found.content.try_into();
    Ok(Some(Held {
        id: id(doing, &found.id)?,
        generation: Generation(found.generation.unsigned_abs()),
        status: status(doing, &found.status)?,
        content: content.map_err(|_| strange(doing, "a content that is no SHA-256"))?,
        expires_at: found.expires_at,
    }))
}

/// The goods of a reservation.
pub(super) async fn lines(
    connection: &mut PgConnection,
    doing: &'static str,
    held: &Held,
) -> Result<Vec<ReservedLine>, StoreError> {
    let lines = sqlx::query!(
        r#"select l.sku as "sku!", l.warehouse as "warehouse!", l.units as "units!", p.weight_grams as "weight_grams!"
           from reservation_lines l join products p on p.sku = l.sku
           where l.reservation_id = $1 order by l.sku, l.warehouse"#,
        held.id.as_str(),
    );
    let lines = lines.fetch_all(connection).await.map_err(failed(doing))?;
    let lines = lines.into_iter().map(|line| ReservedLine {
        sku: line.sku,
        qty: line.units.unsigned_abs(),
        warehouse: line.warehouse,
        weight_kg: kilograms(line.weight_grams.unsigned_abs()),
    });
    Ok(lines.collect())
}
