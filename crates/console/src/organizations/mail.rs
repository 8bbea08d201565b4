//! E-mails about an organization.

use accounts::people::mail::administrators;
use email::{Email, Prepared, Recipient};
use platform::{App, Error, Result, session::full_name};
use sea_orm::EntityTrait;
use serde::Serialize;
use store::entities::organization;
use uuid::Uuid;

/// Tells administrators that their organization was activated.
#[derive(Serialize)]
pub struct OrganizationActivated {
    pub first_name: String,
    pub organization: String,
    pub direct_domain: String,
}

impl Email for OrganizationActivated {
    const TEMPLATE: &'static str = "organization_activated";

    fn button(&self) -> Option<(&'static str, String)> {
        Some(("Sign in", "/account/login".into()))
    }
}

/// One e-mail for each administrator of the organization who can sign in and has an address.
pub async fn activated(app: &App, organization_id: Uuid) -> Result<Vec<Prepared>> {
    let db = app.store.db();
    let organization =
        organization::Entity::find_by_id(organization_id).one(db).await?.ok_or(Error::NotFound)?;
    let mut prepared = Vec::new();
    for admin in administrators(app, organization_id).await? {
        let to = Recipient { name: full_name(&admin), address: admin.email };
        let mail = OrganizationActivated {
            first_name: admin.first_name,
            organization: organization.name.clone(),
            direct_domain: app.config.direct_domain(&organization.sub_domain),
        };
        prepared.push(email::prepare(app, organization_id, to, &mail).await?);
    }
    Ok(prepared)
}
