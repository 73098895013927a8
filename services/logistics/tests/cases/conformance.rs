//! The service behind its client is what the pipeline needs.

use adapter_http::client::{Api, Bounds, HttpLogistics};
use async_trait::async_trait;
use pipeline::id::OrderId;
use pipeline::ports::Logistics;
use testkit::conformance::logistics as suite;
use testkit::{http, manners};

use super::World;

const BOUNDS: Bounds = Bounds {
    in_flight_max: 16,
    call_ms: 30_000,
};

struct Client {
    world: World,
    port: HttpLogistics,
}

async fn fresh(fact: &'static str) -> Client {
    let world = World::new(fact).await;
    let Ok(token) = http::token(manners::CALLERS[0]).parse();
    let api = Api::new("logistics", &world.server.url, &token, BOUNDS).expect("a URL");
    Client {
        world,
        port: HttpLogistics(api),
    }
}

#[async_trait]
impl suite::World for Client {
    fn logistics(&self) -> &dyn Logistics {
        &self.port
    }

    async fn effects(&self, order: &OrderId) -> Vec<String> {
        let effects = manners::effects(&self.world.server).await.into_iter();
        let of_order = effects.filter(|effect| effect.order_id == order.as_str());
        of_order.map(|effect| effect.kind).collect()
    }
}

#[tokio::test]
async fn it_means_what_the_pipeline_means() {
    suite::hold(fresh).await;
}
