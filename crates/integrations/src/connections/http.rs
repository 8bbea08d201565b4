//! `/api/integrations`: connections of an organization.

use super::{
    keys, queries,
    rows::{is_same_ehr, new_row},
    rules, template,
    types::{
        Capabilities, ConnectedType, IntegrationForm, IntegrationTypeView, IntegrationView, PatientKey,
        TemplateView,
    },
};
use crate::{ehr, login::tokens, network};
use axum::{Json, extract::State, http::StatusCode};
use chrono::TimeDelta;
use platform::{
    App, Error, Member, Result,
    access::{ADMINS, MEMBERS},
    api::Api,
    audit::Actor,
    http::{Body, Id, Items, Params},
    integrations,
    records::{self, Record},
};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, EntityTrait, IntoActiveModel, Iterable, PaginatorTrait, QueryFilter,
    sea_query::{Expr, ExprTrait},
};
use serde::Deserialize;
use std::collections::BTreeSet;
use store::entities::{
    chart_filing::FilingState,
    integration::{Authentication, Capability, Column, Entity, IntegrationType, Model},
};
use utoipa::IntoParams;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::for_subscribers()
        .route(ADMINS, routes!(integrations_of_organization, save_integration))
        .route(ADMINS, routes!(integration_types))
        .route(ADMINS, routes!(available_integration_types))
        .route(ADMINS, routes!(integration, delete_integration))
        .route(MEMBERS, routes!(connected_integration_types))
        .route(MEMBERS, routes!(integration_capabilities))
        .route(MEMBERS, routes!(clear_integration_cache))
        .route(MEMBERS, routes!(integration_patient_keys))
        .route(MEMBERS, routes!(integration_templates))
}

const OTHER_KIND: &str = "The kind of a connection cannot be changed. Please add another connection.";

/// Most connections of an organization.
const MOST: u64 = 20;

pub(crate) struct ConnectionRecord;

impl Record for ConnectionRecord {
    type Entity = Entity;
    const OBJECT: &'static str = "integration";
    const NOUN: &'static str = "this connection";
    const ID: Column = Column::Id;
    const VERSION: Column = Column::Version;
    const MODIFIED_AT: Option<Column> = Some(Column::ModifiedAt);
    const NAME: Option<Column> = Some(Column::Name);
    const ORGANIZATION: Option<Column> = Some(Column::OrganizationId);
    const AUDITED: &'static [Column] =
        &[Column::Kind, Column::Name, Column::IsEnabled, Column::Settings, Column::KeyId];
    const TAKEN: (&'static str, &'static str) = ("name", "A connection with this name already exists.");
}

/// The connections of the organization: failing ones first, then by name
#[utoipa::path(get, path = "/api/integrations", operation_id = "listIntegrations", tag = "integrations",
    responses((status = 200, body = Items<IntegrationView>)))]
async fn integrations_of_organization(
    State(app): State<App>,
    member: Member,
) -> Result<Json<Items<IntegrationView>>> {
    let rows = queries::all(app.store.db(), member.organization_id).await?;
    let mut items = views(&app, &member, rows).await?;
    items.sort_by_key(|view| view.failing_since.is_none());
    Ok(Json(Items { items }))
}

/// Creates or changes a connection
#[utoipa::path(put, path = "/api/integrations", operation_id = "saveIntegration", tag = "integrations",
    request_body = IntegrationForm,
    responses((status = 200, body = IntegrationView), (status = 409, description = "Changed by somebody else")))]
async fn save_integration(
    State(app): State<App>,
    member: Member,
    Body(form): Body<IntegrationForm>,
) -> Result<Json<IntegrationView>> {
    rules::check(&network::guards(&app), &form).map_err(Error::Invalid)?;
    let (db, actor) = (app.store.db(), Actor::from(&member.caller));
    let saved = match form.id {
        None => {
            integrations::require(db, form.integration_type.grant(), member.organization_id).await?;
            if queries::of(member.organization_id).count(db).await? >= MOST {
                return Err(Error::Conflict(
                    format!("An organization can have {MOST} connections at most.").into(),
                ));
            }
            let row = new_row(&app, &member, None, form).await?;
            records::create::<ConnectionRecord>(&app, &actor, row.into_active_model()).await?
        }
        Some(id) => {
            let found = queries::connection(member.organization_id, id);
            let mut edit = records::edit::<ConnectionRecord>(&app, &actor, found, form.version).await?;
            if form.integration_type != edit.before.kind {
                return Err(Error::field("integrationType", OTHER_KIND));
            }
            let row = new_row(&app, &member, Some(edit.before.clone()), form).await?;
            if !is_same_ehr(&edit.before.settings, &row.settings) {
                tokens::forget_all(&edit.txn, id).await?;
            }
            edit.row.name = Set(row.name);
            edit.row.is_enabled = Set(row.is_enabled);
            edit.row.settings = Set(row.settings);
            edit.row.offers = Set(row.offers);
            edit.row.key_id = Set(row.key_id);
            edit.row.key_made_at = Set(row.key_made_at);
            edit.row.sealed_key = Set(row.sealed_key);
            edit.row.sealed_former_key = Set(row.sealed_former_key);
            edit.row.sealed_secret = Set(row.sealed_secret);
            edit.row.failing_since = Set(row.failing_since);
            edit.row.failures = Set(row.failures);
            edit.row.problem = Set(row.problem);
            edit.row.remedy = Set(row.remedy);
            edit.row.retry_at = Set(None);
            edit.save().await?
        }
    };
    single_view(&app, &member, saved).await
}

/// Reads a connection
#[utoipa::path(get, path = "/api/integrations/{id}", operation_id = "integration", tag = "integrations",
    params(("id" = Uuid, Path)), responses((status = 200, body = IntegrationView)))]
async fn integration(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
) -> Result<Json<IntegrationView>> {
    let row = queries::find(app.store.db(), member.organization_id, id).await?;
    single_view(&app, &member, row).await
}

/// Deletes a connection
///
/// Documents stay in the chart. Refused while some are on their way there.
#[utoipa::path(delete, path = "/api/integrations/{id}", operation_id = "deleteIntegration", tag = "integrations",
    params(("id" = Uuid, Path)), responses((status = 204)))]
async fn delete_integration(State(app): State<App>, member: Member, Id(id): Id<Uuid>) -> Result<StatusCode> {
    queries::refuse_if_on_their_way(app.store.db(), id).await?;
    let (actor, found) = (Actor::from(&member.caller), queries::connection(member.organization_id, id));
    records::lock::<ConnectionRecord>(&app, &actor, found).await?.remove().await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn single_view(app: &App, member: &Member, row: Model) -> Result<Json<IntegrationView>> {
    let view = views(app, member, vec![row]).await?.pop();
    view.map(Json).ok_or(Error::NotFound)
}

async fn views(app: &App, member: &Member, rows: Vec<Model>) -> Result<Vec<IntegrationView>> {
    let (db, now) = (app.store.db(), app.clock.now());
    let kinds = types(app, member).await?;
    let is_allowed = |kind| kinds.iter().any(|of| of.integration_type == kind && of.is_allowed);
    let told_at = match rows.iter().any(|row| row.kind == IntegrationType::Hl7) {
        true => feeds::last_told(app, member.organization_id).await?,
        false => None,
    };
    let counts = queries::filings(db, rows.iter().map(|row| row.id), now - TimeDelta::days(7)).await?;
    let redirect_url = tokens::redirect_url(app)?;
    let view = |row: Model| {
        let count = |states: &[FilingState]| {
            let own = counts.iter().filter(|(id, state, _)| *id == row.id && states.contains(state));
            own.map(|(_, _, count)| u64::try_from(*count).unwrap_or(0)).sum::<u64>()
        };
        let (waiting, failed) = (
            count(&[FilingState::Waiting, FilingState::Withdrawing]),
            count(&[FilingState::Failed, FilingState::WithdrawalFailed]),
        );
        let offers = row.offers.clone().unwrap_or_default();
        Ok(IntegrationView {
            filed_last_week: count(&[FilingState::Filed]),
            waiting,
            failed,
            state: rules::state(&row, is_allowed(row.kind)),
            next_try_at: rules::next_try(&row, now),
            key_set_url: keys::key_set_url(app, row.id)?.into(),
            redirect_url: redirect_url.to_string(),
            offered: offers.capabilities,
            software: offers.software,
            id: row.id,
            integration_type: row.kind,
            name: row.name,
            is_active: row.is_enabled,
            base_url: row.settings.base_url,
            authentication: row.settings.authentication,
            client_id: row.settings.client_id,
            scopes: row.settings.scopes,
            requires_facility: row.settings.requires_facility,
            requires_document_type: row.settings.requires_document_type,
            description_template: row.settings.description_template,
            chart_url: row.settings.chart_url,
            messages: row.settings.messages,
            body_template: row.settings.body_template,
            has_secret: row.sealed_secret.is_some(),
            told_at: told_at.filter(|_| row.kind == IntegrationType::Hl7),
            key_id: row.key_id,
            key_made_at: row.key_made_at,
            unused: row.settings.unused,
            failing_since: row.failing_since,
            problem: row.problem,
            remedy: row.remedy,
            answered_at: row.answered_at,
            answer_milliseconds: row.answer_milliseconds,
            version: row.version,
        })
    };
    rows.into_iter().map(view).collect()
}

async fn types(app: &App, member: &Member) -> Result<Vec<IntegrationTypeView>> {
    let redirect_url = tokens::redirect_url(app)?.to_string();
    let mut views = Vec::new();
    for kind in IntegrationType::iter() {
        let is_allowed = ehr::is_allowed(app, member.organization_id, kind).await?;
        views.push(type_view(kind, is_allowed, &redirect_url));
    }
    Ok(views)
}

fn type_view(kind: IntegrationType, is_allowed: bool, redirect_url: &str) -> IntegrationTypeView {
    let (name, description) = match kind {
        IntegrationType::Fhir => (
            "EHR (FHIR R4)",
            "Finds patients, visits and reviewers in an EHR with US Core, and files documents into its charts.",
        ),
        IntegrationType::Hl7 => (
            "EHR (HL7 v2)",
            "Finds the patients, visits and orders that an EHR reports by ADT, SIU and ORM, and sends documents to it as MDM or ORU.",
        ),
        IntegrationType::WebService => (
            "Web service",
            "Sends documents as JSON over https, for example to referral tracking or document processing.",
        ),
    };
    let is_fhir = kind == IntegrationType::Fhir;
    let is_service = kind == IntegrationType::WebService;
    IntegrationTypeView {
        integration_type: kind,
        name,
        description,
        authentications: match is_fhir {
            true => vec![Authentication::KeyPair, Authentication::Person, Authentication::Open],
            false => vec![Authentication::Open],
        },
        capabilities: match kind {
            IntegrationType::Fhir => Capability::of_ehrs().collect(),
            IntegrationType::Hl7 => rules::offered_by_messages(true, true).capabilities,
            IntegrationType::WebService => rules::offered_by_service().capabilities,
        },
        is_allowed,
        redirect_url: if is_fhir { redirect_url.to_owned() } else { String::new() },
        body_template: if is_service { template::USUAL } else { "" },
        placeholders: if is_service { template::PLACEHOLDERS.into() } else { Vec::new() },
    }
}

/// The kinds of systems that can be connected
#[utoipa::path(get, path = "/api/integrations/types", operation_id = "integrationTypes", tag = "integrations",
    responses((status = 200, body = Items<IntegrationTypeView>)))]
async fn integration_types(
    State(app): State<App>,
    member: Member,
) -> Result<Json<Items<IntegrationTypeView>>> {
    Ok(Json(Items { items: types(&app, &member).await? }))
}

/// The kinds of systems that the organization may connect
#[utoipa::path(get, path = "/api/integrations/types/available", operation_id = "availableIntegrationTypes",
    tag = "integrations", responses((status = 200, body = Items<IntegrationTypeView>)))]
async fn available_integration_types(
    State(app): State<App>,
    member: Member,
) -> Result<Json<Items<IntegrationTypeView>>> {
    let mut items = types(&app, &member).await?;
    items.retain(|kind| kind.is_allowed);
    Ok(Json(Items { items }))
}

/// The connected systems, for the screens of staff
#[utoipa::path(get, path = "/api/integrations/connected/types", operation_id = "connectedIntegrationTypes",
    tag = "integrations", responses((status = 200, body = Items<ConnectedType>)))]
async fn connected_integration_types(
    State(app): State<App>,
    member: Member,
) -> Result<Json<Items<ConnectedType>>> {
    let (db, now) = (app.store.db(), app.clock.now());
    let rows = queries::usable(&app, member.organization_id).await?;
    let signed_in = tokens::signed_in(db, member.caller.user_id, rows.iter().map(|row| row.id), now).await?;
    let items = rows.into_iter().map(|row| ConnectedType {
        capabilities: row.capabilities().collect(),
        state: rules::state(&row, true),
        next_try_at: rules::next_try(&row, now),
        needs_login: row.settings.authentication == Authentication::Person && !signed_in.contains(&row.id),
        integration_id: row.id,
        integration_type: row.kind,
        failing_since: row.failing_since,
        requires_facility: row.settings.requires_facility,
        requires_document_type: row.settings.requires_document_type,
        chart_url: row.settings.chart_url,
        name: row.name,
    });
    Ok(Json(Items { items: items.collect() }))
}

/// The capabilities of the connected systems together
#[utoipa::path(get, path = "/api/integrations/capabilities", operation_id = "integrationCapabilities",
    tag = "integrations", responses((status = 200, body = Capabilities)))]
async fn integration_capabilities(State(app): State<App>, member: Member) -> Result<Json<Capabilities>> {
    let rows = queries::usable(&app, member.organization_id).await?;
    let can = |capability: Capability| rows.iter().any(|row| row.can(capability));
    Ok(Json(Capabilities {
        patient_lookup: can(Capability::PatientLookup),
        patient_details_lookup: can(Capability::PatientDetailsLookup),
        visit_lookup: can(Capability::VisitLookup),
        reviewer_lookup: can(Capability::ReviewerLookup),
        document_type_lookup: can(Capability::DocumentTypeLookup),
        document_upload: can(Capability::DocumentUpload),
        reviewer_group_lookup: can(Capability::ReviewerGroupLookup),
        have_code_grant_login: rows.iter().any(|row| row.settings.authentication == Authentication::Person),
    }))
}

/// Clears the remembered lists of the organization's connections, such as their document types
#[utoipa::path(post, path = "/api/integrations/clearcache", operation_id = "clearIntegrationCache",
    tag = "integrations", responses((status = 204)))]
async fn clear_integration_cache(State(app): State<App>, member: Member) -> Result<StatusCode> {
    Entity::update_many()
        .col_expr(Column::CacheEpoch, Expr::col(Column::CacheEpoch).add(1))
        .filter(Column::OrganizationId.eq(member.organization_id))
        .exec(app.store.db())
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct OfType {
    /// All kinds by default.
    #[serde(rename = "type")]
    #[param(inline)]
    kind: Option<IntegrationType>,
}

const RECORD_NUMBER: (&str, &str) = ("MR", "Medical record number");

/// The numbers by which the connected systems find patients
#[utoipa::path(get, path = "/api/integrations/patientkeys", operation_id = "integrationPatientKeys",
    tag = "integrations", params(OfType), responses((status = 200, body = Items<PatientKey>)))]
async fn integration_patient_keys(
    State(app): State<App>,
    member: Member,
    Params(of): Params<OfType>,
) -> Result<Json<Items<PatientKey>>> {
    let rows = queries::usable(&app, member.organization_id).await?;
    let kinds: BTreeSet<String> = rows.iter().map(|row| row.kind.to_string()).collect();
    let kinds = IntegrationType::iter().filter(|kind| kinds.contains(&kind.to_string()));
    let keys = kinds.filter(|kind| of.kind.is_none_or(|of| of == *kind)).flat_map(|kind| {
        match kind {
            IntegrationType::Fhir => [RECORD_NUMBER, ("id", "ID in the EHR")].as_slice(),
            IntegrationType::Hl7 => &[RECORD_NUMBER],
            IntegrationType::WebService => &[],
        }
        .iter()
        .map(move |(key, name)| PatientKey { key, name, integration_type: kind })
    });
    Ok(Json(Items { items: keys.collect() }))
}

/// The templates for descriptions of filed documents
#[utoipa::path(get, path = "/api/integrations/templates", operation_id = "integrationTemplates",
    tag = "integrations", responses((status = 200, body = Items<TemplateView>)))]
async fn integration_templates(State(app): State<App>, member: Member) -> Result<Json<Items<TemplateView>>> {
    let rows = queries::usable(&app, member.organization_id).await?.into_iter();
    let items = rows.map(|row| TemplateView {
        integration_id: row.id,
        integration_type: row.kind,
        name: row.name,
        text: rules::template(&row.settings.description_template).to_owned(),
    });
    Ok(Json(Items { items: items.collect() }))
}
