//! `carepost trust`: trusted certificates beside those of this installation's own authority, and that authority's
//! certificate for partners.

use super::{
    open_app, print,
    setup::{command_line, plain},
};
use anyhow::{Context, Result, anyhow, bail};
use clap::{Args, Subcommand, ValueEnum};
use direct::cert::Certificate;
use messaging::direct::{anchors, authority, bundles, fetcher};
use platform::{App, Config};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder};
use std::path::{Path, PathBuf};
use store::entities::{organization, trust_anchor, trust_bundle};
use uuid::Uuid;

#[derive(Subcommand)]
pub enum Trust {
    /// Show the bundles and anchors with their ids
    List,
    /// Trust every chain that ends in this certificate
    AddAnchor(AddAnchor),
    /// Trust the certificates of a published bundle, which is fetched now and once a day
    AddBundle(AddBundle),
    /// Fetch all bundles now
    Refresh,
    /// Stop trusting an anchor or a bundle
    Remove {
        /// Id from `carepost trust list`
        id: Uuid,
    },
    /// Print the certificate of this installation's own authority, which partners need as an anchor
    Export {
        /// File to write instead of standard output
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Replace the built-in authority, for the current Direct domain
    ///
    /// Only possible while the authority has issued no certificates.
    RemakeAuthority,
}

#[derive(Args)]
pub struct AddAnchor {
    /// Certificate, PEM or DER
    file: PathBuf,
    /// Subdomain of the only organization that trusts it; all by default
    #[arg(long, value_name = "SUBDOMAIN")]
    organization: Option<String>,
    /// For received mail, for recipients of sent mail, or both
    #[arg(long, value_enum, default_value_t = Direction::Both)]
    direction: Direction,
    /// Do not use its certificates while their revocation list is unavailable
    #[arg(long)]
    require_revocation: bool,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Direction {
    Incoming,
    Outgoing,
    Both,
}

#[derive(Args)]
pub struct AddBundle {
    /// Name for operators
    name: String,
    /// Web address of the .p7b or .p7m file
    url: String,
    /// Certificate of the required signer (.p7m)
    #[arg(long, value_name = "FILE")]
    signer: Option<PathBuf>,
    /// Subdomain of the only organization that trusts it; all by default
    #[arg(long, value_name = "SUBDOMAIN")]
    organization: Option<String>,
    /// Do not use certificates of its anchors while their revocation list is unavailable
    #[arg(long)]
    require_revocation: bool,
}

pub async fn run(config: Config, command: Trust) -> Result<()> {
    let app = open_app(config).await?;
    match command {
        Trust::List => list(&app).await,
        Trust::AddAnchor(anchor) => add_anchor(&app, anchor).await,
        Trust::AddBundle(bundle) => add_bundle(&app, bundle).await,
        Trust::Refresh => refresh(&app).await,
        Trust::Remove { id } => remove(&app, id).await,
        Trust::Export { out } => export(&app, out.as_deref()).await,
        Trust::RemakeAuthority => remake_authority(&app).await,
    }
}

async fn list(app: &App) -> Result<()> {
    for bundle in
        trust_bundle::Entity::find().order_by_asc(trust_bundle::Column::Id).all(app.store.db()).await?
    {
        let whose = whose(app, bundle.organization_id).await?;
        let fetched = bundle.refreshed_at.map(|at| at.format("%F %R UTC").to_string()).unwrap_or_default();
        println!("bundle {}  {}  {}  {whose}, fetched {fetched}", bundle.id, bundle.name, bundle.url);
        if let Some(error) = bundle.last_error {
            println!("    The last refresh failed: {error}");
        }
    }
    for anchor in
        trust_anchor::Entity::find().order_by_asc(trust_anchor::Column::Id).all(app.store.db()).await?
    {
        let certificate = Certificate::from_pem(anchor.certificate_pem.as_bytes())?;
        let direction = match (anchor.incoming, anchor.outgoing) {
            (true, false) => "incoming",
            (false, true) => "outgoing",
            _ => "both directions",
        };
        let whose = whose(app, anchor.organization_id).await?;
        let source = anchor.bundle_id.map(|id| format!(", of bundle {id}")).unwrap_or_default();
        let until = certificate.period().not_after.date_naive();
        let strict = if anchor.requires_revocation { ", revocation required" } else { "" };
        println!(
            "anchor {}  {}  {whose}, {direction}, until {until}{strict}{source}",
            anchor.id,
            certificate.subject()
        );
    }
    Ok(())
}

async fn whose(app: &App, organization_id: Option<Uuid>) -> Result<String> {
    let Some(id) = organization_id else { return Ok("all organizations".into()) };
    let found = organization::Entity::find_by_id(id).one(app.store.db()).await?;
    Ok(found.map_or_else(|| id.to_string(), |o| o.sub_domain))
}

async fn add_anchor(app: &App, anchor: AddAnchor) -> Result<()> {
    let certificate = certificate(&anchor.file)?;
    let organization_id = organization_id(app, anchor.organization.as_deref()).await?;
    let terms = anchors::Terms {
        incoming: anchor.direction != Direction::Outgoing,
        outgoing: anchor.direction != Direction::Incoming,
        requires_revocation: anchor.require_revocation,
    };
    let id = anchors::add(app, &command_line(), organization_id, &certificate, terms)
        .await
        .map_err(|error| anyhow!("the anchor cannot be saved: {error:?}"))?;
    println!("{} is now trusted as anchor {id}.", certificate.subject());
    Ok(())
}

async fn add_bundle(app: &App, bundle: AddBundle) -> Result<()> {
    let new = bundles::NewBundle {
        organization_id: organization_id(app, bundle.organization.as_deref()).await?,
        name: bundle.name,
        url: bundle.url,
        signer: bundle.signer.as_deref().map(certificate).transpose()?,
        requires_revocation: bundle.require_revocation,
    };
    let name = new.name.clone();
    let fetch = fetcher(&app.config).map_err(|error| anyhow!("nothing can be fetched: {error:?}"))?;
    let (_, anchors) = bundles::add(app, &fetch, &command_line(), new).await?;
    println!("The {anchors} certificates of {name} are now trusted.");
    Ok(())
}

async fn refresh(app: &App) -> Result<()> {
    let fetch = fetcher(&app.config).map_err(|error| anyhow!("nothing can be fetched: {error:?}"))?;
    let mut failed = 0;
    for bundle in
        trust_bundle::Entity::find().order_by_asc(trust_bundle::Column::Id).all(app.store.db()).await?
    {
        match bundles::refresh(app, &fetch, &command_line(), &bundle).await {
            Ok(()) => println!("{} is up to date.", bundle.name),
            Err(refused) => {
                failed += 1;
                println!("{} keeps its last good anchors. {refused}", bundle.name);
            }
        }
    }
    if failed > 0 {
        bail!("{failed} of the bundles could not be refreshed");
    }
    Ok(())
}

async fn remove(app: &App, id: Uuid) -> Result<()> {
    let stored = |error| anyhow!("it cannot be removed: {error:?}");
    let removed = bundles::remove(app, &command_line(), id).await.map_err(stored)?
        || anchors::remove(app, &command_line(), id).await.map_err(stored)?;
    if !removed {
        bail!("there is no bundle, and no anchor outside a bundle, with the id {id}");
    }
    println!("It is no longer trusted.");
    Ok(())
}

async fn export(app: &App, out: Option<&Path>) -> Result<()> {
    let shown = authority::authority_view(app).await.map_err(plain)?;
    let shown = shown.context("there is no authority yet: carepost setup or the first start creates one")?;
    let pem = shown.certificate.to_pem();
    let Some(out) = out else { return print(&pem) };
    std::fs::write(out, pem).with_context(|| format!("{} cannot be written", out.display()))?;
    println!("The certificate of {} is in {}.", shown.certificate.subject(), out.display());
    println!("Its SHA-256 fingerprint is {}.", shown.certificate.fingerprint());
    Ok(())
}

async fn remake_authority(app: &App) -> Result<()> {
    authority::remake(app, &command_line()).await.map_err(plain)?;
    println!("A new authority now issues the certificates below direct.{}.", app.config.direct.host);
    Ok(())
}

fn certificate(file: &Path) -> Result<Certificate> {
    let bytes = std::fs::read(file).with_context(|| format!("{} cannot be read", file.display()))?;
    let mut certificates = Certificate::many_from_file(&bytes)
        .with_context(|| format!("{} is not a certificate", file.display()))?;
    if certificates.len() != 1 {
        bail!("{} contains {} certificates instead of one", file.display(), certificates.len());
    }
    Ok(certificates.remove(0))
}

async fn organization_id(app: &App, sub_domain: Option<&str>) -> Result<Option<Uuid>> {
    let Some(sub_domain) = sub_domain else { return Ok(None) };
    let found = organization::Entity::find()
        .filter(organization::Column::SubDomain.eq(sub_domain))
        .filter(organization::Column::DeletedAt.is_null())
        .one(app.store.db())
        .await?;
    Ok(Some(found.with_context(|| format!("there is no organization with the subdomain {sub_domain}"))?.id))
}
