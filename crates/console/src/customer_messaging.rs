//! The port to the service with which the operator writes to its customers.

use async_trait::async_trait;
use platform::{Error, Result};
use uuid::Uuid;

/// What the service is told about an organization. People of the organization are not told about here.
#[derive(Clone, Debug)]
pub struct OrganizationCard {
    pub id: Uuid,
    pub name: String,
    pub sub_domain: String,
    pub is_activated: bool,
    pub number_of_users: u64,
}

/// A customer-messaging service.
#[async_trait]
pub trait CustomerMessaging: Send + Sync {
    /// Hands an organization over, new or known.
    async fn sync(&self, organization: &OrganizationCard) -> Result<()>;
}

/// No outside service: the request is written to the log. The audit trail holds it in any case.
pub struct Recorded;

#[async_trait]
impl CustomerMessaging for Recorded {
    async fn sync(&self, organization: &OrganizationCard) -> Result<(), Error> {
        tracing::info!(organization_id = %organization.id, "customer messaging: the request was recorded");
        Ok(())
    }
}

/// The member that serves this installation.
pub fn member() -> &'static dyn CustomerMessaging {
    &Recorded
}
