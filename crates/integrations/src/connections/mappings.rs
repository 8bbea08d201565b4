//! `/api/integrations/{id}/mappings`: people and groups of an EHR, and who they are in the organization.

use super::queries;
use crate::ehr::{Ehr, For, group_id};
use axum::{Json, extract::State};
use platform::{
    App, Error, Member, Result,
    access::{ADMINS, MEMBERS},
    api::Api,
    audit::{self, Act, Actor, event},
    http::{Body, Id, Items},
    session::full_name,
};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder,
    QuerySelect,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use store::{
    Transaction,
    entities::{
        app_user,
        integration::Capability,
        integration_mapping::{Column, Entity, MappedKind, Model},
        membership,
    },
};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::for_subscribers()
        .route(ADMINS, routes!(integration_mappings, save_integration_mappings))
        .route(MEMBERS, routes!(integration_identities))
}

/// Most people of an organization among whom names are suggested.
const COLLEAGUES: u64 = 2_000;
/// Most people of a group.
const GROUP: usize = 100;

/// A person of the organization.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct MappedUser {
    pub id: Uuid,
    pub name: String,
}

/// A person or group of the EHR.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IntegrationMapping {
    pub kind: MappedKind,
    /// Id in the EHR.
    pub external_id: String,
    pub external_name: String,
    /// National Provider Identifier or another number, for people.
    pub user_name: String,
    /// Who that is here. One for a person.
    pub users: Vec<MappedUser>,
    /// The only colleague with the same name, if nobody is mapped.
    pub suggestion: Option<MappedUser>,
    /// Whether the EHR no longer has it.
    pub is_gone: bool,
}

/// People and groups of an EHR.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IntegrationMappings {
    /// Those without anybody first, then by name.
    pub items: Vec<IntegrationMapping>,
    /// Whether the EHR has more people than were read.
    pub is_cut: bool,
}

/// Who a person or group of the EHR is here.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MappingChange {
    pub kind: MappedKind,
    #[schema(max_length = 255)]
    pub external_id: String,
    /// Nobody removes the mapping.
    #[schema(max_items = 100)]
    pub user_ids: Vec<Uuid>,
}

/// Changes of mappings; others stay.
#[derive(Debug, Deserialize, ToSchema)]
pub struct MappingChanges {
    #[schema(max_items = 500)]
    pub items: Vec<MappingChange>,
}

/// A person or group of an EHR that is one of the organization's people.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChartIdentity {
    pub integration_id: Uuid,
    pub kind: MappedKind,
    /// Id in the EHR.
    pub external_id: String,
    pub external_name: String,
}

/// The people and groups of the EHR, and who they are here
#[utoipa::path(get, path = "/api/integrations/{id}/mappings", operation_id = "integrationMappings",
    tag = "integrations", params(("id" = Uuid, Path)), responses((status = 200, body = IntegrationMappings)))]
async fn integration_mappings(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
) -> Result<Json<IntegrationMappings>> {
    Ok(Json(read(&app, &member, id).await?))
}

/// Changes who people and groups of the EHR are here
#[utoipa::path(put, path = "/api/integrations/{id}/mappings", operation_id = "saveIntegrationMappings",
    tag = "integrations", params(("id" = Uuid, Path)), request_body = MappingChanges,
    responses((status = 200, body = IntegrationMappings)))]
async fn save_integration_mappings(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    Body(changes): Body<MappingChanges>,
) -> Result<Json<IntegrationMappings>> {
    let before = read(&app, &member, id).await?;
    let known: HashMap<(MappedKind, &str), &IntegrationMapping> =
        before.items.iter().map(|item| ((item.kind, item.external_id.as_str()), item)).collect();
    let colleagues = colleagues(&app, &member).await?;
    let txn = app.store.begin().await?;
    for (at, change) in changes.items.iter().enumerate() {
        let field = |name: &str| format!("items[{at}].{name}");
        let Some(of) = known.get(&(change.kind, change.external_id.as_str())) else {
            return Err(Error::field(&field("externalId"), NOT_THERE));
        };
        let users: BTreeSet<Uuid> = change.user_ids.iter().copied().collect();
        let most = if change.kind == MappedKind::Person { 1 } else { GROUP };
        if users.len() > most || users.iter().any(|user| !colleagues.contains_key(user)) {
            return Err(Error::field(&field("userIds"), NO_COLLEAGUE));
        }
        replace(&txn, &member, id, of, &users).await?;
    }
    let act = Act::new(event::CHANGED, "integration", id).detail(json!({ "mappings": changes.items.len() }));
    audit::record(&app, &txn, &Actor::from(&member.caller), act).await?;
    txn.commit().await?;
    Ok(Json(read(&app, &member, id).await?))
}

const NOT_THERE: &str = "The EHR has no such person or group.";
const NO_COLLEAGUE: &str = "Please choose people who work here: one for a person, at most 100 for a group.";

/// Who somebody of the organization is in its EHRs
#[utoipa::path(get, path = "/api/integrations/identities/{userId}", operation_id = "integrationIdentities",
    tag = "integrations", params(("userId" = Uuid, Path)), responses((status = 200, body = Items<ChartIdentity>)))]
async fn integration_identities(
    State(app): State<App>,
    member: Member,
    Id(user_id): Id<Uuid>,
) -> Result<Json<Items<ChartIdentity>>> {
    let rows = Entity::find()
        .filter(Column::OrganizationId.eq(member.organization_id))
        .filter(Column::UserId.eq(user_id))
        .order_by_asc(Column::ExternalName)
        .limit(COLLEAGUES)
        .all(app.store.db())
        .await?;
    let items = rows.into_iter().map(|row| ChartIdentity {
        integration_id: row.integration_id,
        kind: row.kind,
        external_id: row.external_id,
        external_name: row.external_name,
    });
    Ok(Json(Items { items: items.collect() }))
}

/// Replaces who one person or group is.
async fn replace(
    txn: &Transaction,
    member: &Member,
    integration_id: Uuid,
    of: &IntegrationMapping,
    users: &BTreeSet<Uuid>,
) -> Result<()> {
    Entity::delete_many()
        .filter(Column::IntegrationId.eq(integration_id))
        .filter(Column::Kind.eq(of.kind))
        .filter(Column::ExternalId.eq(&*of.external_id))
        .exec(txn)
        .await?;
    for user_id in users {
        let row = Model {
            id: Uuid::now_v7(),
            organization_id: member.organization_id,
            integration_id,
            kind: of.kind,
            external_id: of.external_id.clone(),
            external_name: of.external_name.clone(),
            user_id: *user_id,
        };
        row.into_active_model().insert(txn).await?;
    }
    Ok(())
}

/// A person or group as the EHR has it.
struct Outside {
    kind: MappedKind,
    id: String,
    name: String,
    /// Name by which colleagues are compared: none for groups.
    person: Option<(String, String)>,
    user_name: String,
}

async fn read(app: &App, member: &Member, id: Uuid) -> Result<IntegrationMappings> {
    let row = queries::find(app.store.db(), member.organization_id, id).await?;
    let named = |failure: crate::ehr::Failure| failure.error(Some(&row));
    let ehr = Ehr::of(app, row.clone(), For::Person(member.caller.user_id)).await.map_err(named)?;
    let (mut all, mut is_cut) = (Vec::new(), false);
    if row.can(Capability::ReviewerLookup) {
        let found = ehr.reviewers("").await.map_err(named)?;
        is_cut = found.is_cut;
        all.extend(found.items.into_iter().filter(|person| person.is_active).map(|person| Outside {
            kind: MappedKind::Person,
            id: person.id,
            name: format!("{} {}", person.given, person.family).trim().to_owned(),
            person: Some((person.family, person.given)),
            user_name: person.user_name,
        }));
    }
    if row.can(Capability::ReviewerGroupLookup) {
        let found = ehr.reviewer_groups().await.map_err(named)?;
        is_cut |= found.is_cut;
        all.extend(found.items.into_iter().map(|group| Outside {
            kind: MappedKind::Group,
            id: group_id(&group),
            name: group.name,
            person: None,
            user_name: String::new(),
        }));
    }
    let colleagues = colleagues(app, member).await?;
    let mapped = mapped(app.store.db(), id).await?;
    Ok(IntegrationMappings { items: joined(all, mapped, &colleagues), is_cut })
}

type Mapped = BTreeMap<(String, String), (MappedKind, String, Vec<Uuid>)>;

/// The mappings of a connection, by kind and id in the EHR.
async fn mapped(db: &impl ConnectionTrait, integration_id: Uuid) -> Result<Mapped> {
    let rows = Entity::find().filter(Column::IntegrationId.eq(integration_id)).all(db).await?;
    let mut all = Mapped::new();
    for row in rows {
        let of = all.entry((row.kind.to_string(), row.external_id));
        of.or_insert_with(|| (row.kind, row.external_name, Vec::new())).2.push(row.user_id);
    }
    Ok(all)
}

/// What the EHR has with who it is here, and the mappings of what it no longer has.
fn joined(
    all: Vec<Outside>,
    mut mapped: Mapped,
    colleagues: &HashMap<Uuid, app_user::Model>,
) -> Vec<IntegrationMapping> {
    let user = |id: &Uuid| colleagues.get(id).map(|of| MappedUser { id: *id, name: full_name(of) });
    let mut items = Vec::new();
    for of in all {
        let known = mapped.remove(&(of.kind.to_string(), of.id.clone()));
        let users: Vec<_> = known.iter().flat_map(|(_, _, users)| users).filter_map(user).collect();
        let suggestion = of.person.as_ref().filter(|_| users.is_empty());
        items.push(IntegrationMapping {
            suggestion: suggestion.and_then(|name| namesake(name, colleagues)),
            kind: of.kind,
            external_id: of.id,
            external_name: of.name,
            user_name: of.user_name,
            users,
            is_gone: false,
        });
    }
    items.extend(mapped.into_iter().map(|((_, external_id), (kind, external_name, users))| {
        IntegrationMapping {
            kind,
            external_id,
            external_name,
            user_name: String::new(),
            users: users.iter().filter_map(user).collect(),
            suggestion: None,
            is_gone: true,
        }
    }));
    items.sort_by_cached_key(|item| (!item.users.is_empty(), item.external_name.to_lowercase()));
    items
}

/// The only colleague with this last and first name.
fn namesake(
    (family, given): &(String, String),
    colleagues: &HashMap<Uuid, app_user::Model>,
) -> Option<MappedUser> {
    let first = |text: &str| text.split_whitespace().next().unwrap_or_default().to_lowercase();
    let is_same = |of: &&app_user::Model| {
        !family.is_empty()
            && of.last_name.trim().to_lowercase() == family.trim().to_lowercase()
            && first(&of.first_name) == first(given)
    };
    let mut found = colleagues.values().filter(is_same);
    let only = found.next().filter(|_| found.next().is_none())?;
    Some(MappedUser { id: only.id, name: full_name(only) })
}

/// The people who work in the organization, by id.
async fn colleagues(app: &App, member: &Member) -> Result<HashMap<Uuid, app_user::Model>> {
    let members = membership::Entity::find()
        .select_only()
        .column(membership::Column::UserId)
        .filter(membership::Column::OrganizationId.eq(member.organization_id))
        .filter(membership::Column::IsDisabled.eq(false));
    let rows = app_user::Entity::find()
        .filter(app_user::Column::Id.in_subquery(sea_orm::QueryTrait::into_query(members)))
        .filter(app_user::Column::IsDisabled.eq(false))
        .limit(COLLEAGUES)
        .all(app.store.db())
        .await?;
    Ok(rows.into_iter().map(|row| (row.id, row)).collect())
}
