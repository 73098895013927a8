//! Notices into the outbox, each channel once.

use adapter_http::server::{Outcome, StoreError, Stored};
use adapter_postgres::service::{NewEffect, Scope, Taken, keep, take};
use contracts::effects::NOTICE_QUEUED;
use contracts::notifications::SendAnswer;
use sqlx::{PgConnection, PgPool};

use super::{failed, unavailable};
use crate::customer::Email;
use crate::notice::{Message, Notice};

const QUEUEING: &str = "queueing a notice";

/// What became of a notice's messages.
enum Queued {
    /// The notice's name, and the channels that are new.
    Over(String, Vec<String>),
    /// The order's customer was told already, and it is another one.
    ToAnother,
}

pub(super) async fn queue(
    pool: &PgPool,
    scope: Scope<'_>,
    notice: &Notice,
    messages: &[Message],
    year: i32,
) -> Result<Outcome, StoreError> {
    let mut transaction = pool.begin().await.map_err(queueing)?;
    let outcome = match take(&mut transaction, scope).await.map_err(queueing)? {
        Taken::Fresh => {
            let columns = Columns::of(messages);
            match insert(&mut transaction, notice, &columns, year).await? {
                Queued::Over(id, channels) => {
                    let mut stored = Stored::fresh(&answer(id)).map_err(|error| unavailable(QUEUEING, error))?;
                    if !channels.is_empty() {
                        let effects = effects(notice, &channels);
                        keep(transaction, scope, &stored.body, &effects)
                            .await
                            .map_err(queueing)?;
                        return Ok(Outcome::Done(stored));
                    }
                    stored.replayed = true;
                    Outcome::Done(stored)
                }
                Queued::ToAnother => {
                    let (order, template) = (&notice.order, notice.template.name);
                    Outcome::Exists(format!("{template} of {order} went to another customer"))
                }
            }
        }
        Taken::Repeat(body) => Outcome::Done(Stored { body, replayed: true }),
        Taken::Reused => Outcome::KeyReused,
        Taken::InProgress => Outcome::InProgress,
    };
    // Awaited, so that the key is free before its holder hears of it.
    transaction.rollback().await.map_err(queueing)?;
    Ok(outcome)
}

fn answer(notification_id: String) -> SendAnswer {
    SendAnswer {
        notification_id,
        status: "queued".to_owned(),
    }
}

fn effects<'a>(notice: &'a Notice, channels: &[String]) -> Vec<NewEffect<'a>> {
    let requested: Vec<_> = notice
        .channels
        .iter()
        .map(|channel| channel.name().to_owned())
        .collect();
    let effect = |channel: &String| NewEffect {
        kind: NOTICE_QUEUED,
        order_id: notice.order.as_str(),
        generation: notice.generation.0.cast_signed(),
        subject: format!("{}/{channel}", notice.template.name),
        parts: requested.clone(),
    };
    channels.iter().map(effect).collect()
}

/// Messages by column, as one statement takes them.
struct Columns {
    channels: Vec<String>,
    languages: Vec<String>,
    addresses: Vec<Option<String>>,
    subjects: Vec<String>,
    bodies: Vec<String>,
}

impl Columns {
    fn of(messages: &[Message]) -> Self {
        let each = |part: fn(&Message) -> String| messages.iter().map(part).collect();
        Self {
            channels: each(|message| message.channel.name().to_owned()),
            languages: each(|message| message.language.code().to_owned()),
            addresses: messages
                .iter()
                .map(|message| message.address.as_ref().map(Email::as_str).map(str::to_owned))
                .collect(),
            subjects: each(|message| message.written.subject.clone()),
            bodies: each(|message| message.written.body.clone()),
        }
    }
}

async fn insert(
    connection: &mut PgConnection,
    notice: &Notice,
    columns: &Columns,
    year: i32,
) -> Result<Queued, StoreError> {
    if let Some(id) = insert_notice(connection, notice, columns, year)
        .await
        .map_err(queueing)?
    {
        return Ok(Queued::Over(id, columns.channels.clone()));
    }
    let found = find_notice(connection, notice).await.map_err(queueing)?;
    let (id, customer) = found.ok_or(StoreError::Raced(QUEUEING))?;
    if customer != notice.customer.as_str() {
        return Ok(Queued::ToAnother);
    }
    let channels = insert_messages(connection, notice, columns).await.map_err(queueing)?;
    Ok(Queued::Over(id, channels))
}

/// The name of the notice, which is new with all its messages; `None` when there is one already. Waits for a transaction
/// that is inserting one.
async fn insert_notice(
    connection: &mut PgConnection,
    notice: &Notice,
    columns: &Columns,
    year: i32,
) -> Result<Option<String>, sqlx::Error> {
    let inserted = sqlx::query_scalar!(
        "with notice as (
             insert into notices (notification_id, order_id, template, generation, customer_id)
             values ('NOTIF-' || $1::integer || '-' || nextval('notification_numbers'), $2, $3, $4, $5)
             on conflict (order_id, template) do nothing
             returning notification_id, order_id, template
         ), message as (
             insert into messages (order_id, template, channel, language, address, subject, body)
             select notice.order_id, notice.template, m.channel, m.language, m.address, m.subject, m.body
             from notice, unnest($6::text[], $7::text[], $8::text[], $9::text[], $10::text[])
                 as m(channel, language, address, subject, body)
         )
         select notification_id from notice",
        year,
        notice.order.as_str(),
        notice.template.name,
        notice.generation.0.cast_signed(),
        notice.customer.as_str(),
        &columns.channels,
        &columns.languages,
        &columns.addresses as &[Option<String>],
        &columns.subjects,
        &columns.bodies,
    );
    inserted.fetch_optional(connection).await
}

async fn find_notice(connection: &mut PgConnection, notice: &Notice) -> Result<Option<(String, String)>, sqlx::Error> {
    let found = sqlx::query!(
        "select notification_id, customer_id from notices where order_id = $1 and template = $2",
        notice.order.as_str(),
        notice.template.name,
    );
    let found = found.fetch_optional(connection).await?;
    Ok(found.map(|found| (found.notification_id, found.customer_id)))
}

/// The channels that are new to a notice that is there already.
async fn insert_messages(
    connection: &mut PgConnection,
    notice: &Notice,
    columns: &Columns,
) -> Result<Vec<String>, sqlx::Error> {
    let inserted = sqlx::query_scalar!(
        "insert into messages (order_id, template, channel, language, address, subject, body)
         select $1, $2, m.channel, m.language, m.address, m.subject, m.body
         from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
             as m(channel, language, address, subject, body)
         on conflict (order_id, template, channel) do nothing
         returning channel",
        notice.order.as_str(),
        notice.template.name,
        &columns.channels,
        &columns.languages,
        &columns.addresses as &[Option<String>],
        &columns.subjects,
        &columns.bodies,
    );
    inserted.fetch_all(connection).await
}

fn queueing(error: sqlx::Error) -> StoreError {
    failed(QUEUEING, error)
}
