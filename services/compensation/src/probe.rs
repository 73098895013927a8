//! Whether everything that an order needs answers again.

use adapter_http::client::{Api, ApiError};
use adapter_postgres::{PgPool, connection};
use async_trait::async_trait;
use pipeline::ports::Source;

/// The servers that the steps of an order call.
pub struct Servers {
    /// One for each service.
    pub services: Vec<Api>,
    /// The order database.
    pub database: PgPool,
}

#[async_trait]
impl adapter_rabbitmq::supervisor::Probe for Servers {
    async fn all_answer(&self) -> Result<(), Source> {
        connection::ping(&self.database).await?;
        for service in &self.services {
            service.ready().await.map_err(|error: ApiError| Source::from(error))?;
        }
        Ok(())
    }
}
