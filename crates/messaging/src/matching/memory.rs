//! Which patients the organization knows: kept in the transaction that settles a message.

use super::values::Values;
use crate::model::{Direction, Patient};
use platform::Result;
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, SelectExt,
    sea_query::OnConflict,
};
use store::{
    Transaction,
    batching::BatchedWrites,
    entities::{message, patient_mention, patient_token},
    keys::DataKey,
};
use uuid::Uuid;

/// Whether what a message says of its patient is settled: somebody processed or sent it.
pub fn is_settled(row: &message::Model) -> bool {
    row.deleted_at.is_none()
        && match row.direction {
            Direction::Intake => row.processed_at.is_some(),
            Direction::Release => !row.is_draft,
        }
}

/// Keeps what is known in step with a message that was changed.
pub async fn follow(
    txn: &Transaction,
    key: &DataKey,
    (old, old_patient): (&message::Model, Option<&Patient>),
    (new, patient): (&message::Model, Option<&Patient>),
) -> Result<()> {
    let (was, is) = (is_settled(old), is_settled(new));
    if (!was && !is) || (was == is && patient == old_patient && old.received_at == new.received_at) {
        return Ok(());
    }
    if was {
        forget(txn, new.id).await?;
    }
    let Some(values) = patient.filter(|_| is).map(Values::of).filter(Values::is_somebody) else {
        return Ok(());
    };
    let identity = values.identity(key);
    let mention = patient_mention::ActiveModel {
        message_id: Set(new.id),
        organization_id: Set(new.organization_id),
        identity: Set(identity.clone()),
        at: Set(new.received_at),
    };
    txn.later(patient_mention::Entity::insert(mention)).await?;
    let rows = values.tokens(key).into_iter().map(|token| patient_token::ActiveModel {
        organization_id: Set(new.organization_id),
        token: Set(token),
        identity: Set(identity.clone()),
    });
    let skip_present = OnConflict::new().do_nothing().to_owned();
    txn.later(patient_token::Entity::insert_many(rows).on_conflict(skip_present)).await?;
    Ok(())
}

/// Forgets that a message names a patient, and the patient with the last such message.
pub async fn forget(txn: &Transaction, message_id: Uuid) -> Result<()> {
    let Some(mention) = patient_mention::Entity::find_by_id(message_id).one(txn).await? else {
        return Ok(());
    };
    patient_mention::Entity::delete_by_id(message_id).exec(txn).await?;
    if !is_mentioned(txn, &mention).await? {
        patient_token::Entity::delete_many()
            .filter(patient_token::Column::OrganizationId.eq(mention.organization_id))
            .filter(patient_token::Column::Identity.eq(mention.identity))
            .exec(txn)
            .await?;
    }
    Ok(())
}

async fn is_mentioned(conn: &impl ConnectionTrait, mention: &patient_mention::Model) -> Result<bool> {
    let others = patient_mention::Entity::find()
        .filter(patient_mention::Column::OrganizationId.eq(mention.organization_id))
        .filter(patient_mention::Column::Identity.eq(mention.identity.clone()));
    Ok(others.exists(conn).await?)
}
