//! Refused messages of interfaces, for operators: sender, reason and count, without patient data. Repeated refusals are
//! counted.

use chrono::Duration;
use exchange::receive::{listener::Peer, message::Header};
use platform::{App, Result};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, ExprTrait, OnConflict},
};
use store::entities::{
    inbound_connection::{self, ConnectionKind},
    interface_refusal::{ActiveModel, Column, Entity},
};
use uuid::Uuid;

/// How long a refusal is shown after its last occurrence.
const KEPT: Duration = Duration::days(30);
/// Maximum number of refusals that are kept; senders could invent any number of names.
const MOST: u64 = 10_000;
/// Maximum length of texts from a sender, in characters.
const TEXT: usize = 100;

/// A refused message.
pub struct Refusal<'a> {
    pub kind: ConnectionKind,
    pub peer: &'a Peer,
    pub header: Option<&'a Header>,
    pub connection_id: Option<Uuid>,
    pub reason: &'a str,
}

/// Records a refusal. If that fails, it is only logged, and the sender gets an answer anyway.
pub async fn note(app: &App, refusal: Refusal<'_>) {
    let Refusal { peer, connection_id, reason, .. } = &refusal;
    tracing::warn!(peer = %peer.address, ?connection_id, reason, "an interface message was refused");
    let seconds = app.clock.now().timestamp_millis() as f64 / 1000.0;
    if !app.health.interface_refusals.take((), 1.0, seconds) {
        return;
    }
    if let Err(error) = write(app, refusal).await {
        tracing::error!(?error, "a refused interface message could not be recorded");
    }
}

async fn write(app: &App, refusal: Refusal<'_>) -> Result<()> {
    let Refusal { kind, peer, header, connection_id, reason } = refusal;
    let (now, db) = (app.clock.now(), app.store.db());
    let plain = |text: Option<&str>| -> String {
        text.unwrap_or_default().chars().filter(|c| !c.is_control()).take(TEXT).collect()
    };
    let row = ActiveModel {
        id: Set(Uuid::now_v7()),
        refusal_key: Set(String::new()),
        kind: Set(kind),
        connection_id: Set(connection_id),
        source_ip: Set(peer.address.to_string()),
        certificate: Set(peer.certificate.clone().unwrap_or_default()),
        sending_application: Set(plain(header.map(|header| header.sending_application.shown.as_str()))),
        sending_facility: Set(plain(header.map(|header| header.sending_facility.shown.as_str()))),
        receiving_facility: Set(plain(header.map(|header| header.receiving_facility.shown.as_str()))),
        message_type: Set(plain(header.map(|header| header.kind.as_str()))),
        reason: Set(reason.to_owned()),
        times: Set(1),
        first_at: Set(now),
        last_at: Set(now),
    };
    let connection = connection_id.unwrap_or_default();
    let texts = [
        &row.source_ip,
        &row.certificate,
        &row.sending_application,
        &row.sending_facility,
        &row.receiving_facility,
        &row.message_type,
        &row.reason,
    ];
    let parts = texts.into_iter().map(|text| text.as_ref().as_bytes());
    let which = [kind as u8];
    let key = super::hash(parts.chain([&which[..], connection.as_bytes().as_slice()]));
    let again = OnConflict::column(Column::RefusalKey)
        .value(Column::Times, Expr::col((Entity, Column::Times)).add(1))
        .update_column(Column::LastAt)
        .to_owned();
    let row = ActiveModel { refusal_key: Set(key), ..row };
    Entity::insert(row).on_conflict(again).exec_without_returning(db).await?;
    if let Some(id) = connection_id {
        use inbound_connection::{Column, Entity};
        let counted = Entity::update_many()
            .col_expr(Column::RefusedCount, Expr::col(Column::RefusedCount).add(1))
            .filter(Column::Id.eq(id));
        counted.exec(db).await?;
    }
    Ok(())
}

/// Removes old refusals, and the oldest ones above the maximum.
pub async fn forget(app: &App) -> Result<()> {
    let db = app.store.db();
    Entity::delete_many().filter(Column::LastAt.lt(app.clock.now() - KEPT)).exec(db).await?;
    let newest = Entity::find().order_by_desc(Column::LastAt).offset(MOST).limit(1).one(db).await?;
    if let Some(last) = newest {
        Entity::delete_many().filter(Column::LastAt.lte(last.last_at)).exec(db).await?;
    }
    Ok(())
}
