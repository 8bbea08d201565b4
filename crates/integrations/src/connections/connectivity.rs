//! Tests of a connection: its name, encryption, sign-in and one harmless read, each with its time.

use super::{
    health::Trouble,
    keys, probes, queries,
    report::{Test, TestFailure},
    rows::{is_same_ehr, new_row},
    rules,
    types::{ConnectivityReport, IntegrationForm, TestOutcome, TestStep},
};
use crate::{
    ehr::{self, Failure},
    login::tokens,
    network,
};
use axum::{Json, extract::State};
use fhir::{
    client::{Access, Client},
    model::{Offers, PatientQuery},
    problem::{Problem, SignInReason, Step},
};
use platform::{
    App, Error, Member, Result,
    access::ADMINS,
    api::Api,
    audit::{self, Act, event},
    http::{Body, Id},
    integrations,
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, sea_query::Expr};
use serde_json::json;
use store::entities::integration::{Authentication, Column, Entity, IntegrationType, Model, Offered};
use tokio::time::Instant;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::for_subscribers()
        .route(ADMINS, routes!(integration_connectivity))
        .route(ADMINS, routes!(test_integration))
}

/// Name in the search for patients that no patient has.
const NOBODY: &str = "Connection-Test";

/// Tests a saved connection
#[utoipa::path(get, path = "/api/integrations/{id}/connectivity", operation_id = "integrationConnectivity",
    tag = "integrations", params(("id" = Uuid, Path)), responses((status = 200, body = ConnectivityReport)))]
async fn integration_connectivity(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
) -> Result<Json<ConnectivityReport>> {
    let row = queries::find(app.store.db(), member.organization_id, id).await?;
    let (report, offered) = test(&app, &member, &row, true).await?;
    note(&app, &row, &report, offered).await?;
    Ok(Json(report))
}

/// Tests a connection before it is saved
#[utoipa::path(post, path = "/api/integrations/connectivity", operation_id = "testIntegration",
    tag = "integrations", request_body = IntegrationForm, responses((status = 200, body = ConnectivityReport)))]
async fn test_integration(
    State(app): State<App>,
    member: Member,
    Body(form): Body<IntegrationForm>,
) -> Result<Json<ConnectivityReport>> {
    rules::check(&network::guards(&app), &form).map_err(Error::Invalid)?;
    let before = match form.id {
        Some(id) => Some(queries::find(app.store.db(), member.organization_id, id).await?),
        None => None,
    };
    let known = before.clone();
    let row = new_row(&app, &member, before, form).await?;
    // Keys and tokens are for the EHR that knows them.
    let is_known = known.is_some_and(|known| is_same_ehr(&known.settings, &row.settings));
    Ok(Json(test(&app, &member, &row, is_known).await?.0))
}

/// Notes the outcome of a test at the connection: what is offered, and whether it fails.
async fn note(app: &App, row: &Model, report: &ConnectivityReport, offered: Option<Offered>) -> Result<()> {
    let now = app.clock.now();
    let mut update =
        Entity::update_many().filter(Column::Id.eq(row.id)).filter(Column::Version.eq(row.version));
    if let Some(offered) = offered {
        update = update
            .col_expr(Column::Offers, Expr::value(serde_json::to_value(offered).map_err(Error::internal)?));
    }
    let failed = report.steps.iter().find(|step| step.outcome == TestOutcome::Failed);
    let since = failed.map(|_| row.failing_since.unwrap_or(now));
    update = update
        .col_expr(Column::FailingSince, Expr::value(since))
        .col_expr(Column::Failures, Expr::value(i32::from(failed.is_some())))
        .col_expr(Column::Problem, Expr::value(failed.map_or("", |step| step.detail.as_str())))
        .col_expr(Column::Remedy, Expr::value(report.remedy.as_str()))
        .col_expr(Column::RetryAt, Expr::value(None::<chrono::DateTime<chrono::Utc>>));
    if report.is_connected {
        update = update.col_expr(Column::AnsweredAt, Expr::value(now));
    }
    update.exec(app.store.db()).await?;
    Ok(())
}

fn failure(problem: Problem) -> TestFailure {
    TestFailure {
        trouble: Trouble { text: problem.text(), remedy: problem.remedy() },
        field: field(&problem),
    }
}

/// The field of the form that mends a problem.
fn field(problem: &Problem) -> Option<&'static str> {
    match problem {
        Problem::SignInRefused { reason: SignInReason::UnknownClient | SignInReason::UnknownClientOrKey } => {
            Some("clientId")
        }
        Problem::SignInRefused { reason: SignInReason::WrongScope } => Some("scopes"),
        Problem::SignInRefused { reason: SignInReason::UnknownKey } => Some("newKey"),
        _ => matches!(problem.step(), Step::Name | Step::Tls).then_some("baseUrl"),
    }
}

/// Runs the steps up to the first failure. `is_known`: whether the EHR can know the key pair
/// and the person's sign-in already.
async fn test(
    app: &App,
    member: &Member,
    row: &Model,
    is_known: bool,
) -> Result<(ConnectivityReport, Option<Offered>)> {
    integrations::require(app.store.db(), row.kind.grant(), member.organization_id).await?;
    let act = Act::new(event::CHANGED, "integration", row.id).detail(json!({ "test": true }));
    audit::record_read(app, &member.caller, act).await?;
    let mut test = Test::default();
    let offered = match row.kind {
        IntegrationType::Fhir => fhir(app, member, row, is_known, &mut test).await?,
        IntegrationType::Hl7 => probes::messages(app, row, &mut test).await?,
        IntegrationType::WebService => probes::service(app, row, &mut test).await?,
    };
    Ok((test.report(offered.as_ref()), offered))
}

/// Runs the steps of an EHR with FHIR, and returns what it offers.
async fn fhir(
    app: &App,
    member: &Member,
    row: &Model,
    is_known: bool,
    test: &mut Test,
) -> Result<Option<Offered>> {
    let Some(offers) = reach(app, row, test).await else { return Ok(None) };
    let offered = rules::offered(&offers);
    if let Some(access) = sign_in(app, member, row, is_known, test).await? {
        read(app, row, access, test).await;
    }
    Ok(Some(offered))
}

/// Reads the capability statement, which needs no sign-in.
async fn reach(app: &App, row: &Model, test: &mut Test) -> Option<Offers> {
    let begun = Instant::now();
    let is_encrypted = row.settings.base_url.starts_with("https:");
    let client = network::client(app, row.organization_id)
        .map_err(|_| Problem::Unreachable)
        .and_then(|http| Client::new(http, &row.settings.base_url, Access::Open));
    let offers = match client {
        Ok(client) => client.offers().await,
        Err(problem) => Err(problem),
    };
    let host = url::Url::parse(&row.settings.base_url).ok();
    let host = host.as_ref().and_then(url::Url::host_str).unwrap_or_default().to_owned();
    match offers {
        Ok(offers) => {
            test.passed(TestStep::Name, begun, host);
            match is_encrypted {
                true => test.passed(TestStep::Tls, begun, "Encrypted"),
                false => test.not_needed(TestStep::Tls, "Not encrypted, on this machine only"),
            }
            Some(offers)
        }
        Err(problem) => {
            match problem.step() {
                Step::Name => test.failed(TestStep::Name, begun, failure(problem)),
                _ => {
                    test.passed(TestStep::Name, begun, host);
                    test.failed(TestStep::Tls, begun, failure(problem));
                }
            }
            None
        }
    }
}

/// Gets a token; none if the step failed or the person has to sign in first.
async fn sign_in(
    app: &App,
    member: &Member,
    row: &Model,
    is_known: bool,
    test: &mut Test,
) -> Result<Option<Access>> {
    let begun = Instant::now();
    match row.settings.authentication {
        Authentication::Open => {
            test.not_needed(TestStep::SignIn, "This EHR is used without sign-in");
            Ok(Some(Access::Open))
        }
        Authentication::Person => {
            test.not_needed(TestStep::SignIn, "Each person signs in at the EHR");
            if !is_known {
                test.not_needed(TestStep::Read, "Save the connection and sign in at the EHR to test reading");
                return Ok(None);
            }
            match tokens::current(app, row, member.caller.user_id).await {
                Ok(Some(token)) => Ok(Some(Access::Bearer(token))),
                Ok(None) | Err(Failure::Problem(_)) => {
                    test.not_needed(TestStep::Read, "Sign in at the EHR to test reading");
                    Ok(None)
                }
                Err(failure) => Err(failure.error(Some(row))),
            }
        }
        Authentication::KeyPair if !is_known => {
            test.not_needed(
                TestStep::SignIn,
                "Save the connection, register its key at the EHR, and test again",
            );
            test.not_needed(TestStep::Read, "Needs the sign-in");
            Ok(None)
        }
        Authentication::KeyPair => {
            let key = keys::signing_key(app, row).await?;
            match ehr::new_system_token(app, row, &key).await {
                Ok(token) => {
                    test.passed(TestStep::SignIn, begun, format!("With key {}", short(&row.key_id)));
                    Ok(Some(Access::Bearer(token.value.expose().to_owned())))
                }
                Err(problem) => {
                    test.failed(TestStep::SignIn, begun, failure(problem));
                    Ok(None)
                }
            }
        }
    }
}

/// Beginning of a key id, by which people tell keys apart.
fn short(key_id: &str) -> String {
    key_id.chars().take(8).collect()
}

/// Searches for a patient who does not exist.
async fn read(app: &App, row: &Model, access: Access, test: &mut Test) {
    let begun = Instant::now();
    let client = network::client(app, row.organization_id)
        .map_err(|_| Problem::Unreachable)
        .and_then(|http| Client::new(http, &row.settings.base_url, access));
    let query = PatientQuery { family: Some(NOBODY.into()), ..PatientQuery::default() };
    let found = match &client {
        Ok(client) => client.find_patients(&query).await,
        Err(problem) => Err(problem.clone()),
    };
    match found {
        Ok(_) => test.passed(TestStep::Read, begun, "Searched for a patient"),
        Err(problem) => test.failed(TestStep::Read, begun, failure(problem)),
    }
}
