//! E-mails to the administrators of an organization about its members.

use crate::person;
use email::{Email, Prepared};
use platform::{
    App, Result,
    session::{ROLE_ADMINISTRATOR, full_name},
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use serde::Serialize;
use store::entities::{app_user, membership, organization};
use uuid::Uuid;

/// Tells an administrator that the operator added a user to the organization.
#[derive(Serialize)]
struct AdministratorAdded {
    first_name: String,
    organization: String,
    person: String,
    user_name: String,
    role: &'static str,
}

impl Email for AdministratorAdded {
    const TEMPLATE: &'static str = "administrator_added";
}

/// E-mails that tell the administrators of an organization about a user whom the operator added; empty if none can be
/// sent.
pub async fn added(
    app: &App,
    organization: &organization::Model,
    user: &app_user::Model,
    role: &'static str,
) -> Result<Vec<Prepared>> {
    let mut prepared = Vec::new();
    if !email::is_available(app) {
        return Ok(prepared);
    }
    for admin in administrators(app, organization.id).await? {
        let Some(to) = person::recipient(&admin) else { continue };
        let mail = AdministratorAdded {
            first_name: admin.first_name,
            organization: organization.name.clone(),
            person: full_name(user),
            user_name: user.user_name.clone(),
            role,
        };
        prepared.push(email::prepare(app, organization.id, to, &mail).await?);
    }
    Ok(prepared)
}

/// The administrators of an organization who can sign in and have an address.
pub async fn administrators(app: &App, organization_id: Uuid) -> Result<Vec<app_user::Model>> {
    let members = membership::Entity::find()
        .filter(membership::Column::OrganizationId.eq(organization_id))
        .filter(membership::Column::Role.eq(ROLE_ADMINISTRATOR))
        .filter(membership::Column::IsDisabled.eq(false))
        .all(app.store.db())
        .await?;
    Ok(app_user::Entity::find()
        .filter(app_user::Column::Id.is_in(members.into_iter().map(|m| m.user_id)))
        .filter(app_user::Column::IsDisabled.eq(false))
        .filter(app_user::Column::Email.ne(""))
        .all(app.store.db())
        .await?)
}
