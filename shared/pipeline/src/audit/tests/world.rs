//! A stack without a fault, for tests to plant one in.

use super::super::*;

const CHANNELS: [&str; 2] = ["email", "push"];

/// The rows of a stack, as text, so that a test can spoil any of them.
#[derive(Clone, Default)]
pub(super) struct World {
    pub(super) orders: Vec<(String, &'static str)>,
    pub(super) effects: Vec<(Service, i64, &'static str, String, String)>,
    pub(super) movements: Vec<(i64, &'static str, &'static str, u32, Option<String>)>,
    pub(super) stock: Vec<(&'static str, u32)>,
    pub(super) promised: Vec<String>,
}

impl World {
    /// Three completed orders of two units each, the third from two warehouses, out of ten units in each of these.
    pub(super) fn clean() -> Self {
        let mut world = Self::default();
        world.move_goods("delivery", "WH-MX-A", 10, None);
        world.move_goods("delivery", "WH-MX-B", 10, None);
        for (order, warehouses) in [
            ("o-1", &["WH-MX-A"][..]),
            ("o-2", &["WH-MX-A"]),
            ("o-3", &["WH-MX-A", "WH-MX-B"]),
        ] {
            world.complete(order, warehouses);
        }
        world.stock = vec![("WH-MX-A", 4), ("WH-MX-B", 8)];
        world
    }

    /// The clean stack, and beside it an order of each way in which things are undone: `oos` found no goods, `gone` was
    /// given up when it was all but done, `late` was completed with its second reservation, since the first ran out, and
    /// `edited` as its second generation.
    pub(super) fn undone() -> Self {
        let mut world = Self::clean();
        world.orders.push(("oos".to_owned(), "compensated"));
        world.apologise("oos", "out_of_stock");

        world.complete("gone", &["WH-MX-A", "WH-MX-B"]);
        world.orders.last_mut().unwrap().1 = "compensated";
        world.close("gone", &["WH-MX-A", "WH-MX-B"]);
        world.apologise("gone", "order_cancelled");

        world.effect(Service::Inventory, "reservation.confirmed", "late", "RSV-0");
        world.effect(Service::Logistics, "shipment.calculated", "late", "late-first");
        world.move_goods("reserve", "WH-MX-B", 3, Some("late"));
        world.effect(Service::Inventory, "reservation.expired", "late", "RSV-0");
        world.move_goods("expire", "WH-MX-B", 3, Some("late"));
        world.complete("late", &["WH-MX-A"]);

        world.effect(Service::Inventory, "reservation.confirmed", "edited", "RSV-0");
        world.move_goods("reserve", "WH-MX-B", 1, Some("edited"));
        world.effect(Service::Inventory, "reservation.released", "edited", "RSV-0");
        world.move_goods("release", "WH-MX-B", 1, Some("edited"));
        world.complete("edited", &["WH-MX-B"]);

        world.stock = vec![("WH-MX-A", 2), ("WH-MX-B", 6)];
        world
    }

    /// Takes back all that [`World::complete`] had, but for its notices.
    fn close(&mut self, order: &str, warehouses: &[&'static str]) {
        self.effect(Service::Inventory, "reservation.returned", order, "RSV");
        self.effect(Service::Documents, "invoice.credited", order, "INV");
        for warehouse in warehouses {
            self.move_goods("return", warehouse, 2, Some(order));
            let label = format!("{order}-{warehouse}");
            self.effect(Service::Documents, "label.voided", order, &label);
        }
    }

    fn apologise(&mut self, order: &str, template: &str) {
        self.notice(order, template);
        self.effect(Service::Checkout, "refund.recorded", order, &format!("PAY-{order}"));
    }

    pub(super) fn notice(&mut self, order: &str, template: &str) {
        for channel in CHANNELS {
            let subject = format!("{template}/{channel}");
            self.effect(Service::Notifications, "notice.queued", order, &subject);
        }
    }

    fn complete(&mut self, order: &str, warehouses: &[&'static str]) {
        self.orders.push((order.to_owned(), "completed"));
        self.effect(Service::Inventory, "reservation.confirmed", order, "RSV");
        self.effect(Service::Inventory, "reservation.committed", order, "RSV");
        for warehouse in warehouses {
            self.move_goods("reserve", warehouse, 2, Some(order));
            self.move_goods("commit", warehouse, 2, Some(order));
            let number = format!("{order}-{warehouse}");
            self.effect(Service::Logistics, "shipment.calculated", order, &number);
            self.effect(Service::Documents, "label.issued", order, &number);
        }
        self.effect(Service::Documents, "invoice.issued", order, "INV");
        self.notice(order, "order_confirmed");
    }

    pub(super) fn effect(&mut self, service: Service, kind: &'static str, order: &str, subject: &str) {
        let seq = i64::try_from(self.effects.len()).unwrap() * 2;
        self.effects
            .push((service, seq, kind, order.to_owned(), subject.to_owned()));
    }

    pub(super) fn move_goods(&mut self, kind: &'static str, warehouse: &'static str, units: u32, order: Option<&str>) {
        let seq = i64::try_from(self.movements.len()).unwrap();
        self.movements
            .push((seq, kind, warehouse, units, order.map(str::to_owned)));
    }

    /// Every effect and movement of these kinds is gone.
    pub(super) fn drop_all(&mut self, order: &str, kinds: &[&str]) {
        self.effects
            .retain(|effect| effect.3 != order || !kinds.contains(&effect.2));
        self.movements
            .retain(|movement| movement.4.as_deref() != Some(order) || !kinds.contains(&movement.1));
    }

    pub(super) fn drop_effect(&mut self, kind: &str, order: &str) {
        let at = self
            .effects
            .iter()
            .position(|effect| effect.2 == kind && effect.3 == order)
            .unwrap();
        self.effects.remove(at);
    }

    pub(super) fn books(&self) -> Books {
        let mut books = Books::default();
        self.promised.iter().for_each(|order| books.promised(order));
        for (id, state) in &self.orders {
            books.order(&OrderRow {
                id,
                state,
                generation: 1,
            });
        }
        let parts = CHANNELS.map(str::to_owned);
        for (service, seq, kind, order, subject) in &self.effects {
            books.effect(
                *service,
                &EffectRow {
                    seq: *seq,
                    kind,
                    order,
                    subject,
                    parts: &parts,
                },
            );
        }
        for (seq, kind, warehouse, units, order) in &self.movements {
            books.movement(&MovementRow {
                seq: *seq,
                kind,
                sku: "SKU",
                warehouse,
                units: *units,
                order: order.as_deref(),
            });
        }
        for (warehouse, units) in &self.stock {
            books.stock(&StockRow {
                sku: "SKU",
                warehouse,
                units: *units,
            });
        }
        books
    }

    pub(super) fn audit(&self) -> Report {
        self.books().report(&Sample::default(), true)
    }
}
