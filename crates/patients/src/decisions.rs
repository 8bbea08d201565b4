//! Decisions about patients: merge, not the same person, correction. Each decision lists its changes and can be
//! undone separately.

use crate::{
    face::{Statement, seal_said},
    index::{self, refresh, settle},
    model::Patient,
    pairs, search,
};
use chrono::{DateTime, Utc};
use platform::{
    App, Error, Member, Result,
    audit::{self, Act, Actor, event},
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter, QuerySelect,
    sea_query::Expr,
};
use serde_json::json;
use store::{
    Transaction,
    entities::{
        id_list::IdList,
        patient,
        patient_event::{self, EventKind},
        patient_pair::PairState,
        patient_source::{self, Link, SourceKind},
    },
    keys::DataKey,
};
use uuid::Uuid;

/// A patient of the member's organization whom the member may see; the remaining patient for a merged one.
pub async fn find(app: &App, member: &Member, id: Uuid) -> Result<search::Known> {
    let key = app.keys.data_key(member.organization_id).await?;
    let db = app.store.db();
    let row = index::survivor(db, member.organization_id, id).await?.ok_or(Error::NotFound)?;
    let found = search::known(db, &member.tenant(), &key, &[row.id]).await?;
    found.into_iter().next().ok_or(Error::NotFound)
}

/// Who decided: a person, or the system, which has no id.
#[derive(Clone, Copy)]
struct By {
    organization_id: Uuid,
    user_id: Uuid,
}

impl By {
    fn member(member: &Member) -> Self {
        Self { organization_id: member.organization_id, user_id: member.caller.user_id }
    }

    fn system(organization_id: Uuid) -> Self {
        Self { organization_id, user_id: Uuid::nil() }
    }
}

/// A decision being written.
struct Deciding<'a> {
    app: &'a App,
    member: &'a Member,
    key: DataKey,
    txn: Transaction,
    now: DateTime<Utc>,
}

impl<'a> Deciding<'a> {
    async fn begin(app: &'a App, member: &'a Member) -> Result<Self> {
        let key = app.keys.data_key(member.organization_id).await?;
        let txn = app.store.begin().await?;
        Ok(Self { app, member, key, txn, now: app.clock.now() })
    }

    async fn write(
        &self,
        kind: EventKind,
        patient_id: Uuid,
        other_id: Option<Uuid>,
        sources: Vec<Uuid>,
    ) -> Result<Uuid> {
        let by = By::member(self.member);
        write(&self.txn, by, (kind, patient_id, other_id), sources, self.now).await
    }

    async fn commit(self, patient_id: Uuid, detail: serde_json::Value) -> Result<()> {
        let act = Act::new(event::CHANGED, "patient", patient_id).detail(detail);
        audit::record(self.app, &self.txn, &Actor::from(&self.member.caller), act).await?;
        Ok(self.txn.commit().await?)
    }
}

/// Merges two patients: the other's sources move to this one. Returns the decision.
pub async fn merge(app: &App, member: &Member, id: Uuid, other_id: Uuid) -> Result<Uuid> {
    // The member must be able to see both.
    let (stays, goes) = (find(app, member, id).await?.id, find(app, member, other_id).await?.id);
    if stays == goes {
        return Err(Error::Conflict("This is the same patient already.".into()));
    }
    let deciding = Deciding::begin(app, member).await?;
    let (survivor, other) = lock_both(&deciding.txn, member.organization_id, stays, goes).await?;
    if (survivor.id, other.id) != (stays, goes) {
        return Err(Error::Conflict("Somebody else has merged one of them meanwhile.".into()));
    }
    let txn = &deciding.txn;
    if pairs::are_told_apart(txn, member.organization_id, stays, goes).await? {
        let text = "These are marked as two people. Undo that first.";
        return Err(Error::Conflict(text.into()));
    }
    let event = join(txn, &deciding.key, By::member(member), (survivor, other), deciding.now).await?;
    deciding.commit(stays, json!({ "merged": goes })).await?;
    Ok(event)
}

/// Locks two patients, always in the same order.
async fn lock_both(
    txn: &Transaction,
    organization_id: Uuid,
    one: Uuid,
    other: Uuid,
) -> Result<(patient::Model, patient::Model)> {
    let mut rows = Vec::new();
    for id in [one.min(other), one.max(other)] {
        let row = index::lock(txn, organization_id, id).await?;
        rows.push(row.ok_or(Error::NotFound)?);
    }
    let (second, first) = (rows.pop(), rows.pop());
    let (Some(first), Some(second)) = (first, second) else { return Err(Error::NotFound) };
    Ok(if one <= other { (first, second) } else { (second, first) })
}

/// Moves the sources of the second patient to the first one, and records it. Returns the decision.
async fn join(
    txn: &Transaction,
    key: &DataKey,
    by: By,
    (survivor, other): (patient::Model, patient::Model),
    at: DateTime<Utc>,
) -> Result<Uuid> {
    let (stays, goes) = (survivor.id, other.id);
    let moved = sources_of(txn, goes).await?;
    move_sources(txn, &moved, stays).await?;
    let mut gone = other.into_active_model();
    gone.merged_into = Set(Some(stays));
    let gone = gone.update(txn).await?;
    refresh(txn, key, gone).await?;
    refresh(txn, key, survivor).await?;
    pairs::decide(txn, by.organization_id, (stays, goes), PairState::Merged, at).await?;
    write(txn, by, (EventKind::Merged, stays, Some(goes)), moved, at).await
}

/// Merges the patients of two sources, because the system from which both come says that they are one person. If a person
/// has told them apart, they stay two, and are listed as possible duplicates again.
pub async fn merge_by_system(
    app: &App,
    txn: &Transaction,
    key: &DataKey,
    organization_id: Uuid,
    (stays, goes): (Uuid, Uuid),
) -> Result<()> {
    let at = app.clock.now();
    let mut patients = Vec::new();
    for source_id in [stays, goes] {
        let source = patient_source::Entity::find_by_id(source_id).one(txn).await?;
        let Some(source) = source.filter(|source| source.organization_id == organization_id) else {
            return Ok(());
        };
        patients.push(source.patient_id);
    }
    let [stays, goes] = patients.as_slice() else { return Ok(()) };
    let (survivor, other) = lock_both(txn, organization_id, *stays, *goes).await?;
    let (stays, goes) = (survivor.id, other.id);
    if stays == goes {
        return Ok(());
    }
    if pairs::has_decided_apart(txn, organization_id, stays, goes).await? {
        return pairs::decide(txn, organization_id, (stays, goes), PairState::Open, at).await;
    }
    join(txn, key, By::system(organization_id), (survivor, other), at).await?;
    let act = Act::new(event::CHANGED, "patient", stays).detail(json!({ "merged": goes }));
    audit::record(app, txn, &Actor::system(organization_id), act).await
}

async fn sources_of(txn: &Transaction, patient_id: Uuid) -> Result<Vec<Uuid>> {
    let rows = patient_source::Entity::find()
        .filter(patient_source::Column::PatientId.eq(patient_id))
        .lock_exclusive();
    Ok(rows.all(txn).await?.into_iter().map(|source| source.id).collect())
}

async fn move_sources(txn: &Transaction, sources: &[Uuid], to: Uuid) -> Result<()> {
    // Within the parameter limit of both databases.
    for some in sources.chunks(500) {
        patient_source::Entity::update_many()
            .col_expr(patient_source::Column::PatientId, Expr::value(to))
            .filter(patient_source::Column::Id.is_in(some.iter().copied()))
            .exec(txn)
            .await?;
    }
    Ok(())
}

/// Marks two patients as different people; the pair is not proposed again unless that is undone. Returns the decision.
pub async fn tell_apart(app: &App, member: &Member, id: Uuid, other_id: Uuid) -> Result<Uuid> {
    let (one, other) = (find(app, member, id).await?.id, find(app, member, other_id).await?.id);
    if one == other {
        return Err(Error::Conflict("These are the same patient. Undo the merge first.".into()));
    }
    let deciding = Deciding::begin(app, member).await?;
    pairs::decide(&deciding.txn, member.organization_id, (one, other), PairState::Distinct, deciding.now)
        .await?;
    let event = deciding.write(EventKind::ToldApart, one, Some(other), Vec::new()).await?;
    deciding.commit(one, json!({ "toldApart": other })).await?;
    Ok(event)
}

/// Corrects a patient: the given values outrank every message. Returns the decision.
pub async fn correct(
    app: &App,
    member: &Member,
    id: Uuid,
    version: Option<i32>,
    said: Patient,
) -> Result<Uuid> {
    let id = find(app, member, id).await?.id;
    let deciding = Deciding::begin(app, member).await?;
    let (txn, key) = (&deciding.txn, &deciding.key);
    let row = index::lock(txn, member.organization_id, id).await?.ok_or(Error::NotFound)?;
    Error::unless_current(version, &row.version, "this patient")?;
    let source_id = Uuid::now_v7();
    let source = patient_source::Model {
        id: source_id,
        organization_id: member.organization_id,
        patient_id: row.id,
        kind: SourceKind::Correction,
        link: Link::Confirmed,
        message_id: None,
        user_id: Some(member.caller.user_id),
        said_at: deciding.now,
        percent: None,
        sealed_said: seal_said(key, source_id, &said.as_said(), &[])?,
    };
    let statement = Statement::open(key, &source)?;
    source.into_active_model().insert(txn).await?;
    let id = row.id;
    index::hear(txn, key, row, &statement).await?;
    pairs::find_for(txn, key, member.organization_id, id, Vec::new(), deciding.now).await?;
    let event = deciding.write(EventKind::Corrected, id, None, vec![source_id]).await?;
    deciding.commit(id, json!({ "corrected": true })).await?;
    Ok(event)
}

/// Records that a filed message was moved from one patient to another.
pub async fn moved(
    txn: &Transaction,
    member: &Member,
    (from, to): (Uuid, Uuid),
    source_id: Uuid,
    at: DateTime<Utc>,
) -> Result<()> {
    write(txn, By::member(member), (EventKind::Moved, to, Some(from)), vec![source_id], at).await.map(|_| ())
}

/// Writes a decision: its kind, the remaining patient and the other one. Returns its id.
async fn write(
    txn: &Transaction,
    by: By,
    (kind, patient_id, other_id): (EventKind, Uuid, Option<Uuid>),
    sources: Vec<Uuid>,
    at: DateTime<Utc>,
) -> Result<Uuid> {
    let id = Uuid::now_v7();
    let row = patient_event::Model {
        id,
        organization_id: by.organization_id,
        patient_id,
        other_id,
        kind,
        sources: IdList(sources),
        user_id: by.user_id,
        at,
        undone_at: None,
        undone_by: None,
    };
    row.into_active_model().insert(txn).await?;
    Ok(id)
}

/// Undoes one decision, independently of later ones.
pub async fn undo(app: &App, member: &Member, event_id: Uuid) -> Result<()> {
    let deciding = Deciding::begin(app, member).await?;
    let found = patient_event::Entity::find_by_id(event_id).lock_exclusive().one(&deciding.txn).await?;
    let found = found.filter(|row| row.organization_id == member.organization_id).ok_or(Error::NotFound)?;
    if found.undone_at.is_some() {
        return Ok(());
    }
    require_seen(app, member, &deciding, &found).await?;
    match found.kind {
        EventKind::Merged => unmerge(&deciding, &found).await?,
        EventKind::ToldApart => {
            let pair = (found.patient_id, found.other_id.unwrap_or_default());
            pairs::decide(&deciding.txn, found.organization_id, pair, PairState::Open, deciding.now).await?;
        }
        EventKind::Corrected => take_back(&deciding, &found).await?,
        EventKind::Moved => {
            let text = "Open the message and choose its patient there.";
            return Err(Error::Conflict(text.into()));
        }
    }
    let patient_id = found.patient_id;
    let mut undone = found.into_active_model();
    undone.undone_at = Set(Some(deciding.now));
    undone.undone_by = Set(Some(member.caller.user_id));
    undone.update(&deciding.txn).await?;
    deciding.commit(patient_id, json!({ "undone": event_id })).await
}

/// Requires that the member may see the patient of a decision.
async fn require_seen(
    app: &App,
    member: &Member,
    deciding: &Deciding<'_>,
    of: &patient_event::Model,
) -> Result<()> {
    let db = app.store.db();
    let row = index::survivor(db, member.organization_id, of.patient_id).await?.ok_or(Error::NotFound)?;
    let seen = search::known(db, &member.tenant(), &deciding.key, &[row.id]).await?;
    if seen.is_empty() { Err(Error::NotFound) } else { Ok(()) }
}

/// Restores a merged patient with the sources moved then, wherever they are now.
async fn unmerge(deciding: &Deciding<'_>, of: &patient_event::Model) -> Result<()> {
    let (txn, key) = (&deciding.txn, &deciding.key);
    let Some(back) = of.other_id else { return Ok(()) };
    let found = patient::Entity::find_by_id(back).lock_exclusive().one(txn).await?;
    let Some(row) = found.filter(|row| row.merged_into.is_some()) else {
        return Err(Error::Conflict("This patient is not merged any more.".into()));
    };
    let holder = index::lock(txn, of.organization_id, of.patient_id).await?;
    // Sources moved to another patient since then stay there.
    let held = match &holder {
        Some(holder) => sources_of(txn, holder.id).await?,
        None => Vec::new(),
    };
    let moved: Vec<Uuid> = of.sources.0.iter().filter(|id| held.contains(id)).copied().collect();
    move_sources(txn, &moved, back).await?;
    let mut returned = row.into_active_model();
    returned.merged_into = Set(None);
    let returned = returned.update(txn).await?;
    refresh(txn, key, returned).await?;
    if let Some(holder) = holder {
        refresh(txn, key, holder).await?;
    }
    let pair = (of.patient_id, back);
    pairs::decide(txn, of.organization_id, pair, PairState::Open, deciding.now).await
}

/// Removes a correction.
async fn take_back(deciding: &Deciding<'_>, of: &patient_event::Model) -> Result<()> {
    let (txn, key) = (&deciding.txn, &deciding.key);
    let sources = patient_source::Entity::find()
        .filter(patient_source::Column::Id.is_in(of.sources.0.iter().copied()))
        .all(txn)
        .await?;
    for source in sources {
        patient_source::Entity::delete_by_id(source.id).exec(txn).await?;
        settle(txn, key, of.organization_id, source.patient_id).await?;
    }
    Ok(())
}

/// Decisions about a patient and those merged into it, newest first.
pub async fn history(app: &App, member: &Member, id: Uuid) -> Result<Vec<patient_event::Model>> {
    use patient_event::Column;
    use sea_orm::{Condition, Order, QueryOrder};
    let about = Condition::any().add(Column::PatientId.eq(id)).add(Column::OtherId.eq(id));
    let rows = patient_event::Entity::find()
        .filter(Column::OrganizationId.eq(member.organization_id))
        .filter(about)
        .order_by(Column::At, Order::Desc)
        .order_by(Column::Id, Order::Desc)
        .limit(100);
    Ok(rows.all(app.store.db()).await?)
}
