//! `carepost audit`: what an operator accepts of the audit trail.

use super::open_app;
use anyhow::{Result, anyhow, bail};
use clap::Subcommand;
use platform::{Config, audit::heads};

#[derive(Subcommand)]
pub enum Audit {
    /// Take the audit trail as it is now for what it should be
    ///
    /// After a backup was restored, or once it is known why the kept heads are gone or do not fit: doctor says so until
    /// this is run. The trail of the installation records it with the reason.
    AcceptHeads {
        /// Why the trail may be as it is
        #[arg(long, value_name = "TEXT")]
        reason: String,
    },
}

pub async fn run(config: Config, command: Audit) -> Result<()> {
    let Audit::AcceptHeads { reason } = command;
    let reason = reason.trim();
    if reason.is_empty() {
        bail!("--reason is empty: say why the audit trail may be as it is");
    }
    let app = open_app(config).await?;
    heads::accept(&app, reason)
        .await
        .map_err(|error| anyhow!("the heads of the audit trail cannot be kept: {error:?}"))?;
    println!("The audit trail is taken as it is now.");
    Ok(())
}
