//! Issuing and reading of licences.

use super::{
    format::{self, Terms},
    odata, signing,
    types::{LicenceIssueForm, License, LicenseList, LicenseQuery, LicensedApp},
};
use crate::vocabulary::application_types;
use accounts::{organization::open, reference_items::kind};
use chrono::Duration;
use platform::{
    App, Caller, Error, Result,
    audit::{self, Act, Actor, event},
    fields::{DEFAULT_FIELD_ERROR, FieldErrors},
    http::{Page, Paged},
    sql,
};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter,
    QueryOrder, QuerySelect, SqlErr,
};
use serde_json::json;
use store::entities::{
    licence::{Entity, Model},
    organization, reference_item,
};
use uuid::Uuid;

const QUANTITY_MAX: i64 = 500;
const DAYS_MAX: i64 = 3_650;
const TYPES_MAX: u64 = 100;
/// Maximum number of rows in one statement.
const PIECE: usize = 100;

const QUANTITY: &str = "Please enter a whole number from 1 to 500.";
const DAYS: &str = "Please enter a whole number from 1 to 3,650.";
const ONE_CONNECTOR: &str = "Licences for a single connector are issued one at a time.";
const NO_APPLICATION: &str = "Please choose an application from the list.";
const NO_TYPE: &str = "Please choose one of the licence types.";
const NOT_OF_APPLICATION: &str = "Please choose one of the licence types of this application.";
const NO_ORGANIZATION: &str = "Please choose an organization from the list.";
const ISSUED_BEFORE: &str = "Licences with this reference were already issued.";

/// A page of licences.
pub async fn list(app: &App, query: &LicenseQuery) -> Result<LicenseList> {
    let page = Page::starting_at(query.skip, query.top, 20, 100)?;
    let rows = Entity::find().filter(odata::condition(query.filter.as_deref().unwrap_or_default())?);
    let order = odata::order(query.orderby.as_deref().unwrap_or_default())?;
    let Paged { items, total_count, .. } = sql::page(app.store.db(), rows, &order, page).await?;
    Ok(LicenseList { items: items.into_iter().map(Into::into).collect(), count: total_count })
}

/// The applications that can be licensed, each with its licence types.
pub async fn applications(app: &App, limit: u64) -> Result<Vec<LicensedApp>> {
    let db = app.store.db();
    let types = offered(db, kind::LICENCE_TYPE, TYPES_MAX).await?;
    let applications = offered(db, kind::APPLICATION, limit).await?;
    let mut chosen = application_types::of(db, applications.iter().map(|item| item.id)).await?;
    let licensed = |application: reference_item::Model| {
        let chosen = chosen.remove(&application.id).unwrap_or_default();
        let types = types.iter().filter(|item| chosen.contains(&item.id));
        LicensedApp { name: application.name, license_types: types.map(|item| item.name.clone()).collect() }
    };
    Ok(applications.into_iter().map(licensed).collect())
}

async fn offered(db: &impl ConnectionTrait, kind: &str, limit: u64) -> Result<Vec<reference_item::Model>> {
    Ok(reference_item::Entity::find()
        .filter(reference_item::Column::Kind.eq(kind))
        .filter(reference_item::Column::IsRetired.eq(false))
        .order_by_asc(reference_item::Column::Position)
        .order_by_asc(reference_item::Column::NameKey)
        .limit(limit)
        .all(db)
        .await?)
}

/// Issues the requested number of licences, once per reference.
pub async fn issue(app: &App, caller: &Caller, form: LicenceIssueForm) -> Result<Vec<License>> {
    let organization = checked(app, &form).await?;
    let key = signing::current(app).await?;
    let now = app.clock.now();
    let expires_at = now + Duration::days(form.expires_in_days);
    let fingerprint = form.fingerprint();
    let application =
        form.application_name.as_deref().filter(|_| !form.licensed_plan).unwrap_or_default().to_owned();
    let licence = |number: i64| {
        let id = Uuid::now_v7();
        let terms = Terms {
            id,
            key: key.id.clone(),
            product: form.product.to_string(),
            license_type: form.license_type.as_deref().unwrap_or_default().to_owned(),
            licensed_plan: form.licensed_plan,
            application: application.clone(),
            organization_id: organization.id,
            organization: organization.name.clone(),
            reference: form.reference.to_string(),
            fingerprint: fingerprint.clone(),
            issued: now,
            expires: expires_at,
        };
        let licence_key = format::sign(&terms, &key.key).map_err(Error::internal)?;
        Ok(Model {
            id,
            licence_key,
            licence_type: terms.license_type,
            product: terms.product,
            application_name: terms.application,
            is_licensed_plan: terms.licensed_plan,
            organization_id: terms.organization_id,
            organization_name: terms.organization,
            contact_name: form.name.to_string(),
            contact_email: form.email.to_string(),
            reference: terms.reference,
            number: number as i32,
            connector_id: terms.fingerprint.unwrap_or_default(),
            connector_name: form.connector_name.as_deref().unwrap_or_default().to_owned(),
            issued_by: caller.user_name.clone(),
            issued_at: now,
            expires_at,
        })
    };
    let rows: Vec<Model> = (1..=form.quantity).map(licence).collect::<Result<_>>()?;
    let txn = app.store.begin().await?;
    for piece in rows.chunks(PIECE) {
        let piece = piece.iter().cloned().map(|row| row.into_active_model().reset_all());
        Entity::insert_many(piece).exec_without_returning(&txn).await.map_err(taken)?;
    }
    let act = Act::new(event::CREATED, "licence", rows[0].id).detail(json!({
        "organization": organization.id, "product": &*form.product, "quantity": form.quantity,
        "expiresInDays": form.expires_in_days, "reference": &*form.reference,
    }));
    audit::record(app, &txn, &Actor::platform(caller), act).await?;
    txn.commit().await?;
    Ok(rows.into_iter().map(Into::into).collect())
}

fn taken(error: DbErr) -> Error {
    match error.sql_err() {
        Some(SqlErr::UniqueConstraintViolation(_)) => Error::field("reference", ISSUED_BEFORE),
        _ => error.into(),
    }
}

/// Checks the licence type: one of the application's, or any for a licensed plan.
async fn check_type(
    db: &impl ConnectionTrait,
    form: &LicenceIssueForm,
    application: Option<&LicensedApp>,
    errors: &mut FieldErrors,
) -> Result<()> {
    let wanted = form.license_type.as_deref().unwrap_or_default();
    if wanted.is_empty() {
        return Ok(());
    }
    match application.filter(|_| !form.licensed_plan) {
        Some(application) => {
            let is_its = application.license_types.iter().any(|name| name == wanted);
            errors.require(is_its, "licenseType", NOT_OF_APPLICATION);
        }
        None => {
            let types = offered(db, kind::LICENCE_TYPE, TYPES_MAX).await?;
            errors.require(types.iter().any(|item| item.name == wanted), "licenseType", NO_TYPE);
        }
    }
    Ok(())
}

/// The organization of a request, after all checks.
async fn checked(app: &App, form: &LicenceIssueForm) -> Result<organization::Model> {
    let db = app.store.db();
    let mut errors = FieldErrors::default();
    errors.require((1..=QUANTITY_MAX).contains(&form.quantity), "quantity", QUANTITY);
    errors.require((1..=DAYS_MAX).contains(&form.expires_in_days), "expiresindays", DAYS);
    let is_bound = form.fingerprint().is_some();
    errors.require(!is_bound || form.quantity == 1, "quantity", ONE_CONNECTOR);
    let application = form.application_name.as_deref().unwrap_or_default();
    if !form.licensed_plan {
        errors.require(!application.is_empty(), "applicationname", DEFAULT_FIELD_ERROR);
    }
    let known = applications(app, 5_000).await?;
    let chosen = known.iter().find(|known| known.name == application);
    errors.require(application.is_empty() || chosen.is_some(), "applicationname", NO_APPLICATION);
    check_type(db, form, chosen, &mut errors).await?;
    let found = open().filter(organization::Column::Id.eq(form.company)).one(db).await?;
    errors.require(found.is_some(), "company", NO_ORGANIZATION);
    errors.check()?;
    found.ok_or(Error::NotFound)
}
