//! Templates: texts with places for values. A value is text wherever it stands: nothing in it is read as markup, and no
//! place in it is filled.

mod texts;

use std::collections::BTreeMap;

use pipeline::id::OrderId;
use texts::TEMPLATES;

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
    /// Whether it tells that the order goes on: what a closed generation may not tell any more.
    pub is_forward: bool,
    spanish: Text,
    portuguese: Text,
    english: Text,
}

/// A template in one language. `{name}` is the place of a value; a line with a place that has none is left out.
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

    /// The names of all templates, as people list them.
    #[must_use]
    pub fn names() -> String {
        let names: Vec<_> = TEMPLATES.iter().map(|template| template.name).collect();
        names.join(", ")
    }

    /// Fills in what `data` has; a line with a place that it has nothing for is left out.
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
            "order_id" => Some(order.as_str()),
            _ => data.get(name).map(String::as_str),
        };
        Written {
            subject: fill(text.subject, value),
            body: fill(body, value),
        }
    }
}

fn fill<'a>(text: &str, value: impl Fn(&str) -> Option<&'a str>) -> String {
    let lines = text.split_inclusive('\n');
    lines.filter_map(|line| fill_line(line, &value)).collect()
}

/// One pass over the template's own text, so that no value is looked at for places.
fn fill_line<'a>(line: &str, value: impl Fn(&str) -> Option<&'a str>) -> Option<String> {
    let mut filled = String::with_capacity(2 * line.len());
    let mut rest = line;
    while let Some((before, place)) = rest.split_once('{') {
        let (name, after) = place.split_once('}').unwrap_or((place, ""));
        filled.push_str(before);
        filled.push_str(value(name)?);
        rest = after;
    }
    filled.push_str(rest);
    Some(filled)
}

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

    fn texts(template: &Template) -> [&Text; 3] {
        [&template.spanish, &template.portuguese, &template.english]
    }

    #[test]
    fn every_language_says_the_same_and_needs_no_more_than_is_asked_for() {
        for template in &TEMPLATES {
            let mut needed: BTreeSet<_> = template.needs.iter().copied().collect();
            needed.insert("order_id");
            let said = places(template.english.email);
            assert!(said.is_superset(&needed), "{}", template.name);
            for text in texts(template) {
                assert_eq!(places(text.email), said, "{}", template.name);
                assert!(places(text.subject).is_subset(&needed) && places(text.push).is_subset(&needed));
                assert!(places(text.subject).contains("order_id") && places(text.push).contains("order_id"));
            }
        }
    }

    #[test]
    fn a_confirmation_alone_goes_forward() {
        let forward: Vec<_> = TEMPLATES.iter().filter(|template| template.is_forward).collect();
        assert_eq!(forward.len(), 1);
        assert_eq!(forward[0].name, "order_confirmed");
        assert_eq!(Template::names(), "order_confirmed, out_of_stock, order_cancelled");
    }

    #[test]
    fn who_gets_money_back_reads_how_much_where_it_is_known() {
        let order = OrderId::parse("ORD-1").unwrap();
        for name in ["out_of_stock", "order_cancelled"] {
            let template = Template::find(name).unwrap();
            for language in Language::ALL {
                let written = |data| template.write(language, Channel::Email, &order, &data).body;
                let silent = written(BTreeMap::new());
                let told = written([("refund_total".to_owned(), "28500.00 MXN".to_owned())].into());
                let more: Vec<_> = told
                    .lines()
                    .filter(|line| !silent.lines().any(|known| known == *line))
                    .collect();
                assert_eq!(more.len(), 1, "{told}");
                assert!(more[0].ends_with(": 28500.00 MXN"), "{told}");
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
