//! The newest entry of each chain of the audit trail, kept outside the database under a MAC of the master key. Whoever has
//! the whole database can remove the newest entries, or a chain, and what is left fits together; it does not fit the
//! heads that were kept before.

use super::{Act, Actor, Finding, event, record};
use crate::{App, Config, Error, Result};
use chrono::{DateTime, Utc};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::{
    collections::BTreeMap,
    io::{self, Write},
    path::{Path, PathBuf},
};
use store::{
    Database,
    blobs::BlobStore,
    entities::{audit_chain, audit_entry},
    keys::KeyRing,
};
use tempfile::NamedTempFile;
use uuid::Uuid;

/// How often nodes keep new heads.
pub const INTERVAL: std::time::Duration = std::time::Duration::from_secs(60);

const NAME: &str = "audit-heads.json";
const PURPOSE: &str = "audit heads";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Head {
    seq: i64,
    /// In hex.
    hash: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Heads {
    /// When they were kept.
    pub at: DateTime<Utc>,
    chains: BTreeMap<Uuid, Head>,
}

/// What stands in the file: the heads as text, and its MAC in hex.
#[derive(Serialize, Deserialize)]
struct Signed {
    heads: String,
    mac: String,
}

/// What is kept.
#[derive(Debug)]
pub enum Kept {
    Heads(Heads),
    /// Nothing was kept yet, or it was removed.
    Missing,
    /// It was changed, or written with another master key.
    Forged,
}

/// Where heads are kept.
pub enum Place {
    File(PathBuf),
    /// Nodes that share a bucket share the heads.
    Bucket(BlobStore),
}

impl Place {
    pub fn of(config: &Config, blobs: &BlobStore) -> Self {
        match (&config.audit.heads_file, &config.blobs.s3) {
            (Some(file), _) => Self::File(file.clone()),
            (None, Some(_)) => Self::Bucket(blobs.clone()),
            (None, None) => Self::File(config.data_dir.join(NAME)),
        }
    }

    /// Reads what is kept.
    pub async fn read(&self, keys: &KeyRing) -> Result<Kept> {
        let text = match self {
            Self::File(path) => match tokio::fs::read(path).await {
                Ok(text) => Some(text),
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                Err(error) => return Err(unusable(path, &error)),
            },
            Self::Bucket(blobs) => blobs.read_note(NAME).await?.map(Into::into),
        };
        Ok(match text {
            None => Kept::Missing,
            Some(text) => opened(&text, keys).map_or(Kept::Forged, Kept::Heads),
        })
    }

    async fn write(&self, heads: &Heads, keys: &KeyRing) -> Result<()> {
        let heads = serde_json::to_string(heads).map_err(Error::internal)?;
        let mac = hex(&keys.master().mac(PURPOSE, heads.as_bytes()));
        let text = serde_json::to_vec(&Signed { heads, mac }).map_err(Error::internal)?;
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

/// Either the old content or the new one is there, whenever the machine stops.
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
    fits.then(|| serde_json::from_str(&signed.heads).ok()).flatten()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let byte = |at: usize| u8::from_str_radix(text.get(at..at + 2)?, 16).ok();
    (0..text.len()).step_by(2).map(byte).collect()
}

/// Compares what is kept with the trail as it is now.
pub async fn compare(db: &Database, kept: &Heads) -> Result<Vec<Finding>, DbErr> {
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

/// Compares, and keeps the newest heads of the chains that are as they should be. What does not fit stays as it was kept, so
/// that it is said again until somebody accepts it. Returns it in plain words.
pub async fn keep(app: &App) -> Result<Vec<String>> {
    let place = Place::of(&app.config, &app.blobs);
    let db = app.store.db();
    let mut newest = current(db).await?;
    match place.read(&app.keys).await? {
        Kept::Missing => {
            if newest.values().any(|head| head.seq > 0) {
                tracing::warn!("no heads of the audit trail were kept before; they are from now on");
            }
            write(app, &place, newest).await?;
            Ok(Vec::new())
        }
        Kept::Forged => Ok(vec![FORGED.into()]),
        Kept::Heads(before) => {
            let findings = compare(db, &before).await?;
            for finding in &findings {
                let chain_id = finding.chain_id();
                newest.insert(chain_id, before.chains[&chain_id].clone());
            }
            if newest != before.chains {
                write(app, &place, newest).await?;
            }
            Ok(findings.iter().map(ToString::to_string).collect())
        }
    }
}

/// What is said of heads whose MAC is wrong.
pub const FORGED: &str = "The kept heads of the audit trail were changed, or written with another master key";

async fn write(app: &App, place: &Place, chains: BTreeMap<Uuid, Head>) -> Result<()> {
    place.write(&Heads { at: app.clock.now(), chains }, &app.keys).await
}

/// Keeps the heads as they are now, whatever was kept before: after a backup was restored. The trail of the platform says
/// so.
pub async fn accept(app: &App) -> Result<()> {
    let place = Place::of(&app.config, &app.blobs);
    let db = app.store.db();
    let findings = match place.read(&app.keys).await? {
        Kept::Heads(before) => compare(db, &before).await?.iter().map(ToString::to_string).collect(),
        Kept::Missing => vec!["no heads were kept".to_owned()],
        Kept::Forged => vec![FORGED.to_owned()],
    };
    let txn = app.store.begin().await?;
    let actor = Actor { name: "Operator at the command line".into(), ..Actor::default() };
    let act = Act::new(event::AUDIT_ACCEPTED, "audittrail", "heads").detail(json!({ "findings": findings }));
    record(app, &txn, &actor, act).await?;
    txn.commit().await?;
    write(app, &place, current(db).await?).await
}
