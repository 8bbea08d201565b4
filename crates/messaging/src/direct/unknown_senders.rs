//! Limits on mail from unknown senders. Anybody can send to a Direct address, and the mail is stored before it is known
//! whether it can be decrypted. Networks with mail that was decrypted before are not limited.

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

/// Period in which mails count.
const WINDOW: Duration = Duration::days(1);
/// Maximum age of a count; other nodes accept mail too.
const FRESH: Duration = Duration::seconds(10);
/// Maximum number of mails of any size within the window.
const MAILS_PER_SENDER: u64 = 2_000;
const MAILS_PER_RECIPIENT: u64 = 20_000;
/// How long a network stays known after its last mail that could be decrypted.
const KNOWN_FOR: Duration = Duration::days(30);
/// Minimum time between two notes of decrypted mail from a network.
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

/// Counts mail that was not or could not be decrypted.
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

    /// Refuses a sender above the limits, and every sender while the disk is full.
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

    /// Refuses mail from unknown senders for an organization that has too much of it already.
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

    /// Remaining bytes for a mail of unannounced size; `None` for senders without a limit.
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

    /// Counts an accepted mail.
    pub fn add(&self, address: IpAddr, organization_id: Uuid, bytes: u64) {
        let mut counted = self.counted();
        counted.senders.entry(Network::of(address)).or_default().add(1, bytes);
        counted.recipients.entry(organization_id).or_default().add(1, bytes);
    }

    /// The network of an unknown sender; `None` for senders without limits.
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
        // Concurrent callers wait for the same count.
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
            // In the words of the index.
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

/// Records that mail from an address was decrypted and is trusted.
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

/// Removes networks without decrypted mail for a long time.
pub async fn forget(app: &App) -> Result<()> {
    known_sender::Entity::delete_many()
        .filter(known_sender::Column::LastOpenedAt.lt(app.clock.now() - KNOWN_FOR))
        .exec(app.store.db())
        .await?;
    Ok(())
}
