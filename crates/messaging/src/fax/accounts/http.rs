//! `/api/fax/accounts`, and the callbacks of providers. Accounts at services are saved at their own paths
//! ([`super::services`]).

use super::{
    queries,
    types::{AccountForm, AccountView, FaxTest, deleted},
};
use axum::{Json, extract::State, http::StatusCode};
use platform::{
    App, Error, Manager, Result,
    access::{MANAGERS, PUBLIC},
    api::Api,
    audit::{self, Act, event},
    http::{Body, Id, Items, Message},
    secret::token_hash,
};
use sea_orm::{ActiveEnum, ColumnTrait, EntityTrait, QueryFilter, sea_query::Expr};
use store::entities::fax_account::{self, ProviderKind};
use utoipa_axum::routes;

pub fn api() -> Api {
    Api::new()
        .route(MANAGERS, routes!(fax_accounts))
        .route(MANAGERS, routes!(save_fax_account, remove_fax_account))
        .route(MANAGERS, routes!(test_fax_account))
        .route(PUBLIC, routes!(fax_callback))
}

/// The fax accounts of an organization
#[utoipa::path(get, path = "/api/fax/accounts", operation_id = "faxAccounts", tag = "fax",
    params(Manager), responses((status = 200, body = Items<AccountView>)))]
async fn fax_accounts(State(app): State<App>, manager: Manager) -> Result<Json<Items<AccountView>>> {
    let mut items = Vec::new();
    for row in queries::list(app.store.db(), manager.organization_id).await? {
        items.push(queries::view(&app, &row).await?);
    }
    Ok(Json(Items { items }))
}

fn kind(word: &str) -> Result<ProviderKind> {
    ProviderKind::try_from_value(&word.to_owned()).map_err(|_| Error::NotFound)
}

/// A kind of account that is saved here.
fn own_kind(word: &str) -> Result<ProviderKind> {
    match kind(word)? {
        kind @ (ProviderKind::Embedded | ProviderKind::HylaFax) => Ok(kind),
        ProviderKind::WestFax | ProviderKind::EFax => Err(Error::NotFound),
    }
}

/// Creates or changes an account without a service: `embedded` or `hylafax`
#[utoipa::path(put, path = "/api/fax/accounts/{provider}", operation_id = "saveFaxAccount", tag = "fax",
    params(("provider" = String, Path), Manager), request_body = AccountForm,
    responses((status = 200, body = AccountView)))]
async fn save_fax_account(
    State(app): State<App>,
    manager: Manager,
    Id(provider): Id<String>,
    Body(form): Body<AccountForm>,
) -> Result<Json<AccountView>> {
    Ok(Json(queries::save(&app, &manager, own_kind(&provider)?, form).await?))
}

/// Deletes an account without a service, unless it has numbers
#[utoipa::path(delete, path = "/api/fax/accounts/{provider}", operation_id = "removeFaxAccount", tag = "fax",
    params(("provider" = String, Path), Manager), responses((status = 200, body = Message)))]
async fn remove_fax_account(
    State(app): State<App>,
    manager: Manager,
    Id(provider): Id<String>,
) -> Result<Json<Message>> {
    queries::remove(&app, &manager, own_kind(&provider)?).await?;
    Ok(deleted())
}

/// Tests an account, and returns the problems
#[utoipa::path(post, path = "/api/fax/accounts/{provider}/test", operation_id = "testFaxAccount", tag = "fax",
    params(("provider" = String, Path), Manager), responses((status = 200, body = FaxTest)))]
async fn test_fax_account(
    State(app): State<App>,
    manager: Manager,
    Id(provider): Id<String>,
) -> Result<Json<FaxTest>> {
    let problems = tested(&app, &manager, kind(&provider)?).await?;
    Ok(Json(FaxTest { problems }))
}

async fn tested(app: &App, manager: &Manager, kind: ProviderKind) -> Result<Vec<String>> {
    let row = queries::find(app.store.db(), manager.organization_id, kind).await?.ok_or(Error::NotFound)?;
    let problems = queries::test(app, &row).await?;
    let txn = app.store.begin().await?;
    let act = Act::new(event::VIEWED, "faxaccount", row.id);
    let act = if problems.is_empty() { act } else { act.failed() };
    audit::record(app, &txn, &manager.actor(), act).await?;
    txn.commit().await?;
    Ok(problems)
}

/// Notification of a provider about a received fax. Its content is ignored: it only causes a poll of the account
#[utoipa::path(post, path = "/api/fax/callbacks/{token}", operation_id = "faxCallback", tag = "fax",
    params(("token" = String, Path)), responses((status = 204)))]
async fn fax_callback(State(app): State<App>, Id(token): Id<String>) -> Result<StatusCode> {
    let changed = fax_account::Entity::update_many()
        .col_expr(fax_account::Column::PollAt, Expr::value(app.clock.now()))
        .filter(fax_account::Column::CallbackHash.eq(token_hash(&token)))
        .exec(app.store.db())
        .await?;
    if changed.rows_affected == 0 {
        return Err(Error::NotFound);
    }
    Ok(StatusCode::NO_CONTENT)
}
