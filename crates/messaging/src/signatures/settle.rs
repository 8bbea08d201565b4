//! Signing, declining, and withdrawing a request.

use super::{
    documents,
    hashes::{fingerprint, hex, shown_as},
    mail::Settled,
    marks::Given,
    queries::{self, NO_DOCUMENT, reason_context},
    types::SignForm,
};
use crate::{
    attachments::{opening, preview},
    files::{self, kind_of},
    known_patients::differs,
    messages::{
        colleagues,
        queries::{self as messages, announce},
    },
};
use ::documents::Kind;
use accounts::second_factor;
use email::Prepared;
use platform::{
    App, Error, Member, Result, Role,
    audit::{self, Act, Actor, event},
    bus::Event,
};
use sea_orm::{ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect};
use serde_json::json;
use sha2::{Digest, Sha256};
use store::{
    Transaction,
    entities::{
        attachment::{self, PreviewState},
        membership, message,
        signature::{ActiveModel, Column, Entity, Model, SignatureState, SignedFile, SignedFiles},
    },
};
use uuid::Uuid;

const NOBODY_ASKS: &str = "You are no longer asked to sign this message.";
const CHANGED: &str = "The documents have changed since you opened them. Please check them again.";
const NOT_SHOWN: &str =
    "A preview of the documents is still being made. Please look at it in a moment, and then sign.";

/// Signs the documents that the caller saw.
pub async fn sign(app: &App, member: &Member, id: Uuid, form: SignForm) -> Result<message::Model> {
    let db = app.store.db();
    let message = messages::find(app, member, id).await?;
    let row = own(db, member, id).await?;
    let seen = files::of_message(db, &message).await?;
    if seen.is_empty() {
        return Err(Error::Conflict(NO_DOCUMENT.into()));
    }
    if fingerprint(&seen) != form.documents {
        // Previews made meanwhile have told nobody about the new fingerprint.
        announce(app, &message).await;
        return Err(Error::Conflict(CHANGED.into()));
    }
    opening::permit_all(app, member, &seen).await?;
    let key = app.keys.data_key(member.organization_id).await?;
    differs::refuse(db, &key, &message, form.accepts_patient == Some(true)).await?;
    require_shown(app, &seen).await?;
    let given = Given::of(&form, &member.caller.full_name, job(db, member).await?)?;
    let confirmed_by = second_factor::confirm_either(app, &member.caller, form.proof).await?;
    let signed = hashed(app, &seen).await?;
    let letters = letters(app, member, &message, &row, "signed").await?;
    let txn = app.store.begin().await?;
    let message = messages::lock(&txn, member, id).await?;
    let row = own(&txn, member, id).await?;
    // The caller signs the version that they saw, so changes made meanwhile are refused.
    if fingerprint(&files::of_message(&txn, &message).await?) != form.documents {
        return Err(Error::Conflict(CHANGED.into()));
    }
    let detail = json!({ "signature": row.id, "files": signed, "confirmedBy": confirmed_by.to_string(), "consented": true });
    let (signature_id, files, now) = (row.id, signed.clone(), app.clock.now());
    let sealed = given.seal(&key, signature_id)?;
    let change = |row: &mut ActiveModel| {
        row.state = Set(SignatureState::Signed);
        row.sealed_mark = Set(Some(sealed));
        row.files = Set(SignedFiles(signed));
        row.confirmed_by = Set(Some(confirmed_by));
    };
    queries::settled(&txn, row, change, now).await?;
    documents::begin(&txn, &message, &files, signature_id, now).await?;
    finish(app, member, txn, message, Act::new(event::SIGNED, "message", id).detail(detail), letters).await
}

/// Declines to sign.
pub async fn decline(app: &App, member: &Member, id: Uuid, reason: &str) -> Result<message::Model> {
    let message = messages::find(app, member, id).await?;
    let row = own(app.store.db(), member, id).await?;
    let letters = letters(app, member, &message, &row, "declined to sign").await?;
    let key = app.keys.data_key(member.organization_id).await?;
    let txn = app.store.begin().await?;
    let message = messages::lock(&txn, member, id).await?;
    let row = own(&txn, member, id).await?;
    let act = Act::new(event::SIGNATURE_DECLINED, "message", id).detail(json!({ "signature": row.id }));
    let sealed = key.seal(&reason_context(row.id), reason.trim().as_bytes());
    let change = |row: &mut ActiveModel| {
        row.state = Set(SignatureState::Declined);
        row.sealed_reason = Set(Some(sealed));
    };
    queries::settled(&txn, row, change, app.clock.now()).await?;
    finish(app, member, txn, message, act, letters).await
}

/// Withdraws a request.
pub async fn cancel(app: &App, member: &Member, id: Uuid, signature_id: Uuid) -> Result<message::Model> {
    messages::find(app, member, id).await?;
    let txn = app.store.begin().await?;
    let message = messages::lock(&txn, member, id).await?;
    let row = Entity::find_by_id(signature_id)
        .filter(Column::MessageId.eq(id))
        .filter(Column::OrganizationId.eq(member.organization_id))
        .one(&txn)
        .await?
        .ok_or(Error::NotFound)?;
    if row.requested_by != member.caller.user_id && !member.caller.has(Role::Admin) {
        return Err(Error::Forbidden);
    }
    if row.state != SignatureState::Waiting {
        return Err(Error::Conflict("This request was already answered.".into()));
    }
    let act = Act::new(event::SIGNATURE_CANCELLED, "message", id).detail(json!({ "signature": row.id }));
    let change = |row: &mut ActiveModel| row.state = Set(SignatureState::Cancelled);
    queries::settled(&txn, row, change, app.clock.now()).await?;
    finish(app, member, txn, message, act, Vec::new()).await
}

async fn finish(
    app: &App,
    member: &Member,
    txn: Transaction,
    message: message::Model,
    act: Act,
    letters: Vec<Prepared>,
) -> Result<message::Model> {
    for letter in letters {
        letter.enqueue(&txn).await?;
    }
    audit::record(app, &txn, &Actor::from(&member.caller), act).await?;
    app.store.commit_durable(txn).await?;
    app.bus.publish(Event::Work).await;
    announce(app, &message).await;
    Ok(message)
}

/// The open request to the caller for a message.
async fn own(db: &impl ConnectionTrait, member: &Member, message_id: Uuid) -> Result<Model> {
    let waiting = Entity::find()
        .filter(Column::MessageId.eq(message_id))
        .filter(Column::OrganizationId.eq(member.organization_id))
        .filter(Column::SignerId.eq(member.caller.user_id))
        .filter(Column::State.eq(SignatureState::Waiting))
        .limit(1);
    waiting.one(db).await?.ok_or(Error::Conflict(NOBODY_ASKS.into()))
}

/// The job of the member, as the organization names it.
async fn job(db: &impl ConnectionTrait, member: &Member) -> Result<String> {
    let key = (member.caller.user_id, member.organization_id);
    let found = membership::Entity::find_by_id(key).one(db).await?;
    Ok(found.map(|row| row.job_function).unwrap_or_default())
}

/// Refuses documents that nobody can have seen as they will be signed, and has their previews made. Files that cannot be
/// shown as PDF are signed by their hashes only.
async fn require_shown(app: &App, seen: &[attachment::Model]) -> Result<()> {
    let is_missing = |file: &&attachment::Model| {
        let kind = kind_of(file);
        kind != Kind::Pdf
            && kind.previewable()
            && !matches!(
                (file.preview_state, file.pdf_blob_id),
                (PreviewState::Available, Some(_)) | (PreviewState::Failed, _)
            )
    };
    let missing: Vec<_> = seen.iter().filter(is_missing).collect();
    for file in &missing {
        preview::start(app, file).await?;
    }
    if missing.is_empty() { Ok(()) } else { Err(Error::Conflict(NOT_SHOWN.into())) }
}

/// The hashes of the files, for the signature.
async fn hashed(app: &App, seen: &[attachment::Model]) -> Result<Vec<SignedFile>> {
    let mut signed = Vec::with_capacity(seen.len());
    for file in seen {
        let bytes = files::read(app, file.organization_id, file.blob_id).await?;
        let sha256 = tokio::task::spawn_blocking(move || hex(&Sha256::digest(&bytes)))
            .await
            .map_err(|_| Error::internal("hashing a file ended"))?;
        signed.push(SignedFile {
            attachment_id: file.id,
            blob_id: file.blob_id,
            pdf_blob_id: shown_as(file),
            sha256,
        });
    }
    Ok(signed)
}

async fn letters(
    app: &App,
    member: &Member,
    message: &message::Model,
    row: &Model,
    did: &'static str,
) -> Result<Vec<Prepared>> {
    let (signer, place) = (&member.caller.full_name, queries::place(message));
    colleagues::letters(app, member, &[row.requested_by], |to| Settled {
        first_name: to.first_name,
        signer: signer.clone(),
        did,
        organization: to.organization,
        place: place.clone(),
    })
    .await
}
