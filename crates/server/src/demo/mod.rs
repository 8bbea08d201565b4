//! The demo data: invented practices, people and papers for trying the product.
//!
//! Messages are not written to tables directly. The demo practices send them to each other through the product
//! itself, on a clock that begins some weeks ago, so that everything on a screen really happened.

mod directory;
pub mod ehr;
mod letters;
mod mail;
mod people;
mod practices;
mod reference;
mod routing;

use crate::{
    installation::{self, DEMO_SEEDED, DEMO_STORY},
    node::{Node, Overrides},
};
use anyhow::{Result, bail};
use chrono::{DateTime, Duration, Utc};
use platform::{
    App, Config,
    config::{Mode, NodeRole},
};
use sea_orm::{EntityTrait, QuerySelect};
use store::{Clock, Store, Transaction, entities};

/// Age of the demo story's beginning.
const STORY: Duration = Duration::days(45);

/// Loads the demo data once; `false` if it was already loaded. Interrupted loading continues. No other process may
/// serve the installation meanwhile.
pub async fn seed(config: &Config) -> Result<bool> {
    if config.mode == Mode::Production {
        bail!("demo data is loaded in demo mode only (mode = \"demo\")");
    }
    let progress = progress(config).await?;
    if progress == Progress::Whole {
        return Ok(false);
    }
    tracing::info!("loading the demo data, which takes some seconds");
    let now = match progress {
        Progress::Begun(now) => now,
        _ => Clock::system().now(),
    };
    let overrides =
        Overrides { clock: Clock::manual(now - STORY), without_workers: true, ..Overrides::default() };
    let node = Node::start(alone(config), overrides).await?;
    let loaded = load(&node, now).await;
    node.stop().await;
    loaded
}

#[derive(PartialEq)]
enum Progress {
    Nothing,
    /// The practices and people exist, and the story that ends at this time is in progress.
    Begun(DateTime<Utc>),
    Whole,
}

async fn progress(config: &Config) -> Result<Progress> {
    std::fs::create_dir_all(&config.data_dir)?;
    let store = Store::open_and_migrate(&config.database_url()).await?;
    let db = store.db();
    Ok(match (installation::value(db, DEMO_SEEDED).await?, installation::value(db, DEMO_STORY).await?) {
        (None, _) => Progress::Nothing,
        (Some(_), Some(now)) => Progress::Begun(now.parse()?),
        (Some(_), None) => Progress::Whole,
    })
}

/// The same installation with only a mail listener on a separate port. Scans are read when somebody opens them.
fn alone(config: &Config) -> Config {
    let mut config = config.clone();
    config.roles = vec![NodeRole::Smtp];
    config.smtp.listen = ([127, 0, 0, 1], 0).into();
    config.smtp.hosted_route = None;
    config.workers.reading = 0;
    config
}

async fn load(node: &Node, now: DateTime<Utc>) -> Result<bool> {
    let app = &node.app;
    begin(app, now).await?;
    let Some((alone, now)) = take_up(app).await? else { return Ok(false) };
    let practices = practices::find(app).await?;
    let people = people::find(app).await?;
    mail::load(node, &practices, &people, now).await?;
    let told = entities::installation::Entity::delete_by_id(DEMO_STORY);
    match alone {
        Some(txn) => {
            told.exec(&txn).await?;
            txn.commit().await?;
        }
        None => {
            told.exec(app.store.db()).await?;
        }
    }
    Ok(true)
}

/// Practices and people are added in one transaction, by one node.
async fn begin(app: &App, now: DateTime<Utc>) -> Result<()> {
    if installation::value(app.store.db(), DEMO_SEEDED).await?.is_some() {
        return Ok(());
    }
    let accounts = people::accounts().await?;
    let txn = app.store.begin().await?;
    if installation::claim(&txn, DEMO_SEEDED, &now.to_rfc3339()).await? {
        installation::claim(&txn, DEMO_STORY, &now.to_rfc3339()).await?;
        let lists = reference::load(app, &txn).await?;
        let practices = practices::load(app, &txn, &lists, now).await?;
        people::load(app, &txn, &lists, &practices, accounts).await?;
        directory::load(&txn).await?;
        routing::load(&txn, now).await?;
        txn.commit().await?;
    }
    Ok(())
}

/// Waits until no other node loads the story, and returns its end; `None` if it was loaded meanwhile. The returned
/// lock keeps other nodes waiting, and is released if this process crashes. With SQLite there are no other nodes.
async fn take_up(app: &App) -> Result<Option<(Option<Transaction>, DateTime<Utc>)>> {
    let mut story = entities::installation::Entity::find_by_id(DEMO_STORY);
    let lock = if app.store.is_shared() {
        story = story.lock_exclusive();
        Some(app.store.begin().await?)
    } else {
        None
    };
    let row = match &lock {
        Some(txn) => story.one(txn).await?,
        None => story.one(app.store.db()).await?,
    };
    row.map(|row| Ok((lock, row.value.parse()?))).transpose()
}

/// Errors of the product have no text for people; this one is for the person who starts the demo.
fn failed(error: platform::Error) -> anyhow::Error {
    anyhow::anyhow!("the demo data cannot be loaded: {error:?}")
}
