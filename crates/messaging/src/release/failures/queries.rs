//! Database access of open deliveries.

use super::types::{FailedMessage, FailedView};
use crate::{
    deliveries::{LockedDeliveries, explanation::explain, is_queued},
    fax::sending::queries as faxes,
    messages::{
        list,
        queries::{self as messages, announce},
    },
    model::{DeliveryKind, DeliveryState, Mode, SourceKind},
    release::{
        deliver::{self, DeliverMeta},
        sending,
    },
    sealed::Summary,
    workflows::SEND,
};
use ::direct::DirectAddress;
use chrono::{DateTime, Utc};
use platform::{
    App, Error, Member, Result,
    audit::{self, Act, Actor, event},
    bus::Event,
    http::{Page, Paged},
    sql,
};
use sea_orm::{
    ActiveModelTrait,
    ActiveValue::{Set, Unchanged},
    ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, JoinType, Order, QueryFilter, QuerySelect,
    RelationDef, Select,
    sea_query::{Expr, ExprTrait, Func},
};
use serde_json::json;
use std::collections::{BTreeSet, HashMap};
use store::{
    Transaction,
    entities::{
        delivery::{self, Column},
        fax_job, message, transmission, workflow as run, workflow_step,
    },
    tenant::Tenant,
};
use uuid::Uuid;
use workflow::{StepStatus, names};

const GAVE_UP: [DeliveryState; 2] = [DeliveryState::Failed, DeliveryState::Uncertain];
const NOT_FAILED: &str = "This message has not failed.";
const NOT_OURS: &str = "You cannot send from this address.";
const ON_ITS_WAY: &str = "This message was delivered or is being sent.";

/// Deliveries that need attention, written as in the index's condition.
fn open(tenant: Tenant) -> Select<delivery::Entity> {
    let of_message: RelationDef =
        delivery::Entity::belongs_to(message::Entity).from(Column::MessageId).to(message::Column::Id).into();
    tenant
        .deliveries()
        .join(JoinType::InnerJoin, of_message)
        .filter(message::Column::DeletedAt.is_null())
        .filter(Expr::cust("delivery.state IN (0, 4, 5)"))
        .filter(Column::AcknowledgedAt.is_null())
}

pub async fn list(
    app: &App,
    member: &Member,
    view: Option<FailedView>,
    page: Page,
) -> Result<Paged<FailedMessage>> {
    let rows = match view {
        None => open(member.tenant()),
        Some(FailedView::Waiting) => open(member.tenant()).filter(Column::State.eq(DeliveryState::Queued)),
        Some(FailedView::Failed) => open(member.tenant()).filter(Column::State.is_in(GAVE_UP)),
    };
    let newest = [(Column::AcceptedAt, Order::Desc), (Column::Id, Order::Desc)];
    let found = sql::page(app.store.db(), rows, &newest, page).await?;
    let Paged { items, total_count, total_is_capped } = found;
    Ok(Paged { items: views(app, member, items).await?, total_count, total_is_capped })
}

/// Further rows for the views of some deliveries.
struct Beside {
    messages: HashMap<Uuid, message::Model>,
    faxes: HashMap<Uuid, fax_job::Model>,
    /// By transmission.
    steps: HashMap<Uuid, workflow_step::Model>,
    own_numbers: BTreeSet<Uuid>,
    own_addresses: BTreeSet<String>,
}

impl Beside {
    async fn read(app: &App, member: &Member, rows: &[delivery::Model]) -> Result<Self> {
        let db = app.store.db();
        let ids: Vec<Uuid> = rows.iter().map(|d| d.message_id).collect();
        let of_faxes = fax_job::Column::DeliveryId.is_in(rows.iter().map(|d| d.id));
        let (messages, jobs, steps, numbers, addresses) = tokio::try_join!(
            async { Ok::<_, Error>(list::by_ids(&ids).all(db).await?) },
            async { Ok::<_, Error>(fax_job::Entity::find().filter(of_faxes).all(db).await?) },
            delivering(db, &ids),
            faxes::sources(db, member, SourceKind::Fax),
            faxes::sources(db, member, SourceKind::Direct),
        )?;
        Ok(Self {
            messages: messages.into_iter().map(|m| (m.id, m)).collect(),
            faxes: jobs.into_iter().map(|j| (j.delivery_id, j)).collect(),
            steps,
            own_numbers: numbers.into_iter().map(|s| s.id).collect(),
            own_addresses: addresses.into_iter().map(|s| s.address_key).collect(),
        })
    }

    fn may_send(&self, row: &delivery::Model, message: &message::Model) -> bool {
        match row.kind {
            DeliveryKind::Fax => {
                self.faxes.get(&row.id).is_some_and(|j| self.own_numbers.contains(&j.document_source_id))
            }
            DeliveryKind::DirectMessage => DirectAddress::parse(&message.from_address)
                .is_ok_and(|from| self.own_addresses.contains(from.mailbox().as_str())),
        }
    }
}

/// The pending steps of these messages' transmissions, by transmission.
async fn delivering(
    db: &impl ConnectionTrait,
    messages: &[Uuid],
) -> Result<HashMap<Uuid, workflow_step::Model>> {
    let workflows: Vec<Uuid> = run::Entity::find()
        .select_only()
        .column(run::Column::Id)
        .filter(run::Column::ObjectId.is_in(messages.iter().copied()))
        .filter(run::Column::Kind.eq(SEND))
        .into_tuple()
        .all(db)
        .await?;
    let steps = workflow_step::Entity::find()
        .filter(workflow_step::Column::WorkflowId.is_in(workflows))
        .filter(workflow_step::Column::Name.eq(names::DELIVER.name))
        .filter(workflow_step::Column::Status.is_in([StepStatus::Pending, StepStatus::Running]))
        .all(db)
        .await?;
    let named = |step: workflow_step::Model| {
        let meta: DeliverMeta = serde_json::from_value(step.meta.clone()).ok()?;
        Some((meta.transmission_id, step))
    };
    Ok(steps.into_iter().filter_map(named).collect())
}

async fn views(app: &App, member: &Member, rows: Vec<delivery::Model>) -> Result<Vec<FailedMessage>> {
    let key = app.keys.data_key(member.organization_id).await?;
    let beside = Beside::read(app, member, &rows).await?;
    let now = app.clock.now();
    let mut views = Vec::with_capacity(rows.len());
    for row in rows {
        let Some(message) = beside.messages.get(&row.message_id) else { continue };
        let summary = Summary::open(&key, message)?;
        let step = row.transmission_id.and_then(|id| beside.steps.get(&id));
        let job = beside.faxes.get(&row.id);
        let next_at = job.and_then(|j| j.next_at).or(step.map(|s| s.run_at));
        let next_at = next_at.filter(|at| is_queued(&row) && *at > now);
        let said = job.and_then(|j| j.waits_for.clone()).or_else(|| step?.error.clone());
        views.push(FailedMessage {
            explanation: explain(&row, next_at.is_some()).into(),
            can_send_now: beside.may_send(&row, message),
            from_address: message.from_address.clone(),
            subject: summary.subject,
            patient_name: summary.patient_name,
            id: row.id,
            message_id: row.message_id,
            address: row.address,
            name: row.name,
            kind: row.kind,
            role: row.role,
            state: row.state,
            reason: row.reason.or(said),
            accepted_at: row.accepted_at,
            failed_at: row.failed_at,
            next_at,
        });
    }
    Ok(views)
}

pub async fn find(db: &impl ConnectionTrait, member: &Member, id: Uuid) -> Result<delivery::Model> {
    let row = member.tenant().deliveries().filter(Column::Id.eq(id)).one(db).await?;
    row.ok_or(Error::NotFound)
}

/// Acknowledges a failure; repeating it has no effect.
pub async fn acknowledge(app: &App, member: &Member, id: Uuid) -> Result<()> {
    let message_id = find(app.store.db(), member, id).await?.message_id;
    let txn = app.store.begin().await?;
    let message = messages::lock(&txn, member, message_id).await?;
    let row = find(&txn, member, id).await?;
    if !GAVE_UP.contains(&row.state) {
        return Err(Error::Conflict(NOT_FAILED.into()));
    }
    if row.acknowledged_at.is_some() {
        return Ok(());
    }
    let mut change = row.into_active_model();
    change.acknowledged_at = Set(Some(app.clock.now()));
    change.update(&txn).await?;
    let act = Act::new(event::CHANGED, "message", message_id).detail(json!({ "acknowledged": id }));
    audit::record(app, &txn, &Actor::from(&member.caller), act).await?;
    txn.commit().await?;
    announce(app, &message).await;
    Ok(())
}

/// Acknowledges failures up to a time; returns their number.
pub async fn acknowledge_all(app: &App, member: &Member, until: DateTime<Utc>) -> Result<u64> {
    let txn = app.store.begin().await?;
    let failed_at = Func::coalesce([Column::FailedAt.into_expr(), Column::AcceptedAt.into_expr()]);
    let done = delivery::Entity::update_many()
        .col_expr(Column::AcknowledgedAt, Expr::value(app.clock.now()))
        .filter(Column::OrganizationId.eq(member.organization_id))
        .filter(Expr::cust("state IN (0, 4, 5)"))
        .filter(Column::AcknowledgedAt.is_null())
        .filter(Column::State.is_in(GAVE_UP))
        .filter(Expr::expr(failed_at).lte(until))
        .exec(&txn)
        .await?
        .rows_affected;
    if done > 0 {
        let act = Act::new(event::CHANGED, "organization", member.organization_id)
            .detail(json!({ "acknowledged": done }));
        audit::record(app, &txn, &Actor::from(&member.caller), act).await?;
    }
    txn.commit().await?;
    Ok(done)
}

pub async fn send_now(app: &App, member: &Member, id: Uuid) -> Result<()> {
    let row = find(app.store.db(), member, id).await?;
    match (row.kind, row.state) {
        (_, DeliveryState::Queued) => hurry(app, member, &row).await,
        (DeliveryKind::Fax, DeliveryState::Failed | DeliveryState::Uncertain) => {
            faxes::again(app, member, row.message_id, id).await
        }
        (DeliveryKind::DirectMessage, DeliveryState::Failed) => again(app, member, &row).await,
        _ => Err(Error::Conflict(ON_ITS_WAY.into())),
    }
}

fn sent_again(row: &delivery::Model) -> Act {
    Act::new(event::SENT, "message", row.message_id).detail(json!({ "again": row.id }))
}

/// Makes the next attempt of a delivery due now. Limits of faxes still apply.
async fn hurry(app: &App, member: &Member, row: &delivery::Model) -> Result<()> {
    let txn = app.store.begin().await?;
    let message = messages::lock(&txn, member, row.message_id).await?;
    let now = app.clock.now();
    if let Some(job) = fax_job::Entity::find_by_id(row.id).one(&txn).await? {
        faxes::may_send_from(&txn, member, &job).await?;
        workflow::wake(&txn, now, job.workflow_id, names::SUBMIT_FAX).await?;
    } else {
        sender(&txn, member, &message).await?;
        let steps = delivering(&txn, &[message.id]).await?;
        if let Some(step) = row.transmission_id.and_then(|id| steps.get(&id)) {
            workflow::wake(&txn, now, step.workflow_id, names::DELIVER).await?;
        }
    }
    audit::record(app, &txn, &Actor::from(&member.caller), sent_again(row)).await?;
    txn.commit().await?;
    app.bus.publish(Event::Work).await;
    Ok(())
}

async fn sender(txn: &Transaction, member: &Member, message: &message::Model) -> Result<DirectAddress> {
    let sender = sending::sender(txn, member, &message.from_address).await?;
    sender.ok_or(Error::Conflict(NOT_OURS.into()))
}

/// Sends a failed Direct message again to one recipient, in a separate transmission with the same Message-ID.
async fn again(app: &App, member: &Member, row: &delivery::Model) -> Result<()> {
    let now = app.clock.now();
    let txn = app.store.begin().await?;
    let message = messages::lock(&txn, member, row.message_id).await?;
    let mut locked = LockedDeliveries::lock(&txn, message.id).await?.ok_or(Error::NotFound)?;
    let open = locked.deliveries.iter_mut().find(|d| d.id == row.id).ok_or(Error::NotFound)?;
    if open.state != DeliveryState::Failed {
        return Err(Error::Conflict(ON_ITS_WAY.into()));
    }
    let sender = sender(&txn, member, &message).await?;
    sending::organization_may_send(&txn, member, Mode::Send, true).await?;
    let to = DirectAddress::parse(&open.address).map_err(|e| Error::Conflict(e.to_string().into()))?;
    let rfc_message_id = message.rfc_message_id.clone().unwrap_or_default();
    let made = deliver::split(&message, &rfc_message_id, &sender, [(&to, &mut *open)].into_iter(), now);
    let steps = deliver::steps(app, &made, &[], now);
    let rows = made.into_iter().map(IntoActiveModel::into_active_model);
    transmission::Entity::insert_many(rows).exec_without_returning(&txn).await?;
    let change = delivery::ActiveModel {
        id: Unchanged(open.id),
        transmission_id: Set(open.transmission_id),
        state: Set(DeliveryState::Queued),
        reason: Set(None),
        sent_at: Set(None),
        processed_at: Set(None),
        failed_at: Set(None),
        tls: Set(None),
        acknowledged_at: Set(None),
        corrected_by: Set(None),
        ..Default::default()
    };
    *open = change.update(&txn).await?;
    let workflow_id = sending::enqueue(app, &txn, &message, steps).await?;
    let current = message::ActiveModel {
        id: Unchanged(message.id),
        workflow_id: Set(Some(workflow_id)),
        ..Default::default()
    };
    current.update(&txn).await?;
    audit::record(app, &txn, &Actor::from(&member.caller), sent_again(row)).await?;
    let message = locked.settle(&txn, now).await?;
    app.store.commit_durable(txn).await?;
    announce(app, &message).await;
    app.bus.publish(Event::Work).await;
    Ok(())
}
