//! `carepost licence`: the licences of connectors.

use super::open_app;
use anyhow::{Context, Result, anyhow};
use clap::{Args, Subcommand};
use console::licences::{
    format::{self, Terms},
    signing,
};
use openssl::pkey::PKey;
use platform::Config;
use std::{io::Read, path::PathBuf, process::ExitCode};
use store::Clock;

/// Exit code for a genuine licence that has expired.
const OVER: u8 = 3;

#[derive(Subcommand)]
pub enum Licence {
    /// Check a licence without a network
    ///
    /// Exits with 0 for a genuine licence, with 3 for one that is genuine but expired, and with 1 otherwise.
    Verify(Verify),
    /// Print the public key with which connectors check licences
    PublicKey,
}

#[derive(Args)]
pub struct Verify {
    /// The licence, a file with it, or `-` for standard input
    licence: String,
    /// PEM file with the public key of the installation that issued it
    #[arg(long, value_name = "FILE")]
    public_key: PathBuf,
    /// Fingerprint of the licence's connector
    #[arg(long, value_name = "HEX")]
    fingerprint: Option<String>,
    /// Print the terms as JSON
    #[arg(long)]
    json: bool,
}

pub async fn print_public_key(config: Config) -> Result<()> {
    let app = open_app(config).await?;
    let pem = signing::public_pem(&app).await.map_err(|error| anyhow!("there is no key: {error:?}"))?;
    print!("{pem}");
    Ok(())
}

/// Checks a licence with only the public key.
pub fn verify(options: &Verify) -> Result<ExitCode> {
    let file = options.public_key.display();
    let pem = std::fs::read(&options.public_key).with_context(|| format!("{file} cannot be read"))?;
    let key = PKey::public_key_from_pem(&pem).with_context(|| format!("{file} is not a public key"))?;
    let licence = read(&options.licence)?;
    let terms =
        format::verify(&licence, &key, options.fingerprint.as_deref()).map_err(|why| anyhow!("{why}"))?;
    let is_over = terms.expires <= Clock::system().now();
    if options.json {
        println!("{}", serde_json::to_string_pretty(&terms)?);
    } else {
        show(&terms);
    }
    if is_over {
        eprintln!("This licence has expired. This is only a warning: messages are still sent.");
        return Ok(ExitCode::from(OVER));
    }
    Ok(ExitCode::SUCCESS)
}

fn read(licence: &str) -> Result<String> {
    if licence == "-" {
        let mut text = String::new();
        std::io::stdin().take(1 << 20).read_to_string(&mut text)?;
        return Ok(text);
    }
    if licence.starts_with("CPL1.") {
        return Ok(licence.to_owned());
    }
    std::fs::read_to_string(licence).with_context(|| format!("{licence} is neither a licence nor a file"))
}

fn show(terms: &Terms) {
    println!("This licence is genuine.");
    println!("  organization  {}", terms.organization);
    println!("  product       {}", terms.product);
    if !terms.application.is_empty() {
        println!("  application   {}", terms.application);
    }
    if !terms.license_type.is_empty() {
        println!("  type          {}", terms.license_type);
    }
    println!("  reference     {}", terms.reference);
    println!("  connector     {}", terms.fingerprint.as_deref().unwrap_or("any"));
    println!("  issued        {}", terms.issued.format("%F"));
    println!("  expires       {}", terms.expires.format("%F"));
}
