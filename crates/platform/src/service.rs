//! Service accounts: systems of a network or an organization that call the API with a token instead of a session.
//! Each call is audited, and changes of an account take effect with the next call on every node.

use crate::{
    App, Caller, Error, Result, Role,
    audit::{self, Act, Actor, event},
    config::Network,
    integrations,
    secret::{random_token, token_hash},
    security::is_among,
};
use chrono::Duration;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect, sea_query::Expr};
use serde_json::json;
use store::permissions::Permissions;
use store::{
    entities::{
        integration_grant::Integration,
        organization,
        service_account::{Column, Entity, Model},
    },
    tenant::Unreadable,
};
use uuid::Uuid;

/// Name of an account in audit entries.
pub const OBJECT: &str = "serviceaccount";

/// Prefix that distinguishes tokens of service accounts from those of sessions, also for secret scanners.
const PREFIX: &str = "cpsa_";

/// Minimum interval for auditing refusals of one account from one address.
const TELL_EVERY: Duration = Duration::minutes(1);

/// A token; the database stores its [`token_hash`].
pub fn new_token() -> String {
    format!("{PREFIX}{}", random_token())
}

pub fn is_token(token: &str) -> bool {
    token.starts_with(PREFIX)
}

/// The addresses from which an account may be used. An invalid list admits nobody.
pub fn allowed_addresses(account: &Model) -> Result<Vec<Network>> {
    serde_json::from_value(account.allowed_addresses.clone())
        .map_err(|_| Error::internal("a service account's addresses cannot be read"))
}

/// Finds the account of a token, and refuses disabled ones and addresses that are not allowed.
pub async fn authenticate(app: &App, token: &str, source_ip: String) -> Result<Caller> {
    let of_token = Entity::find().filter(Column::TokenHash.eq(token_hash(token)));
    let account = of_token.one(app.store.db()).await?.ok_or(Error::Unauthenticated)?;
    let organization = match account.organization_id {
        Some(id) => Some(open_organization(app, id).await?),
        None => None,
    };
    let caller = Caller {
        user_id: account.id,
        user_name: account.client_id.clone(),
        full_name: format!("Service account {}", account.client_id),
        session_id: account.id,
        connection_id: None,
        organization_id: account.organization_id,
        organization_is_cancelled: organization.as_ref().is_some_and(|o| o.is_cancelled),
        is_captured: organization.is_some_and(|o| o.api_capture),
        network_id: account.network_id,
        roles: vec![Role::Service],
        source_ip,
        // It reads on behalf of the organization.
        unreadable: Unreadable::default(),
        owes_terms: false,
        permissions: Permissions::all(),
    };
    if !account.is_enabled {
        record_refusal(app, &account, &caller, "disabled").await?;
        return Err(Error::Unauthenticated);
    }
    if let Some(id) = account.organization_id
        && !integrations::is_allowed(app.store.db(), Integration::ServiceAccounts, id).await?
    {
        record_refusal(app, &account, &caller, "whitelist").await?;
        return Err(Error::Forbidden);
    }
    if !is_among(&allowed_addresses(&account)?, &caller.source_ip) {
        record_refusal(app, &account, &caller, "address").await?;
        return Err(Error::ServiceAddressRefused);
    }
    Ok(caller)
}

/// An organization's service accounts work as long as its users can sign in.
async fn open_organization(app: &App, id: Uuid) -> Result<organization::Model> {
    let found = organization::Entity::find_by_id(id)
        .filter(organization::Column::DeletedAt.is_null())
        .filter(organization::Column::IsEnabled.eq(true));
    found.one(app.store.db()).await?.ok_or(Error::Unauthenticated)
}

/// Audits a call before it is answered. An account that was disabled or deleted meanwhile is refused.
pub async fn record_use(app: &App, caller: &Caller, operation: &str, is_named: bool) -> Result<()> {
    let txn = app.store.begin().await?;
    let used = Entity::update_many()
        .col_expr(Column::LastUsedAt, Expr::value(app.clock.now()))
        .col_expr(Column::LastUsedFrom, Expr::value(caller.source_ip.as_str()))
        .filter(Column::Id.eq(caller.user_id))
        .filter(Column::IsEnabled.eq(true))
        .exec(&txn)
        .await?;
    if used.rows_affected == 0 {
        return Err(Error::Unauthenticated);
    }
    let act = Act::new(event::SERVICE_ACCOUNT_USED, OBJECT, caller.user_id)
        .detail(json!({ "operation": operation, "networkId": caller.network_id }));
    let act = if is_named { act } else { act.failed() };
    audit::record(app, &txn, &Actor::from(caller), act).await?;
    Ok(txn.commit().await?)
}

async fn record_refusal(app: &App, account: &Model, caller: &Caller, reason: &str) -> Result<()> {
    let now = app.clock.now();
    let txn = app.store.begin().await?;
    let Some(account) = Entity::find_by_id(account.id).lock_exclusive().one(&txn).await? else {
        return Ok(());
    };
    let was_told = account.last_refused_from.as_deref() == Some(caller.source_ip.as_str())
        && account.last_refused_at.is_some_and(|at| now - at < TELL_EVERY);
    if was_told {
        return Ok(());
    }
    Entity::update_many()
        .col_expr(Column::LastRefusedAt, Expr::value(now))
        .col_expr(Column::LastRefusedFrom, Expr::value(caller.source_ip.as_str()))
        .filter(Column::Id.eq(account.id))
        .exec(&txn)
        .await?;
    let act = Act::new(event::SERVICE_ACCOUNT_REFUSED, OBJECT, account.id)
        .detail(json!({ "reason": reason, "networkId": account.network_id }))
        .failed();
    audit::record(app, &txn, &Actor::from(caller), act).await?;
    Ok(txn.commit().await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_says_what_it_is_and_is_never_the_same() {
        let (one, other) = (new_token(), new_token());
        assert!(is_token(&one) && one.len() == PREFIX.len() + 43);
        assert_ne!(one, other);
        assert!(!is_token(&random_token()));
    }
}
