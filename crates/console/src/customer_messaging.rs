//! The port to the service with which the operator writes to customers, and its implementations.

use crate::outside::{Answer, Outside};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use platform::{
    App, Error, Result,
    config::{CustomerMessaging as Settings, Mode},
};
use reqwest::{Method, StatusCode, header};
use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;
use uuid::Uuid;

pub const NOT_CONFIGURED: &str = "No customer-messaging service is configured for this installation.";

/// Version of Intercom's REST API.
const API_VERSION: &str = "2.11";
const INTERCOM: &str = "https://api.intercom.io";

/// The details of an organization that are sent to the service.
#[derive(Clone, Debug)]
pub struct OrganizationCard {
    pub id: Uuid,
    pub name: String,
    /// `None` to send the name only.
    pub number_of_users: Option<u64>,
}

/// The details of a person that are sent to the service.
#[derive(Clone, Debug)]
pub struct PersonCard {
    pub id: Uuid,
    pub full_name: String,
    pub email: String,
    pub organizations: Vec<OrganizationCard>,
    pub created_at: DateTime<Utc>,
}

/// A customer-messaging service.
#[async_trait]
pub trait CustomerMessaging: Send + Sync {
    /// Sends an organization, new or known.
    async fn sync(&self, organization: &OrganizationCard) -> Result<()>;

    /// Sends a person, new or known, with their organizations.
    async fn sync_person(&self, person: &PersonCard) -> Result<()>;
}

/// The service of this installation. Without one, demonstrations record the requests in the audit trail only.
///
/// # Errors
/// 409 in a production installation without a service.
pub fn member(app: &App) -> Result<Box<dyn CustomerMessaging>> {
    if let Some(service) = Intercom::new(&app.config.customer_messaging)? {
        return Ok(Box::new(service));
    }
    match app.config.mode {
        Mode::Demo => Ok(Box::new(Recorded)),
        Mode::Production => Err(Error::Conflict(NOT_CONFIGURED.into())),
    }
}

/// The service of demonstrations: nothing leaves the installation, and the audit trail records the request.
struct Recorded;

#[async_trait]
impl CustomerMessaging for Recorded {
    async fn sync(&self, organization: &OrganizationCard) -> Result<()> {
        tracing::info!(organization_id = %organization.id, "customer messaging: the request was recorded");
        Ok(())
    }

    async fn sync_person(&self, person: &PersonCard) -> Result<()> {
        tracing::info!(user_id = %person.id, "customer messaging: the request was recorded");
        Ok(())
    }
}

/// Intercom: organizations are its companies, people its contacts
/// (<https://developers.intercom.com/docs/references/rest-api>).
struct Intercom {
    outside: Outside,
    url: Url,
    token: String,
}

/// The service's own id of the record.
#[derive(Deserialize)]
struct Known {
    id: String,
}

#[derive(Deserialize)]
struct Search {
    #[serde(default)]
    data: Vec<Known>,
}

impl Intercom {
    fn new(settings: &Settings) -> Result<Option<Self>> {
        let Some(token) = settings.access_token.clone() else { return Ok(None) };
        let url = match &settings.url {
            Some(url) => url.clone(),
            None => Url::parse(INTERCOM).map_err(|e| Error::internal(format!("no address: {e}")))?,
        };
        Ok(Some(Self { outside: Outside::new("The customer-messaging service")?, url, token }))
    }

    async fn call(&self, method: Method, path: &[&str], body: &Value) -> Result<Answer> {
        let mut url = self.url.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        let request = self.outside.client.request(method, url).bearer_auth(&self.token);
        let request =
            request.header(header::ACCEPT, "application/json").header("Intercom-Version", API_VERSION);
        self.outside.send(request.json(body)).await
    }

    /// Creates or changes a company, identified by our id.
    async fn company(&self, organization: &OrganizationCard) -> Result<Known> {
        let mut company = json!({ "company_id": organization.id, "name": organization.name });
        if let Some(size) = organization.number_of_users {
            company["size"] = json!(size);
        }
        self.call(Method::POST, &["companies"], &company).await?.accepted()?.json()
    }

    /// Creates a contact, or changes the one with our id or the same address.
    async fn contact(&self, person: &PersonCard) -> Result<Known> {
        let contact = json!({
            "role": "user", "external_id": person.id, "email": person.email, "name": person.full_name,
            "signed_up_at": person.created_at.timestamp(),
        });
        let created = self.call(Method::POST, &["contacts"], &contact).await?;
        if created.status != StatusCode::CONFLICT {
            return created.accepted()?.json();
        }
        let is = |field: &str, value: Value| json!({ "field": field, "operator": "=", "value": value });
        let known = json!({ "query": { "operator": "OR",
            "value": [is("external_id", json!(person.id)), is("email", json!(person.email))] } });
        let found: Search =
            self.call(Method::POST, &["contacts", "search"], &known).await?.accepted()?.json()?;
        let Some(known) = found.data.into_iter().next() else { return created.accepted()?.json() };
        self.call(Method::PUT, &["contacts", &known.id], &contact).await?.accepted()?.json()
    }
}

#[async_trait]
impl CustomerMessaging for Intercom {
    async fn sync(&self, organization: &OrganizationCard) -> Result<()> {
        self.company(organization).await.map(drop)
    }

    async fn sync_person(&self, person: &PersonCard) -> Result<()> {
        let contact = self.contact(person).await?;
        for organization in &person.organizations {
            let company = self.company(organization).await?;
            let place = json!({ "id": company.id });
            self.call(Method::POST, &["contacts", &contact.id, "companies"], &place).await?.accepted()?;
        }
        Ok(())
    }
}
