//! What a customer is to be told, and how it reads: decided from the request and the directory alone.

use std::collections::BTreeMap;

use pipeline::id::{CustomerId, Generation, OrderId};

use crate::customer::{Customer, Email};
use crate::language::Language;
use crate::template::{Channel, Template, Written};

/// What a customer is to be told. All of it was checked when it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// About which order.
    pub order: OrderId,
    /// About which generation of it.
    pub generation: Generation,
    /// Who is told.
    pub customer: CustomerId,
    /// What is told.
    pub template: &'static Template,
    /// Over which channels: at least one, sorted, each once.
    pub channels: Vec<Channel>,
    /// The country that the order goes to, where stated.
    pub country: Option<String>,
    /// Values for the template; all that it needs.
    pub data: BTreeMap<String, String>,
}

/// A notice as it is written for one channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// For which channel.
    pub channel: Channel,
    /// In which language.
    pub language: Language,
    /// Where it goes, where the channel has addresses and the directory knows one.
    pub address: Option<Email>,
    /// Subject and text.
    pub written: Written,
}

/// The messages of `notice`, one per channel, in its order. `known` is what the directory knows of the customer.
#[must_use]
pub fn messages(notice: &Notice, known: Option<&Customer>) -> Vec<Message> {
    let by_country = || Language::of_country(notice.country.as_deref());
    let language = known.map_or_else(by_country, |customer| customer.language);
    let message = |&channel: &Channel| Message {
        channel,
        language,
        address: match channel {
            Channel::Email => known.and_then(|customer| customer.email.clone()),
            Channel::Push => None,
        },
        written: notice.template.write(language, channel, &notice.order, &notice.data),
    };
    notice.channels.iter().map(message).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notice(country: Option<&str>) -> Notice {
        Notice {
            order: OrderId::parse("ORD-1").unwrap(),
            generation: Generation::FIRST,
            customer: CustomerId::parse("CUST-1").unwrap(),
            template: Template::find("order_confirmed").unwrap(),
            channels: vec![Channel::Email, Channel::Push],
            country: country.map(str::to_owned),
            data: BTreeMap::new(),
        }
    }

    #[test]
    fn the_directory_comes_before_the_country() {
        let known = Customer {
            email: Email::parse("ana@example.com").ok(),
            language: Language::English,
        };
        let messages = messages(&notice(Some("BR")), Some(&known));
        assert!(messages.iter().all(|message| message.language == Language::English));
        assert_eq!(messages[0].address, known.email);
        assert_eq!(messages[1].address, None, "a telephone has no e-mail address");
    }

    #[test]
    fn an_unknown_customer_is_told_in_the_language_of_the_country() {
        for (country, subject) in [
            (Some("BR"), "Seu pedido ORD-1 está confirmado"),
            (Some("CO"), "Tu pedido ORD-1 está confirmado"),
            (None, "Your order ORD-1 is confirmed"),
        ] {
            let messages = messages(&notice(country), None);
            assert_eq!(messages.len(), 2);
            assert!(
                messages
                    .iter()
                    .all(|message| message.written.subject == subject && message.address.is_none())
            );
        }
    }
}
