//! Permanent properties of an installation: its master key, and whether it runs on sample data.

use anyhow::{Context, Result, anyhow, bail};
use base64::{Engine, engine::general_purpose::STANDARD};
use platform::{
    Config,
    audit::heads,
    config::{Mode, NO_MASTER_KEY, Pkcs11},
};
use sea_orm::{ActiveValue::Set, ConnectionTrait, DbErr, EntityTrait, sea_query::OnConflict};
use std::{
    fs,
    io::Write,
    os::unix::fs::OpenOptionsExt,
    path::PathBuf,
    thread,
    time::{Duration, Instant},
};
use store::{
    Store,
    entities::installation::{ActiveModel, Column, Entity},
    keys::{HardwareKey, KeyError, KeyRing, MasterKey, Place},
};

/// Row that exists while the demo data is present.
pub const DEMO_SEEDED: &str = "demo_seeded";
/// Row that exists while the demo's letters are being sent; its value is the time at which their story ends.
pub const DEMO_STORY: &str = "demo_story";
/// Row that exists once a practice of the demonstration is connected to the sample EHR.
pub const DEMO_EHR: &str = "demo_ehr";
/// Row with a text sealed by the installation's master key.
const KEY_CHECK: &str = "master_key_check";
const KEY_CHECK_TEXT: &[u8] = b"carepost";
/// Prefix of the name of a row with a secret that a hardware module's key wraps.
const MODULE_SECRET: &str = "module_secret";
/// Time for which a killed process's resources may stay in use: a child that it was starting has them too, until it
/// executes another program.
pub const HELD: Duration = Duration::from_secs(5);
/// Interval of the checks.
pub const LOOK: Duration = Duration::from_millis(50);

/// Location of the master key generated in demo mode.
pub fn generated_key_file(config: &Config) -> PathBuf {
    config.data_dir.join("master.key")
}

/// The configured master key; in demo mode, one is generated on first start.
pub async fn master_key(config: &Config, store: &Store) -> Result<MasterKey> {
    if let Some(module) = &config.keys.pkcs11 {
        return of_module(module, store).await.context("keys.pkcs11 cannot be used");
    }
    if let Some(text) = &config.keys.master_key {
        return MasterKey::parse(text).context("keys.master_key cannot be used");
    }
    if config.mode == Mode::Production {
        bail!(NO_MASTER_KEY);
    }
    let file = generated_key_file(config);
    if !file.exists() {
        return generate_key(config);
    }
    let text = fs::read_to_string(&file).with_context(|| format!("{} cannot be read", file.display()))?;
    MasterKey::parse(&text).with_context(|| format!("{} does not contain a master key", file.display()))
}

/// The master key that is being replaced.
pub async fn previous_master_key(config: &Config, store: &Store) -> Result<Option<MasterKey>> {
    if let Some(module) = &config.keys.previous_pkcs11 {
        let key = of_module(module, store).await;
        return key.context("keys.previous_pkcs11 cannot be used").map(Some);
    }
    let Some(text) = &config.keys.previous_master_key else { return Ok(None) };
    MasterKey::parse(text).context("keys.previous_master_key cannot be used").map(Some)
}

/// Location of a configured key in a hardware module.
pub fn place(module: &Pkcs11) -> Place {
    let Pkcs11 { module, token_label, key_label, pin, .. } = module.clone();
    Place { module, token_label, key_label, pin }
}

/// A key of a hardware module, with its secret, which is created when the key is first used.
async fn of_module(module: &Pkcs11, store: &Store) -> Result<MasterKey> {
    let row = format!("{MODULE_SECRET}:{}:{}", module.token_label, module.key_label);
    let hardware = HardwareKey::find(place(module)).await?;
    let mut known = value(store.db(), &row).await?;
    if known.is_none() {
        let wrapped = MasterKey::new_wrapped_secret(&hardware).await?;
        claim(store.db(), &row, &STANDARD.encode(wrapped)).await?;
        // Another node may have been first.
        known = value(store.db(), &row).await?;
    }
    let wrapped = STANDARD.decode(known.unwrap_or_default())?;
    Ok(MasterKey::in_hardware(&hardware, wrapped).await?)
}

fn generate_key(config: &Config) -> Result<MasterKey> {
    let file = generated_key_file(config);
    let key = MasterKey::generate();
    fs::create_dir_all(&config.data_dir)
        .and_then(|()| fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&file))
        .and_then(|mut out| {
            out.write_all(key.to_base64().as_bytes())?;
            out.sync_all()
        })
        .with_context(|| format!("the master key cannot be written to {}", file.display()))?;
    Ok(key)
}

/// Refuses to share the folder of an embedded database with another running node. The lock is held as long as the
/// file is open.
pub fn lock(config: &Config) -> Result<Option<fs::File>> {
    if !config.database_url().starts_with("sqlite:") {
        return Ok(None);
    }
    let folder = config.data_dir.display();
    let file = fs::create_dir_all(&config.data_dir)
        .and_then(|()| fs::File::create(config.data_dir.join("carepost.lock")))
        .with_context(|| format!("the data folder {folder} (data_dir) cannot be written"))?;
    let since = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(fs::TryLockError::WouldBlock) if since.elapsed() < HELD => {
                tracing::debug!(%folder, "another process still uses the data folder");
                thread::sleep(LOOK);
            }
            Err(fs::TryLockError::WouldBlock) => bail!(
                "another node runs on the data folder {folder} (data_dir): a SQLite database has one node, several need \
                 PostgreSQL"
            ),
            Err(fs::TryLockError::Error(error)) => {
                return Err(error)
                    .with_context(|| format!("the data folder {folder} (data_dir) cannot be locked"));
            }
        }
    }
}

/// Reads a value of the installation.
pub async fn value(db: &impl ConnectionTrait, name: &str) -> Result<Option<String>, DbErr> {
    Ok(Entity::find_by_id(name).one(db).await?.map(|row| row.value))
}

/// Writes a value once; `false` if it already existed.
pub async fn claim(db: &impl ConnectionTrait, name: &str, value: &str) -> Result<bool, DbErr> {
    let row = ActiveModel { name: Set(name.into()), value: Set(value.into()) };
    let first_wins = OnConflict::column(Column::Name).do_nothing().to_owned();
    Ok(Entity::insert(row).on_conflict(first_wins).exec_without_returning(db).await? == 1)
}

/// Writes a value, replacing the previous one.
pub async fn set(db: &impl ConnectionTrait, name: &str, value: &str) -> Result<(), DbErr> {
    let row = ActiveModel { name: Set(name.into()), value: Set(value.into()) };
    let newest = OnConflict::column(Column::Name).update_column(Column::Value).to_owned();
    Entity::insert(row).on_conflict(newest).exec_without_returning(db).await.map(drop)
}

/// Whether a master key of the ring opens this database. The first key to ask becomes the database's key.
pub async fn check_master_key(store: &Store, keys: &KeyRing) -> Result<()> {
    let sealed = STANDARD.encode(keys.master().seal(KEY_CHECK, KEY_CHECK_TEXT));
    if key_check(store).await?.is_none() {
        heads::begin(store.db(), keys)
            .await
            .map_err(|error| anyhow!("the heads of the audit trail cannot be initialized: {error:?}"))?;
    }
    claim(store.db(), KEY_CHECK, &sealed).await?;
    if master_key_fits(store, keys).await? {
        return Ok(());
    }
    bail!(
        "the master key does not fit this database. Its documents were sealed with another key: configure that one \
         under keys"
    )
}

/// As [`check_master_key`], without writing: a database without a key accepts any.
pub async fn master_key_fits(store: &Store, keys: &KeyRing) -> Result<bool> {
    let Some(sealed) = key_check(store).await? else { return Ok(true) };
    Ok(keys.open_secret(KEY_CHECK, &sealed).is_ok())
}

/// Whether some values may still be sealed with the key that is being replaced.
pub async fn is_being_replaced(store: &Store, keys: &KeyRing) -> Result<bool> {
    let Some(sealed) = key_check(store).await? else { return Ok(false) };
    Ok(keys.master().open(KEY_CHECK, &sealed).is_err())
}

/// Seals the text for recognizing the key with the current one: a replacement is complete.
pub async fn confirm_master_key(store: &Store, keys: &KeyRing) -> Result<()> {
    let sealed = STANDARD.encode(keys.master().seal(KEY_CHECK, KEY_CHECK_TEXT));
    let row = ActiveModel { name: Set(KEY_CHECK.into()), value: Set(sealed) };
    Entity::update(row).exec(store.db()).await?;
    Ok(())
}

async fn key_check(store: &Store) -> Result<Option<Vec<u8>>> {
    let Some(sealed) = value(store.db(), KEY_CHECK).await? else { return Ok(None) };
    Ok(Some(STANDARD.decode(sealed).map_err(|_| KeyError::Tampered)?))
}

/// Refuses to run production on a database in which demo accounts can sign in.
pub async fn refuse_demo_data(config: &Config, store: &Store) -> Result<()> {
    if config.mode == Mode::Production && value(store.db(), DEMO_SEEDED).await?.is_some() {
        bail!(
            "this database holds the demo data with its well-known passwords, so production mode does not start. \
             Use a new database, or mode = \"demo\""
        );
    }
    Ok(())
}
