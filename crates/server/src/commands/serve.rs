//! `carepost serve`

use super::{Serve, block_on, start_logging};
use crate::{
    crash, demo, installation,
    node::{Node, Overrides},
    setup::operator,
};
use accounts::branding::http::DEMO_ACCOUNTS;
use anyhow::{Result, anyhow, bail};
use platform::{
    Config,
    config::{Mode, NodeRole},
};
use std::{fmt::Write, process::ExitCode};
use tokio::signal::unix::{SignalKind, signal};

pub fn run(mut config: Config, options: Serve) -> Result<ExitCode> {
    if !options.roles.is_empty() {
        config.roles = options.roles.into_iter().map(Into::into).collect();
        config.check()?;
    }
    if options.print_config {
        super::print(&config.masked_toml())?;
        return Ok(ExitCode::SUCCESS);
    }
    start_logging(&config)?;
    block_on(serve(config))?;
    Ok(ExitCode::SUCCESS)
}

async fn serve(config: Config) -> Result<()> {
    let (demo, public_url) = (config.mode == Mode::Demo, config.http.public_url.clone());
    let web = config.has_role(NodeRole::Web);
    let _lock = installation::lock(&config)?;
    crash::watch(&config.data_dir)?;
    if demo {
        demo::seed(&config).await?;
    }
    let node = Node::start(config, Overrides::default()).await?;
    let mut said = String::new();
    for (what, address) in [
        ("HTTP", node.http_addr),
        ("SMTP", node.smtp_addr),
        ("DNS", node.dns_addr),
        ("MLLP", node.mllp_addr),
        ("XDR", node.xdr_addr),
        ("Metrics", node.metrics_addr),
    ] {
        if let Some(address) = address {
            let _ = writeln!(said, "{what} listens on {address}");
        }
    }
    if web && let Some(text) = operator::announcement(&node.app).await.map_err(|e| anyhow!("{e:?}"))? {
        let _ = writeln!(said, "\n{text}");
    }
    if web {
        let _ = writeln!(said, "\nOpen {public_url} in a browser.");
    }
    if demo && web {
        said += &demo_accounts();
    }
    super::print(&said)?;
    wait(node).await
}

/// Runs until a signal ends it. SIGHUP reloads the certificate files.
async fn wait(node: Node) -> Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    let mut failed = false;
    loop {
        tokio::select! {
            _ = terminate.recv() => break,
            _ = interrupt.recv() => break,
            () = node.failed() => { failed = true; break }
            _ = hang_up.recv() => match node.reload_tls() {
                Ok(()) => tracing::info!("the certificates were reloaded"),
                Err(error) => tracing::error!("the certificates could not be reloaded, so the present ones stay in use: {error:#}"),
            },
        }
    }
    tracing::info!("stopping");
    node.stop().await;
    if failed {
        bail!("a part of the node failed; see the log above");
    }
    Ok(())
}

fn demo_accounts() -> String {
    let mut table = String::from("\nDemo accounts (sample data, not for real patients):\n\n");
    let _ = writeln!(table, "  {:<26}{:<20}{:<19}Organization", "User name", "Password", "Role");
    for account in DEMO_ACCOUNTS {
        let _ = writeln!(
            table,
            "  {:<26}{:<20}{:<19}{}",
            account.user_name, account.password, account.role, account.organization
        );
    }
    table
}
