//! Keys and sealed values.
//!
//! A master key, kept outside the database, wraps one data key per organization. Patient data is sealed with that
//! data key by AES-256-GCM (NIST SP 800-38D) before it reaches the database or a disk. Three subkeys are derived from
//! the data key by HKDF-SHA-256 (RFC 5869): for fields, for blobs and for words of the search index, so that no key
//! serves two purposes. The master key may be in a hardware module, which then wraps the data keys and a secret that
//! seals data without an organization.

mod hardware;

pub use hardware::{HardwareKey, Place};

use crate::{Clock, Store, Transaction, entities::organization_key};
use aws_lc_rs::{
    aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey},
    constant_time,
    hkdf::{HKDF_SHA256, Prk, Salt},
    hmac, rand,
};
use base64::{
    Engine, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig, general_purpose::STANDARD},
};
use chrono::{DateTime, Duration, Utc};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, entity::prelude::Uuid,
    sea_query::OnConflict,
};
use serde::{Serialize, de::DeserializeOwned};
use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, RwLock},
};
use zeroize::Zeroizing;

/// First byte of a sealed value: AES-256-GCM, 12-byte random nonce, 16-byte tag.
const VERSION: u8 = 1;
const NONCE: usize = 12;
pub(crate) const TAG: usize = 16;

/// Base64, padded or not.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Another node may have destroyed or replaced a key, so a cached one is read again after this time.
const CACHED_FOR: Duration = Duration::minutes(10);

#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    #[error("a master key is 32 bytes, written as 64 hexadecimal digits or as base64")]
    Malformed,
    #[error("a sealed value cannot be opened: it was changed, moved, or sealed with another key")]
    Tampered,
    #[error("the key of an organization is wrapped by master key {0}, which is not at hand")]
    UnknownMasterKey(String),
    #[error("the value cannot be turned into JSON or back")]
    Json,
    /// An error of a hardware module.
    #[error("the hardware module of the master key {0}")]
    Module(String),
    #[error(transparent)]
    Database(#[from] DbErr),
}

type Secret = Zeroizing<[u8; 32]>;

/// Context for wrapping the secret of a master key in a hardware module.
const MODULE_SECRET: &[u8] = b"installation secret";

/// The key of the installation. It wraps the data keys and seals data without an organization.
#[derive(Clone)]
pub struct MasterKey {
    /// The key itself; for a hardware module, the wrapped secret.
    bytes: Secret,
    id: String,
    hardware: Option<Arc<HardwareKey>>,
}

impl MasterKey {
    /// Parses 64 hexadecimal digits or base64 (padded or not) of 32 bytes; surrounding white space is ignored.
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        let text = text.trim();
        let bytes = Zeroizing::new(if text.len() == 64 { from_hex(text)? } else { from_base64(text)? });
        Ok(Self::from_bytes(Zeroizing::new(bytes.as_slice().try_into().map_err(|_| KeyError::Malformed)?)))
    }

    /// A new secret for a key in a hardware module, wrapped by it.
    pub async fn new_wrapped_secret(hardware: &Arc<HardwareKey>) -> Result<Vec<u8>, KeyError> {
        let hardware = hardware.clone();
        beside(move || hardware.seal(MODULE_SECRET, &*random_secret())).await
    }

    /// A key in a hardware module, with the secret that [`Self::new_wrapped_secret`] made for it.
    pub async fn in_hardware(hardware: &Arc<HardwareKey>, wrapped: Vec<u8>) -> Result<Self, KeyError> {
        let own = hardware.clone();
        let secret = fitting(beside(move || own.open(MODULE_SECRET, &wrapped)).await?)?;
        Ok(Self { hardware: Some(hardware.clone()), ..Self::from_bytes(secret) })
    }

    /// A new random key.
    pub fn generate() -> Self {
        Self::from_bytes(random_secret())
    }

    /// The text form, for the operator's configuration.
    pub fn to_base64(&self) -> Zeroizing<String> {
        Zeroizing::new(STANDARD.encode(self.bytes.as_slice()))
    }

    /// A fingerprint that does not reveal the key: 16 hexadecimal digits of a hash.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Seals a secret of the installation, such as the key of its CA. `context` names its place.
    pub fn seal(&self, context: &str, bytes: &[u8]) -> Vec<u8> {
        seal(&cipher(&self.bytes), context.as_bytes(), bytes)
    }

    /// Opens a value sealed by [`MasterKey::seal`] with the same context.
    pub fn open(&self, context: &str, sealed: &[u8]) -> Result<Vec<u8>, KeyError> {
        open(&cipher(&self.bytes), context.as_bytes(), sealed)
    }

    /// A MAC of `bytes`: HMAC-SHA-256 (RFC 2104) with a subkey for `purpose`.
    pub fn mac(&self, purpose: &str, bytes: &[u8]) -> [u8; 32] {
        let subkey = expand(&extract(&self.bytes), &[b"carepost mac v1 ", purpose.as_bytes()]);
        let mac = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &*subkey), bytes);
        mac.as_ref().try_into().expect("as long as the hash")
    }

    fn from_bytes(bytes: Secret) -> Self {
        let hash = expand(&extract(&bytes), &[b"carepost master key id v1"]);
        Self { id: hash[..8].iter().map(|b| format!("{b:02x}")).collect(), bytes, hardware: None }
    }

    async fn wrap(&self, organization_id: Uuid, data_key: Secret) -> Result<Vec<u8>, KeyError> {
        let context = wrap_context(organization_id);
        match self.hardware.clone() {
            Some(hardware) => beside(move || hardware.seal(&context, &*data_key)).await,
            None => Ok(seal(&cipher(&self.bytes), &context, &*data_key)),
        }
    }

    async fn unwrap(&self, organization_id: Uuid, wrapped: Vec<u8>) -> Result<Secret, KeyError> {
        let context = wrap_context(organization_id);
        fitting(match self.hardware.clone() {
            Some(hardware) => beside(move || hardware.open(&context, &wrapped)).await?,
            None => open(&cipher(&self.bytes), &context, &wrapped)?,
        })
    }
}

/// Runs work of a hardware module without blocking other work of this thread.
async fn beside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, KeyError> + Send + 'static,
) -> Result<T, KeyError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|_| Err(KeyError::Module("was given up".into())))
}

/// Checks that an opened value is a secret.
fn fitting(opened: Vec<u8>) -> Result<Secret, KeyError> {
    let opened = Zeroizing::new(opened);
    Ok(Zeroizing::new(opened.as_slice().try_into().map_err(|_| KeyError::Tampered)?))
}

impl fmt::Debug for MasterKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MasterKey({})", self.id)
    }
}

/// The data key of one organization, as its three subkeys. Cloning shares them.
#[derive(Clone)]
pub struct DataKey(Arc<Subkeys>);

struct Subkeys {
    field: LessSafeKey,
    blob: Prk,
    word: hmac::Key,
    content: hmac::Key,
    token: hmac::Key,
}

impl DataKey {
    /// Seals a value for one place; `context` names that place, such as `message.summary:{id}`, and a value cannot be
    /// opened in another place.
    pub fn seal(&self, context: &str, bytes: &[u8]) -> Vec<u8> {
        seal(&self.0.field, context.as_bytes(), bytes)
    }

    /// Opens a value sealed by [`DataKey::seal`] with the same context.
    pub fn open(&self, context: &str, sealed: &[u8]) -> Result<Vec<u8>, KeyError> {
        open(&self.0.field, context.as_bytes(), sealed)
    }

    pub fn seal_json<T: Serialize>(&self, context: &str, value: &T) -> Result<Vec<u8>, KeyError> {
        let json = Zeroizing::new(serde_json::to_vec(value).map_err(|_| KeyError::Json)?);
        Ok(self.seal(context, &json))
    }

    pub fn open_json<T: DeserializeOwned>(&self, context: &str, sealed: &[u8]) -> Result<T, KeyError> {
        let json = Zeroizing::new(self.open(context, sealed)?);
        serde_json::from_slice(&json).map_err(|_| KeyError::Json)
    }

    /// The name of a word in the search index: HMAC-SHA-256 (RFC 2104), cut to 16 bytes.
    pub fn word_hash(&self, word: &[u8]) -> [u8; 16] {
        let mac = hmac::sign(&self.0.word, word);
        mac.as_ref()[..16].try_into().expect("half of it")
    }

    /// Key for finding files with the same content: HMAC-SHA-256 (RFC 2104) of the SHA-256 of the content.
    pub fn content_hash(&self, sha256: &[u8; 32]) -> Vec<u8> {
        hmac::sign(&self.0.content, sha256).as_ref().to_vec()
    }

    /// Key for finding rows about `text` in the database: HMAC-SHA-256 (RFC 2104), cut to 16 bytes. Equal texts have
    /// different tokens for different purposes.
    pub fn token(&self, purpose: &str, text: &str) -> Vec<u8> {
        let mac = hmac::sign(&self.0.token, format!("{purpose}\0{text}").as_bytes());
        mac.as_ref()[..16].to_vec()
    }

    /// The key of one stored blob. `salt` is stored with it, so that writing a blob again never repeats
    /// a nonce under the same key.
    pub(crate) fn blob_key(&self, organization_id: Uuid, blob_id: Uuid, salt: &[u8]) -> LessSafeKey {
        let info = [b"carepost blob v1".as_slice(), organization_id.as_bytes(), blob_id.as_bytes(), salt];
        cipher(&expand(&self.0.blob, &info))
    }

    fn from_secret(secret: &Secret) -> Self {
        let data_key = extract(secret);
        let subkey = |purpose: &[u8]| expand(&data_key, &[purpose]);
        Self(Arc::new(Subkeys {
            field: cipher(&subkey(b"carepost fields v1")),
            blob: extract(&subkey(b"carepost blobs v1")),
            word: hmac::Key::new(hmac::HMAC_SHA256, &*subkey(b"carepost words v1")),
            content: hmac::Key::new(hmac::HMAC_SHA256, &*subkey(b"carepost contents v1")),
            token: hmac::Key::new(hmac::HMAC_SHA256, &*subkey(b"carepost tokens v1")),
        }))
    }
}

impl fmt::Debug for DataKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DataKey")
    }
}

/// A cached data key, and when it has to be read again.
type Cached = (DataKey, DateTime<Utc>);

/// Provides the data keys of organizations. Cloning shares the cache.
#[derive(Clone)]
pub struct KeyRing {
    store: Store,
    clock: Clock,
    master: MasterKey,
    previous: Vec<MasterKey>,
    cache: Arc<RwLock<HashMap<Uuid, Cached>>>,
}

impl KeyRing {
    pub fn new(store: Store, clock: Clock, master: MasterKey) -> Self {
        Self { store, clock, master, previous: Vec::new(), cache: Arc::default() }
    }

    /// Master keys that may still wrap data keys while they are being replaced.
    pub fn with_previous(mut self, previous: impl IntoIterator<Item = MasterKey>) -> Self {
        self.previous = previous.into_iter().collect();
        self
    }

    /// The master key that seals and wraps.
    pub fn master(&self) -> &MasterKey {
        &self.master
    }

    /// Whether the MAC was made by [`MasterKey::mac`] of the current master key or a previous one.
    pub fn has_made_mac(&self, purpose: &str, bytes: &[u8], mac: &[u8]) -> bool {
        self.masters().any(|m| constant_time::verify_slices_are_equal(&m.mac(purpose, bytes), mac).is_ok())
    }

    /// Opens a secret of the installation sealed by the current master key or a previous one.
    pub fn open_secret(&self, context: &str, sealed: &[u8]) -> Result<Vec<u8>, KeyError> {
        self.masters().find_map(|m| m.open(context, sealed).ok()).ok_or(KeyError::Tampered)
    }

    /// The data key of an organization, created on first use.
    ///
    /// It works on a connection of its own, so ask before a transaction begins: SQLite has one writer at a time.
    pub async fn data_key(&self, organization_id: Uuid) -> Result<DataKey, KeyError> {
        if let Some(key) = self.cached(organization_id) {
            return Ok(key);
        }
        let key = self.find_or_create(self.store.db(), organization_id).await?;
        let expires = self.clock.now() + CACHED_FOR;
        self.cache.write().expect("key cache").insert(organization_id, (key.clone(), expires));
        Ok(key)
    }

    /// The same inside a transaction, such as the one that creates the organization. Nothing is cached,
    /// because the transaction may still be rolled back.
    pub async fn create_in(&self, txn: &Transaction, organization_id: Uuid) -> Result<DataKey, KeyError> {
        self.find_or_create(txn, organization_id).await
    }

    /// Destroys the data key: everything sealed with it becomes unreadable, in backups of the blobs too. Other nodes
    /// cache the key for ten minutes at most. Call [`KeyRing::forget`] after the commit.
    pub async fn shred(&self, conn: &impl ConnectionTrait, organization_id: Uuid) -> Result<(), KeyError> {
        organization_key::Entity::delete_by_id(organization_id).exec(conn).await?;
        self.forget(organization_id);
        Ok(())
    }

    /// Drops the cached data key.
    pub fn forget(&self, organization_id: Uuid) {
        self.cache.write().expect("key cache").remove(&organization_id);
    }

    /// A secret of the installation, resealed with the current master key; none if it is already.
    pub fn resealed(&self, context: &str, sealed: &[u8]) -> Result<Option<Vec<u8>>, KeyError> {
        if self.master.open(context, sealed).is_ok() {
            return Ok(None);
        }
        let secret = Zeroizing::new(self.open_secret(context, sealed)?);
        Ok(Some(self.master.seal(context, &secret)))
    }

    /// Rewraps all data keys of a previous master key with the current one, and returns how many. Data is unchanged.
    /// Safe to repeat after a crash, and while nodes that know both keys are at work.
    pub async fn rewrap_all(&self) -> Result<u64, KeyError> {
        let rows = organization_key::Entity::find()
            .filter(organization_key::Column::MasterKeyId.ne(self.master.id()))
            .all(self.store.db())
            .await?;
        let mut rewrapped = 0;
        for row in rows {
            let old = self.master_of(&row.master_key_id)?;
            let secret = old.unwrap(row.organization_id, row.wrapped).await?;
            let change = organization_key::ActiveModel {
                wrapped: Set(self.master.wrap(row.organization_id, secret).await?),
                master_key_id: Set(self.master.id().to_owned()),
                ..Default::default()
            };
            rewrapped += organization_key::Entity::update_many()
                .set(change)
                .filter(organization_key::Column::OrganizationId.eq(row.organization_id))
                .filter(organization_key::Column::MasterKeyId.eq(old.id()))
                .exec(self.store.db())
                .await?
                .rows_affected;
        }
        Ok(rewrapped)
    }

    fn master_of(&self, id: &str) -> Result<&MasterKey, KeyError> {
        self.masters().find(|m| m.id() == id).ok_or_else(|| KeyError::UnknownMasterKey(id.to_owned()))
    }

    fn masters(&self) -> impl Iterator<Item = &MasterKey> {
        std::iter::once(&self.master).chain(&self.previous)
    }

    fn cached(&self, organization_id: Uuid) -> Option<DataKey> {
        let cache = self.cache.read().expect("key cache");
        let (key, expires) = cache.get(&organization_id)?;
        (self.clock.now() < *expires).then(|| key.clone())
    }

    async fn find_or_create(
        &self,
        conn: &impl ConnectionTrait,
        organization_id: Uuid,
    ) -> Result<DataKey, KeyError> {
        if let Some(key) = self.find(conn, organization_id).await? {
            return Ok(key);
        }
        let row = organization_key::ActiveModel {
            organization_id: Set(organization_id),
            wrapped: Set(self.master.wrap(organization_id, random_secret()).await?),
            master_key_id: Set(self.master.id().to_owned()),
            created_at: Set(self.clock.now()),
        };
        let first_wins = OnConflict::column(organization_key::Column::OrganizationId).do_nothing().to_owned();
        organization_key::Entity::insert(row).on_conflict(first_wins).exec_without_returning(conn).await?;
        // Another node may have been first: read back the key that was stored.
        let missing = || DbErr::RecordNotFound("organization_key".into());
        self.find(conn, organization_id).await?.ok_or_else(|| missing().into())
    }

    async fn find(
        &self,
        conn: &impl ConnectionTrait,
        organization_id: Uuid,
    ) -> Result<Option<DataKey>, KeyError> {
        let Some(row) = organization_key::Entity::find_by_id(organization_id).one(conn).await? else {
            return Ok(None);
        };
        let master = self.master_of(&row.master_key_id)?;
        Ok(Some(DataKey::from_secret(&master.unwrap(organization_id, row.wrapped).await?)))
    }
}

impl fmt::Debug for KeyRing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyRing({})", self.master.id)
    }
}

fn wrap_context(organization_id: Uuid) -> Vec<u8> {
    [b"organization_key:".as_slice(), organization_id.as_bytes()].concat()
}

/// Version byte, nonce, ciphertext, tag. Random nonces allow 2^32 values per key (SP 800-38D 8.3), which is
/// far beyond what one organization seals.
fn seal(key: &LessSafeKey, context: &[u8], bytes: &[u8]) -> Vec<u8> {
    let mut nonce = [0; NONCE];
    rand::fill(&mut nonce).expect("the machine gives random bytes");
    let mut sealed = Vec::with_capacity(1 + NONCE + bytes.len() + TAG);
    sealed.push(VERSION);
    sealed.extend_from_slice(&nonce);
    sealed.extend_from_slice(bytes);
    let tag = seal_in_place(key, nonce, context, &mut sealed[1 + NONCE..]);
    sealed.extend_from_slice(&tag);
    sealed
}

fn open(key: &LessSafeKey, context: &[u8], sealed: &[u8]) -> Result<Vec<u8>, KeyError> {
    if sealed.len() < 1 + NONCE + TAG || sealed[0] != VERSION {
        return Err(KeyError::Tampered);
    }
    let (nonce, rest) = sealed[1..].split_at(NONCE);
    let nonce = nonce.try_into().map_err(|_| KeyError::Tampered)?;
    let mut bytes = rest.to_vec();
    open_in_place(key, nonce, context, &mut bytes)?;
    Ok(bytes)
}

fn cipher(key: &Secret) -> LessSafeKey {
    LessSafeKey::new(UnboundKey::new(&AES_256_GCM, &**key).expect("32 bytes are a key of AES-256"))
}

/// AES-256-GCM with a given nonce. Returns the tag.
pub(crate) fn seal_in_place(
    key: &LessSafeKey,
    nonce: [u8; NONCE],
    aad: &[u8],
    bytes: &mut [u8],
) -> [u8; TAG] {
    let tag = key
        .seal_in_place_separate_tag(Nonce::assume_unique_for_key(nonce), Aad::from(aad), bytes)
        .expect("AES-256-GCM takes up to 64 GiB");
    tag.as_ref().try_into().expect("its tag has 16 bytes")
}

/// Opens ciphertext that ends with its tag, which is cut off.
pub(crate) fn open_in_place(
    key: &LessSafeKey,
    nonce: [u8; NONCE],
    aad: &[u8],
    sealed: &mut Vec<u8>,
) -> Result<(), KeyError> {
    let opened = key.open_in_place(Nonce::assume_unique_for_key(nonce), Aad::from(aad), sealed);
    let length = opened.map_err(|_| KeyError::Tampered)?.len();
    sealed.truncate(length);
    Ok(())
}

/// The first half of HKDF-SHA-256, without salt, since the input is uniformly random already (RFC 5869 3.1).
fn extract(secret: &Secret) -> Prk {
    Salt::new(HKDF_SHA256, &[]).extract(&**secret)
}

/// The second half: a key for one purpose.
fn expand(key: &Prk, info: &[&[u8]]) -> Secret {
    let mut out = Zeroizing::new([0; 32]);
    key.expand(info, HKDF_SHA256).and_then(|okm| okm.fill(&mut *out)).expect("HKDF-SHA-256 gives 32 bytes");
    out
}

fn random_secret() -> Secret {
    let mut secret = Zeroizing::new([0; 32]);
    rand::fill(&mut *secret).expect("the machine gives random bytes");
    secret
}

fn from_hex(text: &str) -> Result<Vec<u8>, KeyError> {
    text.as_bytes()
        .chunks(2)
        .map(|pair| {
            let digit = |c: u8| char::from(c).to_digit(16).ok_or(KeyError::Malformed);
            Ok((digit(pair[0])? << 4 | digit(pair[1])?) as u8)
        })
        .collect()
}

fn from_base64(text: &str) -> Result<Vec<u8>, KeyError> {
    BASE64.decode(text).map_err(|_| KeyError::Malformed)
}
