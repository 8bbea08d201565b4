//! Fax accounts in the database.

use super::{
    AccountSettings, ProviderKind, Secrets, check,
    http::{AccountForm, AccountView},
    kind_of, settings_of,
};
use crate::{
    fax::{calls, scope},
    model::SourceStatus,
};
use platform::{
    App, Caller, Error, Result,
    audit::{self, Act, event},
    secret::{random_token, token_hash},
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel,
    PaginatorTrait, QueryFilter, QueryOrder,
};
use serde_json::json;
use store::entities::{document_source, fax_account, fax_number};
use uuid::Uuid;

pub const FOR_OPERATORS: &str = "Modems are set up by the operator of this installation.";
const HAS_NUMBERS: &str = "Delete the fax numbers of this account first.";

pub async fn find(
    db: &impl ConnectionTrait,
    organization_id: Uuid,
    kind: ProviderKind,
) -> Result<Option<fax_account::Model>> {
    Ok(fax_account::Entity::find()
        .filter(fax_account::Column::OrganizationId.eq(organization_id))
        .filter(fax_account::Column::Provider.eq(kind.word()))
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

/// Makes or changes the account of a kind. A password that is not given stays as it is, unless the account is another
/// one. What is found out about the account is for [`test`].
pub async fn save(
    app: &App,
    caller: &Caller,
    kind: ProviderKind,
    form: AccountForm,
) -> Result<fax_account::Model> {
    let organization_id = scope::organization(app, caller, form.organization_id).await?;
    if !kind.is_offered(app) {
        return Err(Error::NotFound);
    }
    if kind.is_for_operators() && scope::own(caller).is_some() {
        return Err(Error::Conflict(FOR_OPERATORS.into()));
    }
    let key = app.keys.data_key(organization_id).await?;
    let settings = form.settings();
    let password = form.password.filter(|p| !p.is_empty());
    let txn = app.store.begin().await?;
    let before = find(&txn, organization_id, kind).await?;
    let is_same = before.as_ref().is_some_and(|row| {
        let old = settings_of(row);
        (old.server, old.user_name, old.app_id)
            == (settings.server.clone(), settings.user_name.clone(), settings.app_id.clone())
    });
    let kept = before.as_ref().filter(|row| is_same && row.sealed_secrets.is_some());
    let mut errors = check(kind, &settings, password.is_some() || kept.is_some());
    errors.require(
        password.as_deref().is_none_or(|p| p.len() <= 500 && !p.chars().any(char::is_control)),
        "password",
        platform::fields::DEFAULT_FIELD_ERROR,
    );
    errors.check()?;
    let now = app.clock.now();
    let is_new = before.is_none();
    let id = before.as_ref().map_or_else(Uuid::now_v7, |row| row.id);
    let sealed = match password {
        Some(password) => Some(Secrets { password }.seal(&key, id)?),
        None => kept.and_then(|row| row.sealed_secrets.clone()),
    };
    let row = match before {
        None => {
            let row = fax_account::ActiveModel {
                id: Set(id),
                organization_id: Set(organization_id),
                provider: Set(kind.word().into()),
                settings: Set(json!(settings)),
                sealed_secrets: Set(sealed),
                callback_hash: Set(token_hash(&random_token())),
                poll_at: Set(now),
                polled_at: Set(None),
                problem: Set(None),
                created_at: Set(now),
                modified_at: Set(now),
            };
            row.insert(&txn).await?
        }
        Some(before) => {
            let mut row = before.into_active_model();
            row.settings = Set(json!(settings));
            row.sealed_secrets = Set(sealed);
            row.problem = Set(None);
            row.poll_at = Set(now);
            row.modified_at = Set(now);
            row.update(&txn).await?
        }
    };
    let act = if is_new { event::CREATED } else { event::CHANGED };
    let detail =
        json!({ "provider": kind.word(), "server": settings.server, "userName": settings.user_name });
    let act = Act::new(act, "faxaccount", id).detail(detail);
    audit::record(app, &txn, &scope::actor(caller, organization_id), act).await?;
    txn.commit().await?;
    Ok(row)
}

/// Removes the account of a kind, once no number needs it.
pub async fn remove(app: &App, caller: &Caller, kind: ProviderKind, wanted: Option<Uuid>) -> Result<()> {
    let organization_id = scope::organization(app, caller, wanted).await?;
    let txn = app.store.begin().await?;
    let row = find(&txn, organization_id, kind).await?.ok_or(Error::NotFound)?;
    if kind.is_for_operators() && scope::own(caller).is_some() {
        return Err(Error::Conflict(FOR_OPERATORS.into()));
    }
    if numbers(&txn, row.id).await? > 0 {
        return Err(Error::Conflict(HAS_NUMBERS.into()));
    }
    // Only numbers that are gone still name it.
    fax_number::Entity::delete_many().filter(fax_number::Column::AccountId.eq(row.id)).exec(&txn).await?;
    fax_account::Entity::delete_by_id(row.id).exec(&txn).await?;
    let act = Act::new(event::DELETED, "faxaccount", row.id).detail(json!({ "provider": kind.word() }));
    audit::record(app, &txn, &scope::actor(caller, organization_id), act).await?;
    txn.commit().await?;
    Ok(())
}

/// Numbers of an account that are not deleted.
async fn numbers(db: &impl ConnectionTrait, account_id: Uuid) -> Result<u64> {
    let of_account = fax_number::Entity::find().filter(fax_number::Column::AccountId.eq(account_id)).all(db);
    let ids: Vec<Uuid> = of_account.await?.into_iter().map(|n| n.document_source_id).collect();
    Ok(document_source::Entity::find()
        .filter(document_source::Column::Id.is_in(ids))
        .filter(document_source::Column::Status.ne(SourceStatus::Deleted.code()))
        .count(db)
        .await?)
}

/// Asks the provider whether the account works, and keeps what it says.
pub async fn test(app: &App, row: &fax_account::Model) -> Result<Vec<String>> {
    let problems = calls::provider(app, row).await?.test().await;
    let mut change = row.clone().into_active_model();
    change.problem = Set(problems.first().cloned());
    change.update(app.store.db()).await?;
    Ok(problems)
}

pub fn view(row: &fax_account::Model) -> Result<AccountView> {
    let AccountSettings { server, user_name, app_id, product_id, outside_line } = settings_of(row);
    let kind = kind_of(row)?;
    Ok(AccountView {
        id: row.id,
        organization_id: row.organization_id,
        provider: kind,
        name: kind.name().into(),
        account_type: match kind {
            ProviderKind::EFax => Some("EFaxAccount".into()),
            ProviderKind::WestFax => Some("WestFaxAccount".into()),
            _ => None,
        },
        server,
        user_name,
        app_id,
        product_id,
        outside_line,
        has_password: row.sealed_secrets.is_some(),
        problem: row.problem.clone(),
        polled_at: row.polled_at,
    })
}
