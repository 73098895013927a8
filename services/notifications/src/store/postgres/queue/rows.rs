//! Notices and their messages as rows.

use sqlx::PgConnection;

use crate::customer::Email;
use crate::notice::{Message, Notice};

/// Messages by column, as one statement takes them.
pub(super) struct Columns {
    pub(super) channels: Vec<String>,
    languages: Vec<String>,
    addresses: Vec<Option<String>>,
    subjects: Vec<String>,
    bodies: Vec<String>,
}

impl Columns {
    pub(super) fn of(messages: &[Message]) -> Self {
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

/// The name of the notice, which is new with all its messages; `None` when there is one already. Waits for a transaction
/// that is inserting one.
pub(super) async fn insert_notice(
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

pub(super) async fn find_notice(
    connection: &mut PgConnection,
    notice: &Notice,
) -> Result<Option<(String, String)>, sqlx::Error> {
    let found = sqlx::query!(
        "select notification_id, customer_id from notices where order_id = $1 and template = $2",
        notice.order.as_str(),
        notice.template.name,
    );
    let found = found.fetch_optional(connection).await?;
    Ok(found.map(|found| (found.notification_id, found.customer_id)))
}

/// The channels that are new to a notice that is there already.
pub(super) async fn insert_messages(
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
