//! What can be read back.

use adapter_http::server::{Answer, Failure, QueryOf, page_limit, page_start};
use axum::Json;
use axum::extract::State;
use contracts::effects::{Effect, Page, PageQuery};
use contracts::inventory::{Movement, StockRow};
use contracts::problem::Kind;
use pipeline::id::{Sku, WarehouseId};

use super::Inventory;

pub(super) async fn stock(
    State(inventory): State<Inventory>,
    QueryOf(query): QueryOf<PageQuery>,
) -> Answer<Json<Page<StockRow>>> {
    let after = query.after.as_deref().map(shelf).transpose()?;
    Ok(Json(inventory.books.stock(after, page_limit(&query)).await?))
}

pub(super) async fn movements(
    State(inventory): State<Inventory>,
    QueryOf(query): QueryOf<PageQuery>,
) -> Answer<Json<Page<Movement>>> {
    let after = page_start(&query)?;
    Ok(Json(inventory.books.movements(after, page_limit(&query)).await?))
}

pub(super) async fn effects(
    State(inventory): State<Inventory>,
    QueryOf(query): QueryOf<PageQuery>,
) -> Answer<Json<Page<Effect>>> {
    let after = page_start(&query)?;
    Ok(Json(inventory.books.effects(after, page_limit(&query)).await?))
}

/// Reads `sku/warehouse`.
fn shelf(text: &str) -> Result<(Sku, WarehouseId), Failure> {
    let parts = text.split_once('/');
    let parsed = parts.and_then(|(sku, warehouse)| Some((Sku::parse(sku).ok()?, WarehouseId::parse(warehouse).ok()?)));
    let told = "must be the product and warehouse that the page before gave, as SKU/WAREHOUSE";
    parsed.ok_or_else(|| Failure::from(Kind::Malformed.problem(told).about("after")))
}
