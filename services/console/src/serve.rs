//! The service, put together.

use std::num::NonZeroU16;
use std::process::ExitCode;
use std::sync::Arc;

use adapter_http::server::serve as serve_http;
use adapter_postgres::connection::{self, Durability};
use adapter_postgres::dead_letters::{PgDeadLetterBooks, PgDeadLetters};
use adapter_postgres::migrations::migrate_acuse;
use adapter_postgres::orders::PgOrders;
use adapter_postgres::relay::Wake;
use adapter_rabbitmq::line::Line;
use adapter_rabbitmq::publisher::ConfirmPublisher;
use adapter_rabbitmq::supervisor;
use pipeline::dead_letters::{DeadLetters, Queue};
use platform::health::Readiness;
use platform::lifecycle::Lifecycle;

use crate::config::Config;
use crate::drain::{Drain, Store};
use crate::routes::{Desk, router};

/// One message at a time out of each queue.
const CONSUMERS: NonZeroU16 = NonZeroU16::MIN;

/// Messages sent again at once.
const PUBLISH_CHANNELS_MAX: NonZeroU16 = NonZeroU16::new(4).unwrap();

/// The whole process, under its name; in here so that it is compiled once.
#[must_use]
pub fn process() -> ExitCode {
    platform::process::run("console", Config::read, serve)
}

/// Runs the console until it is told to stop.
///
/// # Errors
///
/// When a server that it cannot start without does not answer, or its port is taken.
pub async fn serve(config: Config, mut life: Lifecycle) -> anyhow::Result<()> {
    let pool = connection::pool(
        &config.database_url,
        "console",
        config.connections_max,
        Durability::Durable,
    )?;
    connection::wait_for(&pool).await?;
    migrate_acuse(&pool).await?;

    // What it writes into the outbox is relayed by checkout and the workers, who ask for it now and then.
    let wake = Wake::default();
    let store: Arc<dyn DeadLetters> = Arc::new(PgDeadLetters::new(pool.clone(), config.instance.clone(), wake.clone()));
    let publisher = ConfirmPublisher::new(config.broker.clone(), "console-again", PUBLISH_CHANNELS_MAX);
    let publisher = Arc::new(publisher);
    let ready = Readiness::starting();
    // Its parts tell; the process itself can answer from here on.
    ready.green();
    let watching = adapter_postgres::service::watch(pool.clone(), ready.part("database"), life.stopping());
    life.run("database", async move {
        watching.await;
        Ok(())
    });
    for queue in Queue::ALL {
        let settings = supervisor::Settings {
            broker: config.broker.clone(),
            line: Line::Dead(queue),
            consumers: CONSUMERS,
            name: format!("{} {}", config.instance, queue.name()),
        };
        let drain = Drain {
            queue,
            store: Arc::clone(&store),
        };
        let (moves, probe) = (Arc::clone(&publisher), Arc::new(Store(pool.clone())));
        let draining = supervisor::run(
            settings,
            Arc::new(drain),
            moves,
            probe,
            ready.part(queue.name()),
            life.stopping(),
        );
        life.run(queue.name(), async move {
            draining.await;
            Ok(())
        });
    }

    let desk = Desk {
        orders: Arc::new(PgOrders::new(pool.clone(), pool.clone(), wake)),
        books: PgDeadLetterBooks(pool),
        store,
        publisher,
    };
    let listener = config.listen.bind().await?;
    let router = router(desk, config.callers, ready);
    life.run("http", serve_http(listener, router, life.stopping()));
    life.finish().await
}
