//! Reading what waits for a person.

use std::str::FromStr as _;

use adapter_http::server::{Answer, Failure, QueryOf, page_limit};
use adapter_postgres::dead_letters::Filter;
use axum::Json;
use axum::extract::{Path, State as Shared};
use contracts::console::{DeadLetterGroups, DeadLetterQuery, DeadLetterRow, DeadLetterView};
use contracts::effects::{Page, PageQuery};
use contracts::problem::Kind;
use pipeline::dead_letters::{EntryId, EntryState, Queue};
use pipeline::failure::Class;
use pipeline::id::OrderId;
use platform::logging::chain;

use super::Desk;

/// The word for no filter by state.
const ALL: &str = "all";

pub(super) async fn list(
    Shared(desk): Shared<Desk>,
    QueryOf(query): QueryOf<DeadLetterQuery>,
) -> Answer<Json<Page<DeadLetterRow>>> {
    let limit = page_limit(&PageQuery {
        after: None,
        limit: query.limit,
    });
    let after = query.after.as_deref().map(|id| entry_id(id, "after")).transpose()?;
    let page = desk.books.list(&filter(query)?, after.map(|id| id.0), limit).await;
    page.map(Json)
        .map_err(|error| Failure::unavailable("listing dead letters", chain(&error)))
}

/// A filter that could never match is told, so that nobody takes an empty list for good news.
fn filter(query: DeadLetterQuery) -> Answer<Filter> {
    let wrong = |field: &str, told: String| Failure::from(Kind::Invalid.problem(told).about(field));
    let state = query.state.unwrap_or_else(|| EntryState::Open.name().to_owned());
    if state != ALL {
        EntryState::from_str(&state).map_err(|error| wrong("state", error.to_string()))?;
    }
    if let Some(Err(error)) = query.class.as_deref().map(Class::from_str) {
        return Err(wrong("class", error.to_string()));
    }
    if query
        .queue
        .as_deref()
        .is_some_and(|name| Queue::of_name(name).is_none())
    {
        let names = Queue::ALL.map(Queue::name).join(", ");
        return Err(wrong("queue", format!("must be one of {names}")));
    }
    if let Some(Err(error)) = query.order_id.as_deref().map(OrderId::parse) {
        return Err(wrong("order_id", error.to_string()));
    }
    Ok(Filter {
        state: Some(state).filter(|state| state != ALL),
        class: query.class,
        order: query.order_id,
        queue: query.queue,
    })
}

pub(super) async fn groups(Shared(desk): Shared<Desk>) -> Answer<Json<DeadLetterGroups>> {
    let groups = desk.books.groups().await;
    let groups = groups.map_err(|error| Failure::unavailable("grouping dead letters", chain(&error)))?;
    Ok(Json(DeadLetterGroups { groups }))
}

pub(super) async fn show(Shared(desk): Shared<Desk>, Path(id): Path<String>) -> Answer<Json<DeadLetterView>> {
    let id = known(&id)?;
    let found = desk.books.show(id.0).await;
    let found = found.map_err(|error| Failure::unavailable("reading a dead letter", chain(&error)))?;
    found.map(Json).ok_or_else(unknown)
}

/// The id in a path; what is no id names nothing.
pub(super) fn known(text: &str) -> Answer<EntryId> {
    entry_id(text, "id").map_err(|_| unknown())
}

pub(super) fn unknown() -> Failure {
    Failure::new(Kind::NotFound, "there is no dead letter of this id")
}

fn entry_id(text: &str, field: &str) -> Answer<EntryId> {
    let wrong = |_| Failure::from(Kind::Malformed.problem("must be a dead letter's id").about(field));
    text.parse().map_err(wrong)
}
