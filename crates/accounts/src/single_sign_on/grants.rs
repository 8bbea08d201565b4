//! `GET /api/codegrants`: the applications from which this product received a code to sign a user in. Removing one
//! allows the account's address to be linked to another person, for example after it was reassigned.

use super::connections;
use crate::challenges;
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use platform::{
    App, Error, Member, Result, Role,
    access::MEMBERS,
    api::Api,
    audit::{self, Act, Actor, event},
    http::{Items, Params},
    session,
};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, sea_query::ExprTrait};
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::entities::{
    integration_grant::Integration, session as session_row, sign_in_challenge, sso_identity,
};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new().route(MEMBERS, routes!(code_grants))
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
struct GrantParams {
    /// All by default. Only sign-in providers have codes.
    #[param(inline)]
    integration_type: Option<Integration>,
    /// Id of a colleague, for administrators; the caller by default.
    user_id: Option<Uuid>,
}

/// An application at which a user signed in.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct CodeGrant {
    /// Id of the application.
    id: Uuid,
    integration_type: Integration,
    name: String,
    /// Address of the application.
    issuer: String,
    granted_on: DateTime<Utc>,
    last_used_on: DateTime<Utc>,
}

/// The applications at which a user signs in to the organization
#[utoipa::path(get, path = "/api/codegrants", operation_id = "codeGrants", tag = "users", params(GrantParams),
    responses((status = 200, body = Items<CodeGrant>)))]
async fn code_grants(
    State(app): State<App>,
    member: Member,
    Params(params): Params<GrantParams>,
) -> Result<Json<Items<CodeGrant>>> {
    let db = app.store.db();
    let user_id = params.user_id.unwrap_or(member.caller.user_id);
    if user_id != member.caller.user_id {
        let colleague = session::organization_role(db, user_id, member.organization_id).await?;
        if colleague.is_none() || !member.caller.has(Role::Admin) {
            return Err(Error::NotFound);
        }
    }
    let wanted = params.integration_type.is_none_or(|kind| kind == Integration::SingleSignOn);
    let items = if wanted { of(db, member.organization_id, user_id).await? } else { Vec::new() };
    Ok(Json(Items { items }))
}

/// An organization has one provider, and an account one link to it.
async fn of(db: &impl ConnectionTrait, organization_id: Uuid, user_id: Uuid) -> Result<Vec<CodeGrant>> {
    let Some(connection) = connections::of(db, organization_id).await? else { return Ok(Vec::new()) };
    let links = sso_identity::Entity::find()
        .filter(sso_identity::Column::ConnectionId.eq(connection.id))
        .filter(sso_identity::Column::UserId.eq(user_id));
    let grant = |link: sso_identity::Model| CodeGrant {
        id: connection.id,
        integration_type: Integration::SingleSignOn,
        name: connection.name.clone(),
        issuer: connection.issuer.clone(),
        granted_on: link.created_at,
        last_used_on: link.last_used_at,
    };
    Ok(links.all(db).await?.into_iter().map(grant).collect())
}

/// Removes an application of a member whom the caller may manage, and ends the sessions that came from it.
pub async fn revoke(app: &App, member: &Member, user_id: Uuid, application: Uuid) -> Result<()> {
    let txn = app.store.begin().await?;
    let connection = connections::locked(&txn, member.organization_id).await?;
    let connection = connection.filter(|found| found.id == application).ok_or(Error::NotFound)?;
    let removed = sso_identity::Entity::delete_many()
        .filter(sso_identity::Column::ConnectionId.eq(connection.id))
        .filter(sso_identity::Column::UserId.eq(user_id))
        .exec(&txn)
        .await?;
    if removed.rows_affected == 0 {
        return Err(Error::NotFound);
    }
    let half_done = sign_in_challenge::Column::ConnectionId
        .eq(connection.id)
        .and(sign_in_challenge::Column::UserId.eq(user_id));
    challenges::end_where(&txn, half_done).await?;
    let open =
        session_row::Column::ConnectionId.eq(connection.id).and(session_row::Column::UserId.eq(user_id));
    let ended = session::end_where(&txn, app.clock.now(), open, "The single sign-on was changed.").await?;
    let act = Act::new(event::SSO_REMOVED, "user", user_id)
        .detail(json!({ "connection": connection.name, "sessionsEnded": ended.len() }));
    audit::record(app, &txn, &Actor::from(&member.caller), act).await?;
    txn.commit().await?;
    session::tell_ended(app, ended).await;
    Ok(())
}
