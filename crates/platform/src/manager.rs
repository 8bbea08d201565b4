//! The organization of a request: the caller's own, or the one that an operator names.

use crate::{App, Caller, Error, Role, audit::Actor, fields::DEFAULT_FIELD_ERROR, http::Params};
use axum::{
    extract::{FromRequestParts, OptionalFromRequestParts},
    http::request::Parts,
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use serde::Deserialize;
use store::{entities::organization, tenant::Tenant};
use utoipa::{
    IntoParams,
    openapi::path::{Parameter, ParameterIn},
};
use uuid::Uuid;

/// A member in their own organization, or an operator in the organization of `?organizationId=`. Operators must name
/// one; for others, organizations that they do not belong to are not found.
///
/// It documents the parameter if it is among the `params` of the operation.
#[derive(Clone, Debug)]
pub struct MemberOrOperator {
    pub caller: Caller,
    pub organization_id: Uuid,
}

/// As [`MemberOrOperator`], for administrators and operators. As an `Option`, it is `None` for an operator who names
/// no organization.
#[derive(Clone, Debug)]
pub struct Manager {
    pub caller: Caller,
    pub organization_id: Uuid,
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
struct Named {
    /// By default, the caller's own organization; operators must name one.
    organization_id: Option<Uuid>,
}

impl MemberOrOperator {
    /// Acts are recorded in the organization's audit trail, for members and operators alike.
    pub fn actor(&self) -> Actor {
        Actor::in_organization(&self.caller, self.organization_id)
    }

    pub fn tenant(&self) -> Tenant {
        Tenant::whole(self.organization_id)
    }

    async fn find(parts: &mut Parts, app: &App) -> Result<Option<Self>, Error> {
        let caller = <Caller as FromRequestParts<App>>::from_request_parts(parts, app).await?;
        let Params(Named { organization_id }) =
            <Params<Named> as FromRequestParts<App>>::from_request_parts(parts, app).await?;
        if !caller.has(Role::SysAdmin) {
            let own = caller.organization_id;
            if organization_id.is_some() && organization_id != own {
                return Err(Error::NotFound);
            }
            return Ok(own.map(|organization_id| Self { caller, organization_id }));
        }
        let Some(organization_id) = organization_id else { return Ok(None) };
        let named = organization::Entity::find_by_id(organization_id)
            .filter(organization::Column::DeletedAt.is_null())
            .one(app.store.db())
            .await?;
        named.ok_or(Error::NotFound)?;
        Ok(Some(Self { caller, organization_id }))
    }
}

impl IntoParams for MemberOrOperator {
    fn into_params(place: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        Named::into_params(place)
    }
}

impl FromRequestParts<App> for MemberOrOperator {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Error> {
        Self::find(parts, app).await?.ok_or_else(none_named)
    }
}

fn none_named() -> Error {
    Error::field("organizationId", DEFAULT_FIELD_ERROR)
}

impl Manager {
    /// Acts are recorded in the organization's audit trail, for members and operators alike.
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
        manager.ok_or_else(none_named)
    }
}

impl OptionalFromRequestParts<App> for Manager {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Option<Self>, Error> {
        let found = MemberOrOperator::find(parts, app).await?;
        let Some(MemberOrOperator { caller, organization_id }) = found else { return Ok(None) };
        caller.require_manager_of(organization_id)?;
        Ok(Some(Self { caller, organization_id }))
    }
}
