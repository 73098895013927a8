//! What is answered and written down of a notice.

use adapter_http::server::{Outcome, StoreError, Stored};
use adapter_postgres::service::NewEffect;
use contracts::effects::NOTICE_QUEUED;
use contracts::notifications::SendAnswer;

use crate::notice::Notice;

pub(super) const QUEUEING: &str = "queueing a notice";

/// The notice of this name is in the outbox; `replayed` where it was before.
pub(super) fn queued(notification_id: &str, replayed: bool) -> Result<Stored, StoreError> {
    let stored = Stored::fresh(&SendAnswer {
        notification_id: notification_id.to_owned(),
        status: "queued".to_owned(),
    });
    let stored = stored.map_err(|error| StoreError::Unavailable {
        doing: QUEUEING,
        source: error.into(),
    })?;
    Ok(Stored { replayed, ..stored })
}

/// The order's customer was told already, and it is another one.
pub(super) fn another_customer(notice: &Notice) -> Outcome {
    let (order, template) = (&notice.order, notice.template.name);
    Outcome::Exists(format!("{template} of {order} went to another customer"))
}

/// The notice went over these channels.
pub(super) fn effects<'a>(notice: &'a Notice, channels: &[String]) -> Vec<NewEffect<'a>> {
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
