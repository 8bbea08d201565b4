//! Database access of fax accounts.

use super::{
    Secrets, calls_back, check, is_for_operators, offered, provider_name,
    types::{AccountForm, AccountView},
};
use crate::{fax::calls, model::SourceStatus};
use platform::{
    App, Caller, Error, Manager, Result, Role,
    audit::{self, Act, event},
    integrations,
    records::{self, Record},
    secret::{random_token, token_hash},
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel,
    PaginatorTrait, QueryFilter, QueryOrder,
};
use serde_json::json;
use store::{
    entities::{
        document_source,
        fax_account::{self, AccountSettings, ProviderKind},
        fax_number,
        integration_grant::Integration,
    },
    keys::DataKey,
};
use uuid::Uuid;

pub const FOR_OPERATORS: &str = "Only the operator of this installation can set up modems.";
const OF_ANOTHER: &str =
    "The stored password is for another user or server. Enter the password for this one.";
const HAS_NUMBERS: &str = "Delete the fax numbers of this account first.";

pub async fn find(
    db: &impl ConnectionTrait,
    organization_id: Uuid,
    kind: ProviderKind,
) -> Result<Option<fax_account::Model>> {
    Ok(fax_account::Entity::find()
        .filter(fax_account::Column::OrganizationId.eq(organization_id))
        .filter(fax_account::Column::Provider.eq(kind))
        .one(db)
        .await?)
}

pub async fn list(db: &impl ConnectionTrait, organization_id: Uuid) -> Result<Vec<fax_account::Model>> {
    Ok(fax_account::Entity::find()
        .filter(fax_account::Column::OrganizationId.eq(organization_id))
        .order_by_asc(fax_account::Column::Provider)
        .all(db)
        .await?)
}

/// Creates or changes the account of a kind. An absent password is unchanged, but refused if the account is a different
/// one. The account itself is checked by [`test`].
pub async fn save(
    app: &App,
    manager: &Manager,
    kind: ProviderKind,
    form: AccountForm,
) -> Result<AccountView> {
    let organization_id = manager.organization_id;
    let found = find(app.store.db(), organization_id, kind).await?;
    if found.is_none() && !offered(app, organization_id).await?.contains(&kind) {
        return Err(Error::NotFound);
    }
    may_set_up(&manager.caller, kind)?;
    integrations::require(app.store.db(), Integration::FaxAccounts, organization_id).await?;
    let actor = manager.actor();
    let key = app.keys.data_key(organization_id).await?;
    let row = match found {
        None => {
            let id = Uuid::now_v7();
            let mut row = fax_account::ActiveModel {
                id: Set(id),
                organization_id: Set(organization_id),
                provider: Set(kind),
                created_at: Set(app.clock.now()),
                version: Set(1),
                ..Default::default()
            };
            fill(app, &key, (id, kind, None), &mut row, &form)?;
            records::create::<Account>(app, &actor, row).await?
        }
        Some(found) => {
            let found = fax_account::Entity::find_by_id(found.id);
            let mut edit = records::edit::<Account>(app, &actor, found, form.version).await?;
            let before = edit.before.clone();
            fill(app, &key, (before.id, kind, Some(&before)), &mut edit.row, &form)?;
            edit.detail.insert("provider".into(), json!(kind));
            edit.save().await?
        }
    };
    view(app, &row).await
}

struct Account;

impl Record for Account {
    type Entity = fax_account::Entity;
    const OBJECT: &'static str = "faxaccount";
    const NOUN: &'static str = "this fax account";
    const ID: fax_account::Column = fax_account::Column::Id;
    const VERSION: fax_account::Column = fax_account::Column::Version;
    const MODIFIED_AT: Option<fax_account::Column> = Some(fax_account::Column::ModifiedAt);
    const AUDITED: &'static [fax_account::Column] =
        &[fax_account::Column::Provider, fax_account::Column::Settings];
    const TAKEN: (&'static str, &'static str) = ("provider", "This account was already added.");
}

/// Applies a form to a row: settings and secrets. The account is polled again at once.
fn fill(
    app: &App,
    key: &DataKey,
    (id, kind, before): (Uuid, ProviderKind, Option<&fax_account::Model>),
    row: &mut fax_account::ActiveModel,
    form: &AccountForm,
) -> Result<()> {
    let settings = form.settings();
    let secrets = secrets_of(key, before, &settings, form)?;
    let mut errors = check(kind, &settings, &secrets.password);
    if secrets.password.is_empty() && !form.has_no_password && has_password(key, before)? {
        errors.0.insert("password".into(), vec![OF_ANOTHER.into()]);
    }
    errors.check()?;
    let now = app.clock.now();
    if before.is_none_or(|row| row.settings != settings) {
        row.polled_at = Set(None);
    }
    row.settings = Set(settings);
    row.sealed_secrets = Set(Some(secrets.seal(key, id)?));
    row.callback_hash = Set(token_hash(&secrets.callback));
    row.problem = Set(None);
    row.poll_at = Set(now);
    row.modified_at = Set(now);
    Ok(())
}

fn may_set_up(caller: &Caller, kind: ProviderKind) -> Result<()> {
    if is_for_operators(kind) && !caller.has(Role::SysAdmin) {
        return Err(Error::Conflict(FOR_OPERATORS.into()));
    }
    Ok(())
}

/// The secrets of an account after saving. A password belongs to one user of one server: it is not tried elsewhere.
fn secrets_of(
    key: &DataKey,
    before: Option<&fax_account::Model>,
    settings: &AccountSettings,
    form: &AccountForm,
) -> Result<Secrets> {
    let mut secrets = match before {
        Some(row) => Secrets::open(key, row)?,
        None => Secrets::default(),
    };
    let user = |s: &AccountSettings| (s.server.clone(), s.user_name.clone(), s.app_id.clone());
    let is_another = before.is_some_and(|row| user(&row.settings) != user(settings));
    if is_another || form.has_no_password {
        secrets.password = String::new();
    }
    if let Some(password) = form.password.as_deref().filter(|p| !p.is_empty()) {
        secrets.password = password.to_owned();
    }
    if secrets.callback.is_empty() {
        secrets.callback = random_token();
    }
    Ok(secrets)
}

fn has_password(key: &DataKey, row: Option<&fax_account::Model>) -> Result<bool> {
    Ok(row.map(|row| Secrets::open(key, row)).transpose()?.is_some_and(|s| !s.password.is_empty()))
}

/// Removes the account of a kind, unless it has numbers.
pub async fn remove(app: &App, manager: &Manager, kind: ProviderKind) -> Result<()> {
    let txn = app.store.begin().await?;
    let row = find(&txn, manager.organization_id, kind).await?.ok_or(Error::NotFound)?;
    may_set_up(&manager.caller, kind)?;
    if numbers(&txn, row.id).await? > 0 {
        return Err(Error::Conflict(HAS_NUMBERS.into()));
    }
    // Only deleted numbers refer to it.
    fax_number::Entity::delete_many().filter(fax_number::Column::AccountId.eq(row.id)).exec(&txn).await?;
    fax_account::Entity::delete_by_id(row.id).exec(&txn).await?;
    let act = Act::new(event::DELETED, "faxaccount", row.id).detail(json!({ "provider": kind }));
    audit::record(app, &txn, &manager.actor(), act).await?;
    txn.commit().await?;
    Ok(())
}

/// Numbers of an account that are not deleted.
async fn numbers(db: &impl ConnectionTrait, account_id: Uuid) -> Result<u64> {
    let of_account = fax_number::Entity::find().filter(fax_number::Column::AccountId.eq(account_id)).all(db);
    let ids: Vec<Uuid> = of_account.await?.into_iter().map(|n| n.document_source_id).collect();
    Ok(document_source::Entity::find()
        .filter(document_source::Column::Id.is_in(ids))
        .filter(document_source::Column::Status.ne(SourceStatus::Deleted))
        .count(db)
        .await?)
}

/// Asks the provider whether the account works, and stores the result.
pub async fn test(app: &App, row: &fax_account::Model) -> Result<Vec<String>> {
    let problems = calls::provider(app, row).await?.test().await;
    let mut change = row.clone().into_active_model();
    change.problem = Set(problems.first().cloned());
    change.update(app.store.db()).await?;
    Ok(problems)
}

pub async fn view(app: &App, row: &fax_account::Model) -> Result<AccountView> {
    let AccountSettings { server, user_name, app_id, group_name, product_id, outside_line } =
        row.settings.clone();
    let kind = row.provider;
    let key = app.keys.data_key(row.organization_id).await?;
    let Secrets { password, callback } = Secrets::open(&key, row)?;
    let base = app.config.http.public_url.as_str().trim_end_matches('/');
    Ok(AccountView {
        id: row.id,
        organization_id: row.organization_id,
        provider: kind,
        name: provider_name(kind).into(),
        account_type: match kind {
            ProviderKind::EFax => Some("EFaxAccount".into()),
            ProviderKind::WestFax => Some("WestFaxAccount".into()),
            _ => None,
        },
        server,
        user_name,
        app_id,
        group_name,
        product_id,
        outside_line,
        has_password: !password.is_empty(),
        callback_url: (calls_back(kind) && !callback.is_empty())
            .then(|| format!("{base}/api/fax/callbacks/{callback}")),
        problem: row.problem.clone(),
        polled_at: row.polled_at,
        version: row.version,
    })
}
