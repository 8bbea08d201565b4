//! The demo data: invented practices, people and papers, so that the product can be tried at once.
//!
//! The messages are not written into tables. The demo practices send them to each other over the product's own
//! road, on a clock that begins some weeks ago, so that whatever a screen shows has really happened.

mod letters;
mod mail;
mod people;
mod practices;
mod reference;

use crate::{
    installation::{self, DEMO_SEEDED},
    node::{Node, Overrides},
};
use anyhow::{Result, bail};
use chrono::Duration;
use platform::{
    Config,
    config::{Mode, NodeRole},
};
use store::{Clock, Store};

/// How far back the demo's story begins.
const STORY: Duration = Duration::days(45);

/// Loads the demo data once; `false` when it was there. Nothing else may serve the installation meanwhile.
pub async fn seed(config: &Config) -> Result<bool> {
    if config.mode == Mode::Production {
        bail!("demo data is loaded in demo mode only (mode = \"demo\")");
    }
    if is_there(config).await? {
        return Ok(false);
    }
    tracing::info!("loading the demo data, which takes some seconds");
    let now = Clock::system().now();
    let overrides =
        Overrides { clock: Clock::manual(now - STORY), without_workers: true, ..Overrides::default() };
    let node = Node::start(alone(config), overrides).await?;
    let loaded = load(&node, now).await;
    node.stop().await;
    loaded
}

async fn is_there(config: &Config) -> Result<bool> {
    std::fs::create_dir_all(&config.data_dir)?;
    let store = Store::open_and_migrate(&config.database_url()).await?;
    Ok(installation::value(store.db(), DEMO_SEEDED).await?.is_some())
}

/// The same installation with nothing but a mail listener on a port of its own.
fn alone(config: &Config) -> Config {
    let mut config = config.clone();
    config.roles = vec![NodeRole::Smtp];
    config.smtp.listen = ([127, 0, 0, 1], 0).into();
    config.smtp.hosted_route = None;
    config
}

async fn load(node: &Node, now: chrono::DateTime<chrono::Utc>) -> Result<bool> {
    let accounts = people::accounts().await?;
    let txn = node.app.store.begin().await?;
    if !installation::claim(&txn, DEMO_SEEDED, &now.to_rfc3339()).await? {
        return Ok(false);
    }
    let lists = reference::load(&txn).await?;
    let practices = practices::load(&node.app, &txn, &lists).await?;
    let people = people::load(&node.app, &txn, &practices, accounts).await?;
    txn.commit().await?;
    mail::load(node, &practices, &people, now).await?;
    Ok(true)
}

/// Errors of the product have no text for people; this one goes to whoever starts the demo.
fn failed(error: platform::Error) -> anyhow::Error {
    anyhow::anyhow!("the demo data cannot be loaded: {error:?}")
}
