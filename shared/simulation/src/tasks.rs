//! The work that is under way: each a future that the scheduler polls by hand, and may drop at any point.

use std::pin::Pin;
use std::sync::Arc;

use adapter_memory::broker::{Done, MemoryBroker, Message, Place, Road, Taken, settle};
use adapter_memory::store::{MemoryOutbox, MemoryStore};
use pipeline::compensation::Compensator;
use pipeline::dead_letters::{Acted, Action, DeadLetters, Drained, EntryId, Queue};
use pipeline::handler::Handler;
use pipeline::happened::Operated;
use pipeline::id::OrderId;
use pipeline::ports::{Intake as _, NewOrder, Placement, Source, StoreError};
use pipeline::relay::{Bounds, Pass, pass};
use pipeline::verdict::{Settled, Verdict};

/// How a piece of work ended.
pub(crate) enum Outcome {
    Worked(Verdict, Done),
    Relayed(Result<Pass, StoreError>),
    Acted(&'static str, Option<OrderId>, Result<Acted, Source>),
    Placed(usize, Result<Placement, StoreError>),
}

pub(crate) type Work = Pin<Box<dyn Future<Output = Outcome> + Send>>;

const BOUNDS: Bounds = Bounds {
    rows_max: 4,
    in_flight_max: 2,
};

pub(crate) fn process(handler: Handler, broker: Arc<MemoryBroker>, taken: Taken) -> Work {
    Box::pin(async move {
        let verdict = handler.handle(&taken.order()).await;
        let done = settle(&broker, Road::Orders, &taken, &verdict).await;
        Outcome::Worked(verdict, done)
    })
}

pub(crate) fn undo(compensator: Compensator, broker: Arc<MemoryBroker>, taken: Taken) -> Work {
    Box::pin(async move {
        let verdict = compensator.handle(&taken.undo()).await;
        let done = settle(&broker, Road::Compensation, &taken, &verdict).await;
        Outcome::Worked(verdict, done)
    })
}

pub(crate) fn drain(store: Arc<dyn DeadLetters>, broker: Arc<MemoryBroker>, queue: Queue, taken: Taken) -> Work {
    Box::pin(async move {
        let verdict = match store.drain(&taken.message.letter(queue)).await {
            Ok(Drained::Kept(_)) => Verdict::Settled(Settled::Kept),
            Ok(Drained::Duplicate(duplicate)) => Verdict::Settled(Settled::Duplicate(duplicate)),
            Err(error) => Verdict::Hold(error.into()),
        };
        let done = settle(&broker, Road::Orders, &taken, &verdict).await;
        Outcome::Worked(verdict, done)
    })
}

pub(crate) fn relay(outbox: MemoryOutbox, broker: Arc<MemoryBroker>) -> Work {
    Box::pin(async move { Outcome::Relayed(pass(&outbox, &*broker, BOUNDS).await) })
}

pub(crate) fn place(store: Arc<MemoryStore>, number: usize, order: NewOrder) -> Work {
    Box::pin(async move { Outcome::Placed(number, store.place(&order).await) })
}

pub(crate) fn redo(store: Arc<dyn DeadLetters>, order: OrderId) -> Work {
    Box::pin(async move {
        let acted = store.redo(&order, &operated()).await;
        Outcome::Acted("redo", Some(order), acted.map_err(Source::from))
    })
}

pub(crate) fn act(
    store: Arc<dyn DeadLetters>,
    broker: Arc<MemoryBroker>,
    entry: EntryId,
    order: Option<OrderId>,
    action: Action,
) -> Work {
    Box::pin(async move {
        let name = action.closes_as().name();
        let acted = act_on(&*store, &broker, entry, action).await;
        Outcome::Acted(name, order, acted)
    })
}

async fn act_on(
    store: &dyn DeadLetters,
    broker: &MemoryBroker,
    entry: EntryId,
    action: Action,
) -> Result<Acted, Source> {
    let acted = store.act(entry, action, &operated()).await?;
    if let Acted::SendAgain(_, content) = &acted {
        let message = Message::again(content).ok_or("a dead letter without properties")?;
        let place = message.road().map_or(Place::Process, Road::queue);
        broker.publish_to(place, message).await?;
        store.sent_again(entry, &operated()).await?;
    }
    Ok(acted)
}

fn operated() -> Operated {
    Operated {
        by: "operator".to_owned(),
        reason: "looked at it".to_owned(),
    }
}
