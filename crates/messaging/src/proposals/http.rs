//! `GET /api/messages/{id}/proposals`: likely document type and reviewer of an Intake message.

use crate::{
    indexes::{
        choices::choice_context,
        evidence::{Because, Evidence, Feature, features, propose},
    },
    messages::{colleagues, queries},
    model::Direction,
    people::{PersonView, names_of},
    sealed::Summary,
    vocabulary::own_or_system,
};
use axum::{Json, extract::State};
use platform::{
    App, Member, Result,
    access::MEMBERS,
    api::Api,
    audit::{self, Act, event},
    http::Id,
    session,
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, SelectExt};
use serde::Serialize;
use std::collections::{BTreeSet, HashMap};
use store::{
    entities::{
        document_type,
        filing_evidence::{self, Aspect},
        message,
    },
    keys::DataKey,
};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::for_subscribers().route(MEMBERS, routes!(message_proposals))
}

/// Proposals for a message; null where there is too little evidence.
#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct Proposals {
    document_type: Option<ProposedType>,
    assignee: Option<ProposedAssignee>,
}

#[derive(Debug, Serialize, ToSchema)]
struct ProposedType {
    name: String,
    #[schema(inline = false)]
    because: Because,
}

#[derive(Debug, Serialize, ToSchema)]
struct ProposedAssignee {
    person: PersonView,
    #[schema(inline = false)]
    because: Because,
}

/// The document type and the reviewer that staff chose for similar messages
#[utoipa::path(get, path = "/api/messages/{id}/proposals", operation_id = "messageProposals", tag = "messages",
    params(("id" = Uuid, Path)), responses((status = 200, body = Proposals)))]
async fn message_proposals(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
) -> Result<Json<Proposals>> {
    let row = queries::find(&app, &member, id).await?;
    if row.direction != Direction::Intake || row.processed_at.is_some() {
        return Ok(Json(Proposals::default()));
    }
    let key = app.keys.data_key(member.organization_id).await?;
    let features = features(&key, &row, &Summary::open(&key, &row)?);
    let rows = evidence(&app, &member, &features).await?;
    let proposals = Proposals {
        document_type: document_type(&app, &member, &key, &features, &rows).await?,
        assignee: assignee(&app, &member, &key, &row, &features, &rows).await?,
    };
    if proposals.document_type.is_some() || proposals.assignee.is_some() {
        // The answer may contain a word of the subject.
        audit::record_read(&app, &member.caller, Act::new(event::LISTED, "message", id)).await?;
    }
    Ok(Json(proposals))
}

/// All evidence for the features: for each, as many rows as there are types and people.
async fn evidence(app: &App, member: &Member, features: &[Feature]) -> Result<Vec<filing_evidence::Model>> {
    use filing_evidence::Column;
    let tokens: BTreeSet<Vec<u8>> = features.iter().map(|feature| feature.token.clone()).collect();
    let rows = filing_evidence::Entity::find()
        .filter(Column::OrganizationId.eq(member.organization_id))
        .filter(Column::Feature.is_in(tokens));
    Ok(rows.all(app.store.db()).await?)
}

/// The evidence of one aspect, by feature. Choices are tokens.
fn of_aspect(
    features: &[Feature],
    rows: &[filing_evidence::Model],
    aspect: Aspect,
) -> Vec<Evidence<Vec<u8>>> {
    let of = |feature: &Feature| Evidence {
        basis: feature.basis,
        word: feature.word.clone(),
        times: rows
            .iter()
            .filter(|row| row.aspect == aspect && row.feature == feature.token)
            .map(|row| (row.choice.clone(), row.times.into()))
            .collect(),
    };
    features.iter().map(of).collect()
}

/// The proposal of an aspect.
fn chosen(
    member: &Member,
    key: &DataKey,
    features: &[Feature],
    rows: &[filing_evidence::Model],
    aspect: Aspect,
) -> Result<Option<(String, Because)>> {
    let Some((choice, because)) = propose(&of_aspect(features, rows, aspect)) else { return Ok(None) };
    let row = rows.iter().find(|row| row.aspect == aspect && row.choice == choice);
    let Some(row) = row else { return Ok(None) };
    let opened = key.open(&choice_context(member.organization_id), &row.sealed_choice)?;
    Ok(Some((String::from_utf8_lossy(&opened).into_owned(), because)))
}

/// The document type, if it still exists.
async fn document_type(
    app: &App,
    member: &Member,
    key: &DataKey,
    features: &[Feature],
    rows: &[filing_evidence::Model],
) -> Result<Option<ProposedType>> {
    let Some((name, because)) = chosen(member, key, features, rows, Aspect::DocumentType)? else {
        return Ok(None);
    };
    let known = document_type::Entity::find()
        .filter(own_or_system(document_type::Column::OrganizationId, member))
        .filter(document_type::Column::Name.eq(&name));
    Ok(known.exists(app.store.db()).await?.then_some(ProposedType { name, because }))
}

/// The colleague, if still in the organization and allowed to read the message.
async fn assignee(
    app: &App,
    member: &Member,
    key: &DataKey,
    row: &message::Model,
    features: &[Feature],
    rows: &[filing_evidence::Model],
) -> Result<Option<ProposedAssignee>> {
    let Some((id, because)) = chosen(member, key, features, rows, Aspect::Assignee)? else { return Ok(None) };
    let Ok(id) = id.parse::<Uuid>() else { return Ok(None) };
    let (db, organization_id) = (app.store.db(), member.organization_id);
    let works_here = session::organization_role(db, id, organization_id).await?.is_some();
    if !works_here || colleagues::readers(db, row, &[id]).await?.is_empty() {
        return Ok(None);
    }
    let name = names_of(app, [id]).await?.remove(&id);
    Ok(name.map(|name| ProposedAssignee { person: PersonView { id, name }, because }))
}

/// The document types that staff chose for similar messages, for open messages without one.
pub async fn types(
    app: &App,
    member: &Member,
    key: &DataKey,
    rows: &[message::Model],
) -> Result<HashMap<Uuid, String>> {
    let mut wanted = Vec::new();
    for row in rows.iter().filter(|row| row.processed_at.is_none()) {
        let summary = Summary::open(key, row)?;
        if summary.document_type.is_empty() {
            wanted.push((row.id, features(key, row, &summary)));
        }
    }
    let all: Vec<Feature> = wanted.iter().flat_map(|(_, features)| features.clone()).collect();
    if all.is_empty() {
        return Ok(HashMap::new());
    }
    let counted = evidence(app, member, &all).await?;
    let mut found = HashMap::new();
    for (id, features) in wanted {
        if let Some((name, _)) = chosen(member, key, &features, &counted, Aspect::DocumentType)? {
            found.insert(id, name);
        }
    }
    let names: BTreeSet<String> = found.values().cloned().collect();
    let known: Vec<String> = document_type::Entity::find()
        .filter(own_or_system(document_type::Column::OrganizationId, member))
        .filter(document_type::Column::Name.is_in(names))
        .all(app.store.db())
        .await?
        .into_iter()
        .map(|row| row.name)
        .collect();
    found.retain(|_, name| known.contains(name));
    Ok(found)
}
