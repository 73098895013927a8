//! A virtual host of one's own at a live broker, for one test.

use std::time::Duration;

use platform::config::{Environment, Secret, Source as _};
use reqwest::{Client, Method, Url};
use serde_json::{Value, json};

/// The broker's AMQP URL with an administrator's user and password, without a virtual host.
const AMQP_URL: &str = "ACUSE_TEST_AMQP_URL";
/// The same broker's management API,
const MANAGEMENT_URL: &str = "ACUSE_TEST_MANAGEMENT_URL";
/// its administrator
const MANAGEMENT_USER: &str = "ACUSE_TEST_MANAGEMENT_USER";
/// and the password.
const MANAGEMENT_PASSWORD: &str = "ACUSE_TEST_MANAGEMENT_PASSWORD";

/// A broker that makes a virtual host is slow in it.
const ANSWER_MAX: Duration = Duration::from_secs(30);
/// Users and virtual hosts of tests are thrown away; what they guard is reachable from this machine alone.
const PASSWORD: &str = "of-a-test";

/// An empty virtual host that is deleted with this value, with the users that were made for it.
pub struct TestBroker {
    vhost: String,
    users: Vec<String>,
    api: Api,
}

/// What a user may do, as regular expressions over names; `^$` for nothing.
#[derive(Debug, Clone, Copy)]
pub struct Permissions<'a> {
    /// May be created and deleted.
    pub configure: &'a str,
    /// May be written to.
    pub write: &'a str,
    /// May be read from.
    pub read: &'a str,
    /// What of the management API is open; empty for none of it.
    pub tags: &'a str,
}

impl TestBroker {
    /// Makes a virtual host named after `test`, which no other test of the same program may use.
    ///
    /// # Panics
    ///
    /// When there is no broker or it refuses.
    pub async fn create(test: &str) -> Self {
        let api = Api::new();
        let vhost = format!("test-{test}-{}", std::process::id());
        let broker = Self {
            vhost,
            users: vec![],
            api,
        };
        let _left_by_a_killed_run = broker.api.ask(Method::DELETE, &["vhosts", &broker.vhost], None).await;
        broker.put(&["vhosts", &broker.vhost], &json!({})).await;
        let all = json!({ "configure": ".*", "write": ".*", "read": ".*" });
        broker
            .put(&["permissions", &broker.vhost, &broker.api.user], &all)
            .await;
        broker
    }

    /// The virtual host's name.
    #[must_use]
    pub fn vhost(&self) -> &str {
        &self.vhost
    }

    /// AMQP URL of the administrator.
    ///
    /// # Panics
    ///
    /// When the environment holds no usable URL.
    #[must_use]
    pub fn url(&self) -> String {
        self.amqp_url().into()
    }

    /// Base URL of the management API.
    #[must_use]
    pub fn management_url(&self) -> &str {
        self.api.base.as_str()
    }

    /// The administrator of the management API, and the password.
    #[must_use]
    pub fn administrator(&self) -> (&str, &Secret) {
        (&self.api.user, &self.api.password)
    }

    /// Makes a user who may do `permissions` in this virtual host and nothing elsewhere: name, password and AMQP URL.
    ///
    /// # Panics
    ///
    /// When the broker refuses.
    pub async fn user(&mut self, role: &str, permissions: Permissions<'_>) -> (String, Secret, String) {
        let name = format!("{}-{role}", self.vhost);
        self.put(
            &["users", &name],
            &json!({ "password": PASSWORD, "tags": permissions.tags }),
        )
        .await;
        self.users.push(name.clone());
        let body = json!({
            "configure": permissions.configure, "write": permissions.write, "read": permissions.read,
        });
        self.put(&["permissions", &self.vhost, &name], &body).await;
        let mut url = self.amqp_url();
        let set = url.set_username(&name).and_then(|()| url.set_password(Some(PASSWORD)));
        set.expect("an amqp URL takes a user");
        let Ok(password) = PASSWORD.parse();
        (name, password, url.into())
    }

    /// Has the broker close the connections called `name` in this virtual host; how many there were.
    ///
    /// # Panics
    ///
    /// When the broker refuses.
    pub async fn close_connections(&self, name: &str) -> usize {
        let connections = self.get(&["vhosts", &self.vhost, "connections"]).await;
        let all = connections.as_array().cloned().unwrap_or_default();
        let called = |connection: &&Value| connection["user_provided_name"] == name;
        let mut closed = 0;
        for connection in all.iter().filter(called) {
            let id = connection["name"].as_str().unwrap_or_default();
            // One that ends by itself in this moment is not there any more.
            closed += usize::from(self.api.ask(Method::DELETE, &["connections", id], None).await.is_ok());
        }
        closed
    }

    /// What the management API answers under `path`.
    ///
    /// # Panics
    ///
    /// When it refuses.
    pub async fn get(&self, path: &[&str]) -> Value {
        self.api
            .ask(Method::GET, path, None)
            .await
            .unwrap_or_else(|error| panic!("GET {path:?}: {error}"))
    }

    /// Puts `body` under `path` of the management API.
    ///
    /// # Panics
    ///
    /// When it refuses.
    pub async fn put(&self, path: &[&str], body: &Value) {
        let done = self.api.ask(Method::PUT, path, Some(body)).await;
        done.unwrap_or_else(|error| panic!("PUT {path:?}: {error}"));
    }

    /// Deletes what is under `path` of the management API.
    ///
    /// # Panics
    ///
    /// When it refuses.
    pub async fn delete(&self, path: &[&str]) {
        let done = self.api.ask(Method::DELETE, path, None).await;
        done.unwrap_or_else(|error| panic!("DELETE {path:?}: {error}"));
    }

    fn amqp_url(&self) -> Url {
        let mut url = Url::parse(&setting(AMQP_URL)).expect("ACUSE_TEST_AMQP_URL is an amqp:// URL");
        url.set_path(&self.vhost);
        url
    }
}

impl Drop for TestBroker {
    fn drop(&mut self) {
        let (vhost, users) = (std::mem::take(&mut self.vhost), std::mem::take(&mut self.users));
        // The test's own runtime may be ending: the deletion gets one of its own, on a thread of its own.
        let deleting = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime
                .expect("a runtime to delete the virtual host in")
                .block_on(async {
                    let api = Api::new();
                    for user in &users {
                        let _gone = api.ask(Method::DELETE, &["users", user], None).await;
                    }
                    api.ask(Method::DELETE, &["vhosts", &vhost], None)
                        .await
                        .expect("the virtual host is deleted");
                });
        });
        if deleting.join().is_err() {
            eprintln!("the test's virtual host could not be deleted; it goes with the broker that make test started");
        }
    }
}

struct Api {
    client: Client,
    base: Url,
    user: String,
    password: Secret,
}

impl Api {
    fn new() -> Self {
        // A second install is refused, and then the first one serves.
        let _installed = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder().timeout(ANSWER_MAX).no_proxy().build();
        let Ok(password) = setting(MANAGEMENT_PASSWORD).parse();
        Self {
            client: client.expect("a client without special wishes"),
            base: Url::parse(&setting(MANAGEMENT_URL)).expect("ACUSE_TEST_MANAGEMENT_URL is an http:// URL"),
            user: setting(MANAGEMENT_USER),
            password,
        }
    }

    async fn ask(&self, method: Method, path: &[&str], body: Option<&Value>) -> Result<Value, reqwest::Error> {
        let mut url = self.base.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().push("api").extend(path);
        }
        let mut request = self
            .client
            .request(method, url)
            .basic_auth(&self.user, Some(self.password.expose()));
        if let Some(body) = body {
            request = request.json(body);
        }
        let answer = request.send().await?.error_for_status()?.bytes().await?;
        Ok(serde_json::from_slice(&answer).unwrap_or(Value::Null))
    }
}

fn setting(name: &str) -> String {
    Environment
        .get(name)
        .unwrap_or_else(|| panic!("{name} is not set: run make test, which starts RabbitMQ"))
}
