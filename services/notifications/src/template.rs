//! Templates: texts with places for values. A value is text wherever it stands: nothing in it is read as markup, and no
//! place in it is filled.

use std::collections::BTreeMap;

use contracts::notifications::ORDER_CONFIRMED;
use pipeline::id::OrderId;

use crate::language::Language;

/// How a message reaches a customer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Channel {
    /// E-mail.
    Email,
    /// A line on the telephone.
    Push,
}

impl Channel {
    /// As the wire has it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::Push => "push",
        }
    }

    /// By its [`Channel::name`].
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Email, Self::Push]
            .into_iter()
            .find(|channel| channel.name() == name)
    }
}

/// What customers are told on one occasion.
#[derive(Debug, PartialEq, Eq)]
pub struct Template {
    /// Its name.
    pub name: &'static str,
    /// Values that it cannot do without, beside `order_id`.
    pub needs: &'static [&'static str],
    spanish: Text,
    portuguese: Text,
    english: Text,
}

/// A template in one language. `{name}` is the place of a value.
#[derive(Debug, PartialEq, Eq)]
struct Text {
    subject: &'static str,
    email: &'static str,
    push: &'static str,
}

/// A filled template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Subject line.
    pub subject: String,
    /// Text.
    pub body: String,
}

impl Template {
    /// By its name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        TEMPLATES.iter().find(|template| template.name == name)
    }

    /// Fills in what `data` has; a place without a value stays empty.
    #[must_use]
    pub fn write(
        &self,
        language: Language,
        channel: Channel,
        order: &OrderId,
        data: &BTreeMap<String, String>,
    ) -> Written {
        let text = match language {
            Language::Spanish => &self.spanish,
            Language::Portuguese => &self.portuguese,
            Language::English => &self.english,
        };
        let body = match channel {
            Channel::Email => text.email,
            Channel::Push => text.push,
        };
        let value = |name: &str| match name {
            "order_id" => order.as_str(),
            _ => data.get(name).map_or("", String::as_str),
        };
        Written {
            subject: fill(text.subject, value),
            body: fill(body, value),
        }
    }
}

/// One pass over the template's own text, so that no value is looked at for places.
fn fill<'a>(text: &str, value: impl Fn(&str) -> &'a str) -> String {
    let mut filled = String::with_capacity(2 * text.len());
    let mut rest = text;
    while let Some((before, place)) = rest.split_once('{') {
        let (name, after) = place.split_once('}').unwrap_or((place, ""));
        filled.push_str(before);
        filled.push_str(value(name));
        rest = after;
    }
    filled.push_str(rest);
    filled
}

static TEMPLATES: [Template; 1] = [Template {
    name: ORDER_CONFIRMED,
    needs: &["total", "carriers", "tracking_numbers", "estimated_delivery"],
    spanish: Text {
        subject: "Tu pedido {order_id} está confirmado",
        email: "¡Gracias por tu compra!\n\n\
                Tu pedido {order_id} por {total} está confirmado y va en camino.\n\
                Transporte: {carriers}\n\
                Número de rastreo: {tracking_numbers}\n\
                Entrega estimada: {estimated_delivery}\n",
        push: "Tu pedido {order_id} está confirmado. Entrega estimada: {estimated_delivery}",
    },
    portuguese: Text {
        subject: "Seu pedido {order_id} está confirmado",
        email: "Obrigado pela sua compra!\n\n\
                Seu pedido {order_id} de {total} está confirmado e a caminho.\n\
                Transporte: {carriers}\n\
                Código de rastreamento: {tracking_numbers}\n\
                Entrega prevista: {estimated_delivery}\n",
        push: "Seu pedido {order_id} está confirmado. Entrega prevista: {estimated_delivery}",
    },
    english: Text {
        subject: "Your order {order_id} is confirmed",
        email: "Thank you for your purchase!\n\n\
                Your order {order_id} for {total} is confirmed and on its way.\n\
                Carried by: {carriers}\n\
                Tracking number: {tracking_numbers}\n\
                Estimated delivery: {estimated_delivery}\n",
        push: "Your order {order_id} is confirmed. Estimated delivery: {estimated_delivery}",
    },
}];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn places(text: &str) -> BTreeSet<&str> {
        text.split('{')
            .skip(1)
            .map(|place| place.split_once('}').expect("a place ends").0)
            .collect()
    }

    #[test]
    fn every_language_says_the_same_and_needs_no_more_than_is_asked_for() {
        for template in &TEMPLATES {
            for text in [&template.spanish, &template.portuguese, &template.english] {
                let mut needed: BTreeSet<_> = template.needs.iter().copied().collect();
                needed.insert("order_id");
                assert_eq!(places(text.email), needed);
                assert!(places(text.subject).is_subset(&needed) && places(text.push).is_subset(&needed));
            }
        }
    }

    #[test]
    fn a_value_is_text_whatever_it_looks_like() {
        let data = [
            ("total", "{carriers}"),
            ("carriers", "<b>&amp;"),
            ("tracking_numbers", "}{"),
            ("estimated_delivery", ""),
        ];
        let data = data.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let template = Template::find("order_confirmed").unwrap();
        let order = OrderId::parse("ORD-1").unwrap();
        let written = template.write(Language::English, Channel::Email, &order, &data);
        assert_eq!(written.subject, "Your order ORD-1 is confirmed");
        assert!(
            written.body.contains("order ORD-1 for {carriers} is"),
            "{}",
            written.body
        );
        assert!(written.body.contains("Carried by: <b>&amp;\n"), "{}", written.body);
        assert!(written.body.contains("number: }{\n"), "{}", written.body);
        assert!(written.body.ends_with("delivery: \n"), "{}", written.body);
    }

    #[test]
    fn a_channel_is_found_by_its_name() {
        assert_eq!(Channel::parse("email"), Some(Channel::Email));
        assert_eq!(Channel::parse("push"), Some(Channel::Push));
        assert_eq!(Channel::parse("sms"), None);
    }
}
