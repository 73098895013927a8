//! What a person does with what waits. Who did it and why stands on record with the order and with the dead letter.

use adapter_http::server::{Answer, BodyJson, Caller, Failure};
use axum::Json;
use axum::extract::{Path, State as Shared};
use contracts::console::{ActAnswer, ActRequest, ReplayRequest};
use contracts::limits::TEXT_LENGTH_MAX;
use contracts::order_message::accept;
use contracts::problem::Kind;
use pipeline::dead_letters::{Acted, Action, Denied, EntryId, EntryState};
use pipeline::happened::Operated;
use pipeline::id::{Generation, OrderId};
use pipeline::order::Order;
use platform::logging::chain;

use super::Desk;
use super::lists::{known, unknown};

const CONFIRMED: &str =
    "the customer may have been told that the order is confirmed; if so, it is told that it is cancelled";

pub(super) async fn replay(
    Shared(desk): Shared<Desk>,
    caller: Caller,
    Path(id): Path<String>,
    body: BodyJson<ReplayRequest>,
) -> Answer<Json<ActAnswer>> {
    let id = known(&id)?;
    let operated = operated(&caller, &body.value.reason)?;
    let action = match &body.value.document {
        None => Action::Replay,
        Some(document) => edit(&desk, id, document.get()).await?,
    };
    act(&desk, id, action, &operated, vec![]).await
}

pub(super) async fn abandon(
    Shared(desk): Shared<Desk>,
    caller: Caller,
    Path(id): Path<String>,
    body: BodyJson<ActRequest>,
) -> Answer<Json<ActAnswer>> {
    let id = known(&id)?;
    let operated = operated(&caller, &body.value.reason)?;
    let told = order_of(&desk, id).await?.is_some_and(|order| may_be_confirmed(&order));
    let warnings = told.then(|| CONFIRMED.to_owned());
    act(&desk, id, Action::Abandon, &operated, warnings.into_iter().collect()).await
}

/// Whether the customer may have been told that a waiting order is confirmed. Its journal never says so, since the notice is
/// stored with the completion; it was the next thing to do once documents were issued, and nobody knows of earlier
/// generations.
fn may_be_confirmed(order: &Order) -> bool {
    order.progress.documents.is_some() || order.generation > Generation::FIRST
}

pub(super) async fn discard(
    Shared(desk): Shared<Desk>,
    caller: Caller,
    Path(id): Path<String>,
    body: BodyJson<ActRequest>,
) -> Answer<Json<ActAnswer>> {
    let id = known(&id)?;
    let operated = operated(&caller, &body.value.reason)?;
    act(&desk, id, Action::Discard, &operated, vec![]).await
}

pub(super) async fn redo(
    Shared(desk): Shared<Desk>,
    caller: Caller,
    Path(id): Path<String>,
    body: BodyJson<ActRequest>,
) -> Answer<Json<ActAnswer>> {
    let no_order = || Failure::new(Kind::NotFound, "no order of this id was ever accepted");
    let order = OrderId::parse(&id).map_err(|_| no_order())?;
    let operated = operated(&caller, &body.value.reason)?;
    let acted = desk.store.redo(&order, &operated).await;
    match acted.map_err(|error| Failure::unavailable("having an undo tried again", chain(&error)))? {
        Acted::Done => Ok(Json(answer(id, EntryState::Redone, vec![]))),
        Acted::Denied(Denied::Unknown) => Err(no_order()),
        Acted::Denied(denied) => Err(refused(&denied)),
        Acted::SendAgain(..) => Err(Failure::new(Kind::Internal, "a redo that asks to send a message")),
    }
}

/// Does it. A message that belongs to no order is sent first and its entry closed then: sent twice it is a duplicate,
/// closed and not sent it would be lost.
async fn act(
    desk: &Desk,
    id: EntryId,
    action: Action,
    operated: &Operated,
    warnings: Vec<String>,
) -> Answer<Json<ActAnswer>> {
    let done = action.closes_as();
    let acted = desk.store.act(id, action, operated).await;
    match acted.map_err(|error| Failure::unavailable("acting on a dead letter", chain(&error)))? {
        Acted::Done => {}
        Acted::Denied(denied) => return Err(refused(&denied)),
        Acted::SendAgain(queue, content) => {
            let sent = desk.publisher.send_again(queue, &content, &id.to_string()).await;
            sent.map_err(|error| {
                tracing::warn!("dead letter {id} was not sent again: {}", chain(&error));
                Failure::new(Kind::Unavailable, "the broker did not confirm the message; ask again")
            })?;
            let closed = desk.store.sent_again(id, operated).await;
            closed.map_err(|error| Failure::unavailable("closing a dead letter", chain(&error)))?;
        }
    }
    tracing::info!("dead letter {id} was {} by {}", done.name(), operated.by);
    Ok(Json(answer(id.to_string(), done, warnings)))
}

fn answer(id: String, done: EntryState, warnings: Vec<String>) -> ActAnswer {
    ActAnswer {
        id,
        done: done.name().to_owned(),
        warnings,
    }
}

/// Reads another document for the entry's order. What checkout had filled in is filled in from the accepted order.
async fn edit(desk: &Desk, id: EntryId, document: &str) -> Answer<Action> {
    let order = order_of(desk, id).await?.ok_or_else(|| refused(&Denied::NoOrder))?;
    let accepted = accept(document.as_bytes(), Some(&order.content.key), order.content.placed_at);
    let edited = accepted.map_err(|malformed| {
        let field = format!("document.{}", malformed.field);
        Failure::from(Kind::Invalid.problem(malformed.to_string()).about(field))
    })?;
    Ok(Action::Edit(Box::new(edited.content), edited.document.into()))
}

/// The order whose row the entry belongs to.
async fn order_of(desk: &Desk, id: EntryId) -> Answer<Option<Order>> {
    let shown = desk.books.show(id.0).await;
    let shown = shown.map_err(|error| Failure::unavailable("reading a dead letter", chain(&error)))?;
    let row = shown.ok_or_else(unknown)?.row;
    let Some(order) = row
        .order_id
        .filter(|_| row.of_order)
        .and_then(|id| OrderId::parse(&id).ok())
    else {
        return Ok(None);
    };
    let found = desk.orders.load(&order).await;
    let found = found.map_err(|error| Failure::unavailable("reading the order", chain(&error)))?;
    Ok(found.map(|(order, _version)| order))
}

fn operated(caller: &Caller, reason: &str) -> Answer<Operated> {
    let told = format!("must be 1 to {TEXT_LENGTH_MAX} characters, without control characters");
    let wrong = || Failure::from(Kind::Invalid.problem(told).about("reason"));
    let fits =
        !reason.trim().is_empty() && reason.chars().count() <= TEXT_LENGTH_MAX && !reason.chars().any(char::is_control);
    fits.then(|| Operated {
        by: caller.0.to_string(),
        reason: reason.to_owned(),
    })
    .ok_or_else(wrong)
}

fn refused(denied: &Denied) -> Failure {
    match denied {
        Denied::Unknown => unknown(),
        Denied::Closed(_) | Denied::NotSo(..) | Denied::NoOrder | Denied::AcceptedOrder => {
            Failure::new(Kind::NotWaiting, denied.to_string())
        }
        Denied::MustStay(field) => {
            let field = format!("document.{field}");
            Failure::from(Kind::Invalid.problem(denied.to_string()).about(field))
        }
    }
}
