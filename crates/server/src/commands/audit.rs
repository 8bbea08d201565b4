//! `carepost audit`: accepting the state of the audit trail.

use super::open_app;
use anyhow::{Result, anyhow, bail};
use clap::Subcommand;
use platform::{Config, audit::heads};

#[derive(Subcommand)]
pub enum Audit {
    /// Accept the audit trail as it is now
    ///
    /// Run this after restoring a backup, or once you know why the saved heads are missing or do not match. Until then
    /// doctor reports a problem. The audit trail of the installation records the reason.
    AcceptHeads {
        /// Why the present audit trail is correct
        #[arg(long, value_name = "TEXT")]
        reason: String,
    },
}

pub async fn run(config: Config, command: Audit) -> Result<()> {
    let Audit::AcceptHeads { reason } = command;
    let reason = reason.trim();
    if reason.is_empty() {
        bail!("--reason is empty: please state why the present audit trail is correct");
    }
    let app = open_app(config).await?;
    heads::accept(&app, reason)
        .await
        .map_err(|error| anyhow!("the heads of the audit trail cannot be saved: {error:?}"))?;
    println!("The present audit trail was accepted.");
    Ok(())
}
