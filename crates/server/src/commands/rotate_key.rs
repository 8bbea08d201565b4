//! `carepost rotate-key`: replaces the master key while the nodes run.

use super::open_app;
use crate::installation;
use anyhow::{Result, anyhow, bail};
use platform::{
    App, Config, Error,
    audit::{self, Act, Actor, event, heads},
};
use serde_json::json;
use uuid::Uuid;

pub async fn run(config: Config) -> Result<()> {
    if !config.keys.has_previous() {
        bail!(
            "there is no key to replace. Configure the new key as keys.master_key or keys.pkcs11 and the one before as \
             keys.previous_master_key or keys.previous_pkcs11, on every node; then run this again"
        );
    }
    let app = open_app(config).await?;
    let (keys, secrets) = rotate(&app).await?;
    println!("{keys} organization keys and {secrets} secrets are now sealed with the current master key.");
    println!("In ten minutes, you can remove the previous key from the configuration of every node.");
    Ok(())
}

/// Seals everything with the current master key: the data keys of organizations, and secrets without an organization.
/// Returns the number of each.
pub async fn rotate(app: &App) -> Result<(u64, u64)> {
    let failed = |error: Error| anyhow!("some values could not be sealed with the new key: {error:?}");
    let keys = app.keys.rewrap_all().await?;
    let secrets = messaging::direct::authority::reseal(app).await.map_err(failed)?
        + accounts::factors::reseal(app).await.map_err(failed)?
        + email::reseal(app).await.map_err(failed)?
        + console::registration::queries::reseal(app).await.map_err(failed)?
        + console::licences::signing::reseal(app).await.map_err(failed)?;
    // Last step: until then, both keys are needed.
    installation::confirm_master_key(&app.store, &app.keys).await?;
    record(app, keys, secrets).await.map_err(failed)?;
    heads::keep(app).await.map_err(failed)?;
    Ok((keys, secrets))
}

async fn record(app: &App, keys: u64, secrets: u64) -> platform::Result<()> {
    let txn = app.store.begin().await?;
    let act = Act::new(event::KEY_ROTATED, "installation", Uuid::nil())
        .detail(json!({ "masterKey": app.keys.master().id(), "keys": keys, "secrets": secrets }));
    audit::record(app, &txn, &Actor::default(), act).await?;
    Ok(txn.commit().await?)
}
