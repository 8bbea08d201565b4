//! The port to the service with which the operator writes to its customers.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use platform::{App, Error, Result, config::Mode};
use uuid::Uuid;

pub const NOT_CONFIGURED: &str = "No customer-messaging service is configured for this installation.";

/// What the service is told about an organization.
#[derive(Clone, Debug)]
pub struct OrganizationCard {
    pub id: Uuid,
    pub name: String,
    pub sub_domain: String,
    pub is_activated: bool,
    pub number_of_users: u64,
}

/// What the service is told about a person.
#[derive(Clone, Debug)]
pub struct PersonCard {
    pub id: Uuid,
    pub full_name: String,
    pub email: String,
    pub organizations: Vec<Uuid>,
    pub created_at: DateTime<Utc>,
}

/// A customer-messaging service.
#[async_trait]
pub trait CustomerMessaging: Send + Sync {
    /// Hands an organization over, new or known.
    async fn sync(&self, organization: &OrganizationCard) -> Result<()>;

    /// Hands a person over, new or known.
    async fn sync_person(&self, person: &PersonCard) -> Result<()>;
}

/// The service of demonstrations: nothing leaves the installation, and the audit trail holds the request.
pub struct Recorded;

#[async_trait]
impl CustomerMessaging for Recorded {
    async fn sync(&self, organization: &OrganizationCard) -> Result<(), Error> {
        tracing::info!(organization_id = %organization.id, "customer messaging: the request was recorded");
        Ok(())
    }

    async fn sync_person(&self, person: &PersonCard) -> Result<(), Error> {
        tracing::info!(user_id = %person.id, "customer messaging: the request was recorded");
        Ok(())
    }
}

/// The service of this installation, if there is one.
pub fn member(app: &App) -> Result<&'static dyn CustomerMessaging> {
    match app.config.mode {
        Mode::Demo => Ok(&Recorded),
        Mode::Production => Err(Error::Conflict(NOT_CONFIGURED.into())),
    }
}
