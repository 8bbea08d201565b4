//! Who manages an organization: its own administrator, or an operator who names it.

use crate::{App, Caller, Error, Role, audit::Actor, fields::DEFAULT_FIELD_ERROR, http::Params};
use axum::{
    extract::{FromRequestParts, OptionalFromRequestParts},
    http::request::Parts,
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use serde::Deserialize;
use store::entities::organization;
use utoipa::{
    IntoParams,
    openapi::path::{Parameter, ParameterIn},
};
use uuid::Uuid;

/// A caller and the organization that they manage here, which `?organizationId=` names. Administrators may leave it out,
/// operators may not; as an `Option` it is `None` then. An organization that somebody may not manage is not found.
///
/// It documents the parameter where it stands among the `params` of the operation.
#[derive(Clone, Debug)]
pub struct Manager {
    pub caller: Caller,
    pub organization_id: Uuid,
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
struct Named {
    /// The caller's own organization when absent; operators must name one.
    organization_id: Option<Uuid>,
}

impl Manager {
    /// Whoever acts, it stands in the trail of the organization.
    pub fn actor(&self) -> Actor {
        Actor::in_organization(&self.caller, self.organization_id)
    }
}

impl IntoParams for Manager {
    fn into_params(place: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        Named::into_params(place)
    }
}

impl FromRequestParts<App> for Manager {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Error> {
        let manager = <Self as OptionalFromRequestParts<App>>::from_request_parts(parts, app).await?;
        manager.ok_or_else(|| Error::field("organizationId", DEFAULT_FIELD_ERROR))
    }
}

impl OptionalFromRequestParts<App> for Manager {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Option<Self>, Error> {
        let caller = <Caller as FromRequestParts<App>>::from_request_parts(parts, app).await?;
        let Params(Named { organization_id }) =
            <Params<Named> as FromRequestParts<App>>::from_request_parts(parts, app).await?;
        let is_operator = caller.has(Role::SysAdmin);
        let Some(organization_id) = organization_id.or(caller.organization_id.filter(|_| !is_operator))
        else {
            return Ok(None);
        };
        caller.require_manager_of(organization_id)?;
        if is_operator {
            let named = organization::Entity::find_by_id(organization_id)
                .filter(organization::Column::DeletedAt.is_null())
                .one(app.store.db())
                .await?;
            named.ok_or(Error::NotFound)?;
        }
        Ok(Some(Self { caller, organization_id }))
    }
}
