//! The audit trail: append-only and hash-chained, one chain per organization and one for the platform.
//!
//! An entry is written in the transaction of its act. Its hash covers every field and the hash of the previous entry,
//! so that [`verify`] finds changed, removed and reordered rows.

pub mod heads;
mod objects;
mod words;

use crate::{App, Caller, Result};
use chrono::{DateTime, SecondsFormat, Utc};
pub use objects::{Audited, FindObjects, ObjectKinds, Objects, Reader, Rows};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder,
    QuerySelect, sea_query::OnConflict,
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use store::{
    Database, Transaction,
    batching::BatchedWrites,
    entities::{audit_chain, audit_entry},
};
use uuid::Uuid;
pub use words::what_changed;

/// The names of events, as in lists and reports.
pub mod event {
    pub const SIGNED_IN: &str = "SignedIn";
    pub const SIGN_IN_FAILED: &str = "SignInFailed";
    pub const ACCOUNT_LOCKED: &str = "AccountLocked";
    pub const SIGNED_OUT: &str = "SignedOut";
    pub const SESSION_REVOKED: &str = "SessionRevoked";
    pub const ORGANIZATION_SWITCHED: &str = "OrganizationSwitched";
    pub const PASSWORD_CHANGED: &str = "PasswordChanged";
    /// A link by e-mail was requested: to set a password, or to accept an invitation.
    pub const LINK_SENT: &str = "LinkSent";
    /// An authenticator app, passkey, e-mailed codes or recovery codes were set, changed or removed.
    pub const SECOND_FACTOR_CHANGED: &str = "SecondFactorChanged";
    pub const SECURITY_CHANGED: &str = "SecuritySettingsChanged";
    /// All values were sealed with another master key.
    pub const KEY_ROTATED: &str = "MasterKeyRotated";
    pub const SSO_CHANGED: &str = "SingleSignOnChanged";
    pub const SSO_REMOVED: &str = "SingleSignOnRemoved";
    pub const SSO_LINKED: &str = "SingleSignOnLinked";
    /// A call with a service account's token, and whether the operation allows it.
    pub const SERVICE_ACCOUNT_USED: &str = "ServiceAccountUsed";
    /// A service account's token was used from an address that is not allowed, or while the account was disabled.
    pub const SERVICE_ACCOUNT_REFUSED: &str = "ServiceAccountRefused";
    pub const REGISTERED: &str = "Registered";
    pub const LISTED: &str = "Listed";
    pub const SEARCHED: &str = "Searched";
    pub const VIEWED: &str = "Viewed";
    pub const DOWNLOADED: &str = "Downloaded";
    /// The first person opened it.
    pub const READ: &str = "Read";
    pub const CREATED: &str = "Created";
    pub const CHANGED: &str = "Changed";
    pub const DELETED: &str = "Deleted";
    /// A deletion was undone.
    pub const RESTORED: &str = "Restored";
    /// Colleagues were asked to sign.
    pub const SIGNATURE_REQUESTED: &str = "SignatureRequested";
    /// A request for a signature was withdrawn.
    pub const SIGNATURE_CANCELLED: &str = "SignatureCancelled";
    pub const SIGNED: &str = "Signed";
    pub const SIGNATURE_DECLINED: &str = "SignatureDeclined";
    pub const SENT: &str = "Sent";
    pub const RECEIVED: &str = "Received";
    pub const COPIED: &str = "Copied";
    /// Files of it were created for printing or export.
    pub const EXPORTED: &str = "Exported";
    pub const PLAN_UPGRADE_REQUESTED: &str = "PlanUpgradeRequested";
    pub const INVITED: &str = "Invited";
    pub const DIRECTORY_IMPORTED: &str = "DirectoryImported";
    pub const TERMS_ACCEPTED: &str = "TermsAccepted";
    /// Somebody described themselves, answered questions, or uploaded a document.
    pub const PROOFING_ATTEMPTED: &str = "IdentityProofingAttempted";
    /// The proof of identity was decided.
    pub const PROOFING_DECIDED: &str = "IdentityProofingDecided";
    pub const SUBSCRIPTION_CHANGED: &str = "SubscriptionChanged";
    pub const SUBSCRIPTION_CANCELLED: &str = "SubscriptionCancelled";
    pub const SUBSCRIPTION_REACTIVATED: &str = "SubscriptionReactivated";
    /// Malware was found in a file, which has been blocked since.
    pub const QUARANTINED: &str = "Quarantined";
    /// An operator released a file from quarantine.
    pub const QUARANTINE_RELEASED: &str = "QuarantineReleased";
    /// An operator accepted the current trail, for example after a backup was restored.
    pub const AUDIT_ACCEPTED: &str = "AuditTrailAccepted";
    /// An operator had the whole trail verified.
    pub const AUDIT_VERIFIED: &str = "AuditTrailVerified";

    /// All events, for the filter of the activity list.
    pub const ALL: &[&str] = &[
        SIGNED_IN,
        SIGN_IN_FAILED,
        ACCOUNT_LOCKED,
        SIGNED_OUT,
        SESSION_REVOKED,
        ORGANIZATION_SWITCHED,
        PASSWORD_CHANGED,
        LINK_SENT,
        SECOND_FACTOR_CHANGED,
        SECURITY_CHANGED,
        KEY_ROTATED,
        SSO_CHANGED,
        SSO_REMOVED,
        SSO_LINKED,
        SERVICE_ACCOUNT_USED,
        SERVICE_ACCOUNT_REFUSED,
        REGISTERED,
        LISTED,
        SEARCHED,
        VIEWED,
        DOWNLOADED,
        READ,
        CREATED,
        CHANGED,
        DELETED,
        RESTORED,
        SIGNATURE_REQUESTED,
        SIGNATURE_CANCELLED,
        SIGNED,
        SIGNATURE_DECLINED,
        SENT,
        RECEIVED,
        COPIED,
        EXPORTED,
        PLAN_UPGRADE_REQUESTED,
        INVITED,
        DIRECTORY_IMPORTED,
        TERMS_ACCEPTED,
        PROOFING_ATTEMPTED,
        PROOFING_DECIDED,
        SUBSCRIPTION_CHANGED,
        SUBSCRIPTION_CANCELLED,
        SUBSCRIPTION_REACTIVATED,
        QUARANTINED,
        QUARANTINE_RELEASED,
        AUDIT_ACCEPTED,
        AUDIT_VERIFIED,
    ];
}

/// The actor of an act.
#[derive(Clone, Debug, Default)]
pub struct Actor {
    pub id: Option<Uuid>,
    pub name: String,
    pub organization_id: Option<Uuid>,
    pub source_ip: String,
}

impl Actor {
    /// The product itself, working for an organization.
    pub fn system(organization_id: Uuid) -> Self {
        Self {
            id: None,
            name: "System".into(),
            organization_id: Some(organization_id),
            source_ip: String::new(),
        }
    }

    /// A person who changes objects of the platform, regardless of their organization.
    pub fn platform(caller: &Caller) -> Self {
        Self { organization_id: None, ..Self::from(caller) }
    }

    /// A person who changes objects of an organization, regardless of their own organization.
    pub fn in_organization(caller: &Caller, organization_id: Uuid) -> Self {
        Self { organization_id: Some(organization_id), ..Self::from(caller) }
    }
}

impl From<&Caller> for Actor {
    fn from(caller: &Caller) -> Self {
        Self {
            id: Some(caller.user_id),
            name: caller.full_name.clone(),
            organization_id: caller.organization_id,
            source_ip: caller.source_ip.clone(),
        }
    }
}

/// An act on an object. `detail` has fields and ids, never patient data.
#[derive(Clone, Debug)]
pub struct Act {
    pub event: &'static str,
    pub object_type: &'static str,
    pub object_id: String,
    pub succeeded: bool,
    pub detail: Value,
}

impl Act {
    pub fn new(event: &'static str, object_type: &'static str, object_id: impl ToString) -> Self {
        Self { event, object_type, object_id: object_id.to_string(), succeeded: true, detail: Value::Null }
    }

    pub fn detail(mut self, detail: Value) -> Self {
        self.detail = detail;
        self
    }

    pub fn failed(mut self) -> Self {
        self.succeeded = false;
        self
    }
}

/// Adds an entry in the transaction of the act.
pub async fn record(app: &App, txn: &Transaction, actor: &Actor, act: Act) -> Result<()> {
    let chain_id = actor.organization_id.unwrap_or_default();
    let head = lock_head(txn, chain_id).await?;
    let mut entry = audit_entry::Model {
        id: Uuid::now_v7(),
        chain_id,
        seq: head.last_seq + 1,
        at: app.clock.now(),
        organization_id: actor.organization_id,
        actor_id: actor.id,
        actor_name: actor.name.clone(),
        event_type: act.event.into(),
        object_type: act.object_type.into(),
        object_id: act.object_id,
        outcome: if act.succeeded { "Success" } else { "Failure" }.into(),
        source_ip: actor.source_ip.clone(),
        detail: act.detail.to_string(),
        prev_hash: head.last_hash,
        hash: Vec::new(),
    };
    entry.hash = hash(&entry);
    let head = audit_chain::ActiveModel {
        id: Set(chain_id),
        last_seq: Set(entry.seq),
        last_hash: Set(entry.hash.clone()),
    };
    let entry: audit_entry::ActiveModel = entry.into();
    txn.later(audit_entry::Entity::insert(entry.reset_all())).await?;
    txn.later(audit_chain::Entity::update(head).validate()?).await?;
    Ok(())
}

/// Records a read in a separate transaction.
pub async fn record_read(app: &App, caller: &Caller, act: Act) -> Result<()> {
    let txn = app.store.begin().await?;
    record(app, &txn, &Actor::from(caller), act).await?;
    Ok(txn.commit().await?)
}

/// Locks the head of a chain until the transaction ends, so that entries form a single chain.
async fn lock_head(txn: &Transaction, chain_id: Uuid) -> Result<audit_chain::Model, DbErr> {
    let head = audit_chain::Entity::find_by_id(chain_id).lock_exclusive();
    if let Some(head) = head.clone().one(txn).await? {
        return Ok(head);
    }
    let empty = audit_chain::ActiveModel { id: Set(chain_id), last_seq: Set(0), last_hash: Set(vec![0; 32]) };
    audit_chain::Entity::insert(empty)
        .on_conflict(OnConflict::column(audit_chain::Column::Id).do_nothing().to_owned())
        .exec_without_returning(txn)
        .await?;
    head.one(txn).await?.ok_or_else(|| DbErr::RecordNotFound("audit chain".into()))
}

/// SHA-256 over all fields in a fixed order and the previous hash.
fn hash(e: &audit_entry::Model) -> Vec<u8> {
    let fields = json!([
        e.id,
        e.chain_id,
        e.seq,
        time_text(e.at),
        e.organization_id,
        e.actor_id,
        e.actor_name,
        e.event_type,
        e.object_type,
        e.object_id,
        e.outcome,
        e.source_ip,
        e.detail
    ]);
    let mut sha = Sha256::new();
    sha.update(&e.prev_hash);
    sha.update(fields.to_string());
    sha.finalize().to_vec()
}

fn time_text(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Micros, true)
}

/// A problem of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// The entry's content does not match its hash.
    Changed { chain_id: Uuid, seq: i64 },
    /// Entries are missing before this one, or at the end.
    Removed { chain_id: Uuid, seq: i64 },
    /// The entry does not follow the one before it.
    Reordered { chain_id: Uuid, seq: i64 },
}

impl Finding {
    pub fn chain_id(&self) -> Uuid {
        let (Self::Changed { chain_id, .. }
        | Self::Removed { chain_id, .. }
        | Self::Reordered { chain_id, .. }) = self;
        *chain_id
    }
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (Self::Changed { chain_id, seq }
        | Self::Removed { chain_id, seq }
        | Self::Reordered { chain_id, seq }) = self;
        let what = match self {
            Self::Changed { .. } => "was changed",
            Self::Removed { .. } => "was removed",
            Self::Reordered { .. } => "is out of order",
        };
        write!(f, "audit entry {seq} of chain {chain_id} {what}")
    }
}

/// Position of a verification: all earlier chains, and this chain's entries up to `seq`, have been checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub chain_id: Uuid,
    pub seq: i64,
}

/// Result of a part of a verification.
#[derive(Debug, Default)]
pub struct Part {
    /// Number of entries read.
    pub checked: u64,
    pub findings: Vec<Finding>,
    /// Where to continue; `None` when everything is checked.
    pub next: Option<Place>,
}

/// Number of entries read at once.
const PAGE: u64 = 1000;

/// Verifies every chain in pages. Whether entries at the end are missing is left to [`heads::compare`].
pub async fn verify(db: &Database) -> Result<Vec<Finding>, DbErr> {
    Ok(verify_part(db, None, u64::MAX).await?.findings)
}

/// Verifies at most a number of entries, starting at a position.
pub async fn verify_part(db: &Database, from: Option<Place>, limit: u64) -> Result<Part, DbErr> {
    let mut part = Part::default();
    let first = from.map_or(Uuid::nil(), |place| place.chain_id);
    let chains = audit_chain::Entity::find()
        .filter(audit_chain::Column::Id.gte(first))
        .order_by_asc(audit_chain::Column::Id)
        .all(db)
        .await?;
    for chain in chains {
        let after = from.filter(|place| place.chain_id == chain.id).map_or(0, |place| place.seq);
        if part.checked >= limit {
            part.next = Some(Place { chain_id: chain.id, seq: after });
            return Ok(part);
        }
        // Read again right before its entries, which are read only up to it: other entries are being written.
        let head = audit_chain::Entity::find_by_id(chain.id).one(db).await?.unwrap_or(chain);
        if let Some(seq) = verify_chain(db, &head, after, limit, &mut part).await? {
            part.next = Some(Place { chain_id: head.id, seq });
            return Ok(part);
        }
    }
    Ok(part)
}

/// Verifies the entries of a chain after a position. Returns the position reached, unless that is the end.
async fn verify_chain(
    db: &Database,
    head: &audit_chain::Model,
    after: i64,
    limit: u64,
    part: &mut Part,
) -> Result<Option<i64>, DbErr> {
    let chain_id = head.id;
    let (mut seq, mut last_hash) = (after, hash_of(db, chain_id, after).await?);
    loop {
        let page = audit_entry::Entity::find()
            .filter(audit_entry::Column::ChainId.eq(chain_id))
            .filter(audit_entry::Column::Seq.gt(seq))
            .filter(audit_entry::Column::Seq.lte(head.last_seq))
            .order_by_asc(audit_entry::Column::Seq)
            .limit(PAGE.min(limit - part.checked))
            .all(db)
            .await?;
        if page.is_empty() {
            break;
        }
        part.checked += page.len() as u64;
        for entry in page {
            if entry.seq != seq + 1 {
                part.findings.push(Finding::Removed { chain_id, seq: seq + 1 });
            } else if hash(&entry) != entry.hash {
                part.findings.push(Finding::Changed { chain_id, seq: entry.seq });
            } else if entry.prev_hash != last_hash {
                part.findings.push(Finding::Reordered { chain_id, seq: entry.seq });
            }
            (seq, last_hash) = (entry.seq, entry.hash);
        }
        if part.checked >= limit && seq < head.last_seq {
            return Ok(Some(seq));
        }
    }
    if seq < head.last_seq {
        part.findings.push(Finding::Removed { chain_id, seq: seq + 1 });
    } else if last_hash != head.last_hash {
        part.findings.push(Finding::Changed { chain_id, seq });
    }
    Ok(None)
}

/// The hash that the next entry has to contain. `None` if this entry is missing, since no value is right then.
async fn hash_of(db: &Database, chain_id: Uuid, seq: i64) -> Result<Vec<u8>, DbErr> {
    if seq == 0 {
        return Ok(vec![0; 32]);
    }
    let entry = audit_entry::Entity::find()
        .filter(audit_entry::Column::ChainId.eq(chain_id))
        .filter(audit_entry::Column::Seq.eq(seq))
        .one(db)
        .await?;
    Ok(entry.map(|entry| entry.hash).unwrap_or_default())
}
