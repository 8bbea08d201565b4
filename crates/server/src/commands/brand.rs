//! `carepost brand`: fax covers of the installation's brands.

use super::open_app;
use anyhow::{Context, Result, anyhow, bail};
use clap::{Args, Subcommand};
use messaging::fax::covers::{self, Change};
use platform::{App, Config, Error, audit::Actor, upload::Upload};
use sea_orm::{EntityTrait, QueryOrder};
use std::path::PathBuf;
use store::entities::brand;

#[derive(Subcommand)]
pub enum Brand {
    /// Show the brands
    List,
    /// Change the fax covers of a brand's organizations
    ///
    /// Settings without an option stay the same. Faxes whose pages already exist keep their cover.
    Cover(Cover),
}

#[derive(Args)]
pub struct Cover {
    /// Name of the brand
    name: String,
    /// Picture at the top: PNG or JPEG, at most 512 KiB
    #[arg(long, value_name = "FILE", conflicts_with = "no_logo")]
    logo: Option<PathBuf>,
    /// Print no picture
    #[arg(long)]
    no_logo: bool,
    /// Text file with the confidentiality notice, at most 1,500 characters
    #[arg(long, value_name = "FILE", conflicts_with = "no_notice")]
    notice: Option<PathBuf>,
    /// Print the product's default notice
    #[arg(long)]
    no_notice: bool,
}

pub async fn run(config: Config, command: Brand) -> Result<()> {
    let app = open_app(config).await?;
    match command {
        Brand::List => list(&app).await,
        Brand::Cover(cover) => change(&app, cover).await,
    }
}

async fn list(app: &App) -> Result<()> {
    for row in brand::Entity::find().order_by_asc(brand::Column::Name).all(app.store.db()).await? {
        let cover = covers::of(app, row.id).await.map_err(|e| anyhow!("the cover cannot be read: {e:?}"))?;
        let logo = cover.as_ref().and_then(|c| c.logo.as_ref()).map_or("no logo", |_| "a logo");
        let own = cover.is_some_and(|c| !c.notice.is_empty());
        let notice = if own { "their own notice" } else { "the product's notice" };
        println!("{}  {}  fax covers have {logo} and {notice}", row.name, row.display_name);
    }
    Ok(())
}

async fn change(app: &App, cover: Cover) -> Result<()> {
    let change = read(&cover)?;
    if change == Change::default() {
        bail!("choose what to change: --logo, --no-logo, --notice or --no-notice");
    }
    let actor = Actor { name: "Command line".into(), ..Actor::default() };
    let brand = covers::brand_named(app, &cover.name).await.map_err(|e| anyhow!("{e:?}"))?;
    let brand = brand.ok_or_else(|| anyhow!("There is no brand with the name {}.", cover.name))?;
    match covers::set(app, &actor, brand.id, None, change).await {
        Ok(()) => {}
        Err(Error::Invalid(errors)) => bail!(errors.sentences()),
        Err(error) => bail!("the cover cannot be stored: {error:?}"),
    }
    println!("The fax covers of {} were changed.", cover.name);
    Ok(())
}

fn read(cover: &Cover) -> Result<Change> {
    let cannot = |file: &PathBuf| format!("{} cannot be read", file.display());
    let logo = match &cover.logo {
        Some(file) => Some(Some(Upload::unnamed(std::fs::read(file).with_context(|| cannot(file))?))),
        None => cover.no_logo.then_some(None),
    };
    let notice = match &cover.notice {
        Some(file) => Some(std::fs::read_to_string(file).with_context(|| cannot(file))?),
        None => cover.no_notice.then(String::new),
    };
    Ok(Change { logo, notice })
}
