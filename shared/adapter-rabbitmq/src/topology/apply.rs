//! Making the broker have what it should, and telling in what it has not.

use std::fmt;
use std::mem::discriminant;

use futures_util::{StreamExt as _, TryStreamExt as _};

use super::compare::{Observed, apply_to, differences};
use super::difference::{Difference, Part};
use super::topology;
use crate::management::{Management, ManagementError, Version};

/// Requests to the broker at once.
const AT_ONCE_MAX: usize = 8;

/// What [`apply`] did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// What was missing and is there now.
    pub created: Vec<String>,
    /// What was there with other settings and is set right now.
    pub changed: Vec<String>,
    /// How many parts were left as they were.
    pub left: usize,
    /// What is still not as it should be: a person has to see to it.
    pub remaining: Vec<Difference>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for created in &self.created {
            writeln!(f, "created {created}")?;
        }
        for changed in &self.changed {
            writeln!(f, "set right {changed}")?;
        }
        for remaining in &self.remaining {
            writeln!(f, "not as it should be: {remaining}")?;
        }
        write!(
            f,
            "topology: {} created, {} set right, {} left as they were",
            self.created.len(),
            self.changed.len(),
            self.left
        )
    }
}

/// Creates what is missing and sets policies right; again and again if you like. Deletes nothing, moves nothing.
///
/// # Errors
///
/// [`ManagementError`] when the broker does not do as asked; what was created by then stays, and the next run goes on
/// from there.
pub async fn apply(management: &Management) -> Result<Report, ManagementError> {
    let before = observe(management).await?;
    let found = differences(topology(), &before);
    let missing = found.iter().filter_map(|difference| match difference {
        Difference::Missing(part) => Some(*part),
        _ => None,
    });
    let differing = found.iter().filter_map(|difference| match difference {
        Difference::PolicyDiffers { policy, .. } => Some(Part::Policy(policy)),
        _ => None,
    });
    let (missing, differing): (Vec<_>, Vec<_>) = (missing.collect(), differing.collect());
    // A policy that differs is set right before there is a queue that it is for.
    create(management, &differing, before.version).await?;
    for kind in missing.chunk_by(|one, next| discriminant(one) == discriminant(next)) {
        create(management, kind, before.version).await?;
    }
    let told = |parts: &[Part]| parts.iter().map(ToString::to_string).collect::<Vec<_>>();
    let (created, changed) = (told(&missing), told(&differing));
    let touched = created.len() + changed.len();
    let all = topology();
    let parts = all.exchanges.len() + all.queues.len() + all.bindings.len() + all.policies.len();
    Ok(Report {
        left: parts.saturating_sub(touched),
        remaining: check(management).await?,
        created,
        changed,
    })
}

/// In what the broker is not as it should be; empty when all is well. Changes nothing.
///
/// # Errors
///
/// [`ManagementError`] when the broker cannot be looked at.
pub async fn check(management: &Management) -> Result<Vec<Difference>, ManagementError> {
    Ok(differences(topology(), &observe(management).await?))
}

async fn observe(management: &Management) -> Result<Observed, ManagementError> {
    Ok(Observed {
        version: management.version().await?,
        exchanges: management.exchanges().await?,
        queues: management.queues().await?,
        bindings: management.bindings().await?,
        policies: management.policies().await?,
    })
}

/// Creates parts of one kind, some at a time.
async fn create(management: &Management, parts: &[Part], version: Version) -> Result<(), ManagementError> {
    let creating = parts.iter().map(|part| create_one(management, *part, version));
    futures_util::stream::iter(creating)
        .buffer_unordered(AT_ONCE_MAX)
        .try_collect()
        .await
}

async fn create_one(management: &Management, part: Part, version: Version) -> Result<(), ManagementError> {
    match part {
        Part::Exchange(exchange) => management.put_exchange(exchange).await,
        Part::Queue(queue) => management.put_queue(queue).await,
        Part::Binding(binding) => management.put_binding(binding).await,
        Part::Policy(policy) => management.put_policy(policy, apply_to(version)).await,
    }
}
