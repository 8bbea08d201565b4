//! Database access of organizations for the console.

use super::{
    rules::{self, Subscription},
    search::{self, NameSearch},
    types::{ActivationStatus, AssignableOrganization, Organization, OrganizationForm, OrganizationRow},
};
use crate::{
    customer_messaging::{self, OrganizationCard},
    features as toggles, reserved_words,
    subscriptions::billing,
};
use accounts::{
    onboarding::activation,
    organization::{locked, number_of_users, open},
    plan as plan_rules,
    profile::features::enabled,
    reference_items::kind,
    single_sign_on,
};
use chrono::{DateTime, Utc};
use email::Prepared;
use platform::{
    App, Caller, Error, Result,
    audit::{self, Act, Actor, event},
    bus::Event,
    capture,
    fields::{DEFAULT_FIELD_ERROR, FieldErrors, npi},
    http::{Page, Paged},
    sql,
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, Condition, ConnectionTrait, EntityTrait, IdenStatic,
    IntoActiveModel, Iterable, Order, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
    SelectExt, SqlErr, sea_query::Expr,
};
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};
use store::entities::{
    app_user, brand, direct_certificate, document_source, membership, network, organization,
    organization_feature, plan, reference_item, reseller, session,
};
use store::entities::{document_source::SourceKind, string_list::StringList};
use store::{Transaction, organization_names};
use uuid::Uuid;

/// Sign-in policy of a new organization.
const PASSWORD_LOGIN: &str = "Password";
const NO_SUCH_PURPOSE: &str = "Please choose from the list of purposes of use.";
/// Maximum number of results of a typeahead.
const ASSIGNABLE_MAX: u64 = 100;

const SIGNED_OUT_BY_OPERATOR: &str = "The organization was closed by the operator.";

/// Filter and page of the list.
pub struct Filter {
    pub search: NameSearch,
    /// Only cancelled organizations and those with a pending cancellation.
    pub cancelling: bool,
}

/// A page of organizations, by name.
pub async fn list(
    app: &App,
    Filter { search, cancelling }: Filter,
    descending: bool,
    page: Page,
) -> Result<Paged<OrganizationRow>> {
    use organization::Column;
    let db = app.store.db();
    let order = if descending { Order::Desc } else { Order::Asc };
    if !cancelling {
        let (items, total) = search::page(db, search, order, page).await?;
        return Ok(Paged::capped(rows_of(db, items).await?, total));
    }
    let cancelled =
        Condition::any().add(Column::IsCancelled.eq(true)).add(Column::IsPendingCancellation.eq(true));
    let rows = search::found(db, search).await?.filter(cancelled);
    let found = sql::page(db, rows, &[(Column::NameKey, order.clone()), (Column::Id, order)], page).await?;
    let Paged { items, total_count, total_is_capped } = found;
    Ok(Paged { items: rows_of(db, items).await?, total_count, total_is_capped })
}

/// Organizations in the shape of the list, in the same order.
pub async fn rows_of(
    db: &impl ConnectionTrait,
    found: Vec<organization::Model>,
) -> Result<Vec<OrganizationRow>> {
    let ids = |of: fn(&organization::Model) -> Option<Uuid>| -> BTreeSet<Uuid> {
        found.iter().filter_map(of).collect()
    };
    let networks: HashMap<Uuid, String> = network::Entity::find()
        .filter(network::Column::Id.is_in(ids(|o| o.network_id)))
        .all(db)
        .await?
        .into_iter()
        .map(|n| (n.id, n.name))
        .collect();
    let resellers: HashMap<Uuid, String> = reseller::Entity::find()
        .filter(reseller::Column::Id.is_in(ids(|o| o.reseller_id)))
        .all(db)
        .await?
        .into_iter()
        .map(|r| (r.id, r.name))
        .collect();
    let tiers: HashMap<Uuid, String> = plan::Entity::find()
        .filter(plan::Column::Id.is_in(ids(|o| o.plan_id)))
        .all(db)
        .await?
        .into_iter()
        .map(|p| (p.id, p.tier_code))
        .collect();
    let row = |o: organization::Model| OrganizationRow {
        org_id: o.id.to_string(),
        network_name: o.network_id.and_then(|id| networks.get(&id).cloned()),
        reseller_name: o.reseller_id.and_then(|id| resellers.get(&id).cloned()),
        tier_code: o
            .plan_id
            .and_then(|id| tiers.get(&id).cloned())
            .unwrap_or_else(|| plan_rules::FREE.to_owned()),
        id: o.id,
        name: o.name,
        sub_domain: o.sub_domain,
        is_activated: o.is_activated,
        is_enabled: o.is_enabled,
        login_type: o.login_type,
        api_capture: o.api_capture,
        is_pending_cancellation: o.is_pending_cancellation,
    };
    Ok(found.into_iter().map(row).collect())
}

/// An organization that is not deleted.
pub async fn find(db: &impl ConnectionTrait, id: Uuid) -> Result<Option<Organization>> {
    match open().filter(organization::Column::Id.eq(id)).one(db).await? {
        Some(found) => Ok(Some(details(db, found).await?)),
        None => Ok(None),
    }
}

async fn details(db: &impl ConnectionTrait, o: organization::Model) -> Result<Organization> {
    let features = features(db, o.id).await?;
    let number_of_users = number_of_users(db, o.id).await?;
    let plan_id = chosen_plan(db, o.plan_id).await?.map(|p| p.id);
    Ok(Organization {
        plan_id,
        number_of_users,
        enabled_features: features.into_iter().collect(),
        activation_status: if o.is_activated {
            ActivationStatus::Activated
        } else {
            ActivationStatus::NotActivated
        },
        allowed_purpose_of_use_codes: o.purposes_of_use.0,
        id: o.id,
        name: o.name,
        sub_domain: o.sub_domain,
        brand_id: o.brand_id,
        organization_type_id: o.organization_type_id,
        organization_specialty_id: o.organization_specialty_id,
        organization_npi: o.npi,
        organization_emr: o.emr,
        preferred_group_name: o.preferred_group_name,
        reseller_id: o.reseller_id,
        street: o.street,
        unit: o.unit,
        city: o.city,
        state: o.state,
        zip: o.zip,
        primary_phone: o.primary_phone,
        primary_fax: o.primary_fax,
        hisp_provider_id: o.hisp_provider_id,
        primary_contact_first_name: o.contact_first_name,
        primary_contact_last_name: o.contact_last_name,
        primary_contact_email: o.contact_email,
        primary_contact_title: o.contact_title,
        primary_contact_npi: o.contact_npi,
        phone: o.phone,
        network_db_id: o.network_id,
        is_enabled: o.is_enabled,
        created_by: o.created_by,
        create_date: o.created_at,
        modified_by: o.modified_by,
        modified_date: o.modified_at,
        version: o.version,
    })
}

async fn features(db: &impl ConnectionTrait, organization_id: Uuid) -> Result<BTreeSet<String>> {
    let rows = organization_feature::Entity::find()
        .filter(organization_feature::Column::OrganizationId.eq(organization_id))
        .all(db)
        .await?;
    Ok(rows.into_iter().map(|f| f.name).collect())
}

/// A plan that is not the Free plan.
async fn chosen_plan(db: &impl ConnectionTrait, id: Option<Uuid>) -> Result<Option<plan::Model>> {
    let Some(id) = id else { return Ok(None) };
    Ok(plan::Entity::find_by_id(id).one(db).await?.filter(|p| !p.is_free))
}

/// The organizations to which a user is not assigned; `None` if there is no such user.
pub async fn assignable(
    db: &impl ConnectionTrait,
    user_id: Uuid,
    words: &str,
) -> Result<Option<Vec<AssignableOrganization>>> {
    if app_user::Entity::find_by_id(user_id).one(db).await?.is_none() {
        return Ok(None);
    }
    let assigned = membership::Entity::find()
        .select_only()
        .column(membership::Column::OrganizationId)
        .filter(membership::Column::UserId.eq(user_id))
        .into_query();
    let found = search::offered(db, words)
        .await?
        .filter(organization::Column::Id.not_in_subquery(assigned))
        .order_by_asc(organization::Column::NameKey)
        .order_by_asc(organization::Column::Id)
        .limit(ASSIGNABLE_MAX)
        .all(db)
        .await?;
    let item =
        |o: organization::Model| AssignableOrganization { id: o.id, name: o.name, sub_domain: o.sub_domain };
    Ok(Some(found.into_iter().map(item).collect()))
}

/// Whether another organization has the subdomain. Deleted ones keep theirs: mail to them must not reach others.
pub async fn is_taken(db: &impl ConnectionTrait, sub_domain: &str, except: Option<Uuid>) -> Result<bool> {
    let mut others = organization::Entity::find().filter(organization::Column::SubDomain.eq(sub_domain));
    if let Some(id) = except {
        others = others.filter(organization::Column::Id.ne(id));
    }
    Ok(others.exists(db).await?)
}

/// Whether a subdomain is neither taken nor reserved.
pub async fn is_free(db: &impl ConnectionTrait, sub_domain: &str, except: Option<Uuid>) -> Result<bool> {
    let reserved = reserved_words::is_reserved(db, sub_domain).await?;
    Ok(!reserved && !is_taken(db, sub_domain, except).await?)
}

/// Creator of an organization: the name in its row, and the actor in the audit trail.
pub struct Author {
    pub user_name: String,
    pub actor: Actor,
}

impl From<&Caller> for Author {
    fn from(caller: &Caller) -> Self {
        Self { user_name: caller.user_name.clone(), actor: Actor::from(caller) }
    }
}

/// Creates an organization, its data key and, if it is activated at once, the work of the activation.
pub async fn create(app: &App, caller: &Caller, form: OrganizationForm) -> Result<Organization> {
    let txn = app.store.begin().await?;
    let created = create_in(app, &txn, &Author::from(caller), form).await?;
    let is_activated = created.is_activated;
    let created = details(&txn, created).await?;
    txn.commit().await?;
    if is_activated {
        app.bus.publish(Event::Work).await;
    }
    Ok(created)
}

/// The errors of the form for a new organization, or its subscription.
pub async fn check_new(txn: &Transaction, form: &OrganizationForm) -> Result<(FieldErrors, Subscription)> {
    let mut errors = rules::check(form);
    check_links(txn, form, None, &mut errors).await?;
    check_sub_domain(txn, form, None, &mut errors).await?;
    let wanted = wanted_subscription(txn, form, &mut errors).await?;
    let subscription = rules::subscription(&Subscription::default(), wanted, 0, &mut errors);
    Ok((errors, subscription))
}

/// The same within a transaction. If the organization is activated, the caller wakes the workers after the commit.
pub async fn create_in(
    app: &App,
    txn: &Transaction,
    author: &Author,
    form: OrganizationForm,
) -> Result<organization::Model> {
    let id = Uuid::now_v7();
    let now = app.clock.now();
    let (errors, subscription) = check_new(txn, &form).await?;
    errors.check()?;
    let is_activated = form.activation_status == ActivationStatus::Activated;
    let mut row = organization::ActiveModel {
        id: Set(id),
        settings: Set(json!({})),
        purposes_of_use: Set(StringList::default()),
        is_activated: Set(is_activated),
        is_enabled: Set(true),
        login_type: Set(PASSWORD_LOGIN.into()),
        api_capture: Set(false),
        is_cancelled: Set(false),
        is_pending_cancellation: Set(false),
        grace_until: Set(None),
        subscription_reference: Set(None),
        eula_accepted_at: Set(None),
        id_proofed_at: Set(None),
        id_proof_attempt_at: Set(None),
        created_by: Set(author.user_name.clone()),
        created_at: Set(now),
        modified_by: Set(author.user_name.clone()),
        modified_at: Set(now),
        deleted_at: Set(None),
        version: Set(1),
        ..Default::default()
    };
    fill(&mut row, &form, subscription.plan_id());
    let created = row.insert(txn).await.map_err(sub_domain_race)?;
    organization_names::write(txn, id, &created.name_key).await?;
    app.keys.create_in(txn, id).await?;
    set_features(txn, id, form.enabled_features).await?;
    if is_activated {
        activation::enqueue(txn, now, id, true).await?;
    }
    let act = Act::new(event::CREATED, "organization", id).detail(json!({ "activated": is_activated }));
    let actor = Actor { organization_id: Some(id), ..author.actor.clone() };
    audit::record(app, txn, &actor, act).await?;
    Ok(created)
}

/// Saves an organization, unless it was changed since the form was read.
pub async fn update(app: &App, caller: &Caller, id: Uuid, form: OrganizationForm) -> Result<Organization> {
    let txn = app.store.begin().await?;
    let before = locked(&txn, id).await?;
    if form.version.is_some_and(|version| version != before.version) {
        return Err(Error::Outdated("this organization"));
    }
    let mut errors = rules::check(&form);
    errors.require(form.version.is_some(), "version", DEFAULT_FIELD_ERROR);
    check_links(&txn, &form, Some(&before), &mut errors).await?;
    check_sub_domain(&txn, &form, Some(&before), &mut errors).await?;
    let subscription = next_subscription(&txn, &before, &form, &mut errors).await?;
    errors.check()?;
    let activates = form.activation_status == ActivationStatus::Activated && !before.is_activated;
    let is_billed =
        before.subscription_reference.is_some() && !before.is_pending_cancellation && !before.is_cancelled;
    let mut row = before.into_active_model();
    fill(&mut row, &form, subscription.plan_id());
    row.is_activated.set_if_not_equals(form.activation_status == ActivationStatus::Activated);
    let mut changed = changed_columns(&row);
    if is_billed && changed.contains(&"plan_id") {
        billing::member().subscribe(app, &txn, id, subscription.plan_id()).await?;
    }
    let mut ended = Vec::new();
    if set_features(&txn, id, form.enabled_features).await? {
        changed.push("enabled_features");
        ended = end_single_sign_on(app, &txn, id).await?;
    }
    let saved = save(app, caller, &txn, row, json!({ "changed": changed })).await?;
    if changed.contains(&"name_key") {
        organization_names::write(&txn, id, &saved.name_key).await?;
    }
    if activates {
        activation::enqueue(&txn, app.clock.now(), id, true).await?;
    }
    let saved = details(&txn, saved).await?;
    txn.commit().await?;
    platform::session::tell_ended(app, ended).await;
    app.bus.publish(Event::Features { organization_id: Some(id) }).await;
    if activates {
        app.bus.publish(Event::Work).await;
    }
    Ok(saved)
}

/// Writes a changed row as its next version, with its audit entry.
pub async fn save(
    app: &App,
    caller: &Caller,
    txn: &Transaction,
    mut row: organization::ActiveModel,
    detail: Value,
) -> Result<organization::Model> {
    row.version = Set(row.version.as_ref() + 1);
    row.modified_by = Set(caller.user_name.clone());
    row.modified_at = Set(app.clock.now());
    let saved = row.update(txn).await.map_err(sub_domain_race)?;
    let act = Act::new(event::CHANGED, "organization", saved.id).detail(detail);
    audit::record(app, txn, &Actor::in_organization(caller, saved.id), act).await?;
    Ok(saved)
}

/// Two concurrent saves may both have found the subdomain free.
fn sub_domain_race(error: sea_orm::DbErr) -> Error {
    match error.sql_err() {
        Some(SqlErr::UniqueConstraintViolation(_)) => Error::field("subDomain", rules::SUB_DOMAIN_REFUSED),
        _ => error.into(),
    }
}

fn changed_columns(row: &organization::ActiveModel) -> Vec<&'static str> {
    organization::Column::iter()
        .filter(|column| matches!(row.get(*column), Set(_)))
        .map(|column| column.as_str())
        .collect()
}

fn fill(row: &mut organization::ActiveModel, form: &OrganizationForm, plan_id: Option<Uuid>) {
    row.name.set_if_not_equals(form.name.to_string());
    row.name_key.set_if_not_equals(sql::key(&form.name));
    row.sub_domain.set_if_not_equals(rules::sub_domain(&form.sub_domain));
    row.brand_id.set_if_not_equals(form.brand_id);
    row.organization_type_id.set_if_not_equals(Some(form.organization_type_id));
    row.organization_specialty_id.set_if_not_equals(Some(form.organization_specialty_id));
    row.hisp_provider_id.set_if_not_equals(Some(form.hisp_provider_id));
    row.network_id.set_if_not_equals(form.network_db_id);
    row.reseller_id.set_if_not_equals(form.reseller_id);
    row.plan_id.set_if_not_equals(plan_id);
    row.npi.set_if_not_equals(npi(&form.organization_npi).to_owned());
    row.emr.set_if_not_equals(form.organization_emr.to_string());
    row.preferred_group_name.set_if_not_equals(form.preferred_group_name.to_string());
    row.street.set_if_not_equals(form.street.to_string());
    row.unit.set_if_not_equals(form.unit.to_string());
    row.city.set_if_not_equals(form.city.to_string());
    row.state.set_if_not_equals(form.state.to_string());
    row.zip.set_if_not_equals(form.zip.to_string());
    row.primary_phone.set_if_not_equals(rules::masked_phone(&form.primary_phone));
    row.primary_fax.set_if_not_equals(rules::masked_phone(&form.primary_fax));
    row.phone.set_if_not_equals(rules::masked_phone(&form.phone));
    row.contact_first_name.set_if_not_equals(form.primary_contact_first_name.to_string());
    row.contact_last_name.set_if_not_equals(form.primary_contact_last_name.to_string());
    row.contact_email.set_if_not_equals(form.primary_contact_email.to_string());
    row.contact_title.set_if_not_equals(form.primary_contact_title.to_string());
    row.contact_npi.set_if_not_equals(npi(&form.primary_contact_npi).to_owned());
    if let Some(codes) = &form.allowed_purpose_of_use_codes {
        row.purposes_of_use.set_if_not_equals(codes.clone().into());
    }
}

/// Replaces the features. Returns `true` if they changed; without a list they stay as they are.
async fn set_features(txn: &Transaction, id: Uuid, wanted: Option<Vec<String>>) -> Result<bool> {
    let Some(wanted) = wanted else { return Ok(false) };
    let wanted: BTreeSet<String> = wanted.into_iter().collect();
    let present = features(txn, id).await?;
    if wanted == present {
        return Ok(false);
    }
    toggles::require_offered(txn, wanted.difference(&present)).await?;
    organization_feature::Entity::delete_many()
        .filter(organization_feature::Column::OrganizationId.eq(id))
        .exec(txn)
        .await?;
    let rows: Vec<_> = wanted
        .into_iter()
        .map(|name| organization_feature::ActiveModel { organization_id: Set(id), name: Set(name) })
        .collect();
    if !rows.is_empty() {
        organization_feature::Entity::insert_many(rows).exec_without_returning(txn).await?;
    }
    Ok(true)
}

/// Ends the sessions that were signed in by the provider of an organization that no longer has the feature.
async fn end_single_sign_on(app: &App, txn: &Transaction, id: Uuid) -> Result<Vec<Uuid>> {
    if enabled(txn, id).await?.contains(single_sign_on::FEATURE) {
        return Ok(Vec::new());
    }
    single_sign_on::end_sessions_of(txn, id, app.clock.now()).await
}

/// Chosen values must be offered; the organization's present values may stay.
async fn check_links(
    txn: &Transaction,
    form: &OrganizationForm,
    before: Option<&organization::Model>,
    errors: &mut FieldErrors,
) -> Result<()> {
    let kept = |of: fn(&organization::Model) -> Option<Uuid>| before.and_then(of);
    for (field, of_kind, id, kept) in [
        (
            "organizationTypeId",
            kind::ORGANIZATION_TYPE,
            form.organization_type_id,
            kept(|o| o.organization_type_id),
        ),
        (
            "organizationSpecialtyId",
            kind::ORGANIZATION_SPECIALTY,
            form.organization_specialty_id,
            kept(|o| o.organization_specialty_id),
        ),
        ("hispProviderId", kind::HISP_PROVIDER, form.hisp_provider_id, kept(|o| o.hisp_provider_id)),
    ] {
        let item = reference_item::Entity::find_by_id(id).one(txn).await?;
        let is_offered = |i: &reference_item::Model| !i.is_retired || kept == Some(i.id);
        let fits = item.is_some_and(|i| i.kind == of_kind && is_offered(&i));
        errors.require(fits, field, DEFAULT_FIELD_ERROR);
    }
    check_purposes(txn, form, before, errors).await?;
    let known = brand::Entity::find_by_id(form.brand_id).exists(txn).await?;
    errors.require(known, "brandId", DEFAULT_FIELD_ERROR);
    if let Some(id) = form.network_db_id {
        let known = network::Entity::find_by_id(id).exists(txn).await?;
        errors.require(known, "networkDbId", DEFAULT_FIELD_ERROR);
    }
    Ok(())
}

/// Purposes of use must be in the list, or already belong to the organization.
async fn check_purposes(
    txn: &Transaction,
    form: &OrganizationForm,
    before: Option<&organization::Model>,
    errors: &mut FieldErrors,
) -> Result<()> {
    let kept = before.map(|o| o.purposes_of_use.0.as_slice()).unwrap_or_default();
    let wanted = form.allowed_purpose_of_use_codes.iter().flatten();
    let new: BTreeSet<&String> = wanted.filter(|code| !kept.contains(code)).collect();
    if new.is_empty() {
        return Ok(());
    }
    let offered = reference_item::Entity::find()
        .filter(reference_item::Column::Kind.eq(kind::PURPOSE_OF_USE))
        .filter(reference_item::Column::Code.is_in(new.iter().copied()))
        .filter(reference_item::Column::IsRetired.eq(false))
        .count(txn)
        .await?;
    errors.require(offered == new.len() as u64, "allowedPurposeOfUseCodes", NO_SUCH_PURPOSE);
    Ok(())
}

/// A new subdomain must be free, and the present one stays while Direct addresses use it.
async fn check_sub_domain(
    txn: &Transaction,
    form: &OrganizationForm,
    before: Option<&organization::Model>,
    errors: &mut FieldErrors,
) -> Result<()> {
    let sub_domain = rules::sub_domain(&form.sub_domain);
    if before.is_some_and(|b| b.sub_domain == sub_domain) {
        return Ok(());
    }
    let id = before.map(|b| b.id);
    errors.require(is_free(txn, &sub_domain, id).await?, "subDomain", rules::SUB_DOMAIN_REFUSED);
    if let Some(id) = id {
        let in_use = document_source::Entity::find()
            .filter(document_source::Column::OrganizationId.eq(id))
            .filter(document_source::Column::Kind.ne(SourceKind::Fax))
            .exists(txn)
            .await?;
        errors.require(!in_use, "subDomain", rules::SUB_DOMAIN_IN_USE);
    }
    Ok(())
}

async fn wanted_subscription(
    txn: &Transaction,
    form: &OrganizationForm,
    errors: &mut FieldErrors,
) -> Result<Subscription> {
    let reseller = find_reseller(txn, form.reseller_id).await?;
    errors.require(reseller.is_some() || form.reseller_id.is_none(), "resellerId", DEFAULT_FIELD_ERROR);
    let known = match form.plan_id {
        Some(id) => plan::Entity::find_by_id(id).exists(txn).await?,
        None => true,
    };
    errors.require(known, "planId", DEFAULT_FIELD_ERROR);
    Ok(Subscription { reseller, plan: chosen_plan(txn, form.plan_id).await? })
}

async fn next_subscription(
    txn: &Transaction,
    before: &organization::Model,
    form: &OrganizationForm,
    errors: &mut FieldErrors,
) -> Result<Subscription> {
    let present = Subscription {
        reseller: find_reseller(txn, before.reseller_id).await?,
        plan: chosen_plan(txn, before.plan_id).await?,
    };
    let wanted = wanted_subscription(txn, form, errors).await?;
    let users = number_of_users(txn, before.id).await?;
    Ok(rules::subscription(&present, wanted, users, errors))
}

async fn find_reseller(db: &impl ConnectionTrait, id: Option<Uuid>) -> Result<Option<reseller::Model>> {
    match id {
        Some(id) => Ok(reseller::Entity::find_by_id(id).one(db).await?),
        None => Ok(None),
    }
}

/// Activates or deactivates an organization. Repeating it changes nothing.
pub async fn activate(
    app: &App,
    caller: &Caller,
    id: Uuid,
    activated: bool,
    seed_records: bool,
    mails: Vec<Prepared>,
) -> Result<()> {
    let txn = app.store.begin().await?;
    let before = locked(&txn, id).await?;
    if before.is_activated == activated {
        return Ok(());
    }
    let mut row = before.into_active_model();
    row.is_activated = Set(activated);
    let seeds = activated && seed_records;
    let detail = json!({ "activated": activated, "seedRecords": seeds, "emails": mails.len() });
    save(app, caller, &txn, row, detail).await?;
    if activated {
        activation::enqueue(&txn, app.clock.now(), id, seed_records).await?;
        for mail in mails {
            mail.enqueue(&txn).await?;
        }
    }
    txn.commit().await?;
    if activated {
        app.bus.publish(Event::Work).await;
    }
    Ok(())
}

/// Enables or disables the sign-in of an organization's users. Disabling ends their sessions in the same commit.
pub async fn enable(app: &App, caller: &Caller, id: Uuid, enable: bool) -> Result<()> {
    let txn = app.store.begin().await?;
    let mut row = locked(&txn, id).await?.into_active_model();
    row.is_enabled = Set(enable);
    save(app, caller, &txn, row, json!({ "enabled": enable })).await?;
    let ended = if enable { Vec::new() } else { end_sessions(app, caller, &txn, id).await? };
    txn.commit().await?;
    platform::session::tell_ended(app, ended).await;
    Ok(())
}

/// Deletes an organization softly: its messages stay as the law requires, nobody can sign in, and the domain is
/// closed.
pub async fn delete(app: &App, caller: &Caller, id: Uuid) -> Result<()> {
    let now = app.clock.now();
    let txn = app.store.begin().await?;
    let mut row = locked(&txn, id).await?.into_active_model();
    row.deleted_at = Set(Some(now));
    row.is_enabled = Set(false);
    row.is_activated = Set(false);
    row.version = Set(row.version.as_ref() + 1);
    row.modified_by = Set(caller.user_name.clone());
    row.modified_at = Set(now);
    row.update(&txn).await?;
    organization_names::remove(&txn, id).await?;
    close_domain(&txn, now, id).await?;
    let ended = end_sessions(app, caller, &txn, id).await?;
    let act = Act::new(event::DELETED, "organization", id);
    audit::record(app, &txn, &Actor::in_organization(caller, id), act).await?;
    txn.commit().await?;
    platform::session::tell_ended(app, ended).await;
    Ok(())
}

/// Certificates of a closed domain are revoked and no longer served.
async fn close_domain(txn: &Transaction, now: DateTime<Utc>, id: Uuid) -> Result<()> {
    use direct_certificate::Column;
    direct_certificate::Entity::update_many()
        .col_expr(Column::RevokedAt, Expr::value(Some(now)))
        .filter(Column::OrganizationId.eq(id))
        .filter(Column::RevokedAt.is_null())
        .exec(txn)
        .await?;
    direct_certificate::Entity::update_many()
        .col_expr(Column::RetiredAt, Expr::value(Some(now)))
        .filter(Column::OrganizationId.eq(id))
        .filter(Column::RetiredAt.is_null())
        .exec(txn)
        .await?;
    Ok(())
}

/// Ends the sessions in an organization and returns them. The caller's own session continues without it.
async fn end_sessions(
    app: &App,
    caller: &Caller,
    txn: &Transaction,
    organization_id: Uuid,
) -> Result<Vec<Uuid>> {
    use session::Column;
    let now = app.clock.now();
    // Sessions are found by their index on the user.
    let members = membership::Entity::find()
        .select_only()
        .column(membership::Column::UserId)
        .filter(membership::Column::OrganizationId.eq(organization_id))
        .into_query();
    let alive = Condition::all()
        .add(Column::UserId.in_subquery(members))
        .add(Column::OrganizationId.eq(organization_id))
        .add(Column::RevokedAt.is_null())
        .add(Column::ExpiresAt.gt(now))
        .add(Column::Id.ne(caller.session_id));
    let ended: Vec<Uuid> = session::Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(alive.clone())
        .into_tuple()
        .all(txn)
        .await?;
    if ended.is_empty() {
        return Ok(ended);
    }
    session::Entity::update_many()
        .col_expr(Column::RevokedAt, Expr::value(Some(now)))
        .col_expr(Column::RevokeReason, Expr::value(SIGNED_OUT_BY_OPERATOR))
        .filter(alive)
        .exec(txn)
        .await?;
    let act = Act::new(event::SESSION_REVOKED, "organization", organization_id)
        .detail(json!({ "sessions": ended.len() }));
    audit::record(app, txn, &Actor::in_organization(caller, organization_id), act).await?;
    Ok(ended)
}

pub async fn clear_cancellation(app: &App, caller: &Caller, id: Uuid) -> Result<()> {
    let txn = app.store.begin().await?;
    let before = locked(&txn, id).await?;
    if !before.is_pending_cancellation {
        return Err(Error::Conflict("No cancellation is pending for this organization.".into()));
    }
    let (is_billed, plan_id) = (before.subscription_reference.is_some(), before.plan_id);
    let mut row = before.into_active_model();
    if is_billed {
        billing::member().subscribe(app, &txn, id, plan_id).await?;
    }
    row.is_pending_cancellation = Set(false);
    row.grace_until = Set(None);
    save(app, caller, &txn, row, json!({ "cancellationCleared": true })).await?;
    Ok(txn.commit().await?)
}

/// Starts or stops the capture of an organization's API calls, if the installation offers it.
pub async fn capture_api(app: &App, caller: &Caller, id: Uuid, capture: bool) -> Result<()> {
    let txn = app.store.begin().await?;
    let mut row = locked(&txn, id).await?.into_active_model();
    if capture && !capture::is_offered(app, &txn).await? {
        return Err(Error::Conflict("This installation does not offer API capture.".into()));
    }
    row.api_capture = Set(capture);
    save(app, caller, &txn, row, json!({ "apiCapture": capture })).await?;
    Ok(txn.commit().await?)
}

/// Sends an organization to the customer-messaging service. The request is audited first.
pub async fn sync(app: &App, caller: &Caller, id: Uuid) -> Result<()> {
    let service = customer_messaging::member(app)?;
    let txn = app.store.begin().await?;
    let found = locked(&txn, id).await?;
    let number_of_users = number_of_users(&txn, id).await?;
    let act = Act::new(event::SENT, "organization", id).detail(json!({ "to": "customer messaging" }));
    audit::record(app, &txn, &Actor::in_organization(caller, id), act).await?;
    txn.commit().await?;
    service.sync(&OrganizationCard { id, name: found.name, number_of_users: Some(number_of_users) }).await
}
