//! The known patients who may be the same person as one that was read or typed.

use super::{
    compare::{Certainty, Comparison, FieldMatch},
    values::Values,
};
use crate::{model::Patient, sealed::Content};
use chrono::{DateTime, Utc};
use platform::Result;
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, Order, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
};
use serde::Serialize;
use std::collections::HashMap;
use store::{
    entities::{message, patient_mention, patient_token},
    keys::DataKey,
    tenant::Tenant,
};
use utoipa::ToSchema;

/// Patients that one token leads to. One that leads to more, such as that of a nursing home, leads to these.
const PER_TOKEN: u64 = 50;
/// Patients that are compared: those who share the most tokens.
const COMPARED_MAX: usize = 40;
/// The latest messages of a patient among which the one to be shown is looked for.
const MENTIONS_MAX: u64 = 20;
/// Patients of an answer.
const SHOWN: usize = 5;

/// A known patient who may be the same person.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PatientMatch {
    /// As the latest message names them.
    pub patient: Patient,
    pub certainty: Certainty,
    /// How many of a hundred such pairs are of one person, as estimated; at most 99.
    pub percent: u8,
    /// What was compared. What one side does not say is not among it.
    pub fields: Vec<FieldMatch>,
    /// Of that message.
    pub last_date: DateTime<Utc>,
    #[serde(skip)]
    odds: f64,
}

/// The likeliest first. Only what the tenant may read is shown.
pub async fn find(
    db: &impl ConnectionTrait,
    tenant: &Tenant,
    key: &DataKey,
    wanted: &Patient,
) -> Result<Vec<PatientMatch>> {
    let wanted = Values::of(wanted);
    if !wanted.is_somebody() {
        return Ok(Vec::new());
    }
    let mut found: Vec<PatientMatch> = Vec::new();
    for identity in candidates(db, tenant, key, &wanted).await? {
        let Some((patient, last_date)) = named(db, tenant, key, identity).await? else { continue };
        let compared = Comparison::of(&wanted, &Values::of(&patient));
        let Some(certainty) = compared.certainty else { continue };
        let (percent, odds) = (compared.percent(), compared.odds);
        found.push(PatientMatch { patient, certainty, percent, fields: compared.fields, last_date, odds });
    }
    found.sort_by(|a, b| {
        b.certainty.cmp(&a.certainty).then(b.odds.total_cmp(&a.odds)).then(b.last_date.cmp(&a.last_date))
    });
    Ok(folded(found))
}

/// Settled messages of the same known patient that came before and may be read, the latest first.
pub async fn earlier_messages(
    db: &impl ConnectionTrait,
    tenant: &Tenant,
    key: &DataKey,
    patient: &Patient,
    before: DateTime<Utc>,
) -> Result<Vec<message::Model>> {
    let wanted = Values::of(patient);
    if !wanted.is_somebody() {
        return Ok(Vec::new());
    }
    let mut same = vec![wanted.identity(key)];
    for identity in candidates(db, tenant, key, &wanted).await? {
        let Some((known, _)) = named(db, tenant, key, identity.clone()).await? else { continue };
        let is_same = Comparison::of(&wanted, &Values::of(&known)).certainty == Some(Certainty::Certain);
        if is_same && !same.contains(&identity) {
            same.push(identity);
        }
    }
    let latest = patient_mention::Entity::find()
        .select_only()
        .column(patient_mention::Column::MessageId)
        .filter(patient_mention::Column::OrganizationId.eq(tenant.0))
        .filter(patient_mention::Column::Identity.is_in(same))
        .filter(patient_mention::Column::At.lt(before))
        .order_by(patient_mention::Column::At, Order::Desc)
        .limit(MENTIONS_MAX)
        .into_query();
    let rows = tenant.messages().filter(message::Column::Id.in_subquery(latest));
    Ok(rows.order_by_desc(message::Column::ReceivedAt).all(db).await?)
}

/// Whether both are certainly the same person.
pub fn is_same(one: &Patient, other: &Patient, key: &DataKey) -> bool {
    let (one, other) = (Values::of(one), Values::of(other));
    one.is_somebody()
        && (one.identity(key) == other.identity(key)
            || Comparison::of(&one, &other).certainty == Some(Certainty::Certain))
}

/// The same person may be known with and without an identifier: the likelier of the two stands for both.
fn folded(found: Vec<PatientMatch>) -> Vec<PatientMatch> {
    let mut kept: Vec<PatientMatch> = Vec::new();
    for one in found {
        let values = Values::of(&one.patient);
        let is_there = kept.iter().any(|other| {
            let other = Values::of(&other.patient);
            (&values.last, &values.first, values.born) == (&other.last, &other.first, other.born)
                && (values.ids.is_empty() || other.ids.is_empty() || !values.ids.is_disjoint(&other.ids))
        });
        if !is_there {
            kept.push(one);
        }
    }
    kept.truncate(SHOWN);
    kept
}

async fn candidates(
    db: &impl ConnectionTrait,
    tenant: &Tenant,
    key: &DataKey,
    wanted: &Values,
) -> Result<Vec<Vec<u8>>> {
    let mut shared: HashMap<Vec<u8>, usize> = HashMap::new();
    for token in wanted.tokens(key) {
        let identities: Vec<Vec<u8>> = patient_token::Entity::find()
            .select_only()
            .column(patient_token::Column::Identity)
            .filter(patient_token::Column::OrganizationId.eq(tenant.0))
            .filter(patient_token::Column::Token.eq(token))
            .limit(PER_TOKEN)
            .into_tuple()
            .all(db)
            .await?;
        for identity in identities {
            *shared.entry(identity).or_default() += 1;
        }
    }
    let mut ranked: Vec<_> = shared.into_iter().collect();
    ranked.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    Ok(ranked.into_iter().take(COMPARED_MAX).map(|(identity, _)| identity).collect())
}

/// The patient as the latest message names them that may be read.
async fn named(
    db: &impl ConnectionTrait,
    tenant: &Tenant,
    key: &DataKey,
    identity: Vec<u8>,
) -> Result<Option<(Patient, DateTime<Utc>)>> {
    let latest = patient_mention::Entity::find()
        .select_only()
        .column(patient_mention::Column::MessageId)
        .filter(patient_mention::Column::OrganizationId.eq(tenant.0))
        .filter(patient_mention::Column::Identity.eq(identity))
        .order_by(patient_mention::Column::At, Order::Desc)
        .limit(MENTIONS_MAX)
        .into_query();
    let row = tenant
        .messages()
        .filter(message::Column::Id.in_subquery(latest))
        .order_by_desc(message::Column::ReceivedAt)
        .one(db)
        .await?;
    let Some(row) = row else { return Ok(None) };
    Ok(Content::open(key, &row)?.patient.map(|patient| (patient, row.message_date)))
}
