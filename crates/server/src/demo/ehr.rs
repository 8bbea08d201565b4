//! The EHR of a demonstration: the sample practice of the crate `fhir`, spoken to over HTTP as any other, and Larkfield's
//! connection to it.

use super::practices::LARKFIELD;
use crate::installation::{self, DEMO_EHR, DEMO_SEEDED};
use anyhow::{Context, Result};
use axum::Router;
use fhir::practice::{self, Practice};
use platform::{App, Config, config::Mode};
use sea_orm::{ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter};
use std::{net::SocketAddr, time::Duration};
use store::entities::{
    integration::{self, Authentication, Capability, ConnectionSettings, IntegrationType, Offered},
    organization,
};
use tokio_util::sync::CancellationToken;
use url::Url;

/// Where the EHR is.
const PATH: &str = "/sample-ehr";
const NAME: &str = "Larkfield Chart";
const CLIENT: &str = "carepost-larkfield";
/// How often the EHR fetches the keys of its apps.
const FETCH: Duration = Duration::from_secs(5);

/// The sample EHR at this address of the web server; none outside demonstrations.
pub fn open(config: &Config, listen: Option<SocketAddr>) -> Result<Option<Practice>> {
    let Some(listen) = listen.filter(|_| config.mode == Mode::Demo && config.http.listen.port() != 0) else {
        return Ok(None);
    };
    let file = config.data_dir.join("sample-ehr.json");
    let base = format!("http://127.0.0.1:{}{PATH}", listen.port());
    Ok(Some(Practice::open(Some(&file), base).context("the sample EHR cannot be opened")?.with_open_charts()))
}

pub fn routes(ehr: &Practice) -> Router<App> {
    Router::new().nest_service(PATH, practice::router(ehr.clone()))
}

/// Connects Larkfield to the EHR, once. The port may have changed since.
pub async fn connect(app: &App, ehr: &Practice) -> Result<()> {
    let db = app.store.db();
    if installation::value(db, DEMO_SEEDED).await?.is_none() {
        return Ok(());
    }
    let txn = app.store.begin().await?;
    if installation::claim(&txn, DEMO_EHR, ehr.base_url()).await? {
        let larkfield = organization::Entity::find().filter(organization::Column::SubDomain.eq(LARKFIELD));
        if let Some(larkfield) = larkfield.one(&txn).await? {
            let row = connection(app, ehr, larkfield.id).await?;
            row.into_active_model().insert(&txn).await?;
        }
    }
    txn.commit().await?;
    for row in own(app, ehr).await? {
        let settings = ConnectionSettings { base_url: ehr.base_url().into(), ..row.settings.clone() };
        if settings != row.settings {
            let mut change = row.into_active_model();
            change.settings = Set(settings);
            change.update(db).await?;
        }
    }
    Ok(())
}

async fn connection(app: &App, ehr: &Practice, organization_id: uuid::Uuid) -> Result<integration::Model> {
    let row = integrations::first_row(app, organization_id, IntegrationType::Fhir).await;
    let row = row.map_err(super::failed)?;
    let chart = app.config.http.public_url.join(&format!("{PATH}/chart/"))?;
    Ok(integration::Model {
        name: NAME.into(),
        settings: ConnectionSettings {
            base_url: ehr.base_url().into(),
            authentication: Authentication::KeyPair,
            client_id: CLIENT.into(),
            chart_url: format!("{chart}{{patient}}"),
            ..ConnectionSettings::default()
        },
        offers: Some(Offered {
            software: "Sample practice".into(),
            fhir_version: "4.0.1".into(),
            capabilities: Capability::of_ehrs().collect(),
        }),
        ..row
    })
}

/// The connections to the sample EHR.
async fn own(app: &App, ehr: &Practice) -> Result<Vec<integration::Model>> {
    let all = integration::Entity::find().all(app.store.db()).await?;
    // The port of an earlier start may have been another one.
    let is_own = |url: &str| {
        let is_here =
            |url: &Url| url.host_str() == Some("127.0.0.1") && url.path().trim_end_matches('/') == PATH;
        url == ehr.base_url() || Url::parse(url).is_ok_and(|url| is_here(&url))
    };
    Ok(all.into_iter().filter(|row| is_own(&row.settings.base_url)).collect())
}

/// Fetches the keys of connected apps, as EHRs do, until the node stops.
pub async fn fetch_keys_forever(app: App, ehr: Practice, cancel: CancellationToken) {
    while cancel.run_until_cancelled(tokio::time::sleep(FETCH)).await.is_some() {
        if let Err(error) = fetch_keys(&app, &ehr).await {
            tracing::warn!(%error, "the sample EHR could not fetch the keys of its apps");
        }
    }
}

/// Registers the apps with their keys, and the address to which people come back.
pub async fn fetch_keys(app: &App, ehr: &Practice) -> Result<()> {
    let redirect = integrations::redirect_url(app).map_err(super::failed)?;
    for row in own(app, ehr).await? {
        match row.settings.authentication {
            Authentication::KeyPair => {
                let keys = integrations::public_keys(app, &row).await.map_err(super::failed)?;
                ehr.register(&row.settings.client_id, keys);
            }
            Authentication::Person => ehr.register_app(&row.settings.client_id, redirect.as_str()),
            Authentication::Open => {}
        }
    }
    Ok(())
}
