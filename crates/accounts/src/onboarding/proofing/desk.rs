//! The review of a photo ID: its pages, rendered by the confined converter with the viewer and time burned in, and
//! the applicant's description. Browsers show these pictures, never the file itself.

use super::{
    identity::{self, DescribedPerson},
    queries,
    review::ForOrganization,
};
use axum::{
    Json,
    extract::State,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use chrono::{DateTime, Utc};
use documents::worker::{ConvertError, Input, PagePng};
use platform::{
    App, Caller, Error, Result,
    access::SYSADMINS,
    api::Api,
    audit::{self, Act, Actor, event},
    download,
    http::{Id, Items, Params},
    session::full_name,
};
use sea_orm::{
    ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, sea_query::Expr,
};
use serde::Serialize;
use serde_json::json;
use store::entities::{app_user, organization, proofing_document};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new()
        .route(SYSADMINS, routes!(waiting_documents))
        .route(SYSADMINS, routes!(document_review))
        .route(SYSADMINS, routes!(document_page))
        .route(SYSADMINS, routes!(organizations_to_activate))
}

/// Resolution: enough to read small print on a card that fills the page.
const DPI: u32 = 150;
/// Maximum length of the list of organizations; those that have waited longest come first.
const LIST_MAX: u64 = 200;
const CANNOT_BE_SHOWN: &str =
    "This file cannot be shown. Please tell the person that it could not be read, and ask for another one.";

#[derive(Serialize, ToSchema)]
pub struct WaitingDocuments {
    pub count: u64,
}

/// Counts the photo IDs waiting for a decision
#[utoipa::path(get, path = "/api/admin/users/idproof/count", operation_id = "countDocumentsToReview",
    tag = "onboarding", responses((status = 200, body = WaitingDocuments)))]
async fn waiting_documents(State(app): State<App>) -> Result<Json<WaitingDocuments>> {
    let waiting = proofing_document::Entity::find().filter(proofing_document::Column::Decision.is_null());
    Ok(Json(WaitingDocuments { count: waiting.count(app.store.db()).await? }))
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentReview {
    pub user_id: Uuid,
    pub user_name: String,
    pub full_name: String,
    pub organization_id: Uuid,
    pub organization_name: String,
    /// Send it back with the decision.
    pub document_id: Uuid,
    pub file_name: String,
    pub uploaded_at: DateTime<Utc>,
    /// Waiting for a decision.
    pub is_waiting: bool,
    /// None if the file cannot be rendered.
    pub pages: Option<u32>,
    /// None if the applicant gave no description.
    pub person: Option<DescribedPerson>,
}

/// The latest photo ID of a user with the applicant's description
#[utoipa::path(get, path = "/api/admin/users/{id}/idproof/review", operation_id = "documentReview", tag = "onboarding",
    params(("id" = Uuid, Path), ForOrganization), responses((status = 200, body = DocumentReview)))]
async fn document_review(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Params(wanted): Params<ForOrganization>,
) -> Result<Json<DocumentReview>> {
    let db = app.store.db();
    let document = document(&app, id, &wanted).await?;
    let user = app_user::Entity::find_by_id(id).one(db).await?.ok_or(Error::NotFound)?;
    let organization = organization::Entity::find_by_id(document.organization_id).one(db).await?;
    let key = app.keys.data_key(document.organization_id).await?;
    let file = content(&app, &document).await?;
    let pages = match app.converter.of(document.organization_id).page_count(file).await {
        Ok(pages) => Some(pages),
        Err(error) if error.is_permanent() => None,
        Err(error) => return Err(not_now(error)),
    };
    record(&app, &caller, &document, json!({ "identityDocumentOf": id })).await?;
    Ok(Json(DocumentReview {
        user_id: id,
        full_name: full_name(&user),
        user_name: user.user_name,
        organization_id: document.organization_id,
        organization_name: organization.ok_or(Error::NotFound)?.name,
        document_id: document.id,
        file_name: queries::open_name(&key, &document)?,
        uploaded_at: document.uploaded_at,
        is_waiting: document.decision.is_none(),
        pages,
        person: identity::described(&app, document.organization_id, id).await?,
    }))
}

/// The file itself may be fine.
fn not_now(error: ConvertError) -> Error {
    match error {
        ConvertError::Busy => {
            Error::TooMany("Too many documents are being processed. Please try again.".into())
        }
        error => Error::internal(error),
    }
}

/// A page of a photo ID as a picture, watermarked with the viewer and the time
#[utoipa::path(get, path = "/api/admin/users/{id}/idproof/pages/{page}", operation_id = "documentPage",
    tag = "onboarding", params(("id" = Uuid, Path), ("page" = u32, Path), ForOrganization),
    responses((status = 200, content_type = "image/png"), (status = 409, description = "The file cannot be shown")))]
async fn document_page(
    State(app): State<App>,
    caller: Caller,
    Id((id, page)): Id<(Uuid, u32)>,
    Params(wanted): Params<ForOrganization>,
) -> Result<Response> {
    let document = document(&app, id, &wanted).await?;
    let file = content(&app, &document).await?;
    let drawn = match app.converter.of(document.organization_id).render_page(file, page, DPI).await {
        Ok(drawn) => drawn,
        Err(ConvertError::NoSuchPage { .. }) => return Err(Error::NotFound),
        Err(error) if error.is_permanent() => return Err(Error::Conflict(CANNOT_BE_SHOWN.into())),
        Err(error) => return Err(not_now(error)),
    };
    let words = format!(
        "{} ({}), {}",
        caller.full_name,
        caller.user_name,
        app.clock.now().format("%b %-d, %Y %-I:%M %p UTC")
    );
    let stamped = tokio::task::spawn_blocking(move || documents::pdf::stamped(&drawn, &words))
        .await
        .map_err(Error::internal)?
        .ok_or_else(|| Error::internal("a page cannot be watermarked"))?;
    record(&app, &caller, &document, json!({ "identityDocumentOf": id, "page": page })).await?;
    Ok(picture(stamped))
}

fn picture(page: PagePng) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("image/png")),
        (header::CONTENT_DISPOSITION, download::inline("photo-id.png")),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; sandbox")),
    ];
    (headers, page.png).into_response()
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrganizationToActivate {
    pub organization_id: Uuid,
    pub organization_name: String,
    /// The domain for the address book.
    pub direct_domain: String,
    pub id_proofed_date: DateTime<Utc>,
}

/// The proven organizations that wait for the address book and their activation
#[utoipa::path(get, path = "/api/admin/organizations/toactivate", operation_id = "organizationsToActivate",
    tag = "onboarding", responses((status = 200, body = Items<OrganizationToActivate>)))]
async fn organizations_to_activate(State(app): State<App>) -> Result<Json<Items<OrganizationToActivate>>> {
    use organization::Column;
    let waiting = organization::Entity::find()
        .filter(Column::IdProofedAt.is_not_null())
        // The same condition as in the partial index.
        .filter(Expr::cust("NOT is_activated"))
        .filter(Column::DeletedAt.is_null())
        .filter(Column::IsCancelled.eq(false))
        .order_by_asc(Column::IdProofedAt)
        .limit(LIST_MAX)
        .all(app.store.db())
        .await?;
    let item = |row: organization::Model| {
        Some(OrganizationToActivate {
            organization_id: row.id,
            direct_domain: app.config.direct_domain(&row.sub_domain),
            organization_name: row.name,
            id_proofed_date: row.id_proofed_at?,
        })
    };
    Ok(Json(Items { items: waiting.into_iter().filter_map(item).collect() }))
}

/// The latest stored document of a user.
pub async fn document(
    app: &App,
    user_id: Uuid,
    wanted: &ForOrganization,
) -> Result<proofing_document::Model> {
    let mut documents = proofing_document::Entity::find()
        .filter(proofing_document::Column::UserId.eq(user_id))
        .filter(proofing_document::Column::BlobId.is_not_null());
    if let Some(organization_id) = wanted.organization_id {
        documents = documents.filter(proofing_document::Column::OrganizationId.eq(organization_id));
    }
    let newest = documents.order_by_desc(proofing_document::Column::UploadedAt);
    newest.one(app.store.db()).await?.ok_or(Error::NotFound)
}

/// The content of the file.
pub async fn bytes(app: &App, document: &proofing_document::Model) -> Result<Vec<u8>> {
    let key = app.keys.data_key(document.organization_id).await?;
    let blob_id = document.blob_id.ok_or(Error::NotFound)?;
    let limit = u64::try_from(document.size_bytes).unwrap_or(0);
    Ok(app.blobs.read_to_vec(&key, document.organization_id, blob_id, limit).await?)
}

async fn content(app: &App, document: &proofing_document::Model) -> Result<Input> {
    let bytes = bytes(app, document).await?;
    Ok(Input::bytes(documents::detect(&bytes), bytes))
}

/// Audits every view in the organization's trail.
async fn record(
    app: &App,
    caller: &Caller,
    document: &proofing_document::Model,
    detail: serde_json::Value,
) -> Result<()> {
    let id = document.organization_id;
    let txn = app.store.begin().await?;
    let act = Act::new(event::VIEWED, "organization", id).detail(detail);
    audit::record(app, &txn, &Actor::in_organization(caller, id), act).await?;
    Ok(txn.commit().await?)
}
