//! The newest entry of each chain of the audit trail, stored outside the database with a MAC by the master key.
//! Whoever controls the database can remove the newest entries, or a chain, and the rest stays consistent; but it no
//! longer matches the heads stored before. Heads are numbered, each contains the hash of the previous ones, and the
//! database records the last ones (`witness`): removed heads, or an older copy in their place, are a finding until an
//! operator accepts it.

mod witness;

use super::{Act, Actor, Finding, event, record};
use crate::{App, Config, Error, Result};
use chrono::{DateTime, Utc};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest, Sha256};
use std::{
    collections::BTreeMap,
    fmt,
    io::{self, Write},
    path::{Path, PathBuf},
    time::Duration,
};
use store::{
    Database,
    blobs::BlobStore,
    entities::{audit_chain, audit_entry},
    keys::KeyRing,
};
use tempfile::NamedTempFile;
use uuid::Uuid;
pub use witness::begin;
use witness::{Said, Witness};

/// Interval at which nodes store new heads.
pub const INTERVAL: Duration = Duration::from_secs(60);
/// Time limit for writing them.
const PATIENCE: Duration = Duration::from_secs(30);

const NAME: &str = "audit-heads.json";
const PURPOSE: &str = "audit heads";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Head {
    seq: i64,
    /// In hex.
    hash: String,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Heads {
    /// Time at which they were stored.
    pub at: DateTime<Utc>,
    /// Increases by one with each write; 0 in heads of versions without numbers.
    #[serde(default)]
    number: u64,
    /// Hash of the previous heads, in hex.
    #[serde(default)]
    before: String,
    chains: BTreeMap<Uuid, Head>,
    /// Hash of these heads, in hex.
    #[serde(skip)]
    hash: String,
}

/// Content of the file: the heads as text, and their MAC in hex.
#[derive(Serialize, Deserialize)]
struct Signed {
    heads: String,
    mac: String,
}

/// Content of the storage location of heads.
enum Found {
    Heads(Heads),
    Nothing,
    /// Changed, or written with another master key.
    Forged,
}

/// Problem of the stored heads, apart from differences to the trail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// The heads were changed, or written with another master key.
    Forged,
    /// There were heads, and they were removed.
    Removed,
    /// They are not the newest ones.
    Exchanged,
    /// They are newer than the database's record of them.
    Ahead,
    /// The database has no record of them, or none that can be opened.
    Unknown,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Forged => "The stored heads of the audit trail were changed, or written with another master key",
            Self::Removed => "The stored heads of the audit trail were removed",
            Self::Exchanged => {
                "The stored heads of the audit trail were replaced: they are not the ones stored last"
            }
            Self::Ahead => {
                "The stored heads of the audit trail are newer than the database, which may have been reset to an earlier state"
            }
            Self::Unknown => "The database has no valid record of the last stored heads of the audit trail",
        })
    }
}

/// The stored heads, and their problem; neither if nothing was stored yet.
#[derive(Debug)]
pub struct Kept {
    pub heads: Option<Heads>,
    pub wrong: Option<Wrong>,
}

impl Kept {
    fn of(found: Found, said: Option<&Said>, is_new: bool) -> Self {
        let (heads, wrong) = match (found, said) {
            (Found::Forged, _) => (None, Some(Wrong::Forged)),
            (Found::Nothing, None) => (None, (!is_new).then_some(Wrong::Unknown)),
            (Found::Nothing, Some(said)) => {
                (None, said.witness.as_ref().map_or(Some(Wrong::Unknown), of_nothing))
            }
            // Heads of versions without numbers have no record.
            (Found::Heads(heads), None) => {
                let wrong = (heads.number > 0).then_some(Wrong::Unknown);
                (Some(heads), wrong)
            }
            (Found::Heads(heads), Some(said)) => {
                let wrong =
                    said.witness.as_ref().map_or(Some(Wrong::Unknown), |witness| of_heads(&heads, witness));
                (Some(heads), wrong)
            }
        };
        Self { heads, wrong }
    }

    /// The differences between the trail and its stored heads.
    pub async fn findings(&self, db: &Database) -> Result<Vec<Finding>, DbErr> {
        match &self.heads {
            Some(heads) => compare(db, heads).await,
            None => Ok(Vec::new()),
        }
    }

    /// The heads that the next ones follow, for the record in the database.
    fn newest(&self) -> Witness {
        self.heads
            .as_ref()
            .map_or_else(Witness::default, |heads| Witness::of(heads.number, heads.hash.clone()))
    }
}

fn of_nothing(witness: &Witness) -> Option<Wrong> {
    (!witness.hash.is_empty()).then_some(Wrong::Removed)
}

/// A node may have crashed between storing these and recording them in the database, which then has the previous
/// ones.
fn of_heads(heads: &Heads, witness: &Witness) -> Option<Wrong> {
    let is_told = heads.number == witness.number && heads.hash == witness.hash;
    let follows = heads.number == witness.number + 1 && heads.before == witness.hash;
    match heads.number > witness.number {
        _ if is_told || follows => None,
        true => Some(Wrong::Ahead),
        false => Some(Wrong::Exchanged),
    }
}

/// Reads the stored heads. The database is read first: heads written meanwhile are newer than its record.
pub async fn read(config: &Config, blobs: &BlobStore, db: &Database, keys: &KeyRing) -> Result<Kept> {
    let said = witness::read(db, keys).await?;
    read_as_said(&Place::of(config, blobs), db, keys, said.as_ref()).await
}

async fn read_as_said(place: &Place, db: &Database, keys: &KeyRing, said: Option<&Said>) -> Result<Kept> {
    let found = place.read(keys).await?;
    let is_new = said.is_none() && current(db).await?.is_empty();
    Ok(Kept::of(found, said, is_new))
}

/// Storage location of heads. It is the same for all nodes of a database.
enum Place {
    File(PathBuf),
    /// Nodes that share a bucket share the heads.
    Bucket(BlobStore),
}

impl Place {
    fn of(config: &Config, blobs: &BlobStore) -> Self {
        match (&config.audit.heads_file, &config.blobs.s3) {
            (Some(file), _) => Self::File(file.clone()),
            (None, Some(_)) => Self::Bucket(blobs.clone()),
            (None, None) => Self::File(config.data_dir.join(NAME)),
        }
    }

    async fn read(&self, keys: &KeyRing) -> Result<Found> {
        let text = match self {
            Self::File(path) => match tokio::fs::read(path).await {
                Ok(text) => Some(text),
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                Err(error) => return Err(unusable(path, &error)),
            },
            Self::Bucket(blobs) => blobs.read_note(NAME).await?.map(Into::into),
        };
        Ok(match text {
            None => Found::Nothing,
            Some(text) => opened(&text, keys).map_or(Found::Forged, Found::Heads),
        })
    }

    /// Returns the hash of the written heads.
    async fn write(&self, heads: &Heads, keys: &KeyRing) -> Result<String> {
        let heads = serde_json::to_string(heads).map_err(Error::internal)?;
        let hash = hash(&heads);
        let mac = hex(&keys.master().mac(PURPOSE, heads.as_bytes()));
        let text = serde_json::to_vec(&Signed { heads, mac }).map_err(Error::internal)?;
        let written = tokio::time::timeout(PATIENCE, self.write_text(text)).await;
        written.map_err(|_| Error::internal("the heads of the audit trail took too long to write"))??;
        Ok(hash)
    }

    async fn write_text(&self, text: Vec<u8>) -> Result<()> {
        match self {
            Self::Bucket(blobs) => Ok(blobs.write_note(NAME, text.into()).await?),
            Self::File(path) => {
                let path = path.clone();
                let written = move || replace(&path, &text).map_err(|error| unusable(&path, &error));
                tokio::task::spawn_blocking(written).await.map_err(Error::internal)?
            }
        }
    }
}

fn unusable(path: &Path, error: &io::Error) -> Error {
    Error::internal(format!("the heads of the audit trail in {} cannot be used: {error}", path.display()))
}

/// Either the old or the new content is complete, even after a crash.
fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(text)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    std::fs::File::open(folder)?.sync_all()
}

fn opened(text: &[u8], keys: &KeyRing) -> Option<Heads> {
    let signed: Signed = serde_json::from_slice(text).ok()?;
    let fits = keys.has_made_mac(PURPOSE, signed.heads.as_bytes(), &unhex(&signed.mac)?);
    let heads: Heads = fits.then(|| serde_json::from_str(&signed.heads).ok()).flatten()?;
    Some(Heads { hash: hash(&signed.heads), ..heads })
}

fn hash(heads: &str) -> String {
    hex(&Sha256::digest(heads))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let byte = |at: usize| u8::from_str_radix(text.get(at..at + 2)?, 16).ok();
    (0..text.len()).step_by(2).map(byte).collect()
}

/// Compares the stored heads with the current trail.
async fn compare(db: &Database, kept: &Heads) -> Result<Vec<Finding>, DbErr> {
    let now = current(db).await?;
    let mut findings = Vec::new();
    for (&chain_id, head) in &kept.chains {
        match now.get(&chain_id) {
            Some(same) if same == head => {}
            Some(newer) if newer.seq > head.seq => {
                let entry = audit_entry::Entity::find()
                    .filter(audit_entry::Column::ChainId.eq(chain_id))
                    .filter(audit_entry::Column::Seq.eq(head.seq))
                    .one(db)
                    .await?;
                match entry {
                    None => findings.push(Finding::Removed { chain_id, seq: head.seq }),
                    Some(entry) if hex(&entry.hash) != head.hash => {
                        findings.push(Finding::Changed { chain_id, seq: head.seq });
                    }
                    Some(_) => {}
                }
            }
            Some(same) if same.seq == head.seq => {
                findings.push(Finding::Changed { chain_id, seq: head.seq });
            }
            Some(_) | None => findings.push(Finding::Removed { chain_id, seq: head.seq }),
        }
    }
    Ok(findings)
}

async fn current(db: &Database) -> Result<BTreeMap<Uuid, Head>, DbErr> {
    let rows = audit_chain::Entity::find().all(db).await?;
    Ok(rows.into_iter().map(|c| (c.id, Head { seq: c.last_seq, hash: hex(&c.last_hash) })).collect())
}

/// Compares, and stores the newest heads of the chains without differences. The others stay as they are, so that the
/// difference is reported again until somebody accepts it. Returns the differences in plain words.
pub async fn keep(app: &App) -> Result<Vec<String>> {
    let place = Place::of(&app.config, &app.blobs);
    let db = app.store.db();
    let said = witness::read(db, &app.keys).await?;
    let mut newest = current(db).await?;
    let kept = read_as_said(&place, db, &app.keys, said.as_ref()).await?;
    let findings = kept.findings(db).await?;
    let problems = texts(&kept, &findings);
    if kept.wrong.is_some() || is_busy(app, said.as_ref()) {
        return Ok(problems);
    }
    let before = kept.heads.as_ref().map(|heads| &heads.chains);
    for chain_id in findings.iter().map(Finding::chain_id) {
        if let Some(head) = before.and_then(|chains| chains.get(&chain_id)) {
            newest.insert(chain_id, head.clone());
        }
    }
    let is_told = said.as_ref().and_then(|said| said.witness.as_ref()) == Some(&kept.newest());
    if !is_told || before != Some(&newest) {
        write(app, &place, said.as_ref(), &kept.newest(), newest).await?;
    }
    Ok(problems)
}

/// Whether another node is writing heads.
fn is_busy(app: &App, said: Option<&Said>) -> bool {
    said.and_then(|said| said.witness.as_ref()).is_some_and(|witness| witness.is_busy(app.clock.now()))
}

/// Problems of the stored heads, and differences to the trail.
fn texts(kept: &Kept, findings: &[Finding]) -> Vec<String> {
    kept.wrong.iter().map(ToString::to_string).chain(findings.iter().map(ToString::to_string)).collect()
}

/// Writes heads that follow the present ones, and records them in the database, unless another node is writing. After
/// a crash in between, the stored heads follow those recorded in the database.
async fn write(
    app: &App,
    place: &Place,
    said: Option<&Said>,
    before: &Witness,
    chains: BTreeMap<Uuid, Head>,
) -> Result<bool> {
    let Some(taken) = witness::take(app, said, before.clone()).await? else { return Ok(false) };
    let number = before.number + 1;
    let heads =
        Heads { at: app.clock.now(), number, before: before.hash.clone(), chains, hash: String::new() };
    match place.write(&heads, &app.keys).await {
        Ok(hash) => witness::settle(app, &taken, Witness::of(number, hash)).await?,
        Err(error) => {
            witness::settle(app, &taken, before.clone()).await?;
            return Err(error);
        }
    }
    Ok(true)
}

/// Stores the current heads regardless of earlier ones, after a backup was restored. The platform's audit trail
/// records the reason.
pub async fn accept(app: &App, reason: &str) -> Result<()> {
    let place = Place::of(&app.config, &app.blobs);
    let db = app.store.db();
    let said = witness::read(db, &app.keys).await?;
    if is_busy(app, said.as_ref()) {
        return Err(Error::internal("another node is storing heads"));
    }
    let kept = read_as_said(&place, db, &app.keys, said.as_ref()).await?;
    let findings = texts(&kept, &kept.findings(db).await?);
    let txn = app.store.begin().await?;
    let actor = Actor { name: "Command line".into(), ..Actor::default() };
    let act = Act::new(event::AUDIT_ACCEPTED, "audittrail", "heads")
        .detail(json!({ "findings": findings, "reason": reason }));
    record(app, &txn, &actor, act).await?;
    txn.commit().await?;
    // Older copies of either are now outdated.
    let known = said.as_ref().and_then(|said| said.witness.as_ref()).map_or(0, |witness| witness.number);
    let before = kept.newest();
    let before = Witness::of(before.number.max(known), before.hash);
    if !write(app, &place, said.as_ref(), &before, current(db).await?).await? {
        return Err(Error::internal("another node is storing heads"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heads(number: u64, before: &str, hash: &str) -> Found {
        Found::Heads(Heads { number, before: before.into(), hash: hash.into(), ..Heads::default() })
    }

    fn said(number: u64, hash: &str) -> Option<Said> {
        Some(Said::of(Witness::of(number, hash.into())))
    }

    fn wrong(found: Found, said: Option<Said>) -> Option<Wrong> {
        Kept::of(found, said.as_ref(), false).wrong
    }

    #[test]
    fn heads_fit_what_was_said_of_them_or_follow_it() {
        assert_eq!(wrong(heads(7, "f", "g"), said(7, "g")), None);
        assert_eq!(wrong(heads(8, "g", "h"), said(7, "g")), None, "nobody could say so any more");
        assert_eq!(wrong(Found::Nothing, said(0, "")), None, "nothing was kept yet");
        assert_eq!(wrong(heads(0, "", "a"), None), None, "kept by a version that did not count");
        assert_eq!(wrong(heads(0, "", "a"), said(0, "a")), None, "which was counted since");
        assert_eq!(Kept::of(Found::Nothing, None, true).wrong, None, "there is no trail");
    }

    #[test]
    fn heads_that_are_gone_or_older_or_of_nobody_are_wrong() {
        assert_eq!(wrong(Found::Forged, said(7, "g")), Some(Wrong::Forged));
        assert_eq!(wrong(Found::Nothing, said(7, "g")), Some(Wrong::Removed));
        assert_eq!(wrong(Found::Nothing, said(0, "a")), Some(Wrong::Removed));
        assert_eq!(wrong(heads(6, "e", "f"), said(7, "g")), Some(Wrong::Exchanged), "by one");
        assert_eq!(wrong(heads(0, "", "a"), said(7, "g")), Some(Wrong::Exchanged), "of an older version");
        assert_eq!(wrong(heads(7, "f", "x"), said(7, "g")), Some(Wrong::Exchanged), "of another history");
        assert_eq!(wrong(heads(8, "x", "h"), said(7, "g")), Some(Wrong::Ahead), "of another history");
        assert_eq!(wrong(heads(9, "h", "i"), said(7, "g")), Some(Wrong::Ahead));
        assert_eq!(wrong(heads(7, "f", "g"), None), Some(Wrong::Unknown));
        assert_eq!(wrong(heads(7, "f", "g"), Some(Said::unreadable())), Some(Wrong::Unknown));
        assert_eq!(wrong(Found::Nothing, Some(Said::unreadable())), Some(Wrong::Unknown));
        assert_eq!(wrong(Found::Nothing, None), Some(Wrong::Unknown));
    }
}
