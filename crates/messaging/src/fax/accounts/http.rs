//! `/api/fax/accounts`, and where providers call back. Accounts at services are saved at addresses of their own
//! ([`super::services`]).

use super::queries;
use axum::{Json, extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use platform::{
    App, Error, Manager, Result,
    access::{MANAGERS, PUBLIC},
    api::Api,
    audit::{self, Act, event},
    http::{Body, Id, Items, Message},
    secret::token_hash,
};
use sea_orm::{ActiveEnum, ColumnTrait, EntityTrait, QueryFilter, sea_query::Expr};
use serde::{Deserialize, Serialize};
use store::entities::fax_account::{self, AccountSettings, ProviderKind};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new()
        .route(MANAGERS, routes!(fax_accounts))
        .route(MANAGERS, routes!(save_fax_account, remove_fax_account))
        .route(MANAGERS, routes!(test_fax_account))
        .route(PUBLIC, routes!(fax_callback))
}

/// An account at a fax provider. What it does not need stays empty.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct AccountForm {
    /// HylaFAX: `host:port`.
    pub server: String,
    /// The user name, at eFax the user id.
    pub user_name: String,
    /// The password, at eFax the key of the application. Absent: as it was.
    pub password: Option<String>,
    /// HylaFAX: the user has no password; one that is stored is forgotten.
    pub has_no_password: bool,
    /// eFax only.
    pub app_id: String,
    /// WestFax only.
    pub product_id: String,
    /// HylaFAX: what is dialled to get an outside line.
    pub outside_line: String,
}

impl AccountForm {
    pub fn settings(&self) -> AccountSettings {
        let trimmed = |text: &str| text.trim().to_owned();
        AccountSettings {
            server: trimmed(&self.server),
            user_name: trimmed(&self.user_name),
            app_id: trimmed(&self.app_id),
            product_id: trimmed(&self.product_id),
            outside_line: trimmed(&self.outside_line),
        }
    }
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AccountView {
    pub id: Uuid,
    pub organization_id: Uuid,
    pub provider: ProviderKind,
    pub name: String,
    /// `EFaxAccount` or `WestFaxAccount`.
    pub account_type: Option<String>,
    pub server: String,
    pub user_name: String,
    pub app_id: String,
    pub product_id: String,
    pub outside_line: String,
    pub has_password: bool,
    /// Where the provider may say that a fax came, so that it is fetched at once: an empty POST suffices.
    pub callback_url: Option<String>,
    /// What was wrong when it was used or tested last.
    pub problem: Option<String>,
    /// When it was looked for received faxes last.
    pub polled_at: Option<DateTime<Utc>>,
}

/// What is wrong, in plain words; nothing when all is well.
#[derive(Serialize, ToSchema)]
pub struct FaxTest {
    pub problems: Vec<String>,
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

/// A kind that is saved here.
fn own_kind(word: &str) -> Result<ProviderKind> {
    match kind(word)? {
        kind @ (ProviderKind::Embedded | ProviderKind::HylaFax) => Ok(kind),
        ProviderKind::WestFax | ProviderKind::EFax => Err(Error::NotFound),
    }
}

/// Makes or changes an account without a service: `embedded` or `hylafax`
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

/// Deletes an account without a service, once it has no numbers
#[utoipa::path(delete, path = "/api/fax/accounts/{provider}", operation_id = "removeFaxAccount", tag = "fax",
    params(("provider" = String, Path), Manager), responses((status = 200, body = Message)))]
async fn remove_fax_account(
    State(app): State<App>,
    manager: Manager,
    Id(provider): Id<String>,
) -> Result<Json<Message>> {
    remove(&app, &manager, own_kind(&provider)?).await
}

/// Deletes an account that has no numbers.
pub async fn remove(app: &App, manager: &Manager, kind: ProviderKind) -> Result<Json<Message>> {
    queries::remove(app, manager, kind).await?;
    Ok(Json(Message { message: "The fax account was deleted.".into() }))
}

/// Tells what is wrong with an account
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

/// A provider says that a fax came. Nothing that it says is believed: the account is looked at, nothing else
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
