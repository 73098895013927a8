//! The topology of the pipeline.

use std::sync::LazyLock;

use pipeline::dead_letters::Queue as Dead;
use pipeline::outgoing::{ORDER_COMPENSATE, ORDER_PROCESS};
use pipeline::retry::{DEFER_MS, Rest};

use super::{
    Binding, COMPENSATION_QUEUE, DEFER_QUEUE, Entry, Exchange, INVALID_EXCHANGE, PROCESS_QUEUE, Policy, Queue,
    RETRY_EXCHANGE, Routing, SUSPECT_QUEUE, Setting, Topology, UNREADABLE_QUEUE, rest_queue,
};

/// Returns of one delivery after which the broker gives it up. On brokers before 4.3 every return counts.
const DELIVERY_LIMIT: i64 = 5;

/// Returns of one dead letter after which it is laid aside, so that those behind it are taken in. The console tries
/// every 5 s at most, so a store that cannot be written to has a quarter of an hour to come back.
const DEAD_DELIVERY_LIMIT: i64 = 200;

/// No message comes this far. Without a limit of ours RabbitMQ 4 would apply its own of 20; "unlimited" is -1 there,
/// which below 4 means that the first return drops the message.
const NO_DELIVERY_LIMIT: i64 = 1_000_000;

/// Everything that must be there.
#[must_use]
pub fn topology() -> &'static Topology {
    static TOPOLOGY: LazyLock<Topology> = LazyLock::new(build);
    &TOPOLOGY
}

fn build() -> Topology {
    let mut all = Topology {
        exchanges: exchanges(),
        queues: vec![],
        bindings: vec![],
        policies: vec![],
    };
    all.work(PROCESS_QUEUE, "orders", ORDER_PROCESS, PROCESS);
    all.add(
        SUSPECT_QUEUE,
        (RETRY_EXCHANGE, SUSPECT_QUEUE),
        SUSPECT,
        limited(ORDER_PROCESS),
        LIMITED,
    );
    let back = rests(DEFER_MS, "orders", ORDER_PROCESS);
    all.add(DEFER_QUEUE, (RETRY_EXCHANGE, DEFER_QUEUE), DEFERRED, back, RESTING);
    all.dead(Dead::Process, "orders.dlx", ORDER_PROCESS, DEAD);
    all.work(
        COMPENSATION_QUEUE,
        "orders.compensation",
        ORDER_COMPENSATE,
        COMPENSATION,
    );
    all.dead(Dead::Compensation, "orders.dlx", ORDER_COMPENSATE, DEAD_UNDO);
    all.dead(Dead::Invalid, INVALID_EXCHANGE, ORDER_PROCESS, INVALID);
    all.bind(INVALID_EXCHANGE, ORDER_COMPENSATE, Dead::Invalid.name());
    all.add(
        UNREADABLE_QUEUE,
        ("orders.dlx", UNREADABLE_QUEUE),
        UNREADABLE,
        vec![("delivery-limit", Setting::Number(NO_DELIVERY_LIMIT))],
        "nothing takes over what a person looks at here too often, so the broker must never drop it",
    );
    all
}

impl Topology {
    /// A queue that is worked, and where its messages rest between tries.
    fn work(&mut self, queue: &'static str, exchange: &'static str, key: &'static str, entry: Entry) {
        self.add(queue, (exchange, key), entry, limited(key), LIMITED);
        for rest in Rest::all() {
            let name = rest_queue(queue, rest);
            let back = rests(rest.milliseconds(), exchange, key);
            self.add(&name, (RETRY_EXCHANGE, &name), RESTS, back, RESTING);
        }
    }

    /// A queue that waits for the console.
    fn dead(&mut self, queue: Dead, exchange: &'static str, key: &str, entry: Entry) {
        let mut settings = vec![("delivery-limit", Setting::Number(DEAD_DELIVERY_LIMIT))];
        settings.extend(moves_to("orders.dlx", UNREADABLE_QUEUE));
        let reason =
            "one that the client library cannot even read, or that the store refuses, would hold up all behind it";
        self.add(queue.name(), (exchange, key), entry, settings, reason);
    }

    fn add(
        &mut self,
        queue: &str,
        (exchange, key): (&'static str, &str),
        entry: Entry,
        definition: Vec<(&'static str, Setting)>,
        reason: &'static str,
    ) {
        let policy = format!("acuse-{}", queue.replace('.', "-"));
        self.policies.push(Policy {
            name: policy.clone(),
            pattern: format!("^{}$", queue.replace('.', r"\.")),
            priority: 10,
            definition,
            reason,
        });
        self.queues.push(Queue {
            name: queue.to_owned(),
            policy,
            entry,
        });
        self.bind(exchange, key, queue);
    }

    fn bind(&mut self, exchange: &'static str, key: &str, queue: &str) {
        self.bindings.push(Binding {
            exchange,
            routing_key: key.to_owned(),
            queue: queue.to_owned(),
        });
    }
}

/// What is returned too often goes to the dead letters, and is not let go before it has arrived there.
fn limited(key: &'static str) -> Vec<(&'static str, Setting)> {
    let mut settings = vec![("delivery-limit", Setting::Number(DELIVERY_LIMIT))];
    settings.extend(moves_to("orders.dlx", key));
    settings
}

const LIMITED: &str = "a message that kills whoever takes it is set apart after six deliveries; with a limit in place a \
                       returned message also goes back to the head of the queue, not to its end";

/// After its time a message goes back to be worked.
fn rests(milliseconds: u64, exchange: &'static str, key: &'static str) -> Vec<(&'static str, Setting)> {
    let ttl = i64::try_from(milliseconds).unwrap_or(i64::MAX);
    let mut settings = vec![("message-ttl", Setting::Number(ttl))];
    settings.extend(moves_to(exchange, key));
    settings
}

const RESTING: &str = "one time for the whole queue, since only its head expires: a message with a long rest would hold up \
                       those behind it";

/// At-least-once needs a queue that refuses rather than drops.
fn moves_to(exchange: &'static str, key: &'static str) -> [(&'static str, Setting); 4] {
    [
        ("dead-letter-exchange", Setting::Text(exchange)),
        ("dead-letter-routing-key", Setting::Text(key)),
        ("dead-letter-strategy", Setting::Text("at-least-once")),
        ("overflow", Setting::Text("reject-publish")),
    ]
}

fn exchanges() -> Vec<Exchange> {
    let direct = |name, purpose, owner, producers, consumers| Exchange {
        name,
        routing: Routing::Direct,
        entry: Entry {
            purpose,
            owner,
            producers,
            consumers,
        },
        open_to_subscribers: false,
    };
    vec![
        direct(
            "orders",
            "takes in orders to process; who may write here may have an order worked",
            "checkout",
            &["checkout", "console", "rest queues, when a rest is over"],
            &["queue orders.process"],
        ),
        direct(
            RETRY_EXCHANGE,
            "takes in copies of messages that rest before their next try, or are set apart as suspects",
            "order-worker",
            &["order-worker", "compensation"],
            &["rest queues", "queue orders.process.suspect"],
        ),
        direct(
            "orders.compensation",
            "takes in orders to undo; who may write here may have a generation of an order closed",
            "order-worker",
            &[
                "order-worker",
                "compensation",
                "console",
                "rest queues, when a rest is over",
            ],
            &["queue orders.compensation"],
        ),
        direct(
            "orders.dlx",
            "takes in what a person must look at",
            "console",
            &["order-worker", "compensation", "the broker, at a delivery limit"],
            &[
                "queue orders.process.dlq",
                "queue orders.compensation.dlq",
                "queue orders.unreadable",
            ],
        ),
        direct(
            INVALID_EXCHANGE,
            "takes in what could not be understood",
            "console",
            &["order-worker", "compensation"],
            &["queue orders.invalid"],
        ),
        Exchange {
            name: "orders.events",
            routing: Routing::Topic,
            entry: Entry {
                purpose: "tells what happened to orders; a message that nobody listens for is gone",
                owner: "order-worker",
                producers: &["order-worker", "compensation"],
                consumers: &["queues of other systems, their own"],
            },
            open_to_subscribers: true,
        },
    ]
}

const PROCESS: Entry = Entry {
    purpose: "orders to process, oldest first; one leaves when its result is stored, never before",
    owner: "order-worker",
    producers: &["exchange orders"],
    consumers: &["order-worker"],
};
const SUSPECT: Entry = Entry {
    purpose: "deliveries that were returned twice; taken one at a time, so that the guilty one is caught alone",
    owner: "order-worker",
    producers: &["order-worker"],
    consumers: &["order-worker with ACUSE_QUEUE=orders.process.suspect"],
};
const DEFERRED: Entry = Entry {
    purpose: "orders that wait without losing a try",
    owner: "order-worker",
    producers: &["order-worker"],
    consumers: &["exchange orders, when the rest is over"],
};
const RESTS: Entry = Entry {
    purpose: "messages that rest before their next try; one time for each queue, lanes so that they spread",
    owner: "order-worker",
    producers: &["order-worker", "compensation"],
    consumers: &["the exchange of its work queue, when the rest is over"],
};
const DEAD: Entry = Entry {
    purpose: "orders that could not be processed, on their way to the console's store",
    owner: "console",
    producers: &["order-worker", "the broker, at a delivery limit"],
    consumers: &["console"],
};
const COMPENSATION: Entry = Entry {
    purpose: "orders to undo; one leaves when it is recorded as compensated, never before",
    owner: "compensation",
    producers: &["exchange orders.compensation"],
    consumers: &["compensation"],
};
const DEAD_UNDO: Entry = Entry {
    purpose: "orders that could not be undone, on their way to the console's store",
    owner: "console",
    producers: &["compensation", "the broker, at a delivery limit"],
    consumers: &["console"],
};
const INVALID: Entry = Entry {
    purpose: "what could not be understood, bytes kept, on its way to the console's store",
    owner: "console",
    producers: &["order-worker", "compensation"],
    consumers: &["console"],
};
const UNREADABLE: Entry = Entry {
    purpose: "dead letters that the console could not take in; a person has to look at each",
    owner: "console",
    producers: &["the broker, at the delivery limit of a dead-letter queue"],
    consumers: &[],
};
