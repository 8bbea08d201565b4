//! The subcommands of `carepost`.

mod audit;
mod brand;
mod create_sysadmin;
mod directory;
mod doctor;
mod licence;
pub mod rotate_key;
mod serve;
mod setup;
mod trust;

use crate::{demo, installation, node, openapi};
use anyhow::{Context, Result, anyhow};
use clap::{Args, Parser, Subcommand, ValueEnum};
use direct::cert::CertificateAuthority;
use messaging::direct::authority;
use platform::{App, Config, config::NodeRole};
use std::{
    future::Future,
    io::{IsTerminal, Write},
    path::PathBuf,
    process::ExitCode,
};
use store::{Clock, Store, keys::HardwareKey};
use tokio::runtime::Runtime;
use tracing_subscriber::EnvFilter;

/// Carepost exchanges clinical documents between practices over Direct messaging.
///
/// Settings come from built-in defaults, then one TOML file, then environment variables such as
/// CAREPOST_HTTP__LISTEN=0.0.0.0:8080. `carepost serve --print-config` shows the result.
#[derive(Parser)]
#[command(name = "carepost", version)]
struct Cli {
    /// Configuration file (TOML). Unknown keys are errors
    #[arg(long, global = true, env = "CAREPOST_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Set up an installation: ask questions, write the configuration file, and test each step
    ///
    /// It can be stopped and started again; existing values are suggested. Without a terminal, or with --answers, it
    /// asks no questions.
    Setup(Box<setup::Setup>),
    /// Run a node: web, mail listener, DNS responder and workers
    Serve(Serve),
    /// Bring the database schema up to date and stop
    Migrate,
    /// Load the demo data (demo mode only; done by `serve` on first start)
    SeedDemo,
    /// Print the OpenAPI description of the API
    Openapi,
    /// Print the table of operations and the roles that may call them
    AccessTable,
    /// Create an account for a system administrator
    ///
    /// The password is read from the terminal, or from standard input or a file.
    CreateSysadmin(CreateSysadmin),
    /// Issue Direct certificates with an external authority instead of the built-in one
    ///
    /// Takes the authority's certificate, followed by intermediates up to its root, and its key. Organizations get
    /// new certificates within the hour; the old ones stay valid until they expire.
    InstallAuthority(InstallAuthority),
    /// Manage trusted certificates: anchors and trust bundles
    #[command(subcommand)]
    Trust(trust::Trust),
    /// Manage the fax covers of the installation's brands
    #[command(subcommand)]
    Brand(brand::Brand),
    /// Import published lists into the provider directory
    #[command(subcommand)]
    Directory(directory::Directory),
    /// Check licences of connectors
    #[command(subcommand)]
    Licence(licence::Licence),
    /// Create the master key in the hardware module of keys.pkcs11
    ///
    /// The key cannot be read from the module. If it already exists, nothing is done.
    MakeKey,
    /// Reseal everything from the previous master key with the current one
    ///
    /// Needs both keys in the configuration of every node. It can be repeated, and works while the nodes run. When it
    /// is done, the previous key can be removed from the configuration.
    RotateKey,
    /// Accept changes of the audit trail after an investigation
    #[command(subcommand)]
    Audit(audit::Audit),
    /// Check the installation and report problems in plain words
    ///
    /// Checks configuration, database, keys, blob store, listeners, DNS, certificates and the audit trail. Exits with
    /// 1 if there is a problem.
    Doctor {
        /// Check every stored document instead of the newest ones
        #[arg(long)]
        full: bool,
    },
}

#[derive(Args)]
struct Serve {
    /// Roles of this node, separated by commas; all by default
    #[arg(long, value_delimiter = ',', value_name = "ROLE,…")]
    roles: Vec<RoleName>,
    /// Print the effective configuration with secrets masked, and stop
    #[arg(long)]
    print_config: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum RoleName {
    /// API, web app and hubs
    Web,
    /// Listener for incoming mail
    Smtp,
    /// DNS responder for hosted domains
    Dns,
    /// Workflow steps and chores
    Worker,
}

impl From<RoleName> for NodeRole {
    fn from(name: RoleName) -> Self {
        match name {
            RoleName::Web => Self::Web,
            RoleName::Smtp => Self::Smtp,
            RoleName::Dns => Self::Dns,
            RoleName::Worker => Self::Worker,
        }
    }
}

#[derive(Args)]
struct CreateSysadmin {
    /// User name for signing in, usually an e-mail address
    #[arg(long, value_name = "NAME")]
    user_name: String,
    #[arg(long, value_name = "NAME")]
    first_name: String,
    #[arg(long, value_name = "NAME")]
    last_name: String,
    /// E-mail address; the user name by default
    #[arg(long)]
    email: Option<String>,
    /// File with the password
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
}

#[derive(Args)]
struct InstallAuthority {
    /// Name for operators
    #[arg(long)]
    name: String,
    /// PEM file with the certificate and its intermediates
    #[arg(long, value_name = "FILE")]
    certificate: PathBuf,
    /// PEM file with the unencrypted private key
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
}

/// Parses the command line and runs the command.
pub fn main() -> ExitCode {
    // Two TLS backends are linked; this one is used.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    match run(Cli::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("carepost: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(cli: Cli) -> Result<ExitCode> {
    let load = || Config::load(cli.config.as_deref());
    match cli.command {
        Command::Setup(options) => return setup::run(cli.config, *options),
        Command::Openapi => print(&openapi::json())?,
        Command::AccessTable => print(&openapi::access_table())?,
        Command::Serve(options) => return serve::run(load()?, options),
        Command::Migrate => block_on(migrate(load()?))?,
        Command::SeedDemo => block_on(seed_demo(load()?))?,
        Command::CreateSysadmin(account) => block_on(create_sysadmin::run(load()?, account))?,
        Command::InstallAuthority(files) => block_on(install_authority(load()?, files))?,
        Command::Trust(command) => block_on(trust::run(load()?, command))?,
        Command::Brand(command) => block_on(brand::run(load()?, command))?,
        Command::Directory(command) => block_on(directory::run(load()?, command))?,
        Command::Licence(licence::Licence::Verify(options)) => return licence::verify(&options),
        Command::Licence(licence::Licence::PublicKey) => block_on(licence::print_public_key(load()?))?,
        Command::MakeKey => make_key(&load()?)?,
        Command::RotateKey => block_on(rotate_key::run(load()?))?,
        Command::Audit(command) => block_on(audit::run(load()?, command))?,
        Command::Doctor { full } => return block_on(doctor::run(load(), full)),
    }
    Ok(ExitCode::SUCCESS)
}

/// Unlike `print!`, this does not panic if the reader closes the pipe.
fn print(text: &str) -> Result<()> {
    Ok(std::io::stdout().write_all(text.as_bytes())?)
}

/// Stack size of worker threads, in bytes. DNSSEC validation recurses for each parent of a name; a build with debug
/// information needs up to a quarter of this for it.
const STACK: usize = 16 << 20;

fn runtime() -> Result<Runtime> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.enable_all().thread_stack_size(STACK).build().context("the runtime cannot start")
}

fn block_on<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    runtime()?.block_on(work)
}

async fn migrate(config: Config) -> Result<()> {
    start_logging(&config)?;
    std::fs::create_dir_all(&config.data_dir)?;
    Store::open_and_migrate(&config.database_url()).await?;
    println!("The database schema is up to date.");
    Ok(())
}

async fn seed_demo(config: Config) -> Result<()> {
    start_logging(&config)?;
    let loaded = demo::seed(&config).await?;
    println!("{}", if loaded { "The demo data is loaded." } else { "The demo data was already loaded." });
    Ok(())
}

fn make_key(config: &Config) -> Result<()> {
    let module = config.keys.pkcs11.as_ref().context("keys.pkcs11 is not configured")?;
    let made = HardwareKey::make(&installation::place(module))?;
    let what = if made { "was created" } else { "already exists" };
    println!("The key {:?} of the token {:?} {what}.", module.key_label, module.token_label);
    Ok(())
}

async fn install_authority(config: Config, files: InstallAuthority) -> Result<()> {
    let read =
        |file: &PathBuf| std::fs::read(file).with_context(|| format!("{} cannot be read", file.display()));
    let authority = CertificateAuthority::from_pem(&read(&files.certificate)?, &read(&files.key)?)?;
    let app = open_app(config).await?;
    authority::install(&app, &setup::command_line(), &files.name, &authority)
        .await
        .map_err(|error| anyhow!("the authority cannot be installed: {error:?}"))?;
    println!("{} now issues certificates.", files.name);
    Ok(())
}

/// The application context on an existing installation.
async fn open_app(config: Config) -> Result<App> {
    start_logging(&config)?;
    node::open(config, Clock::system()).await
}

fn start_logging(config: &Config) -> Result<()> {
    let filter = EnvFilter::try_new(&config.log.filter).context("log.filter cannot be read")?;
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    if config.log.json {
        log.json().init()
    } else {
        log.init()
    }
    // A panic's message may contain the processed data; the place is enough to find the cause.
    std::panic::set_hook(Box::new(|panic| match panic.location() {
        Some(at) => tracing::error!(file = at.file(), line = at.line(), "panic"),
        None => tracing::error!("panic"),
    }));
    Ok(())
}
