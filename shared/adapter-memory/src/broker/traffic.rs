//! Verdicts as traffic: whatever is moved is published there, confirmed, and only then acked. A crash in between makes a
//! duplicate; the other order would make a loss.

use pipeline::dead_letters::Queue;
use pipeline::failure::Failed;
use pipeline::retry::Rest;
use pipeline::verdict::{Defer, Retry, Verdict};

use super::MemoryBroker;
use super::message::{Message, Place, Road};
use super::queues::Taken;
use crate::faults::give_way;

/// What became of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Done {
    /// It is gone from its queue.
    Acked,
    /// Its channel was gone: the broker has given it to somebody else.
    Void,
    /// It is back in its queue.
    GivenBack,
}

/// Does with a delivery what the verdict says.
pub async fn settle(broker: &MemoryBroker, road: Road, taken: &Taken, verdict: &Verdict) -> Done {
    let Some((place, copy)) = moved(road, &taken.message, verdict) else {
        return match verdict {
            Verdict::Hold(_) => give_back(broker, taken),
            Verdict::Settled(_)
            | Verdict::Retry(_)
            | Verdict::Defer(_)
            | Verdict::Suspect
            | Verdict::Unknown(_)
            | Verdict::Invalid(_) => ack(broker, taken).await,
        };
    };
    match broker.publish_to(place, copy).await {
        Ok(()) => ack(broker, taken).await,
        // The consumer ends, and with its channel the delivery goes back.
        Err(_) => give_back(broker, taken),
    }
}

fn give_back(broker: &MemoryBroker, taken: &Taken) -> Done {
    broker.give_back(taken.tag);
    Done::GivenBack
}

async fn ack(broker: &MemoryBroker, taken: &Taken) -> Done {
    // The ack is under way: a crash here leaves the delivery unsettled.
    give_way().await;
    if broker.ack(taken.tag) { Done::Acked } else { Done::Void }
}

/// Where a copy goes; `None` where the delivery stays or is done with.
fn moved(road: Road, message: &Message, verdict: &Verdict) -> Option<(Place, Message)> {
    let mut copy = message.clone();
    let properties = &mut copy.properties;
    let place = match verdict {
        Verdict::Settled(_) | Verdict::Hold(_) => return None,
        Verdict::Retry(Retry { attempt, rest, why }) => {
            properties.attempt = *attempt;
            properties.last_error = Some(why.clone());
            resting(road, *rest)
        }
        Verdict::Defer(Defer { deferrals, why }) => {
            properties.deferrals = *deferrals;
            properties.last_error = Some(why.clone());
            Place::Deferred(road)
        }
        Verdict::Suspect => Place::Suspect,
        Verdict::Unknown(failed) => dead(&mut copy, failed, road.dead()),
        Verdict::Invalid(failed) => dead(&mut copy, failed, Queue::Invalid),
    };
    Some((place, copy))
}

fn resting(road: Road, rest: Rest) -> Place {
    Place::Resting(road, rest)
}

fn dead(copy: &mut Message, failed: &Failed, queue: Queue) -> Place {
    copy.properties.marks.failed = Some(failed.clone());
    Place::Dead(queue)
}
