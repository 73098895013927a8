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
