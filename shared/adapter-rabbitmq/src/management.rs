//! The broker's management HTTP API, as far as it is needed.

mod answers;
mod api;

use platform::config::Secret;
use reqwest::Method;
use serde_json::{Map, json};

use crate::topology::{Binding, Exchange, Policy, Queue};

pub(crate) use answers::{BindingSeen, ExchangeSeen, PolicySeen, QueueSeen};
pub use answers::{Counts, Depth, Version};
pub use api::{InvalidManagementUrl, ManagementError, ManagementUrl};

/// One virtual host as the management API shows it.
#[derive(Debug, Clone)]
pub struct Management {
    api: api::Api,
    vhost: String,
}

impl Management {
    /// Looks at `vhost` as `user`, who needs the tag `monitoring`, and to apply or check the topology `policymaker` and
    /// the right to configure, write and read what is in it. Asks nothing yet.
    ///
    /// # Errors
    ///
    /// [`ManagementError`] when the HTTP client cannot be built.
    pub fn new(base: ManagementUrl, user: &str, password: Secret, vhost: &str) -> Result<Self, ManagementError> {
        Ok(Self {
            api: api::Api::new(base, user, password)?,
            vhost: vhost.to_owned(),
        })
    }

    /// The broker's version.
    ///
    /// # Errors
    ///
    /// [`ManagementError`] when it cannot be had.
    pub async fn version(&self) -> Result<Version, ManagementError> {
        let overview: answers::Overview = self.api.get("reading the version", &["overview"], &[]).await?;
        Ok(overview.version())
    }

    /// What waits in each queue of the virtual host, by name. The broker's figures lag by about 5 s, and a new queue
    /// has none for its first 10 s or so.
    ///
    /// # Errors
    ///
    /// [`ManagementError`] when they cannot be had.
    pub async fn depths(&self) -> Result<Vec<Depth>, ManagementError> {
        let (path, columns) = (["queues", &self.vhost], [("columns", answers::FIGURE_COLUMNS)]);
        let figures: Vec<answers::FiguresSeen> = self.api.get("reading the queues' depths", &path, &columns).await?;
        let mut depths: Vec<_> = figures.into_iter().map(Depth::from).collect();
        depths.sort_by(|one, other| one.queue.cmp(&other.queue));
        Ok(depths)
    }

    pub(crate) async fn exchanges(&self) -> Result<Vec<ExchangeSeen>, ManagementError> {
        self.api
            .get("listing exchanges", &["exchanges", &self.vhost], &[])
            .await
    }

    pub(crate) async fn queues(&self) -> Result<Vec<QueueSeen>, ManagementError> {
        // With the figures it would say which policy was in force some seconds ago.
        let query = [("disable_stats", "true")];
        self.api.get("listing queues", &["queues", &self.vhost], &query).await
    }

    pub(crate) async fn bindings(&self) -> Result<Vec<BindingSeen>, ManagementError> {
        self.api.get("listing bindings", &["bindings", &self.vhost], &[]).await
    }

    pub(crate) async fn policies(&self) -> Result<Vec<PolicySeen>, ManagementError> {
        self.api.get("listing policies", &["policies", &self.vhost], &[]).await
    }

    pub(crate) async fn put_exchange(&self, exchange: &Exchange) -> Result<(), ManagementError> {
        let body = json!({
            "type": exchange.routing.name(), "durable": true, "auto_delete": false, "internal": false, "arguments": {},
        });
        let doing = format!("creating exchange {}", exchange.name);
        let path = ["exchanges", &self.vhost, exchange.name];
        self.api.send(&doing, Method::PUT, &path, &body).await
    }

    pub(crate) async fn put_queue(&self, queue: &Queue) -> Result<(), ManagementError> {
        let body = json!({ "durable": true, "auto_delete": false, "arguments": { "x-queue-type": "quorum" } });
        let doing = format!("creating queue {}", queue.name);
        self.api
            .send(&doing, Method::PUT, &["queues", &self.vhost, &queue.name], &body)
            .await
    }

    pub(crate) async fn put_binding(&self, binding: &Binding) -> Result<(), ManagementError> {
        let body = json!({ "routing_key": binding.routing_key, "arguments": {} });
        let doing = format!("binding {} to {}", binding.queue, binding.exchange);
        let path = ["bindings", &self.vhost, "e", binding.exchange, "q", &binding.queue];
        self.api.send(&doing, Method::POST, &path, &body).await
    }

    pub(crate) async fn put_policy(&self, policy: &Policy, apply_to: &str) -> Result<(), ManagementError> {
        let settings = policy
            .definition
            .iter()
            .map(|(key, value)| ((*key).to_owned(), value.to_json()));
        let body = json!({
            "pattern": policy.pattern, "priority": policy.priority, "apply-to": apply_to,
            "definition": settings.collect::<Map<_, _>>(),
        });
        let doing = format!("setting policy {}", policy.name);
        self.api
            .send(&doing, Method::PUT, &["policies", &self.vhost, &policy.name], &body)
            .await
    }
}
