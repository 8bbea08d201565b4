//! `carepost rotate-key`: the master key is replaced while the nodes work.

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
    println!("{keys} keys of organizations and {secrets} secrets are sealed with the present master key.");
    println!("The previous key can be removed from the configuration of every node in ten minutes.");
    Ok(())
}

/// Seals everything with the present master key: the data keys of organizations, and what belongs to none. Returns how
/// many of each it was.
pub async fn rotate(app: &App) -> Result<(u64, u64)> {
    let failed = |error: Error| anyhow!("not everything could be sealed anew: {error:?}");
    let keys = app.keys.rewrap_all().await?;
    let secrets = messaging::direct::authority::reseal(app).await.map_err(failed)?
        + accounts::factors::reseal(app).await.map_err(failed)?
        + email::reseal(app).await.map_err(failed)?
        + console::registration::queries::reseal(app).await.map_err(failed)?
        + console::licences::signing::reseal(app).await.map_err(failed)?;
    // Last: until then both keys are needed.
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
