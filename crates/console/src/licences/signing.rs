//! The key that signs licences. It is created with the first licence, and stored sealed by the master key.

use super::format;
use openssl::{
    error::ErrorStack,
    pkey::{Id, PKey, Private},
};
use platform::{App, Error, Result};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ConnectionTrait, EntityTrait, IntoActiveModel, QueryOrder,
    sea_query::OnConflict,
};
use store::entities::licence_key::{ActiveModel, Column, Entity, Model};

/// The signing key, and its id in licences.
pub struct SigningKey {
    pub key: PKey<Private>,
    pub id: String,
}

/// The place of the key among sealed secrets.
fn context(number: i32) -> String {
    format!("licence_key.key:{number}")
}

/// The current signing key; created if there is none.
pub async fn current(app: &App) -> Result<SigningKey> {
    let row = current_row(app).await?;
    let secret = app.keys.open_secret(&context(row.number), &row.sealed_key)?;
    let key = PKey::private_key_from_raw_bytes(&secret, Id::ED25519).map_err(unusable)?;
    Ok(SigningKey { key, id: format::key_id(&row.public_key) })
}

/// The public key as PEM (RFC 8410), for connectors.
pub async fn public_pem(app: &App) -> Result<String> {
    let row = current_row(app).await?;
    let key = PKey::public_key_from_raw_bytes(&row.public_key, Id::ED25519).map_err(unusable)?;
    String::from_utf8(key.public_key_to_pem().map_err(unusable)?).map_err(Error::internal)
}

async fn current_row(app: &App) -> Result<Model> {
    let db = app.store.db();
    if let Some(row) = newest(db).await? {
        return Ok(row);
    }
    let key = PKey::generate_ed25519().map_err(unusable)?;
    let secret = key.raw_private_key().map_err(unusable)?;
    let row = ActiveModel {
        number: Set(1),
        public_key: Set(key.raw_public_key().map_err(unusable)?),
        sealed_key: Set(app.keys.master().seal(&context(1), &secret)),
        created_at: Set(app.clock.now()),
    };
    // If several nodes create a key at the same time, the first wins.
    let first_wins = OnConflict::column(Column::Number).do_nothing().to_owned();
    Entity::insert(row).on_conflict(first_wins).exec_without_returning(db).await?;
    newest(db).await?.ok_or_else(|| Error::internal("the signing key of licences was not stored"))
}

async fn newest(db: &impl ConnectionTrait) -> Result<Option<Model>> {
    Ok(Entity::find().order_by_desc(Column::Number).one(db).await?)
}

fn unusable(error: ErrorStack) -> Error {
    Error::internal(format!("the signing key of licences cannot be used: {error}"))
}

/// Seals the keys with the current master key. Returns how many had another key.
pub async fn reseal(app: &App) -> Result<u64> {
    let db = app.store.db();
    let mut count = 0;
    for row in Entity::find().all(db).await? {
        let Some(sealed) = app.keys.resealed(&context(row.number), &row.sealed_key)? else { continue };
        let mut row = row.into_active_model();
        row.sealed_key = Set(sealed);
        row.update(db).await?;
        count += 1;
    }
    Ok(count)
}
