//! Looking up what an EHR reported, in the form of the answers of other EHRs. Ids are those of the rows.

use crate::{
    details::{Number, Person},
    keys::record_number,
    orders as order_rows, people, visits as visit_rows,
};
use chrono::{DateTime, Utc};
use exchange::hl7::chart::{Numbered, OrderNumbers, VisitNumber};
use fhir::model::{self, Found, Gender, Order, Patient, PatientQuery, Visit, VisitClass};
use patients::{
    asked::Asked,
    face::{Face, Statement},
    search, tokens,
};
use platform::{App, Result};
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QueryOrder, QuerySelect, SelectExt};
use std::collections::HashMap;
use store::{
    entities::{
        feed_order::{self, OrderState},
        feed_patient,
        feed_visit::{self, VisitState},
        patient_source::{self, SourceKind},
    },
    keys::DataKey,
    tenant::Tenant,
};
use uuid::Uuid;

/// Most patients of an answer.
const PATIENTS: usize = 50;
/// Most records of one number that are looked at.
const OF_NUMBER: u64 = 200;
/// Most visits or orders of an answer.
const LISTED: usize = 100;

/// What a document for a chart names: the numbers by which the EHR knows its patient, visit and orders.
#[derive(Clone, Debug)]
pub struct Addressee {
    pub patient: Numbered,
    /// The visit, if one was asked for and exists.
    pub visit: Option<VisitNumber>,
    /// In the order in which they were asked for.
    pub orders: Vec<OrderNumbers>,
    /// What was asked for and is not known any more.
    pub missing: Vec<Missing>,
}

/// What a document should name and is not known any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    Visit,
    Order,
}

/// Patients that the EHR reported and that match all of the query, 50 at most.
pub async fn find_patients(app: &App, organization_id: Uuid, query: &PatientQuery) -> Result<Found<Patient>> {
    let key = app.keys.data_key(organization_id).await?;
    let asked = asked(query);
    let mut is_cut = false;
    let rows = if let Some(id) = &query.id {
        row(app, organization_id, id).await?.into_iter().collect()
    } else if let Some(number) = &query.record_number {
        of_number(app, organization_id, record_number(&key, number)).await?
    } else if asked.is_empty() {
        return Ok(Found::default());
    } else {
        let tenant = Tenant::whole(organization_id);
        let known = search::typed(app.store.db(), &tenant, &key, &asked, PATIENTS + 1).await?;
        is_cut = known.len() > PATIENTS;
        let ids: Vec<Uuid> = known.into_iter().map(|known| known.id).collect();
        of_patients(app, organization_id, &ids).await?
    };
    let mut found = Vec::new();
    for row in rows.into_iter().filter(|row| query.include_inactive || row.merged_into.is_none()) {
        let person = people::details(&key, &row)?;
        let shown = shown(&row, &person);
        if is_meant(query, &asked, &person, &shown) {
            found.push(shown);
        }
    }
    is_cut |= found.len() > PATIENTS;
    found.truncate(PATIENTS);
    Ok(Found { items: found, is_cut, ..Found::default() })
}

/// A patient, also a replaced one; `None` if there is none with this id.
pub async fn patient(app: &App, organization_id: Uuid, id: &str) -> Result<Option<Patient>> {
    let Some(row) = row(app, organization_id, id).await? else { return Ok(None) };
    let key = app.keys.data_key(organization_id).await?;
    Ok(Some(shown(&row, &people::details(&key, &row)?)))
}

/// Visits of a patient, newest first.
pub async fn visits(app: &App, organization_id: Uuid, patient_id: &str) -> Result<Found<Visit>> {
    use feed_visit::{Column, Entity};
    let Some(of) = remaining(app, organization_id, patient_id).await? else { return Ok(Found::default()) };
    let key = app.keys.data_key(organization_id).await?;
    let rows = Entity::find()
        .filter(Column::FeedPatientId.eq(of.id))
        .order_by_desc(Column::ListedAt)
        .order_by_desc(Column::Id)
        .limit(LISTED as u64 + 1);
    cut(rows.all(app.store.db()).await?, |row| shown_visit(&key, row))
}

/// Orders of a patient, or of one visit, newest first.
pub async fn orders(
    app: &App,
    organization_id: Uuid,
    patient_id: &str,
    visit_id: Option<&str>,
) -> Result<Found<Order>> {
    use feed_order::{Column, Entity};
    let Some(of) = remaining(app, organization_id, patient_id).await? else { return Ok(Found::default()) };
    let key = app.keys.data_key(organization_id).await?;
    let mut rows = Entity::find()
        .filter(Column::FeedPatientId.eq(of.id))
        .order_by_desc(Column::ListedAt)
        .order_by_desc(Column::Id)
        .limit(LISTED as u64 + 1);
    if let Some(visit_id) = visit_id {
        let visit = visit_row(app, of.id, visit_id).await?;
        // An order names its visit by the visit's number.
        let Some(visit_key) = visit.and_then(|visit| visit.key) else { return Ok(Found::default()) };
        rows = rows.filter(Column::VisitKey.eq(visit_key));
    }
    let rows = rows.all(app.store.db()).await?;
    let visits = visits_of(app, of.id, &rows).await?;
    cut(rows, |row| {
        let order = order_rows::details(&key, row)?;
        let number = order.placer.or(order.filler).unwrap_or_default().number;
        Ok(Order {
            id: row.id.to_string(),
            visit_id: row.visit_key.as_ref().and_then(|key| visits.get(key)).map(Uuid::to_string),
            date: order.date,
            description: order.name.unwrap_or(number),
            status: match row.state {
                OrderState::Active => "active",
                OrderState::Held => "on-hold",
                OrderState::Completed => "completed",
                OrderState::Discontinued | OrderState::Cancelled => "revoked",
            }
            .into(),
            is_revoked: matches!(row.state, OrderState::Discontinued | OrderState::Cancelled),
        })
    })
}

/// What a document for a patient, visit and orders names; `None` if there is no such patient. A replaced patient is the one
/// that replaces it.
pub async fn addressee(
    app: &App,
    organization_id: Uuid,
    patient_id: &str,
    visit_id: Option<&str>,
    order_ids: &[String],
) -> Result<Option<Addressee>> {
    let Some(row) = remaining(app, organization_id, patient_id).await? else { return Ok(None) };
    let key = app.keys.data_key(organization_id).await?;
    let person = people::details(&key, &row)?;
    let visit = match visit_id {
        Some(id) => visit_row(app, row.id, id).await?,
        None => None,
    };
    let mut missing: Vec<Missing> =
        visit_id.filter(|_| visit.is_none()).map(|_| Missing::Visit).into_iter().collect();
    let visit = visit.map(|visit| visit_rows::details(&key, &visit)).transpose()?;
    let visit = visit.and_then(|visit| {
        let class = visit.class.unwrap_or_default();
        Some(VisitNumber { number: visit.number?.into(), class })
    });
    let mut orders = Vec::new();
    for id in order_ids {
        let Some(order) = order_row(app, row.id, id).await? else {
            missing.push(Missing::Order);
            continue;
        };
        let order = order_rows::details(&key, &order)?;
        orders.push(OrderNumbers {
            placer: order.placer.map(Number::into),
            filler: order.filler.map(Number::into),
        });
    }
    Ok(Some(Addressee { patient: numbered(person), visit, orders, missing }))
}

/// When the last event was applied; `None` if there was none.
pub async fn last_told(app: &App, organization_id: Uuid) -> Result<Option<DateTime<Utc>>> {
    use feed_patient::{Column, Entity};
    let newest = Entity::find()
        .select_only()
        .column(Column::HeardAt)
        .filter(Column::OrganizationId.eq(organization_id))
        .order_by_desc(Column::HeardAt)
        .limit(1)
        .into_tuple();
    Ok(newest.one(app.store.db()).await?)
}

/// Whether any EHR has reported a patient of the organization.
pub async fn is_fed(app: &App, organization_id: Uuid) -> Result<bool> {
    use feed_patient::{Column, Entity};
    let any = Entity::find().filter(Column::OrganizationId.eq(organization_id));
    Ok(any.exists(app.store.db()).await?)
}

/// The criteria for a search of the index.
fn asked(query: &PatientQuery) -> Asked {
    let names = [&query.name, &query.family, &query.given];
    let names: Vec<String> = names.into_iter().flatten().map(|name| tokens::typed(name)).collect();
    let pieces: Vec<&str> = names.iter().map(String::as_str).collect();
    Asked {
        words: store::search::words(&pieces),
        births: query.born.into_iter().collect(),
        ..Asked::default()
    }
}

/// Whether a patient matches, as the EHR reported it: the patient of the index may have other values, too.
fn is_meant(query: &PatientQuery, asked: &Asked, person: &Person, shown: &Patient) -> bool {
    let statement = Statement {
        source_id: Uuid::nil(),
        kind: SourceKind::Interface,
        at: DateTime::UNIX_EPOCH,
        said: person.said(&[]),
        other_names: person.other_names(),
    };
    let face = Face::of(&[statement]);
    (asked.is_empty() || asked.fit(&face).is_some())
        && query.gender.is_none_or(|gender| shown.gender == gender)
}

async fn row(app: &App, organization_id: Uuid, id: &str) -> Result<Option<feed_patient::Model>> {
    let Ok(id) = id.parse::<Uuid>() else { return Ok(None) };
    let found =
        feed_patient::Entity::find_by_id(id).filter(feed_patient::Column::OrganizationId.eq(organization_id));
    Ok(found.one(app.store.db()).await?)
}

/// The record, or the one that replaces it.
async fn remaining(app: &App, organization_id: Uuid, id: &str) -> Result<Option<feed_patient::Model>> {
    let found = row(app, organization_id, id).await?;
    let Some(into) = found.as_ref().and_then(|row| row.merged_into) else { return Ok(found) };
    row(app, organization_id, &into.to_string()).await
}

async fn of_number(app: &App, organization_id: Uuid, token: Vec<u8>) -> Result<Vec<feed_patient::Model>> {
    use feed_patient::{Column, Entity};
    let rows = Entity::find()
        .filter(Column::OrganizationId.eq(organization_id))
        .filter(Column::NumberToken.eq(token))
        .order_by_desc(Column::HeardAt)
        .limit(OF_NUMBER);
    Ok(rows.all(app.store.db()).await?)
}

/// The records of patients of the index, in their order.
async fn of_patients(app: &App, organization_id: Uuid, ids: &[Uuid]) -> Result<Vec<feed_patient::Model>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let db = app.store.db();
    let sources: Vec<(Uuid, Uuid)> = patient_source::Entity::find()
        .select_only()
        .columns([patient_source::Column::Id, patient_source::Column::PatientId])
        .filter(patient_source::Column::PatientId.is_in(ids.iter().copied()))
        .filter(patient_source::Column::Kind.eq(SourceKind::Interface))
        .filter(patient_source::Column::MessageId.is_null())
        .into_tuple()
        .all(db)
        .await?;
    let place: HashMap<Uuid, usize> = ids.iter().enumerate().map(|(place, id)| (*id, place)).collect();
    let places: HashMap<Uuid, usize> = sources
        .into_iter()
        .filter_map(|(source, patient)| Some((source, place.get(&patient).copied()?)))
        .collect();
    let mut rows = Vec::new();
    let sources: Vec<Uuid> = places.keys().copied().collect();
    for some in sources.chunks(500) {
        let found = feed_patient::Entity::find()
            .filter(feed_patient::Column::OrganizationId.eq(organization_id))
            .filter(feed_patient::Column::SourceId.is_in(some.iter().copied()));
        rows.extend(found.all(db).await?);
    }
    rows.sort_by_key(|row| (row.source_id.and_then(|id| places.get(&id).copied()), row.id));
    Ok(rows)
}

async fn visit_row(app: &App, of: Uuid, id: &str) -> Result<Option<feed_visit::Model>> {
    let Ok(id) = id.parse::<Uuid>() else { return Ok(None) };
    let found = feed_visit::Entity::find_by_id(id).filter(feed_visit::Column::FeedPatientId.eq(of));
    Ok(found.one(app.store.db()).await?)
}

async fn order_row(app: &App, of: Uuid, id: &str) -> Result<Option<feed_order::Model>> {
    let Ok(id) = id.parse::<Uuid>() else { return Ok(None) };
    let found = feed_order::Entity::find_by_id(id).filter(feed_order::Column::FeedPatientId.eq(of));
    Ok(found.one(app.store.db()).await?)
}

/// The visits that orders name.
async fn visits_of(app: &App, of: Uuid, orders: &[feed_order::Model]) -> Result<HashMap<Vec<u8>, Uuid>> {
    use feed_visit::{Column, Entity};
    let mut named: Vec<Vec<u8>> = orders.iter().filter_map(|order| order.visit_key.clone()).collect();
    named.sort();
    named.dedup();
    if named.is_empty() {
        return Ok(HashMap::new());
    }
    let visits: Vec<(Option<Vec<u8>>, Uuid)> = Entity::find()
        .select_only()
        .columns([Column::Key, Column::Id])
        .filter(Condition::all().add(Column::FeedPatientId.eq(of)).add(Column::Key.is_in(named)))
        .into_tuple()
        .all(app.store.db())
        .await?;
    Ok(visits.into_iter().filter_map(|(key, id)| Some((key?, id))).collect())
}

/// The first rows of an answer, and whether there are more.
fn cut<R, T>(mut rows: Vec<R>, shown: impl Fn(&R) -> Result<T>) -> Result<Found<T>> {
    let is_cut = rows.len() > LISTED;
    rows.truncate(LISTED);
    let items = rows.iter().map(shown).collect::<Result<_>>()?;
    Ok(Found { items, is_cut, ..Found::default() })
}

fn shown(row: &feed_patient::Model, person: &Person) -> Patient {
    let name = person.name.clone().unwrap_or_default();
    let address = person.address.clone().unwrap_or_default();
    let mut former_names: Vec<String> = Vec::new();
    for other in &person.other_names {
        if !other.family.is_empty() && other.family != name.family && !former_names.contains(&other.family) {
            former_names.push(other.family.clone());
        }
    }
    Patient {
        id: row.id.to_string(),
        family: name.family,
        given: name.given,
        middle: name.middle,
        former_names,
        born: person.born,
        gender: match person.sex.as_deref().map(str::to_ascii_uppercase).as_deref() {
            Some("M") => Gender::Male,
            Some("F") => Gender::Female,
            Some("O" | "A" | "N") => Gender::Other,
            _ => Gender::Unknown,
        },
        identifiers: person.numbers.iter().map(identifier).collect(),
        record_number: person.numbers.first().map(|number| number.number.clone()),
        street1: address.street1,
        street2: address.street2,
        city: address.city,
        state: address.state,
        postal_code: address.postal_code,
        country: address.country,
        phone: person.phone.clone().unwrap_or_default(),
        is_active: row.merged_into.is_none(),
        is_deceased: row.is_deceased,
        replaced_by: row.merged_into.map(|id| id.to_string()),
        facility: None,
    }
}

fn identifier(number: &Number) -> model::Identifier {
    let is_oid = number.oid.starts_with(|c: char| c.is_ascii_digit());
    let system = match is_oid {
        true => format!("urn:oid:{}", number.oid),
        false if number.oid.is_empty() => number.authority.clone(),
        false => number.oid.clone(),
    };
    let kind = Some(number.kind.clone()).filter(|kind| !kind.is_empty());
    model::Identifier { system, value: number.number.clone(), kind }
}

fn shown_visit(key: &DataKey, row: &feed_visit::Model) -> Result<Visit> {
    let visit = visit_rows::details(key, row)?;
    Ok(Visit {
        id: row.id.to_string(),
        begins: visit.begins.map(|when| when.moment()),
        ends: visit.ends.map(|when| when.moment()),
        provider: visit.provider.unwrap_or_default(),
        description: visit.reason.or(visit.location).unwrap_or_default(),
        status: match row.state {
            VisitState::Planned => "planned",
            VisitState::Open => "in-progress",
            VisitState::Ended => "finished",
            VisitState::Cancelled => "cancelled",
            VisitState::NoShow => "noshow",
        }
        .into(),
        class: class(visit.class.as_deref().unwrap_or_default()),
        is_cancelled: row.state == VisitState::Cancelled,
        facility: None,
    })
}

/// The class of a code of table 0004, or one of those that are common beside it.
fn class(code: &str) -> VisitClass {
    match code.to_ascii_uppercase().as_str() {
        "O" | "R" | "AMB" => VisitClass::Office,
        "E" | "EMER" => VisitClass::Emergency,
        "I" | "B" | "IMP" => VisitClass::Inpatient,
        "OBS" | "OBSENC" | "SS" => VisitClass::Observation,
        "HH" => VisitClass::Home,
        "VR" => VisitClass::Virtual,
        _ => VisitClass::Other,
    }
}

fn numbered(person: Person) -> Numbered {
    let name = person.name.unwrap_or_default();
    let address = person.address.unwrap_or_default();
    Numbered {
        identifiers: person.numbers.into_iter().map(Number::into).collect(),
        person: exchange::Person {
            family: name.family,
            given: name.given,
            middle: name.middle,
            born: person.born,
            sex: person.sex.unwrap_or_default(),
            street: address.street1,
            city: address.city,
            state: address.state,
            postal_code: address.postal_code,
            phone: person.phone.unwrap_or_default(),
            ..exchange::Person::default()
        },
    }
}
