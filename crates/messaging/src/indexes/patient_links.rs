//! Keeps the index of patients in step with a message, in the transaction that changes it.

use crate::{
    model::{Direction, Patient, SourceType},
    sealed::Content,
};
use chrono::{DateTime, Utc};
use patients::{
    compare::Certainty,
    index::{self, OfMessage},
    search,
};
use platform::Result;
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, Order, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
};
use store::{
    Transaction,
    entities::{
        message,
        patient_source::{self, Link, SourceKind},
    },
    keys::DataKey,
    tenant::Tenant,
};
use uuid::Uuid;

/// Number of latest messages of a patient that are read.
const LATEST: u64 = 20;

/// The reliability of a message's patient: confirmed if a person filed or sent the message.
fn link(row: &message::Model) -> Option<Link> {
    match row.direction {
        Direction::Release if row.is_draft => None,
        _ if row.deleted_at.is_some() => Some(Link::Automatic),
        Direction::Release => Some(Link::Confirmed),
        Direction::Intake if row.processed_at.is_some() => Some(Link::Confirmed),
        Direction::Intake => Some(Link::Automatic),
    }
}

fn kind(row: &message::Model) -> SourceKind {
    match (row.direction, row.source_type) {
        (Direction::Release, _) => SourceKind::Sent,
        (Direction::Intake, SourceType::Interface) => SourceKind::Interface,
        (Direction::Intake, _) => SourceKind::Received,
    }
}

fn statement<'a>(row: &message::Model, said: Option<&'a Patient>) -> OfMessage<'a> {
    OfMessage {
        organization_id: row.organization_id,
        message_id: row.id,
        kind: kind(row),
        at: row.received_at,
        said,
        link: link(row),
    }
}

/// Updates the index after a change of a message.
pub async fn follow(
    txn: &Transaction,
    key: &DataKey,
    (old, old_patient): (&message::Model, Option<&Patient>),
    (new, patient): (&message::Model, Option<&Patient>),
) -> Result<()> {
    let is_same = link(old) == link(new) && patient == old_patient && old.received_at == new.received_at;
    if !is_same {
        index::follow(txn, key, statement(new, patient)).await?;
    }
    Ok(())
}

/// Adds a message that is new in this transaction, or not in the index yet.
pub async fn begin(txn: &Transaction, key: &DataKey, row: &message::Model) -> Result<()> {
    let patient = Content::open(key, row)?.patient;
    if patient.is_some() {
        index::follow(txn, key, statement(row, patient.as_ref())).await?;
    }
    Ok(())
}

/// The indexed patient of a message, after merges.
pub async fn patient_of(db: &impl ConnectionTrait, row: &message::Model) -> Result<Option<Uuid>> {
    let Some(source) = index::of_message(db, row.id).await? else { return Ok(None) };
    let found = index::survivor(db, row.organization_id, source.patient_id).await?;
    Ok(found.map(|patient| patient.id))
}

/// Confirmed earlier messages of the patient, if certain, that may be read; latest first.
pub async fn earlier_messages(
    db: &impl ConnectionTrait,
    tenant: &Tenant,
    key: &DataKey,
    patient: &Patient,
    before: DateTime<Utc>,
) -> Result<Vec<message::Model>> {
    use patient_source::Column;
    let matches = search::matches(db, tenant, key, patient).await?;
    let certain = matches.iter().filter(|found| found.certainty == Certainty::Certain);
    let latest = patient_source::Entity::find()
        .select_only()
        .column(Column::MessageId)
        .filter(Column::PatientId.is_in(certain.map(|found| found.known.id)))
        .filter(Column::Link.eq(Link::Confirmed))
        .filter(Column::SaidAt.lt(before))
        .filter(Column::MessageId.is_not_null())
        .order_by(Column::SaidAt, Order::Desc)
        .limit(LATEST)
        .into_query();
    let rows = tenant.messages().filter(message::Column::Id.in_subquery(latest));
    Ok(rows.order_by_desc(message::Column::ReceivedAt).all(db).await?)
}
