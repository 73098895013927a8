//! Sending so that `Ok` means: the broker has it on disk, in a queue.
//!
//! The client library gives a returned message to whichever confirm comes next, so a channel carries one publish at a
//! time; for more at once there are more channels.

use std::num::NonZeroU16;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use lapin::options::{BasicPublishOptions, ConfirmSelectOptions};
use lapin::types::ShortString;
use lapin::{BasicProperties, Channel, Confirmation};
use pipeline::dead_letters::{Content, Queue as Dead};
use pipeline::outgoing::{Destination, Envelope, ORDER_COMPENSATE, ORDER_PROCESS};
use pipeline::ports::{PublishError, Publisher, Source};
use platform::retry;
use tokio::sync::Semaphore;
use tokio::time::Instant;

use crate::bounds::{CONFIRM_MAX, CONNECT_MAX, OPEN_MAX, TURN_MAX, within};
use crate::link::{Link, LinkError};
use crate::properties::{self, copy, json};
use crate::received::Received;
use crate::url::BrokerUrl;

/// No publish takes longer than this; one that nobody answers is `Unconfirmed` by then.
pub const PUBLISH_MAX: Duration = TURN_MAX
    .saturating_add(TURN_MAX)
    .saturating_add(CONNECT_MAX)
    .saturating_add(OPEN_MAX)
    .saturating_add(CONFIRM_MAX);

/// Publishes over a pool of confirm channels on a connection of its own. Connects with the first publish, and again
/// with the next one after the connection was lost. While the broker is away publishes fail at once, but for one now
/// and then that tries to connect.
pub struct ConfirmPublisher {
    broker: BrokerUrl,
    name: String,
    free: Semaphore,
    /// Channels with nothing under way. One that is in use belongs to its publish alone, so that whatever becomes of
    /// that publish, nobody finds it here with a confirm outstanding.
    idle: Mutex<Vec<Channel>>,
    standing: tokio::sync::Mutex<Standing>,
}

type Waits = Box<dyn Iterator<Item = Duration> + Send>;

/// How we stand with the broker.
struct Standing {
    link: Option<Link>,
    /// Until when it is not asked again, and why.
    closed: Option<(Instant, Arc<LinkError>)>,
    waits: Waits,
}

impl ConfirmPublisher {
    /// A publisher with at most `channels_max` messages under way; operators see its connection as `name`.
    #[must_use]
    pub fn new(broker: BrokerUrl, name: &str, channels_max: NonZeroU16) -> Self {
        Self {
            broker,
            name: name.to_owned(),
            free: Semaphore::new(channels_max.get().into()),
            idle: Mutex::default(),
            standing: tokio::sync::Mutex::new(Standing {
                link: None,
                closed: None,
                waits: Box::new(retry::reconnect()),
            }),
        }
    }

    /// Says goodbye to the broker. A publish after this connects anew.
    pub async fn close(&self) {
        let link = self.standing.lock().await.link.take();
        self.idle().clear();
        if let Some(link) = link {
            link.close().await;
        }
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Channel>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A channel that was put back, if one is alive.
    fn idle_channel(&self) -> Option<Channel> {
        let mut idle = self.idle();
        std::iter::from_fn(|| idle.pop()).find(|channel| channel.status().connected())
    }

    /// A channel with nothing under way: an idle one, or a new one. One caller at a time opens or connects; those who
    /// waited for it share its failure.
    async fn channel(&self) -> Result<Channel, Arc<LinkError>> {
        if let Some(channel) = self.idle_channel() {
            return Ok(channel);
        }
        let turn = async { Ok::<_, LinkError>(self.standing.lock().await) };
        let mut standing = within("waiting for another publish to connect", TURN_MAX, turn).await?;
        if let Some(channel) = self.idle_channel() {
            return Ok(channel);
        }
        let opened = standing.open_channel(&self.broker, &self.name).await;
        if opened.is_err() {
            // Their connection is gone, whether they know it yet or not.
            self.idle().clear();
        }
        opened
    }
}

impl Standing {
    async fn open_channel(&mut self, broker: &BrokerUrl, name: &str) -> Result<Channel, Arc<LinkError>> {
        if let Some((until, why)) = &self.closed
            && Instant::now() < *until
        {
            return Err(Arc::clone(why));
        }
        match self.try_open_channel(broker, name).await {
            Ok(channel) => {
                self.closed = None;
                self.waits = Box::new(retry::reconnect());
                Ok(channel)
            }
            Err(error) => {
                // A connection that gives no channel is no use to anyone; dropping it fails all that wait on it.
                self.link = None;
                let error = Arc::new(error);
                let wait = self.waits.next().unwrap_or_default();
                self.closed = Some((Instant::now() + wait, Arc::clone(&error)));
                Err(error)
            }
        }
    }

    async fn try_open_channel(&mut self, broker: &BrokerUrl, name: &str) -> Result<Channel, LinkError> {
        let link = match self.link.take().filter(Link::is_alive) {
            Some(link) => link,
            None => Link::open(broker, name).await?,
        };
        let link = self.link.insert(link);
        let open = async {
            let channel = link.channel().await?;
            channel.confirm_select(ConfirmSelectOptions::default()).await?;
            Ok::<_, Source>(channel)
        };
        within("opening a confirm channel", OPEN_MAX, open).await
    }
}

impl ConfirmPublisher {
    /// Publishes a copy of `received` to where it moves on, `Ok` once that is confirmed and routed.
    pub(crate) async fn forward(
        &self,
        received: &Received,
        exchange: &str,
        key: &str,
        changes: &copy::Changes,
    ) -> Result<(), Unsent> {
        let properties = copy::of(&received.properties, changes);
        self.send(exchange, key, true, &received.body, properties).await
    }

    /// Sends a message that was kept once more to where it was worked, as it was, with the mark `replay`. `Ok` once that is
    /// confirmed and routed.
    ///
    /// # Errors
    ///
    /// [`Unsent`]: it may have arrived all the same; a second copy is recognised as a duplicate.
    pub async fn send_again(&self, queue: Dead, content: &Content, replay: &str) -> Result<(), Unsent> {
        let kept = serde_json::from_str(&content.properties).map_err(|error| Unsent::Unconfirmed(error.into()))?;
        let kept = json::read(&kept);
        let is_undo = kept
            .kind()
            .as_ref()
            .is_some_and(|kind| kind.as_str() == ORDER_COMPENSATE);
        let (destination, key) = match queue {
            Dead::Compensation => (Destination::Compensation, ORDER_COMPENSATE),
            Dead::Invalid if is_undo => (Destination::Compensation, ORDER_COMPENSATE),
            Dead::Process | Dead::Invalid => (Destination::Orders, ORDER_PROCESS),
        };
        let properties = copy::again(&kept, replay);
        self.send(destination.exchange(), key, true, &content.body, properties)
            .await
    }

    async fn send(
        &self,
        exchange: &str,
        key: &str,
        must_route: bool,
        body: &[u8],
        properties: BasicProperties,
    ) -> Result<(), Unsent> {
        let unconfirmed = |source: Source| Unsent::Unconfirmed(source);
        let turn = within("waiting for a free channel", TURN_MAX, self.free.acquire()).await;
        let _turn = turn.map_err(|error| unconfirmed(error.into()))?;
        let channel = self.channel().await.map_err(|error| unconfirmed(error.into()))?;
        // On every way out but the last the channel is dropped, and closed by that.
        let short = |text: &str| ShortString::try_new(text).map_err(|error| unconfirmed(error.into()));
        let options = BasicPublishOptions {
            mandatory: must_route,
            ..BasicPublishOptions::default()
        };
        let (exchange, key) = (short(exchange)?, short(key)?);
        let sent = async {
            let sent = channel.basic_publish(exchange, key, options, body, properties);
            sent.await?.await
        };
        let confirmation = within("publishing and waiting for the confirm", CONFIRM_MAX, sent).await;
        let verdict = match confirmation.map_err(|error| unconfirmed(error.into()))? {
            Confirmation::Ack(None) => Ok(()),
            Confirmation::Ack(Some(_returned)) => Err(Unsent::Unroutable),
            Confirmation::Nack(_) => Err(Unsent::Refused),
            Confirmation::NotRequested => return Err(unconfirmed("the channel is not in confirm mode".into())),
        };
        self.idle().push(channel);
        verdict
    }
}

/// Why a message does not count as sent.
#[derive(Debug, thiserror::Error)]
pub enum Unsent {
    /// The broker answered that no queue takes it.
    #[error("it reached no queue; run `acuse topology check`")]
    Unroutable,
    /// The broker refused it.
    #[error("it was refused by the broker (nack); is a queue full?")]
    Refused,
    /// No answer in time, or the connection went away; it may have arrived.
    #[error("it was not confirmed by the broker")]
    Unconfirmed(#[source] Source),
}

#[async_trait]
impl Publisher for ConfirmPublisher {
    async fn publish(&self, envelope: &Envelope) -> Result<(), PublishError> {
        let id = envelope.id;
        let kind = ShortString::try_new(envelope.kind.as_str()).map_err(|error| PublishError::Unconfirmed {
            id,
            source: error.into(),
        })?;
        let properties = properties::of(envelope, kind);
        let (exchange, must_route) = (envelope.destination.exchange(), envelope.destination.must_route());
        let sent = self.send(
            exchange,
            &envelope.kind,
            must_route,
            envelope.body.as_bytes(),
            properties,
        );
        sent.await.map_err(|unsent| match unsent {
            Unsent::Unroutable => PublishError::Unroutable(id),
            Unsent::Refused => PublishError::Refused(id),
            Unsent::Unconfirmed(source) => PublishError::Unconfirmed { id, source },
        })
    }
}
