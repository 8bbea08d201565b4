//! The steps of setup: their state, and the result of each one's latest test. Only test results are stored: a step is
//! done when its object exists, so that setup can be interrupted and continued anywhere.

use super::{
    checks::{self, Check},
    dns::{self, DnsRecord, RecordState},
};
use crate::installation;
use anyhow::Result;
use chrono::{DateTime, Utc};
use platform::{App, Config, config::Source};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    sea_query::Query,
};
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};
use store::entities::{
    app_user, brand, certificate_authority, delivery, document_type, fax_account, membership, organization,
    reference_item, trust_anchor, trust_bundle,
};
use utoipa::ToSchema;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SetupStepName {
    PublicUrl,
    Storage,
    Mail,
    Authority,
    Vocabulary,
    Dns,
    Trust,
    Fax,
    Brand,
    Organization,
    Message,
}

impl SetupStepName {
    pub const ALL: [Self; 11] = [
        Self::PublicUrl,
        Self::Storage,
        Self::Mail,
        Self::Authority,
        Self::Vocabulary,
        Self::Dns,
        Self::Trust,
        Self::Fax,
        Self::Brand,
        Self::Organization,
        Self::Message,
    ];

    fn row(self) -> String {
        format!("setup_test_{self:?}")
    }

    /// The settings of the step.
    fn settings(self) -> &'static [&'static str] {
        match self {
            Self::PublicUrl => {
                &["http.public_url", "http.listen", "http.tls_certificate_file", "http.trusted_proxies"]
            }
            Self::Storage => {
                &["data_dir", "database.url", "blobs.path", "blobs.s3.bucket", "keys.master_key_file"]
            }
            Self::Mail => &[
                "email.server.host",
                "email.server.port",
                "email.server.encryption",
                "email.server.user",
                "email.from",
            ],
            Self::Dns => &[
                "direct.host",
                "smtp.listen",
                "smtp.hostname",
                "smtp.tls_certificate_file",
                "dns.listen",
                "dns.nameserver",
            ],
            _ => &[],
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum SetupState {
    Done,
    /// The latest test found a problem.
    Problem,
    Open,
    /// May stay open.
    Optional,
}

/// A setting with its configured value.
#[derive(Debug, Serialize, ToSchema)]
pub struct SetupSetting {
    pub key: String,
    /// Secrets are masked; empty if nothing is set.
    pub value: String,
    pub source: Source,
}

/// Stored result of a test.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SetupTest {
    pub at: DateTime<Utc>,
    pub took_milliseconds: u64,
    pub checks: Vec<Check>,
    pub records: Vec<DnsRecord>,
}

impl SetupTest {
    fn has_problems(&self) -> bool {
        self.checks.iter().any(Check::is_problem) || self.missing() > 0
    }

    /// Unknown, since no name server answered.
    fn is_unknown(&self) -> bool {
        self.records.iter().any(|record| record.state == RecordState::Unknown)
    }

    fn missing(&self) -> usize {
        self.records.iter().filter(|r| matches!(r.state, RecordState::Missing | RecordState::Differs)).count()
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SetupStep {
    pub name: SetupStepName,
    pub state: SetupState,
    /// A few words below its title.
    pub summary: String,
    pub settings: Vec<SetupSetting>,
    /// None before the first test.
    pub tested: Option<SetupTest>,
    /// Whether the step can be tested.
    pub can_test: bool,
}

/// All steps in order.
pub async fn all(app: &App) -> Result<Vec<SetupStep>> {
    let mut steps = Vec::new();
    for name in SetupStepName::ALL {
        steps.push(step(app, name).await?);
    }
    Ok(steps)
}

/// State of a step.
pub async fn step(app: &App, name: SetupStepName) -> Result<SetupStep> {
    let tested = latest(app.store.db(), name).await?;
    let (state, summary) = standing(app, name, tested.as_ref()).await?;
    let settings = name.settings().iter().map(|key| setting(&app.config, key)).collect();
    Ok(SetupStep { name, state, summary, settings, tested, can_test: can_test(name) })
}

fn can_test(name: SetupStepName) -> bool {
    use SetupStepName::{Authority, Dns, Mail, PublicUrl, Storage};
    matches!(name, PublicUrl | Storage | Mail | Authority | Dns)
}

fn setting(config: &Config, key: &str) -> SetupSetting {
    let shown: toml::Table = config.masked_toml().parse().unwrap_or_default();
    let mut found = Some(toml::Value::Table(shown));
    for part in key.split('.') {
        found = found.and_then(|value| value.get(part).cloned());
    }
    let value = match found {
        None => String::new(),
        Some(toml::Value::String(text)) => text,
        Some(toml::Value::Array(list)) => list
            .iter()
            .map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned))
            .collect::<Vec<_>>()
            .join(", "),
        Some(other) => other.to_string(),
    };
    SetupSetting { source: config.source_of(key), key: key.into(), value }
}

async fn latest(db: &impl ConnectionTrait, name: SetupStepName) -> Result<Option<SetupTest>> {
    let row = installation::value(db, &name.row()).await?;
    Ok(row.and_then(|text| serde_json::from_str(&text).ok()))
}

/// Tests a step, and stores the result. `to` is the recipient of a test e-mail.
pub async fn test(app: &App, name: SetupStepName, to: &str) -> Result<()> {
    let began = Instant::now();
    let (checks, records) = run(app, name, to).await?;
    keep(app, name, began.elapsed(), checks, records).await
}

/// Stores the result of a test.
pub async fn keep(
    app: &App,
    name: SetupStepName,
    took: Duration,
    checks: Vec<Check>,
    records: Vec<DnsRecord>,
) -> Result<()> {
    let took_milliseconds = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    let tested = SetupTest { at: app.clock.now(), took_milliseconds, checks, records };
    Ok(installation::set(app.store.db(), &name.row(), &serde_json::to_string(&tested)?).await?)
}

async fn run(app: &App, name: SetupStepName, to: &str) -> Result<(Vec<Check>, Vec<DnsRecord>)> {
    let config = &app.config;
    let checks = match name {
        SetupStepName::PublicUrl => checks::public_url(config, true).await,
        SetupStepName::Storage => checks::storage(config, &app.store, app.keys.master().clone()).await,
        SetupStepName::Mail => checks::mail(config, to).await,
        SetupStepName::Authority => match active_authority(app.store.db()).await? {
            Some(row) => vec![
                checks::authority(&row.certificate_pem, config),
                checks::revocation_list(config, row.id).await,
            ],
            None => vec![Check::problem("There is no authority yet. The server creates one when it starts.")],
        },
        SetupStepName::Dns => {
            let mut found: Vec<Check> = checks::direct_host(config).into_iter().collect();
            found.extend(checks::listeners(config).await);
            found.push(dns::resolves(config, &config.smtp.hostname).await);
            return Ok((found, dns::records(config, &app.store).await?));
        }
        _ => Vec::new(),
    };
    Ok((checks, Vec::new()))
}

async fn active_authority(db: &impl ConnectionTrait) -> Result<Option<certificate_authority::Model>> {
    Ok(certificate_authority::Entity::find()
        .filter(certificate_authority::Column::IsActive.eq(true))
        .order_by_desc(certificate_authority::Column::Id)
        .one(db)
        .await?)
}

/// Tested steps are done if their latest test found no problem.
fn by_test(tested: Option<&SetupTest>, summary: String) -> (SetupState, String) {
    match tested {
        None => (SetupState::Open, "Not tested".into()),
        Some(tested) if tested.has_problems() => (SetupState::Problem, problems(tested)),
        Some(tested) if tested.is_unknown() => {
            (SetupState::Open, "Not all records could be looked up".into())
        }
        Some(_) => (SetupState::Done, summary),
    }
}

fn problems(tested: &SetupTest) -> String {
    let wrong = tested.checks.iter().filter(|check| check.is_problem()).count() as u64;
    let parts = [(tested.missing() as u64, "missing record"), (wrong, "problem")];
    let found = parts.into_iter().filter(|(n, _)| *n > 0).map(|(n, noun)| counted(n, noun));
    found.collect::<Vec<_>>().join(", ")
}

/// "1 problem", "2 problems".
fn counted(n: u64, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

async fn standing(
    app: &App,
    name: SetupStepName,
    tested: Option<&SetupTest>,
) -> Result<(SetupState, String)> {
    let (config, db) = (&app.config, app.store.db());
    Ok(match name {
        SetupStepName::PublicUrl => by_test(tested, config.http.public_url.to_string()),
        SetupStepName::Storage => by_test(tested, checks::database_name(config).into()),
        SetupStepName::Mail => match &config.email.server {
            Some(server) => by_test(tested, format!("By {}", server.host)),
            None => (SetupState::Problem, "No mail server is set".into()),
        },
        SetupStepName::Authority => match active_authority(db).await? {
            Some(row) => by_test(tested, row.name),
            None => (SetupState::Open, "Created when the server starts".into()),
        },
        SetupStepName::Vocabulary => {
            let types = document_type::Entity::find().count(db).await?;
            let items = reference_item::Entity::find().count(db).await?;
            (SetupState::Done, format!("{types} document types, {items} list entries"))
        }
        SetupStepName::Dns if config.direct.is_unnamed() => (SetupState::Open, "No domain is set".into()),
        SetupStepName::Dns => by_test(tested, format!("direct.{}", config.direct.host)),
        SetupStepName::Trust => {
            let anchors = trust_anchor::Entity::find().count(db).await?;
            match (trust_bundle::Entity::find().count(db).await?, anchors) {
                // The installation's own authority counts as one.
                (0, 0 | 1) => (SetupState::Optional, "This installation only trusts itself".into()),
                (0, anchors) => (SetupState::Done, counted(anchors, "anchor")),
                (bundles, _) => (SetupState::Done, counted(bundles, "trust bundle")),
            }
        }
        SetupStepName::Fax => match fax_account::Entity::find().count(db).await? {
            0 => (SetupState::Optional, "Optional".into()),
            n => (SetupState::Done, counted(n, "account")),
        },
        SetupStepName::Brand => {
            let first = brand::Entity::find().order_by_asc(brand::Column::Id).one(db).await?;
            match first {
                Some(first) if first.version > 1 => (SetupState::Done, first.display_name),
                _ => (SetupState::Optional, "The look of the product".into()),
            }
        }
        SetupStepName::Organization => organizations(db).await?,
        SetupStepName::Message => {
            let confirmed = Condition::any()
                .add(delivery::Column::DeliveredAt.is_not_null())
                .add(delivery::Column::ProcessedAt.is_not_null());
            match delivery::Entity::find().filter(confirmed).count(db).await? {
                0 => (SetupState::Open, "No message sent and confirmed yet".into()),
                _ => (SetupState::Done, "A message was sent and confirmed".into()),
            }
        }
    })
}

/// A message is possible with two organizations whose administrators have signed in.
async fn organizations(db: &impl ConnectionTrait) -> Result<(SetupState, String)> {
    let open = organization::Entity::find().filter(organization::Column::DeletedAt.is_null());
    let count = open.clone().count(db).await?;
    let active = open.filter(organization::Column::IsActivated.eq(true)).count(db).await?;
    let administrators = membership::Entity::find()
        .filter(membership::Column::Role.eq(platform::session::ROLE_ADMINISTRATOR))
        .filter(
            membership::Column::UserId.in_subquery(
                Query::select()
                    .column(app_user::Column::Id)
                    .from(app_user::Entity)
                    .and_where(app_user::Column::PasswordHash.ne(""))
                    .to_owned(),
            ),
        )
        .count(db)
        .await?;
    Ok(match (count, active, administrators) {
        (0, ..) => (SetupState::Open, "None yet".into()),
        (_, 0, 0) => (SetupState::Open, "Its administrator has not signed in yet".into()),
        (_, 0, _) => (SetupState::Open, "Terms and proof of identity are pending".into()),
        (_, 1, _) => (SetupState::Done, "1 active".into()),
        (_, n, _) => (SetupState::Done, format!("{n} active")),
    })
}
