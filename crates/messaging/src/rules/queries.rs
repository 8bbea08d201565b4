//! Database access of intake rules.

use super::{
    filing::{self, Connections},
    terms::{Rule, Terms},
    types::{IntakeRule, IntakeRuleForm},
};
use crate::messages::rules::URGENT_NEEDS_REVIEWER;
use platform::{
    App, Error, Member, Result,
    audit::{self, Act, Actor, event},
    fields::{DEFAULT_FIELD_ERROR, FieldErrors},
    http::{Page, Paged},
    records::{self, Record},
    sql::{self, holds_words},
};
use sea_orm::{
    ActiveModelTrait,
    ActiveValue::Set,
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, IntoActiveModel, Order, PaginatorTrait,
    QueryFilter, QueryOrder, QuerySelect, QueryTrait, Select,
    sea_query::{Expr, ExprTrait, LockType},
};
use serde_json::json;
use std::collections::{BTreeSet, HashMap};
use store::{
    Transaction,
    entities::{
        app_user,
        intake_rule::{ActiveModel, Column, Entity, Model},
        intake_rule_match, intake_rule_user, membership, message, organization,
    },
    keys::DataKey,
};
use uuid::Uuid;

/// Maximum number of rules of an organization.
pub const RULES_MAX: u64 = 100;
const PEOPLE_MAX: usize = 50;
const TOO_MANY: &str = "An organization has at most 100 intake rules.";
const OTHER_RULES: &str = "The rules have changed. Load them again and try once more.";

struct IntakeRules;

impl Record for IntakeRules {
    type Entity = Entity;
    const OBJECT: &'static str = "intakerule";
    const NOUN: &'static str = "this intake rule";
    const ID: Column = Column::Id;
    const VERSION: Column = Column::Version;
    const AUDITED: &'static [Column] = &[Column::Name, Column::Position, Column::IsEnabled, Column::Stops];
    const TAKEN: (&'static str, &'static str) = ("name", "This name is already in the list.");
}

fn context(id: Uuid) -> String {
    format!("intake_rule.terms:{id}")
}

pub fn terms(key: &DataKey, row: &Model) -> Result<Terms> {
    Ok(key.open_json(&context(row.id), &row.sealed_terms)?)
}

fn of(organization_id: Uuid) -> Select<Entity> {
    Entity::find().filter(Column::OrganizationId.eq(organization_id))
}

fn one_of(organization_id: Uuid, id: Uuid) -> Select<Entity> {
    of(organization_id).filter(Column::Id.eq(id))
}

/// The enabled rules, in order. Unreadable ones are skipped, so that messages still arrive.
pub async fn enabled(conn: &impl ConnectionTrait, key: &DataKey, organization_id: Uuid) -> Result<Vec<Rule>> {
    let rows = of(organization_id).filter(Column::IsEnabled.eq(true)).order_by_asc(Column::Position);
    let rows = rows.order_by_asc(Column::Id).all(conn).await?;
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let mut people = people_of(conn, &rows).await?;
    let readable = rows.into_iter().filter_map(|row| match terms(key, &row) {
        Ok(terms) => {
            let people = people.remove(&row.id).unwrap_or_default();
            Some(Rule { id: row.id, name: row.name, stops: row.stops, people, terms })
        }
        Err(error) => {
            tracing::error!(?error, rule = %row.id, "an intake rule could not be read");
            None
        }
    });
    Ok(readable.collect())
}

/// A rule, if it is on.
pub async fn enabled_one(
    conn: &impl ConnectionTrait,
    key: &DataKey,
    organization_id: Uuid,
    id: Uuid,
) -> Result<Option<(Model, Terms)>> {
    let row = one_of(organization_id, id).filter(Column::IsEnabled.eq(true)).one(conn).await?;
    row.map(|row| Ok((row.clone(), terms(key, &row)?))).transpose()
}

/// The assignees of rules, by rule.
async fn people_of(conn: &impl ConnectionTrait, rows: &[Model]) -> Result<HashMap<Uuid, Vec<Uuid>>> {
    let links = intake_rule_user::Entity::find()
        .filter(intake_rule_user::Column::IntakeRuleId.is_in(rows.iter().map(|row| row.id)))
        .order_by_asc(intake_rule_user::Column::UserId)
        .all(conn)
        .await?;
    let mut people: HashMap<Uuid, Vec<Uuid>> = HashMap::new();
    for link in links {
        people.entry(link.intake_rule_id).or_default().push(link.user_id);
    }
    Ok(people)
}

/// The people who work in the organization now.
pub async fn at_work(
    conn: &impl ConnectionTrait,
    organization_id: Uuid,
    people: &[Uuid],
) -> Result<BTreeSet<Uuid>> {
    let members: Vec<Uuid> = membership::Entity::find()
        .select_only()
        .column(membership::Column::UserId)
        .filter(membership::Column::OrganizationId.eq(organization_id))
        .filter(membership::Column::UserId.is_in(people.iter().copied()))
        .filter(membership::Column::IsDisabled.eq(false))
        .into_tuple()
        .all(conn)
        .await?;
    let enabled: Vec<Uuid> = app_user::Entity::find()
        .select_only()
        .column(app_user::Column::Id)
        .filter(app_user::Column::Id.is_in(members))
        .filter(app_user::Column::IsDisabled.eq(false))
        .into_tuple()
        .all(conn)
        .await?;
    Ok(enabled.into_iter().collect())
}

async fn views(conn: &impl ConnectionTrait, key: &DataKey, rows: Vec<Model>) -> Result<Vec<IntakeRule>> {
    let Some(organization_id) = rows.first().map(|row| row.organization_id) else { return Ok(Vec::new()) };
    let mut people = people_of(conn, &rows).await?;
    let connections = Connections::read(conn, organization_id).await?;
    let view = |row: Model| {
        let terms = terms(key, &row)?;
        Ok(IntakeRule {
            filing_problem: terms
                .file_to_chart
                .as_ref()
                .map(|filing| connections.problem(filing))
                .unwrap_or_default(),
            terms,
            people: people.remove(&row.id).unwrap_or_default(),
            id: row.id,
            name: row.name,
            position: row.position,
            is_enabled: row.is_enabled,
            stops: row.stops,
            version: row.version,
        })
    };
    rows.into_iter().map(view).collect()
}

async fn view(conn: &impl ConnectionTrait, key: &DataKey, row: Model) -> Result<IntakeRule> {
    views(conn, key, vec![row]).await?.pop().ok_or(Error::NotFound)
}

pub async fn page(app: &App, member: &Member, search: &str, page: Page) -> Result<Paged<IntakeRule>> {
    let (db, key) = (app.store.db(), app.keys.data_key(member.organization_id).await?);
    let rows = of(member.organization_id).filter(holds_words(Column::NameKey, search));
    let in_order = [(Column::Position, Order::Asc), (Column::Id, Order::Asc)];
    let found = sql::page(db, rows, &in_order, page).await?;
    let Paged { items, total_count, total_is_capped } = found;
    Ok(Paged { items: views(db, &key, items).await?, total_count, total_is_capped })
}

pub async fn find(app: &App, member: &Member, id: Uuid) -> Result<IntakeRule> {
    let (db, key) = (app.store.db(), app.keys.data_key(member.organization_id).await?);
    let row = one_of(member.organization_id, id).one(db).await?.ok_or(Error::NotFound)?;
    view(db, &key, row).await
}

/// Checks a form. Present assignees of the rule may stay, even if they have left, and so may its connection, although
/// it is switched off.
pub async fn check(
    conn: &impl ConnectionTrait,
    organization_id: Uuid,
    form: &IntakeRuleForm,
    before: &[Uuid],
    filed_before: Option<Uuid>,
) -> Result<()> {
    let mut errors = FieldErrors::default();
    form.terms.check(!form.people.is_empty() || form.stops, &mut errors);
    // As for people who mark a message: an urgent message needs somebody responsible.
    errors.require(!form.terms.is_urgent || !form.people.is_empty(), "isUrgent", URGENT_NEEDS_REVIEWER);
    let added: Vec<Uuid> = form.people.iter().copied().filter(|id| !before.contains(id)).collect();
    let known = form.people.len() <= PEOPLE_MAX
        && at_work(conn, organization_id, &added).await?.len() == added.iter().collect::<BTreeSet<_>>().len();
    errors.require(known, "people", DEFAULT_FIELD_ERROR);
    let other =
        form.terms.file_to_chart.as_ref().filter(|wanted| Some(wanted.integration_id) != filed_before);
    if let Some(wanted) = other
        && let Some(refusal) = filing::refusal(conn, organization_id, wanted).await?
    {
        errors.add("integrationId", refusal);
    }
    errors.check()
}

/// Serializes additions and reordering of an organization's rules.
async fn lock(txn: &Transaction, organization_id: Uuid) -> Result<()> {
    organization::Entity::find_by_id(organization_id).lock(LockType::NoKeyUpdate).one(txn).await?;
    Ok(())
}

/// Adds a rule after the others.
pub async fn create(app: &App, member: &Member, form: IntakeRuleForm) -> Result<IntakeRule> {
    let organization_id = member.organization_id;
    let key = app.keys.data_key(organization_id).await?;
    let txn = app.store.begin().await?;
    lock(&txn, organization_id).await?;
    check(&txn, organization_id, &form, &[], None).await?;
    let there = of(organization_id).count(&txn).await?;
    if there >= RULES_MAX {
        return Err(Error::Conflict(TOO_MANY.into()));
    }
    let last = of(organization_id).order_by_desc(Column::Position).one(&txn).await?;
    let id = Uuid::now_v7();
    let row = ActiveModel {
        id: Set(id),
        organization_id: Set(organization_id),
        name_key: Set(sql::key(&form.name)),
        name: Set(form.name.to_string()),
        position: Set(last.map_or(0, |row| row.position + 1)),
        is_enabled: Set(form.is_enabled),
        stops: Set(form.stops),
        sealed_terms: Set(key.seal_json(&context(id), &form.terms)?),
        version: Set(1),
    };
    let row = records::create_in::<IntakeRules>(app, &txn, &Actor::from(&member.caller), row).await?;
    write_people(&txn, &row, &form.people).await?;
    let created = view(&txn, &key, row).await?;
    txn.commit().await?;
    Ok(created)
}

async fn write_people(txn: &Transaction, row: &Model, people: &[Uuid]) -> Result<()> {
    intake_rule_user::Entity::delete_many()
        .filter(intake_rule_user::Column::IntakeRuleId.eq(row.id))
        .exec(txn)
        .await?;
    let people: BTreeSet<Uuid> = people.iter().copied().collect();
    let links = people.into_iter().map(|user_id| intake_rule_user::ActiveModel {
        intake_rule_id: Set(row.id),
        user_id: Set(user_id),
        organization_id: Set(row.organization_id),
    });
    let links: Vec<_> = links.collect();
    if !links.is_empty() {
        intake_rule_user::Entity::insert_many(links).exec_without_returning(txn).await?;
    }
    Ok(())
}

pub async fn update(app: &App, member: &Member, id: Uuid, form: IntakeRuleForm) -> Result<IntakeRule> {
    let organization_id = member.organization_id;
    let key = app.keys.data_key(organization_id).await?;
    let actor = Actor::from(&member.caller);
    let rows = one_of(organization_id, id);
    let mut edit = records::edit::<IntakeRules>(app, &actor, rows, form.version).await?;
    let known =
        people_of(&edit.txn, std::slice::from_ref(&edit.before)).await?.remove(&id).unwrap_or_default();
    let terms_before = terms(&key, &edit.before)?;
    let filed_before = terms_before.file_to_chart.as_ref().map(|filing| filing.integration_id);
    check(&edit.txn, organization_id, &form, &known, filed_before).await?;
    let mut changed = Vec::new();
    if terms_before != form.terms {
        changed.push("terms");
    }
    if known.iter().collect::<BTreeSet<_>>() != form.people.iter().collect::<BTreeSet<_>>() {
        changed.push("people");
        write_people(&edit.txn, &edit.before, &form.people).await?;
    }
    if !changed.is_empty() {
        // Sealed again, so that the row changes even if only people changed.
        edit.row.sealed_terms = Set(key.seal_json(&context(id), &form.terms)?);
        edit.detail.insert("fields".into(), json!(changed));
    }
    edit.row.name_key = Set(sql::key(&form.name));
    edit.row.name = Set(form.name.to_string());
    edit.row.is_enabled = Set(form.is_enabled);
    edit.row.stops = Set(form.stops);
    let saved = edit.save().await?;
    view(app.store.db(), &key, saved).await
}

pub async fn remove(app: &App, member: &Member, id: Uuid) -> Result<()> {
    let actor = Actor::from(&member.caller);
    records::lock::<IntakeRules>(app, &actor, one_of(member.organization_id, id)).await?.remove().await
}

/// Puts the rules in the order of these ids, which contain each rule once.
pub async fn put_in_order(app: &App, member: &Member, ids: &[Uuid]) -> Result<()> {
    let txn = app.store.begin().await?;
    lock(&txn, member.organization_id).await?;
    let rows = of(member.organization_id).all(&txn).await?;
    let known: BTreeSet<Uuid> = rows.iter().map(|row| row.id).collect();
    let named: BTreeSet<Uuid> = ids.iter().copied().collect();
    if !named.is_subset(&known) {
        return Err(Error::NotFound);
    }
    if named != known || ids.len() != known.len() {
        return Err(Error::Conflict(OTHER_RULES.into()));
    }
    for row in rows {
        let place = ids.iter().position(|id| *id == row.id).and_then(|place| i32::try_from(place).ok());
        let place = place.unwrap_or(row.position);
        if row.position != place {
            let mut row = row.into_active_model();
            row.position = Set(place);
            row.update(&txn).await?;
        }
    }
    let act =
        Act::new(event::CHANGED, "intakerule", member.organization_id).detail(json!({ "fields": ["order"] }));
    audit::record(app, &txn, &Actor::from(&member.caller), act).await?;
    Ok(txn.commit().await?)
}

/// Checks rule ids in the filter of a list.
pub fn check_ids(field: &str, ids: &[String]) -> Result<()> {
    let are_ids = ids.iter().all(|id| id.parse::<Uuid>().is_ok());
    if are_ids { Ok(()) } else { Err(Error::field(field, DEFAULT_FIELD_ERROR)) }
}

/// Messages to which any of these rules was applied; all messages if there are none.
pub fn applied(organization_id: Uuid, rules: &[String]) -> Condition {
    use intake_rule_match::{Column, Entity};
    if rules.is_empty() {
        return Condition::all();
    }
    let ids = rules.iter().filter_map(|id| id.parse::<Uuid>().ok());
    let messages = Entity::find()
        .select_only()
        .column(Column::MessageId)
        .filter(Column::OrganizationId.eq(organization_id))
        .filter(Column::IntakeRuleId.is_in(ids));
    Condition::all().add(message::Column::Id.in_subquery(messages.into_query()))
}

/// The same for each message separately: for messages that are checked one by one, while the rules may apply to many.
pub fn applied_to_each(rules: &[String]) -> Condition {
    use intake_rule_match::{Column, Entity};
    if rules.is_empty() {
        return Condition::all();
    }
    let ids = rules.iter().filter_map(|id| id.parse::<Uuid>().ok());
    let matched = Entity::find()
        .select_only()
        .expr(Expr::val(1))
        .filter(Column::IntakeRuleId.is_in(ids))
        .filter(Expr::col((Entity, Column::MessageId)).equals((message::Entity, message::Column::Id)));
    Condition::all().add(Expr::exists(matched.into_query()))
}
