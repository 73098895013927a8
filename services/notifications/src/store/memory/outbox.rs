//! What customers were told.

use std::collections::BTreeMap;

use contracts::effects::Page;
use contracts::notifications::StoredMessage;
use pipeline::id::{CustomerId, OrderId};
use time::OffsetDateTime;

use crate::customer::Email;
use crate::notice::{Message, Notice};
use crate::template::Channel;

/// The number of the first notice.
const FIRST_NUMBER: usize = 100_001;

/// All notices and their messages.
#[derive(Default)]
pub(super) struct Outbox {
    /// By order and template.
    notices: BTreeMap<OrderId, BTreeMap<&'static str, Told>>,
    messages: Vec<StoredMessage>,
    /// How many notices there are.
    count: usize,
}

struct Told {
    notification_id: String,
    customer: CustomerId,
    channels: Vec<Channel>,
}

impl Outbox {
    fn find(&self, notice: &Notice) -> Option<&Told> {
        self.notices.get(&notice.order)?.get(notice.template.name)
    }

    /// Whether this was told to another customer.
    pub(super) fn went_to_another(&self, notice: &Notice) -> bool {
        self.find(notice).is_some_and(|told| told.customer != notice.customer)
    }

    /// What the notice is called, or will be.
    pub(super) fn name_of(&self, notice: &Notice, year: i32) -> String {
        let new = || format!("NOTIF-{year}-{}", FIRST_NUMBER + self.count);
        self.find(notice).map_or_else(new, |told| told.notification_id.clone())
    }

    /// Those of its messages whose channels the notice did not go over yet.
    pub(super) fn not_told<'a>(&self, notice: &Notice, messages: &'a [Message]) -> Vec<&'a Message> {
        let told = self.find(notice).map_or(&[][..], |told| &told.channels);
        let new = |message: &&Message| !told.contains(&message.channel);
        messages.iter().filter(new).collect()
    }

    /// Puts new messages of a notice into the outbox.
    pub(super) fn put(&mut self, notice: &Notice, notification_id: &str, messages: &[&Message], at: OffsetDateTime) {
        let of_order = self.notices.entry(notice.order.clone()).or_default();
        let told = of_order.entry(notice.template.name).or_insert_with(|| {
            self.count += 1;
            Told {
                notification_id: notification_id.to_owned(),
                customer: notice.customer.clone(),
                channels: vec![],
            }
        });
        for message in messages {
            told.channels.push(message.channel);
            self.messages.push(StoredMessage {
                notification_id: notification_id.to_owned(),
                at,
                order_id: notice.order.to_string(),
                customer_id: notice.customer.to_string(),
                template: notice.template.name.to_owned(),
                channel: message.channel.name().to_owned(),
                language: message.language.code().to_owned(),
                address: message.address.as_ref().map(Email::as_str).map(str::to_owned),
                subject: message.written.subject.clone(),
                body: message.written.body.clone(),
            });
        }
    }

    /// The names of the templates that an order's customer was sent, sorted.
    pub(super) fn sent(&self, order: &OrderId) -> Vec<String> {
        let templates = self.notices.get(order).into_iter().flat_map(BTreeMap::keys);
        templates.map(|name| (*name).to_owned()).collect()
    }

    /// Messages are numbered by their place, from 1.
    pub(super) fn page(&self, order: Option<&OrderId>, after: i64, limit: i64) -> Page<StoredMessage> {
        let [after, limit] = [after, limit].map(|number| usize::try_from(number).unwrap_or(0));
        let wanted = |message: &&StoredMessage| order.is_none_or(|order| message.order_id == order.as_str());
        let numbered = (1..).zip(&self.messages).skip(after);
        let (numbers, rows): (Vec<usize>, Vec<_>) = numbered
            .filter(|(_, message)| wanted(message))
            .take(limit)
            .map(|(number, message)| (number, message.clone()))
            .unzip();
        let next = numbers.last().filter(|_| numbers.len() == limit);
        Page {
            rows,
            next: next.map(ToString::to_string),
        }
    }
}
