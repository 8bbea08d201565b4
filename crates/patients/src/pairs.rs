//! Pairs of possible duplicates: found when data changes, listed until they are decided.

use crate::{
    compare::FieldMatch,
    face::Face,
    search::{self, Known, Match},
    values::Values,
};
use chrono::{DateTime, Utc};
use platform::{
    Result,
    http::{Page, Paged},
};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, IntoActiveModel, Order, QueryFilter, QuerySelect,
    SelectExt,
    sea_query::{Expr, ExprTrait, OnConflict},
};
use std::collections::HashMap;
use store::{
    Transaction,
    batching::BatchedWrites,
    entities::{
        patient,
        patient_event::{self, EventKind},
        patient_pair::{self, Column, PairState},
    },
    keys::DataKey,
    tenant::Tenant,
};
use uuid::Uuid;

/// Most new pairs for one patient.
const ASKED_MAX: usize = 10;

/// Two patients side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    pub one: Known,
    pub other: Known,
    pub percent: u8,
    pub fields: Vec<FieldMatch>,
}

fn sorted(a: Uuid, b: Uuid) -> (Uuid, Uuid) {
    if a < b { (a, b) } else { (b, a) }
}

/// Lists the possible duplicates of a new patient. For a known patient, only others with the same record number are
/// listed: that is a conflict regardless of other values.
pub(crate) async fn find_for(
    txn: &Transaction,
    key: &DataKey,
    organization_id: Uuid,
    id: Uuid,
    alike: Vec<Match>,
    at: DateTime<Utc>,
) -> Result<()> {
    let alike = if alike.is_empty() { of_same_number(txn, key, organization_id, id).await? } else { alike };
    let others: Vec<(Uuid, u8)> = alike.iter().map(|found| (found.known.id, found.percent)).collect();
    for (other, percent) in others.into_iter().take(ASKED_MAX) {
        ask(txn, organization_id, (id, other), percent, at).await?;
    }
    Ok(())
}

async fn of_same_number(
    txn: &Transaction,
    key: &DataKey,
    organization_id: Uuid,
    id: Uuid,
) -> Result<Vec<Match>> {
    let Some(row) = patient::Entity::find_by_id(id).one(txn).await? else { return Ok(Vec::new()) };
    let Some(face) = Face::open(key, &row)? else { return Ok(Vec::new()) };
    if Values::of(&face.patient).ids.is_empty() {
        return Ok(Vec::new());
    }
    search::with_same_number(txn, &Tenant::whole(organization_id), key, &face.patient).await
}

/// Adds a pair to the list, unless it is listed or decided.
pub(crate) async fn ask(
    txn: &Transaction,
    organization_id: Uuid,
    (a, b): (Uuid, Uuid),
    percent: u8,
    found_at: DateTime<Utc>,
) -> Result<()> {
    if a == b || are_told_apart(txn, organization_id, a, b).await? {
        return Ok(());
    }
    let (one, other) = sorted(a, b);
    let row = patient_pair::Model {
        organization_id,
        one,
        other,
        state: PairState::Open,
        percent: percent.into(),
        found_at,
    };
    let again = OnConflict::columns([Column::OrganizationId, Column::One, Column::Other])
        .update_columns([Column::Percent])
        .to_owned();
    Ok(txn.later(patient_pair::Entity::insert(row.into_active_model()).on_conflict(again)).await?)
}

/// Records the decision about a pair.
pub(crate) async fn decide(
    txn: &Transaction,
    organization_id: Uuid,
    (a, b): (Uuid, Uuid),
    state: PairState,
    at: DateTime<Utc>,
) -> Result<()> {
    let (one, other) = sorted(a, b);
    let row = patient_pair::Model { organization_id, one, other, state, percent: 0, found_at: at };
    let instead = OnConflict::columns([Column::OrganizationId, Column::One, Column::Other])
        .update_columns([Column::State])
        .to_owned();
    let insert = patient_pair::Entity::insert(row.into_active_model()).on_conflict(instead);
    insert.exec_without_returning(txn).await?;
    Ok(())
}

/// The patient and all patients merged into it.
async fn members(db: &impl ConnectionTrait, id: Uuid) -> Result<Vec<Uuid>> {
    let mut all = vec![id];
    let mut at = 0;
    while let Some(id) = all.get(at).copied() {
        let merged = patient::Entity::find().filter(patient::Column::MergedInto.eq(id));
        all.extend(merged.all(db).await?.into_iter().map(|row| row.id));
        at += 1;
    }
    Ok(all)
}

/// Whether these patients, or patients merged into them, were marked as two people.
pub(crate) async fn are_told_apart(
    db: &impl ConnectionTrait,
    organization_id: Uuid,
    a: Uuid,
    b: Uuid,
) -> Result<bool> {
    let (a, b) = (members(db, a).await?, members(db, b).await?);
    let among = |one: &[Uuid], other: &[Uuid]| {
        Condition::all()
            .add(Column::One.is_in(one.iter().copied()))
            .add(Column::Other.is_in(other.iter().copied()))
    };
    let told = patient_pair::Entity::find()
        .filter(Column::OrganizationId.eq(organization_id))
        .filter(Column::State.eq(PairState::Distinct))
        .filter(Condition::any().add(among(&a, &b)).add(among(&b, &a)));
    Ok(told.exists(db).await?)
}

/// Whether a person told these patients apart, or patients merged into them, and has not undone that; also if they are
/// asked about again.
pub(crate) async fn has_decided_apart(
    db: &impl ConnectionTrait,
    organization_id: Uuid,
    a: Uuid,
    b: Uuid,
) -> Result<bool> {
    use patient_event::{Column, Entity};
    let (a, b) = (members(db, a).await?, members(db, b).await?);
    let among = |one: &[Uuid], other: &[Uuid]| {
        Condition::all()
            .add(Column::PatientId.is_in(one.iter().copied()))
            .add(Column::OtherId.is_in(other.iter().copied()))
    };
    let told = Entity::find()
        .filter(Column::OrganizationId.eq(organization_id))
        .filter(Column::Kind.eq(EventKind::ToldApart))
        .filter(Column::UndoneAt.is_null())
        .filter(Condition::any().add(among(&a, &b)).add(among(&b, &a)));
    Ok(told.exists(db).await?)
}

/// Removes the pairs of a removed patient.
pub(crate) async fn forget(txn: &Transaction, organization_id: Uuid, id: Uuid) -> Result<()> {
    patient_pair::Entity::delete_many()
        .filter(Column::OrganizationId.eq(organization_id))
        .filter(Condition::any().add(Column::One.eq(id)).add(Column::Other.eq(id)))
        .exec(txn)
        .await?;
    Ok(())
}

fn open(organization_id: Uuid) -> sea_orm::Select<patient_pair::Entity> {
    let live = |column: Column| {
        let patient = sea_orm::sea_query::Query::select()
            .expr(Expr::val(1))
            .from(patient::Entity)
            .and_where(patient::Column::Id.into_expr().eq(column.into_expr()))
            .and_where(patient::Column::MergedInto.is_null())
            .and_where(patient::Column::SealedFace.is_not_null())
            .to_owned();
        Expr::exists(patient)
    };
    patient_pair::Entity::find()
        .filter(Column::OrganizationId.eq(organization_id))
        .filter(Column::State.eq(PairState::Open))
        .filter(live(Column::One))
        .filter(live(Column::Other))
}

/// Undecided pairs, the most likely first, if the tenant may see both.
pub async fn list(
    db: &impl ConnectionTrait,
    tenant: &Tenant,
    key: &DataKey,
    page: Page,
) -> Result<Paged<Pair>> {
    let order = [(Column::Percent, Order::Desc), (Column::One, Order::Asc), (Column::Other, Order::Asc)];
    let rows = platform::sql::page(db, open(tenant.0), &order, page).await?;
    let ids: Vec<Uuid> = rows.items.iter().flat_map(|row| [row.one, row.other]).collect();
    let known = search::known(db, tenant, key, &ids).await?;
    let known: HashMap<Uuid, Known> = known.into_iter().map(|known| (known.id, known)).collect();
    let items = rows.items.iter().filter_map(|row| {
        let (one, other) = (known.get(&row.one)?.clone(), known.get(&row.other)?.clone());
        let compared = one.face.compared(&Values::of(&other.face.patient));
        Some(Pair { percent: compared.percent(), fields: compared.fields, one, other })
    });
    let items = items.collect();
    Ok(Paged { items, total_count: rows.total_count, total_is_capped: rows.total_is_capped })
}

/// Possible duplicates of one patient, the most likely first.
pub async fn open_of(
    db: &impl ConnectionTrait,
    tenant: &Tenant,
    key: &DataKey,
    id: Uuid,
    limit: usize,
) -> Result<Vec<Known>> {
    use sea_orm::QueryOrder;
    let of_patient = Condition::any().add(Column::One.eq(id)).add(Column::Other.eq(id));
    let rows = open(tenant.0).filter(of_patient).order_by_desc(Column::Percent).limit(limit as u64);
    let rows = rows.all(db).await?;
    let ids: Vec<Uuid> = rows.iter().map(|row| if row.one == id { row.other } else { row.one }).collect();
    search::known(db, tenant, key, &ids).await
}
