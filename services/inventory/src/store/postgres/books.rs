//! Reading back, page by page.

use adapter_http::server::StoreError;
use adapter_postgres::service::effects_page;
use async_trait::async_trait;
use contracts::effects::{Effect, Page};
use contracts::inventory::{Movement, StockRow, kilograms};
use pipeline::id::{Sku, WarehouseId};

use super::{PgStore, failed};
use crate::store::{Books, page};

const READING: &str = "reading the books";

#[async_trait]
impl Books for PgStore {
    async fn stock(&self, after: Option<(Sku, WarehouseId)>, limit: i64) -> Result<Page<StockRow>, StoreError> {
        // No id is empty, so everything comes after two empty ones.
        let (sku, warehouse) = after
            .map(|(sku, place)| (sku.to_string(), place.to_string()))
            .unwrap_or_default();
        let rows = sqlx::query!(
            r#"select s.sku as "sku!", s.warehouse as "warehouse!", s.available as "available!",
                   p.weight_grams as "weight_grams!"
               from stock s join products p on p.sku = s.sku
               where (s.sku, s.warehouse) > ($1, $2) order by s.sku, s.warehouse limit $3"#,
            sku,
            warehouse,
            limit,
        );
        let rows = rows.fetch_all(&self.0).await.map_err(failed(READING))?;
        let rows = rows.into_iter().map(|row| StockRow {
            sku: row.sku,
            warehouse: row.warehouse,
            weight_kg: kilograms(row.weight_grams.unsigned_abs()),
            units: row.available.unsigned_abs(),
        });
        Ok(page(rows.collect(), limit, |row| {
            format!("{}/{}", row.sku, row.warehouse)
        }))
    }

    async fn movements(&self, after: i64, limit: i64) -> Result<Page<Movement>, StoreError> {
        let rows = sqlx::query!(
            "select seq, at, kind, sku, warehouse, units, order_id from movements
             where seq > $1 order by seq limit $2",
            after,
            limit,
        );
        let rows = rows.fetch_all(&self.0).await.map_err(failed(READING))?;
        let rows = rows.into_iter().map(|row| Movement {
            seq: row.seq,
            at: row.at,
            kind: row.kind,
            sku: row.sku,
            warehouse: row.warehouse,
            units: row.units.unsigned_abs(),
            order_id: row.order_id,
        });
        Ok(page(rows.collect(), limit, |row| row.seq.to_string()))
    }

    async fn effects(&self, after: i64, limit: i64) -> Result<Page<Effect>, StoreError> {
        effects_page(&self.0, after, limit).await.map_err(failed(READING))
    }
}
