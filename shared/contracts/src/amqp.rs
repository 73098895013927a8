//! Names on the message itself. Own headers carry no `x-`: that prefix is the broker's.

/// Content type of every message.
pub const CONTENT_TYPE: &str = "application/json";

/// Who says so, in the `app_id` property.
pub const APP_ID: &str = "acuse";

/// The one version of the order message that there is.
pub const SCHEMA_VERSION: u32 = 1;

/// Header: version of the body's schema.
pub const HEADER_SCHEMA_VERSION: &str = "schema-version";

/// Header: 1 for the first try of an order's work.
pub const HEADER_ATTEMPT: &str = "attempt";

/// Header: the generation that the message speaks of.
pub const HEADER_GENERATION: &str = "generation";

/// Header: when the message first left checkout, RFC 3339.
pub const HEADER_FIRST_QUEUED_AT: &str = "first-queued-at";

/// Header: how often the message was put off without being tried.
pub const HEADER_DEFERRALS: &str = "deferrals";

/// Header: `true` on a replay of an order; the entry's id on a message that is sent again as it was.
pub const HEADER_REPLAY: &str = "replay";

/// Header: why the last try failed, or why this is a dead letter; in words.
pub const HEADER_LAST_ERROR: &str = "last-error";

/// Header of a dead letter: its class.
pub const HEADER_FAILURE_CLASS: &str = "failure-class";

/// Header of a dead letter: the step that failed.
pub const HEADER_FAILURE_STEP: &str = "failure-step";

/// Header of a dead letter: the version of the order's row that made it one.
pub const HEADER_ORDER_VERSION: &str = "order-version";
