//! Short lists: file types, document types, release types, classifications, document sources.

use crate::{
    model::{Conversion, DeliveryKind, SourceKind, SourceStatus},
    vocabulary::own_or_system,
};
use axum::{Json, extract::State};
use platform::{
    App, Error, Member, Result, Role,
    access::{MEMBERS, SIGNED_IN},
    api::Api,
    http::{Items, Paged, Params},
    session::organization_role,
};
use sea_orm::{ActiveEnum, ColumnTrait, EntityTrait, QueryFilter, QueryOrder};
use serde::{Deserialize, Serialize};
use store::entities::{
    document_source, document_type, reference_item,
    release_type::{self, SendType},
    user_document_source,
};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new()
        .route(SIGNED_IN, routes!(extensions))
        .route(MEMBERS, routes!(document_types))
        .route(MEMBERS, routes!(release_types))
        .route(MEMBERS, routes!(classifications))
        .route(MEMBERS, routes!(release_sources))
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Extension {
    pub extension: String,
    pub mime_type: String,
    pub previewable: bool,
    /// hl7, ccd, cda and xml.
    pub is_structured: bool,
}

#[derive(Serialize, ToSchema)]
pub struct Extensions {
    pub extensions: Vec<Extension>,
}

/// The file types that can be attached
#[utoipa::path(get, path = "/api/attachments/extensions", operation_id = "attachmentExtensions", tag = "lookups",
    responses((status = 200, body = Extensions)))]
async fn extensions() -> Json<Extensions> {
    let extensions = documents::file_types()
        .iter()
        .map(|t| Extension {
            extension: t.extension.into(),
            mime_type: t.mime_type.into(),
            previewable: t.previewable,
            is_structured: t.structured,
        })
        .collect();
    Json(Extensions { extensions })
}

#[derive(Serialize, ToSchema)]
pub struct DocumentTypeView {
    pub id: Uuid,
    pub name: String,
    pub source: String,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(
    dead_code,
    reason = "the list is always whole and sorted by name; the parameters are part of the call"
)]
struct ListParams {
    sort: Option<String>,
    page: Option<i64>,
    size: Option<i64>,
}

/// The document types of the organization and of the system
#[utoipa::path(get, path = "/api/documenttypes", operation_id = "documentTypes", tag = "lookups",
    params(ListParams), responses((status = 200, body = Paged<DocumentTypeView>)))]
async fn document_types(
    State(app): State<App>,
    member: Member,
    Params(_params): Params<ListParams>,
) -> Result<Json<Paged<DocumentTypeView>>> {
    let rows = document_type::Entity::find()
        .filter(own_or_system(document_type::Column::OrganizationId, &member))
        .order_by_asc(document_type::Column::Name)
        .all(app.store.db())
        .await?;
    let total = rows.len() as u64;
    let items =
        rows.into_iter().map(|t| DocumentTypeView { id: t.id, name: t.name, source: t.source }).collect();
    Ok(Json(Paged::capped(items, total)))
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReleaseTypeView {
    pub id: Uuid,
    pub name: String,
    /// Absent for a release type of the system.
    pub organization_id: Option<Uuid>,
    pub send_type: SendType,
    pub origin_address_id: Option<Uuid>,
    pub destination_address: Option<String>,
    pub classification_code: Option<String>,
    /// The same as a conversion of messages.
    pub conversion: Option<Conversion>,
    pub subject: Option<String>,
    pub track_fax_responses: bool,
    /// No longer offered; messages with it keep it.
    pub is_retired: bool,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReleaseTypes {
    pub release_types: Vec<ReleaseTypeView>,
}

/// The release types of the organization and of the system
#[utoipa::path(get, path = "/api/releasetypes", operation_id = "releaseTypes", tag = "lookups",
    responses((status = 200, body = ReleaseTypes)))]
async fn release_types(State(app): State<App>, member: Member) -> Result<Json<ReleaseTypes>> {
    let rows = release_type::Entity::find()
        .filter(own_or_system(release_type::Column::OrganizationId, &member))
        .order_by_asc(release_type::Column::Name)
        .all(app.store.db())
        .await?;
    let release_types = rows
        .into_iter()
        .map(|t| ReleaseTypeView {
            id: t.id,
            name: t.name,
            organization_id: t.organization_id,
            send_type: t.send_type,
            origin_address_id: t.origin_address_id,
            destination_address: t.destination_address,
            classification_code: t.classification_code,
            conversion: t.send_type.conversion(),
            subject: t.subject,
            track_fax_responses: t.track_fax_responses,
            is_retired: t.is_retired,
        })
        .collect();
    Ok(Json(ReleaseTypes { release_types }))
}

#[derive(Serialize, ToSchema)]
pub struct Classification {
    pub code: String,
    pub name: String,
}

/// The classifications of messages
#[utoipa::path(get, path = "/api/messages/classifications", operation_id = "classifications", tag = "lookups",
    responses((status = 200, body = Items<Classification>)))]
async fn classifications(State(app): State<App>, _member: Member) -> Result<Json<Items<Classification>>> {
    let rows = reference_item::Entity::find()
        .filter(reference_item::Column::Kind.eq("classification"))
        .order_by_asc(reference_item::Column::Position)
        .all(app.store.db())
        .await?;
    Ok(Json(Items {
        items: rows.into_iter().map(|r| Classification { code: r.code, name: r.name }).collect(),
    }))
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentSourceView {
    pub id: Uuid,
    pub full_address: String,
    #[serde(rename = "type")]
    pub kind: DeliveryKind,
    /// 0 Provisioning, 1 Activated, 2 Pending Update, 3 Pending Deletion, 4 Deleted, 5 Failed.
    pub status: i16,
    pub display_name: String,
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
struct ForUser {
    /// Default: the caller.
    user_id: Option<Uuid>,
}

/// The addresses and numbers from which a user may send
#[utoipa::path(get, path = "/api/documentsources/release", operation_id = "releaseDocumentSources", tag = "lookups",
    params(ForUser), responses((status = 200, body = Items<DocumentSourceView>)))]
async fn release_sources(
    State(app): State<App>,
    member: Member,
    Params(params): Params<ForUser>,
) -> Result<Json<Items<DocumentSourceView>>> {
    let user = params.user_id.unwrap_or(member.caller.user_id);
    if user != member.caller.user_id {
        let colleague = organization_role(app.store.db(), user, member.organization_id).await?;
        if colleague.is_none() || !member.caller.has(Role::Admin) {
            return Err(Error::NotFound);
        }
    }
    let rows = sources_of(&app, &member, user).await?;
    let items = rows
        .into_iter()
        .map(|s| DocumentSourceView {
            id: s.id,
            full_address: s.address,
            kind: if s.kind == SourceKind::Fax { DeliveryKind::Fax } else { DeliveryKind::DirectMessage },
            status: s.status.to_value(),
            display_name: s.display_name,
        })
        .collect();
    Ok(Json(Items { items }))
}

/// Document sources linked to a user in the member's organization, Direct addresses before fax numbers.
async fn sources_of(app: &App, member: &Member, user: Uuid) -> Result<Vec<document_source::Model>> {
    let ids = user_document_source::Entity::find()
        .filter(user_document_source::Column::UserId.eq(user))
        .filter(user_document_source::Column::OrganizationId.eq(member.organization_id))
        .all(app.store.db())
        .await?
        .into_iter()
        .map(|l| l.document_source_id);
    Ok(member
        .tenant()
        .document_sources()
        .filter(document_source::Column::Id.is_in(ids))
        .filter(document_source::Column::Status.ne(SourceStatus::Deleted))
        .order_by_asc(document_source::Column::Kind)
        .order_by_asc(document_source::Column::AddressKey)
        .all(app.store.db())
        .await?)
}
