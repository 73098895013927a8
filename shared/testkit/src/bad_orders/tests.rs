//! What a queue sees: the same list, read as the workers read it.

use contracts::order_message::decode;
use pipeline::message::MalformedKind;

use super::*;

#[test]
fn every_bad_order_is_refused_by_its_field() {
    let mut wrong = vec![];
    for bad in bad_orders() {
        let kind = match decode(&bad.body) {
            Ok(_) => {
                wrong.push(format!("{}: was taken", bad.name));
                continue;
            }
            Err(malformed) => {
                let kind = match malformed.kind {
                    MalformedKind::TooLarge => Kind::TooLarge,
                    MalformedKind::Shape => Kind::Malformed,
                    MalformedKind::Rule => Kind::Invalid,
                };
                if kind == bad.kind && malformed.field == bad.field {
                    continue;
                }
                format!("{kind:?} {malformed}")
            }
        };
        wrong.push(format!("{}: {kind}; wanted {:?} {}", bad.name, bad.kind, bad.field));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn odd_orders_are_good_and_each_its_own() {
    let mut ids = vec![decode(good_order("ORD-1").as_bytes()).unwrap().order];
    for (name, document) in odd_orders() {
        let order = decode(document.as_bytes()).unwrap_or_else(|malformed| panic!("{name}: {malformed}"));
        assert!(!ids.contains(&order.order), "{name}");
        ids.push(order.order);
    }
}
