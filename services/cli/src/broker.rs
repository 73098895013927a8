//! The broker, as this command sees it.

use adapter_rabbitmq::management::{Management, ManagementError, ManagementUrl};

use crate::failure::{Failure, chain};
use crate::settings::Settings;

/// A way to the management API of the stack's virtual host.
///
/// # Errors
///
/// When a setting is missing or cannot be used.
pub fn management(settings: &Settings<'_>) -> Result<Management, Failure> {
    let url: ManagementUrl = settings
        .required("ACUSE_MANAGEMENT_URL")?
        .parse()
        .map_err(|error| Failure::Usage(format!("ACUSE_MANAGEMENT_URL: {error}")))?;
    let user = settings.required("ACUSE_MANAGEMENT_USER")?;
    let password = settings.secret("ACUSE_MANAGEMENT_PASSWORD")?;
    let vhost = settings.required("ACUSE_VHOST")?;
    Ok(Management::new(url, &user, password, &vhost)?)
}

impl From<ManagementError> for Failure {
    fn from(error: ManagementError) -> Self {
        Self::Unreachable(chain(&error))
    }
}
