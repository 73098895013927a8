//! The service behind its client is what the pipeline needs.

use std::time::Duration;

use adapter_http::client::{Api, Bounds, HttpInventory};
use async_trait::async_trait;
use pipeline::id::OrderId;
use pipeline::ports::Inventory;
use testkit::conformance::inventory as suite;
use testkit::{http, manners};

use super::{World, delivery};

const BOUNDS: Bounds = Bounds {
    in_flight_max: 16,
    call_ms: 30_000,
};

struct Client {
    world: World,
    port: HttpInventory,
}

async fn fresh(fact: &'static str) -> Client {
    let world = World::new(fact).await;
    let Ok(token) = http::token(manners::CALLERS[0]).parse();
    let api = Api::new("inventory", &world.server.url, &token, BOUNDS).expect("a URL");
    Client {
        world,
        port: HttpInventory(api),
    }
}

#[async_trait]
impl suite::World for Client {
    fn inventory(&self) -> &dyn Inventory {
        &self.port
    }

    async fn deliver(&self, sku: &str, warehouse: &str, units: u32) {
        let mut delivery = delivery(&[(sku, warehouse, units)]);
        // Without a name of its own, a second delivery of the same goods would be the first one again.
        delivery["delivery_id"] = format!("{sku}-{units}").into();
        let delivered = self.world.deliver(&delivery).await;
        assert_eq!(delivered.status, 200, "{}", delivered.text);
    }

    async fn available(&self, sku: &str, warehouse: &str) -> u32 {
        self.world.stock().await[&(sku.to_owned(), warehouse.to_owned())]
    }

    fn pass(&self, time: Duration) {
        self.world.wait((time.as_secs() / 60).cast_signed());
    }

    async fn sweep(&self) {
        let _ended = self.world.sweep().await;
    }

    async fn effects(&self, order: &OrderId) -> Vec<String> {
        self.world.done(order.as_str()).await
    }
}

#[tokio::test]
async fn it_means_what_the_pipeline_means() {
    suite::hold(fresh).await;
}
