//! How much mail strangers may leave here. Anybody can send to a Direct address, and what they send is stored before it is
//! known whether it can be opened; networks whose mail was opened before are not limited.

use ::direct::smtp::server::{Envelope, SmtpReply};
use admission::{Network, Party};
use chrono::{DateTime, Duration, Utc};
use platform::{App, Result};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, DbErr, EntityTrait, FromQueryResult, QueryFilter, QuerySelect,
    sea_query::{Expr, OnConflict},
};
use std::{
    collections::{HashMap, HashSet},
    net::IpAddr,
    sync::{Mutex, MutexGuard, PoisonError},
};
use store::{
    Transaction,
    entities::{inbound_mail, known_sender},
};
use uuid::Uuid;

/// Mails that count.
const WINDOW: Duration = Duration::days(1);
/// What was counted is counted again after this time, as other nodes take mail too.
const FRESH: Duration = Duration::seconds(10);
/// Mails within the window, however small.
const MAILS_PER_SENDER: u64 = 2_000;
const MAILS_PER_RECIPIENT: u64 = 20_000;
/// How long a network stays known without mail that can be opened.
const KNOWN_FOR: Duration = Duration::days(30);
/// Mail that is opened is noted at most this often per network.
const NOTED_EVERY: Duration = Duration::hours(1);

#[derive(Clone, Copy, Default)]
struct Amount {
    mails: u64,
    bytes: u64,
}

impl Amount {
    fn add(&mut self, mails: u64, bytes: u64) {
        self.mails += mails;
        self.bytes += bytes;
    }
}

#[derive(Default)]
struct Counted {
    at: Option<DateTime<Utc>>,
    senders: HashMap<Network, Amount>,
    recipients: HashMap<Uuid, Amount>,
    known: HashSet<String>,
}

/// Counts mail that waits to be opened or could not be.
pub struct Strangers {
    app: App,
    counted: Mutex<Counted>,
    counting: tokio::sync::Mutex<()>,
}

#[derive(FromQueryResult)]
struct Row {
    source_ip: String,
    organization_id: Uuid,
    mails: i64,
    bytes: i64,
}

impl Strangers {
    pub fn new(app: App) -> Self {
        Self { app, counted: Mutex::default(), counting: tokio::sync::Mutex::default() }
    }

    fn counted(&self) -> MutexGuard<'_, Counted> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Refuses a sender that left too much already, and everybody while the disk is full.
    pub async fn check_sender(&self, envelope: &Envelope) -> Result<(), SmtpReply> {
        if self.app.health.disk.is_full() {
            return Err(SmtpReply::new(452, "4.3.1", "Insufficient system storage"));
        }
        let Some(network) = self.stranger(envelope.peer.ip()).await? else { return Ok(()) };
        let limit = self.app.config.smtp.unopened_bytes_per_sender;
        let left = self.counted().senders.get(&network).copied().unwrap_or_default();
        let would_be = left.bytes + envelope.declared_size.unwrap_or_default();
        if left.mails >= MAILS_PER_SENDER || would_be > limit {
            return Err(SmtpReply::new(
                452,
                "4.7.0",
                "Too much mail from your network waits to be opened here",
            ));
        }
        Ok(())
    }

    /// Refuses strangers' mail for an organization for which they left too much already.
    pub async fn check_recipient(&self, envelope: &Envelope, organization_id: Uuid) -> Result<(), SmtpReply> {
        if self.stranger(envelope.peer.ip()).await?.is_none() {
            return Ok(());
        }
        let limit = self.app.config.smtp.unopened_bytes_per_recipient;
        let left = self.counted().recipients.get(&organization_id).copied().unwrap_or_default();
        if left.mails >= MAILS_PER_RECIPIENT
            || left.bytes + envelope.declared_size.unwrap_or_default() > limit
        {
            return Err(SmtpReply::new(452, "4.2.2", "Too much mail waits to be opened for this recipient"));
        }
        Ok(())
    }

    /// What a mail may still bring that nobody announced the size of; none for senders without a limit.
    pub fn room(&self, address: IpAddr) -> Option<u64> {
        if self.app.health.smtp.is_uncounted(address) {
            return None;
        }
        let network = Network::of(address);
        let counted = self.counted();
        if counted.known.contains(&network.to_string()) {
            return None;
        }
        let left = counted.senders.get(&network).copied().unwrap_or_default();
        Some(self.app.config.smtp.unopened_bytes_per_sender.saturating_sub(left.bytes))
    }

    /// Counts a mail that was taken.
    pub fn add(&self, address: IpAddr, organization_id: Uuid, bytes: u64) {
        let mut counted = self.counted();
        counted.senders.entry(Network::of(address)).or_default().add(1, bytes);
        counted.recipients.entry(organization_id).or_default().add(1, bytes);
    }

    /// The network of a sender nobody knows; none for those without limits.
    async fn stranger(&self, address: IpAddr) -> Result<Option<Network>, SmtpReply> {
        if self.app.health.smtp.is_uncounted(address) {
            return Ok(None);
        }
        self.refresh().await.map_err(|error| {
            tracing::error!(?error, "arrived mail could not be counted");
            SmtpReply::try_again_later()
        })?;
        let network = Network::of(address);
        if self.counted().known.contains(&network.to_string()) {
            self.app.health.smtp.gate.know(address);
            return Ok(None);
        }
        Ok(Some(network))
    }

    async fn refresh(&self) -> Result<()> {
        let now = self.app.clock.now();
        let is_fresh = || self.counted().at.is_some_and(|at| now - at < FRESH && now >= at);
        if is_fresh() {
            return Ok(());
        }
        let _counting = self.counting.lock().await;
        if is_fresh() {
            return Ok(());
        }
        // Whoever comes meanwhile waits for it, too.
        let fresh = Party::Installation.working(self.count(now)).await?;
        *self.counted() = fresh;
        Ok(())
    }

    async fn count(&self, now: DateTime<Utc>) -> Result<Counted, DbErr> {
        use inbound_mail::Column;
        let db = self.app.store.db();
        let rows = inbound_mail::Entity::find()
            .select_only()
            .column(Column::SourceIp)
            .column(Column::OrganizationId)
            .column_as(Expr::cust("COUNT(*)"), "mails")
            .column_as(Expr::cust("CAST(SUM(size_bytes) AS BIGINT)"), "bytes")
            .filter(Column::ReceivedAt.gt(now - WINDOW))
            // As the index says it.
            .filter(Expr::cust("(finished_at IS NULL OR is_refused)"))
            .group_by(Column::SourceIp)
            .group_by(Column::OrganizationId)
            .into_model::<Row>()
            .all(db)
            .await?;
        let known = known_sender::Entity::find()
            .filter(known_sender::Column::LastOpenedAt.gt(now - KNOWN_FOR))
            .all(db)
            .await?;
        let mut counted = Counted {
            at: Some(now),
            known: known.into_iter().map(|row| row.network).collect(),
            ..Counted::default()
        };
        for row in rows {
            let (mails, bytes) = (row.mails.unsigned_abs(), row.bytes.unsigned_abs());
            counted.recipients.entry(row.organization_id).or_default().add(mails, bytes);
            if let Ok(address) = row.source_ip.parse() {
                counted.senders.entry(Network::of(address)).or_default().add(mails, bytes);
            }
        }
        Ok(counted)
    }
}

/// Notes that mail from an address was opened and is trusted.
pub async fn note_opened(txn: &Transaction, source_ip: &str, now: DateTime<Utc>) -> Result<(), DbErr> {
    let Ok(address) = source_ip.parse::<IpAddr>() else { return Ok(()) };
    let network = Network::of(address).to_string();
    let recent = known_sender::Entity::find_by_id(network.clone())
        .filter(known_sender::Column::LastOpenedAt.gt(now - NOTED_EVERY));
    if sea_orm::SelectExt::exists(recent, txn).await? {
        return Ok(());
    }
    let row = known_sender::ActiveModel { network: Set(network), last_opened_at: Set(now) };
    let again = OnConflict::column(known_sender::Column::Network)
        .update_column(known_sender::Column::LastOpenedAt)
        .to_owned();
    known_sender::Entity::insert(row).on_conflict(again).exec_without_returning(txn).await?;
    Ok(())
}

/// Forgets networks from which nothing came that could be opened for long.
pub async fn forget(app: &App) -> Result<()> {
    known_sender::Entity::delete_many()
        .filter(known_sender::Column::LastOpenedAt.lt(app.clock.now() - KNOWN_FOR))
        .exec(app.store.db())
        .await?;
    Ok(())
}
