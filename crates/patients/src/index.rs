//! Keeping the index up to date: each message that names a patient is a source, linked to one patient.
//!
//! An arriving message is linked automatically if it is certainly one patient, and counts once a person files or
//! sends it.

use crate::{
    compare::Certainty,
    face::{Face, Name, Statement, seal_said},
    model::Patient,
    pairs, search,
    values::Values,
};
use chrono::{DateTime, Utc};
use platform::Result;
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel,
    QueryFilter, QuerySelect, SelectExt, sea_query::OnConflict,
};
use std::collections::BTreeSet;
use store::{
    Transaction,
    batching::BatchedWrites,
    entities::{
        patient, patient_event, patient_source,
        patient_source::{Link, SourceKind},
        patient_token,
    },
    keys::DataKey,
    tenant::Tenant,
};
use uuid::Uuid;

/// Longest chain of merges.
const MERGES_MAX: usize = 100;

/// Statement of a message about its patient.
#[derive(Clone, Copy, Debug)]
pub struct OfMessage<'a> {
    pub organization_id: Uuid,
    pub message_id: Uuid,
    pub kind: SourceKind,
    pub at: DateTime<Utc>,
    pub said: Option<&'a Patient>,
    /// None if it is not a statement, such as a draft.
    pub link: Option<Link>,
}

/// Updates the index for a message.
pub async fn follow(txn: &Transaction, key: &DataKey, of: OfMessage<'_>) -> Result<()> {
    let source = of_message(txn, of.message_id).await?;
    let said = of.said.filter(|said| Values::of(said).is_somebody());
    let (Some(said), Some(link)) = (said, of.link) else {
        if let Some(source) = source {
            forget(txn, key, source).await?;
        }
        return Ok(());
    };
    match (link, source) {
        (Link::Confirmed, source) => confirm(txn, key, of, said, source).await,
        (Link::Automatic, None) => link_by_itself(txn, key, of, said).await,
        (Link::Automatic, Some(source)) => {
            let chosen = match said.known_patient_id {
                Some(id) => survivor(txn, of.organization_id, id).await?.map(|row| row.id),
                None => None,
            };
            let is_same = chosen.is_none_or(|chosen| chosen == source.patient_id);
            if is_same && Statement::open(key, &source)?.said == said.as_said() {
                return unconfirm(txn, key, source).await;
            }
            forget(txn, key, source).await?;
            link_by_itself(txn, key, of, said).await
        }
    }
}

/// Statement of a system about a patient, without a message: there is one for each record of the system.
#[derive(Clone, Copy, Debug)]
pub struct OfRecord<'a> {
    pub organization_id: Uuid,
    /// The source of earlier statements about the record.
    pub source_id: Option<Uuid>,
    /// The record belonged to somebody else until now, so the source leaves that patient.
    pub is_other_person: bool,
    pub at: DateTime<Utc>,
    pub said: &'a Patient,
    /// Former names and other ones, newest first.
    pub other_names: &'a [Name],
}

/// Updates the index for a record of a system, such as an EHR that reports its patients. The statement stays with its
/// patient when it changes; a new one is linked to the only certain match, or to a new patient. Returns the source, if the
/// record names somebody.
pub async fn follow_record(txn: &Transaction, key: &DataKey, of: OfRecord<'_>) -> Result<Option<Uuid>> {
    if !Values::of(of.said).is_somebody() {
        return Ok(of.source_id);
    }
    let (before, row) = match of.source_id {
        Some(id) => lock_source(txn, of.organization_id, id).await?,
        None => (None, None),
    };
    if let Some(before) = before.as_ref().filter(|_| !of.is_other_person) {
        let known = Statement::open(key, before)?;
        if known.said == of.said.as_said() && known.other_names == of.other_names {
            return Ok(Some(before.id));
        }
        if let Some(row) = row {
            let now = of_record(key, before.id, of, row.id)?;
            now.into_active_model().reset_all().update(txn).await?;
            let id = row.id;
            refresh(txn, key, row).await?;
            pairs::find_for(txn, key, of.organization_id, id, Vec::new(), of.at).await?;
            return Ok(Some(before.id));
        }
    }
    let (row, alike) = match choose(txn, key, of.organization_id, of.said, None).await? {
        Chosen::Known(row) => (*row, Vec::new()),
        Chosen::New(alike) => (create(txn, of.organization_id, of.at).await?, alike),
    };
    let (id, row_id) = (before.as_ref().map_or_else(Uuid::now_v7, |before| before.id), row.id);
    let now = of_record(key, id, of, row_id)?;
    match &before {
        Some(before) => {
            now.into_active_model().reset_all().update(txn).await?;
            refresh(txn, key, row).await?;
            if before.patient_id != row_id {
                settle(txn, key, of.organization_id, before.patient_id).await?;
            }
        }
        None => {
            txn.later(patient_source::Entity::insert(now.into_active_model())).await?;
            let (said, other_names) = (of.said.as_said(), of.other_names.to_vec());
            let kind = SourceKind::Interface;
            let statement = Statement { source_id: id, kind, at: of.at, said, other_names };
            hear(txn, key, row, &statement).await?;
        }
    }
    // The patient that lost the statement may be gone.
    let alike = if before.is_some() { Vec::new() } else { alike };
    pairs::find_for(txn, key, of.organization_id, row_id, alike, of.at).await?;
    Ok(Some(id))
}

/// Locks the patient of a source and then the source, in the order in which merges do.
async fn lock_source(
    txn: &Transaction,
    organization_id: Uuid,
    id: Uuid,
) -> Result<(Option<patient_source::Model>, Option<patient::Model>)> {
    for _ in 0..MERGES_MAX {
        let Some(seen) = patient_source::Entity::find_by_id(id).one(txn).await? else { break };
        let row = lock(txn, organization_id, seen.patient_id).await?;
        let source = patient_source::Entity::find_by_id(id).lock_exclusive().one(txn).await?;
        // A merge may have moved it while this waited.
        if source.as_ref().is_none_or(|source| source.patient_id == seen.patient_id) {
            return Ok((source, row));
        }
    }
    Ok((None, None))
}

fn of_record(key: &DataKey, id: Uuid, of: OfRecord<'_>, patient_id: Uuid) -> Result<patient_source::Model> {
    Ok(patient_source::Model {
        id,
        organization_id: of.organization_id,
        patient_id,
        kind: SourceKind::Interface,
        link: Link::Confirmed,
        message_id: None,
        user_id: None,
        said_at: of.at,
        percent: None,
        sealed_said: seal_said(key, id, &of.said.as_said(), of.other_names)?,
    })
}

/// The source of a message.
pub async fn of_message(
    db: &impl ConnectionTrait,
    message_id: Uuid,
) -> Result<Option<patient_source::Model>> {
    let found = patient_source::Entity::find().filter(patient_source::Column::MessageId.eq(message_id));
    Ok(found.one(db).await?)
}

/// The remaining patient after merges.
pub async fn survivor(
    db: &impl ConnectionTrait,
    organization_id: Uuid,
    id: Uuid,
) -> Result<Option<patient::Model>> {
    let mut at = id;
    for _ in 0..MERGES_MAX {
        let found = patient::Entity::find_by_id(at).one(db).await?;
        let Some(row) = found.filter(|row| row.organization_id == organization_id) else { return Ok(None) };
        let Some(next) = row.merged_into else { return Ok(Some(row)) };
        at = next;
    }
    Ok(None)
}

/// Like [`survivor`], and locks the row. One that is merged while this waits for it is followed.
pub(crate) async fn lock(
    txn: &Transaction,
    organization_id: Uuid,
    id: Uuid,
) -> Result<Option<patient::Model>> {
    let mut at = id;
    for _ in 0..MERGES_MAX {
        let Some(found) = survivor(txn, organization_id, at).await? else { return Ok(None) };
        let locked = patient::Entity::find_by_id(found.id).lock_exclusive().one(txn).await?;
        match locked.as_ref().and_then(|row| row.merged_into) {
            Some(next) => at = next,
            None => return Ok(locked),
        }
    }
    Ok(None)
}

/// Creates an unconfirmed link: to the chosen patient, or to the only certain match.
async fn link_by_itself(txn: &Transaction, key: &DataKey, of: OfMessage<'_>, said: &Patient) -> Result<()> {
    let tenant = Tenant::whole(of.organization_id);
    let chosen = match said.known_patient_id {
        Some(id) => {
            chosen(txn, key, of.organization_id, id, &Values::of(said)).await?.map(|row| (row.id, None))
        }
        None => None,
    };
    let found = match chosen {
        Some(chosen) => Some(chosen),
        None => {
            let matches = search::matches(txn, &tenant, key, said).await?;
            search::only_certain(&matches).map(|only| (only.known.id, Some(only.percent.into())))
        }
    };
    let Some((patient_id, percent)) = found else { return Ok(()) };
    let source = source(key, Uuid::now_v7(), of, said, patient_id, Link::Automatic)?;
    let source = patient_source::Model { percent, ..source };
    txn.later(patient_source::Entity::insert(source.into_active_model())).await?;
    Ok(())
}

/// The chosen patient. If the person then typed a different one, the typed one counts.
async fn chosen(
    txn: &Transaction,
    key: &DataKey,
    organization_id: Uuid,
    id: Uuid,
    said: &Values,
) -> Result<Option<patient::Model>> {
    let Some(row) = lock(txn, organization_id, id).await? else { return Ok(None) };
    let is_meant = Face::open(key, &row)?.is_none_or(|face| face.compared(said).certainty.is_some());
    Ok(Some(row).filter(|_| is_meant))
}

fn source(
    key: &DataKey,
    id: Uuid,
    of: OfMessage<'_>,
    said: &Patient,
    patient_id: Uuid,
    link: Link,
) -> Result<patient_source::Model> {
    Ok(patient_source::Model {
        id,
        organization_id: of.organization_id,
        patient_id,
        kind: of.kind,
        link,
        message_id: Some(of.message_id),
        user_id: None,
        said_at: of.at,
        percent: None,
        sealed_said: seal_said(key, id, &said.as_said(), &[])?,
    })
}

/// The patient of a confirmed statement, and for a new one the possible duplicates.
enum Chosen {
    Known(Box<patient::Model>),
    New(Vec<search::Match>),
}

/// Links a filed or sent message, and adds its values to the patient.
async fn confirm(
    txn: &Transaction,
    key: &DataKey,
    of: OfMessage<'_>,
    said: &Patient,
    before: Option<patient_source::Model>,
) -> Result<()> {
    let chosen = choose(txn, key, of.organization_id, said, before.as_ref()).await?;
    let (row, alike) = match chosen {
        Chosen::Known(row) => (*row, Vec::new()),
        Chosen::New(alike) => (create(txn, of.organization_id, of.at).await?, alike),
    };
    let id = before.as_ref().map_or_else(Uuid::now_v7, |before| before.id);
    let now = source(key, id, of, said, row.id, Link::Confirmed)?;
    match &before {
        Some(_) => {
            now.into_active_model().reset_all().update(txn).await?;
        }
        None => txn.later(patient_source::Entity::insert(now.into_active_model())).await?,
    }
    let row_id = row.id;
    match before {
        // Its previous values may be part of the face.
        Some(before) if before.link == Link::Confirmed => {
            if before.patient_id != row_id {
                settle(txn, key, before.organization_id, before.patient_id).await?;
            }
            refresh(txn, key, row).await?;
        }
        before => {
            let (said, other_names) = (said.as_said(), Vec::new());
            let statement = Statement { source_id: id, kind: of.kind, at: of.at, said, other_names };
            hear(txn, key, row, &statement).await?;
            if let Some(before) = before.filter(|before| before.patient_id != row_id) {
                settle(txn, key, before.organization_id, before.patient_id).await?;
            }
        }
    }
    pairs::find_for(txn, key, of.organization_id, row_id, alike, of.at).await
}

/// Chooses the patient of a statement: the one chosen by a person, the previous one if the statement is unchanged,
/// the only certain match, or a new one.
async fn choose(
    txn: &Transaction,
    key: &DataKey,
    organization_id: Uuid,
    said: &Patient,
    before: Option<&patient_source::Model>,
) -> Result<Chosen> {
    let values = Values::of(said);
    if let Some(id) = said.known_patient_id
        && let Some(row) = chosen(txn, key, organization_id, id, &values).await?
    {
        return Ok(Chosen::Known(Box::new(row)));
    }
    if let Some(before) = before
        && Statement::open(key, before)?.said == said.as_said()
        && let Some(row) = lock(txn, organization_id, before.patient_id).await?
    {
        return Ok(Chosen::Known(Box::new(row)));
    }
    let matches = search::matches(txn, &Tenant::whole(organization_id), key, said).await?;
    let same =
        search::only_certain(&matches).or_else(|| matches.iter().find(|found| says_the_same(found, &values)));
    if let Some(only) = same
        && let Some(row) = lock(txn, organization_id, only.known.id).await?
    {
        return Ok(Chosen::Known(Box::new(row)));
    }
    // Correcting a mistake in a message creates no new patient.
    if let Some(before) = before
        && is_only_source(txn, before).await?
        && let Some(row) = lock(txn, organization_id, before.patient_id).await?
    {
        return Ok(Chosen::Known(Box::new(row)));
    }
    Ok(Chosen::New(matches))
}

/// Whether both are known only by the same name: then they count as one.
fn says_the_same(found: &search::Match, values: &Values) -> bool {
    let known = Values::of(&found.known.face.patient);
    let is_bare = |of: &Values| of.born.is_none() && of.ids.is_empty();
    is_bare(values)
        && is_bare(&known)
        && (&known.last, &known.first) == (&values.last, &values.first)
        && found.certainty == Certainty::Possible
}

async fn is_only_source(db: &impl ConnectionTrait, source: &patient_source::Model) -> Result<bool> {
    let others = patient_source::Entity::find()
        .filter(patient_source::Column::PatientId.eq(source.patient_id))
        .filter(patient_source::Column::Id.ne(source.id));
    Ok(!others.exists(db).await?)
}

pub(crate) async fn create(
    txn: &Transaction,
    organization_id: Uuid,
    at: DateTime<Utc>,
) -> Result<patient::Model> {
    let row = patient::Model {
        id: Uuid::now_v7(),
        organization_id,
        merged_into: None,
        sealed_face: None,
        seen_at: at,
        version: 1,
    };
    txn.later(patient::Entity::insert(row.clone().into_active_model())).await?;
    Ok(row)
}

/// Adds one statement to the face, without reading the others.
pub(crate) async fn hear(
    txn: &Transaction,
    key: &DataKey,
    row: patient::Model,
    statement: &Statement,
) -> Result<()> {
    let mut face = Face::open(key, &row)?.unwrap_or_default();
    face.hear(statement);
    add_tokens(txn, row.organization_id, row.id, statement.tokens(key)).await?;
    let seen_at = row.seen_at.max(statement.at);
    write_face(txn, key, row, Some(face), seen_at).await
}

async fn add_tokens(
    txn: &Transaction,
    organization_id: Uuid,
    patient_id: Uuid,
    tokens: BTreeSet<Vec<u8>>,
) -> Result<()> {
    if tokens.is_empty() {
        return Ok(());
    }
    let rows = tokens.into_iter().map(|token| patient_token::ActiveModel {
        organization_id: Set(organization_id),
        token: Set(token),
        patient_id: Set(patient_id),
    });
    let skip_present = OnConflict::new().do_nothing().to_owned();
    Ok(txn.later(patient_token::Entity::insert_many(rows).on_conflict(skip_present)).await?)
}

async fn write_face(
    txn: &Transaction,
    key: &DataKey,
    row: patient::Model,
    face: Option<Face>,
    seen_at: DateTime<Utc>,
) -> Result<()> {
    let sealed = face.map(|face| face.seal(key, row.id)).transpose()?;
    let version = row.version + 1;
    let mut change = row.into_active_model();
    change.sealed_face = Set(sealed);
    change.seen_at = Set(seen_at);
    change.version = Set(version);
    txn.update_later(change).await?;
    Ok(())
}

/// Computes the face and the tokens of a locked patient again.
pub(crate) async fn refresh(txn: &Transaction, key: &DataKey, row: patient::Model) -> Result<()> {
    let said = search::statements(txn, &Tenant::whole(row.organization_id), key, row.id).await?;
    patient_token::Entity::delete_many()
        .filter(patient_token::Column::PatientId.eq(row.id))
        .exec(txn)
        .await?;
    let tokens = said.iter().flat_map(|statement| statement.tokens(key)).collect();
    add_tokens(txn, row.organization_id, row.id, tokens).await?;
    let seen_at = said.iter().map(|statement| statement.at).max().unwrap_or(row.seen_at);
    let face = (!said.is_empty()).then(|| Face::of(&said));
    write_face(txn, key, row, face, seen_at).await
}

/// Updates a patient who lost sources; one without sources is removed, unless something refers to it.
pub(crate) async fn settle(txn: &Transaction, key: &DataKey, organization_id: Uuid, id: Uuid) -> Result<()> {
    let found = patient::Entity::find_by_id(id).lock_exclusive().one(txn).await?;
    let Some(row) = found.filter(|row| row.organization_id == organization_id) else { return Ok(()) };
    let sources = patient_source::Entity::find().filter(patient_source::Column::PatientId.eq(id));
    let is_said = sources.exists(txn).await?;
    if is_said || row.merged_into.is_some() || is_held(txn, id).await? {
        return refresh(txn, key, row).await;
    }
    patient_token::Entity::delete_many().filter(patient_token::Column::PatientId.eq(id)).exec(txn).await?;
    pairs::forget(txn, organization_id, id).await?;
    patient::Entity::delete_by_id(id).exec(txn).await?;
    Ok(())
}

/// Whether others were merged into a patient, or there are decisions about it.
async fn is_held(db: &impl ConnectionTrait, id: Uuid) -> Result<bool> {
    let decided = sea_orm::Condition::any()
        .add(patient_event::Column::PatientId.eq(id))
        .add(patient_event::Column::OtherId.eq(id));
    Ok(patient_event::Entity::find().filter(decided).exists(db).await?)
}

/// Removes a source, and with the last one the patient.
async fn forget(txn: &Transaction, key: &DataKey, source: patient_source::Model) -> Result<()> {
    patient_source::Entity::delete_by_id(source.id).exec(txn).await?;
    settle(txn, key, source.organization_id, source.patient_id).await
}

/// Keeps the link of a reopened or deleted message as unconfirmed; its values do not count meanwhile.
async fn unconfirm(txn: &Transaction, key: &DataKey, source: patient_source::Model) -> Result<()> {
    let (organization_id, patient_id) = (source.organization_id, source.patient_id);
    if source.link == Link::Confirmed {
        let mut change = source.into_active_model();
        change.link = Set(Link::Automatic);
        change.update(txn).await?;
        settle(txn, key, organization_id, patient_id).await?;
    }
    Ok(())
}
