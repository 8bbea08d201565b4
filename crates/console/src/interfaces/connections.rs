//! `/api/admin/inboundconnections`

use crate::reports::queries::names_of;
use accounts::organization::open;
use axum::{Json, extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use openssl::{hash::MessageDigest, x509::X509};
use platform::{
    App, Caller, Error, Result,
    access::SYSADMINS,
    api::Api,
    audit::Actor,
    config::Network,
    fields::user_name_key,
    http::{Body, Created, Id, Page, Paged, Params},
    records::{self, Record},
    sql::{self, holds_words},
    text::{Rule, SearchWords},
};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, Order, PaginatorTrait, QueryFilter,
    QuerySelect, SelectExt,
};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use store::entities::{
    app_user,
    inbound_connection::{ActiveModel, Column, ConnectionKind, Entity, Model},
    membership, organization,
};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

/// Maximum number of connections of an installation.
const CONNECTIONS_MAX: u64 = 2_000;
/// Maximum number of networks of a connection.
const NETWORKS_MAX: usize = 20;

const TOO_MANY: &str = "There can be 2,000 inbound connections at most.";
const NO_ORGANIZATION: &str = "Please choose an organization from the list.";
const NO_PERSON: &str = "This person is not a member of the organization.";
const NO_NETWORK: &str = "Please enter addresses or networks, such as 10.2.0.0/16; 20 at most.";
const NO_CERTIFICATE: &str =
    "Please paste a certificate in PEM, or its SHA-256 fingerprint of 64 hexadecimal digits.";
const ANYBODY: &str =
    "Please enter a certificate or a network, because the sender named in a message can be forged.";
const UNBOUND: &str = "Assertions are bound to the client that shows them, by its certificate. Please enter that, or take \
    loose assertions.";

pub fn api() -> Api {
    Api::new()
        .route(SYSADMINS, routes!(inbound_connections, create_inbound_connection))
        .route(SYSADMINS, routes!(inbound_connection, update_inbound_connection, delete_inbound_connection))
}

pub(crate) struct ConnectionRecord;

impl Record for ConnectionRecord {
    type Entity = Entity;
    const OBJECT: &'static str = "inboundconnection";
    const NOUN: &'static str = "this connection";
    const ID: Column = Column::Id;
    const VERSION: Column = Column::Version;
    const NAME: Option<Column> = Some(Column::Name);
    const AUDITED: &'static [Column] = &[
        Column::Name,
        Column::Kind,
        Column::OrganizationId,
        Column::IsEnabled,
        Column::SendingApplication,
        Column::SendingFacility,
        Column::ReceivingFacility,
        Column::Certificate,
        Column::AssertionCertificate,
        Column::Networks,
        Column::AssignedTo,
        Column::DocumentType,
        Column::IsPrescriptionNetwork,
    ];
    const TAKEN: (&'static str, &'static str) = ("name", "There is already a connection with this name.");
}

platform::text! {
    /// Name of a connection, shown as the sender of its messages.
    pub ConnectionName = Rule::line(1, 100).says("Please enter a name of at most 100 characters.");
    /// A name or an OID from the messages' headers, or empty for any.
    pub PartyName = Rule::line(0, 227).says("Please enter at most 227 characters.");
    /// A certificate in PEM or its fingerprint, or empty.
    pub ClientCertificateText = Rule::lines(0, 8_000).says(NO_CERTIFICATE);
    /// An address or a network of senders.
    pub SourceNetwork = Rule::line(1, 50).says(NO_NETWORK);
    /// User name of a person, or empty.
    pub AssigneeName = Rule::line(0, 255).says(NO_PERSON);
    /// A document type, or empty.
    pub DefaultType = Rule::line(0, 255).says("Please enter at most 255 characters.");
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InboundConnection {
    pub id: Uuid,
    pub name: String,
    pub kind: ConnectionKind,
    /// Null if the recipient of each message decides.
    pub organization_id: Option<Uuid>,
    pub organization_name: Option<String>,
    pub is_enabled: bool,
    pub sending_application: String,
    pub sending_facility: String,
    pub receiving_facility: String,
    /// SHA-256 fingerprint, 64 hexadecimal digits; empty if no certificate is required.
    pub certificate: String,
    /// The same for the certificate that signs the SAML assertions of requests; empty if none are required.
    pub assertion_certificate: String,
    /// Whether assertions are accepted without checking their audience, lifetime, reuse and holder.
    pub loose_assertions: bool,
    pub networks: Vec<String>,
    /// User name of the assignee of documents that match no intake rule; empty for nobody.
    pub assigned_to: String,
    pub document_type: String,
    /// Whether documents come from a prescription network: future visits are refused there.
    pub is_prescription_network: bool,
    pub received_count: i64,
    pub last_received_at: Option<DateTime<Utc>>,
    pub refused_count: i64,
    /// Send it back when saving.
    pub version: i32,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InboundConnectionForm {
    pub name: ConnectionName,
    /// Cannot be changed.
    pub kind: ConnectionKind,
    /// The organization that receives the documents. Null only for XDR: then each recipient's Direct address decides.
    pub organization_id: Option<Uuid>,
    #[serde(default = "enabled")]
    pub is_enabled: bool,
    /// For HL7: the values of MSH-3, MSH-4 and MSH-6, complete or only the name or OID.
    #[serde(default)]
    pub sending_application: PartyName,
    #[serde(default)]
    pub sending_facility: PartyName,
    #[serde(default)]
    pub receiving_facility: PartyName,
    #[serde(default)]
    pub certificate: ClientCertificateText,
    /// For XDR: the certificate that has to sign the SAML assertion, which each request then needs.
    #[serde(default)]
    pub assertion_certificate: ClientCertificateText,
    /// For XDR: accepts assertions without checking their audience, lifetime, reuse and holder. A leaked one admits
    /// others until it expires.
    #[serde(default)]
    pub loose_assertions: bool,
    #[serde(default)]
    #[schema(max_items = 20)]
    pub networks: Vec<SourceNetwork>,
    /// User name of a member of the organization, the assignee of documents that match no intake rule.
    #[serde(default)]
    pub assigned_to: AssigneeName,
    /// Type of documents that do not state one.
    #[serde(default)]
    pub document_type: DefaultType,
    /// Whether documents come from a prescription network.
    #[serde(default)]
    pub is_prescription_network: bool,
    /// The version that was read. Not needed when creating.
    pub version: Option<i32>,
}

fn enabled() -> bool {
    true
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct InboundConnectionQuery {
    /// Each word is contained in the name.
    #[param(inline)]
    pub search: Option<SearchWords>,
    #[param(inline)]
    pub kind: Option<ConnectionKind>,
    pub page_number: Option<u64>,
    /// 10 by default, at most 100.
    pub page_size: Option<u64>,
}

/// The systems that may send documents, by name
#[utoipa::path(get, path = "/api/admin/inboundconnections", operation_id = "inboundConnections", tag = "interfaces",
    params(InboundConnectionQuery), responses((status = 200, body = Paged<InboundConnection>)))]
async fn inbound_connections(
    State(app): State<App>,
    Params(query): Params<InboundConnectionQuery>,
) -> Result<Json<Paged<InboundConnection>>> {
    let page = Page::new(query.page_number, query.page_size, 10, 100)?;
    let mut rows =
        Entity::find().filter(holds_words(Column::NameKey, query.search.as_deref().unwrap_or_default()));
    if let Some(kind) = query.kind {
        rows = rows.filter(Column::Kind.eq(kind));
    }
    let db = app.store.db();
    let found = sql::page(db, rows, &[(Column::NameKey, Order::Asc)], page).await?;
    let Paged { items, total_count, total_is_capped } = found;
    Ok(Json(Paged { items: shown(db, items).await?, total_count, total_is_capped }))
}

/// Allows a system to send documents
#[utoipa::path(post, path = "/api/admin/inboundconnections", operation_id = "createInboundConnection",
    tag = "interfaces", request_body = InboundConnectionForm, responses((status = 201, body = InboundConnection)))]
async fn create_inbound_connection(
    State(app): State<App>,
    caller: Caller,
    Body(form): Body<InboundConnectionForm>,
) -> Result<Created<InboundConnection>> {
    let db = app.store.db();
    if Entity::find().count(db).await? >= CONNECTIONS_MAX {
        return Err(Error::Conflict(TOO_MANY.into()));
    }
    let kind = form.kind;
    let checked = check(db, form, kind).await?;
    let row = ActiveModel {
        id: Set(Uuid::now_v7()),
        kind: Set(kind),
        received_count: Set(0),
        last_received_at: Set(None),
        refused_count: Set(0),
        created_at: Set(app.clock.now()),
        version: Set(1),
        ..checked
    };
    let created = records::create::<ConnectionRecord>(&app, &Actor::platform(&caller), row).await?;
    Ok(Created(format!("/api/admin/inboundconnections/{}", created.id), one(db, created).await?))
}

/// Reads an inbound connection
#[utoipa::path(get, path = "/api/admin/inboundconnections/{id}", operation_id = "inboundConnection",
    tag = "interfaces", params(("id" = Uuid, Path)), responses((status = 200, body = InboundConnection)))]
async fn inbound_connection(State(app): State<App>, Id(id): Id<Uuid>) -> Result<Json<InboundConnection>> {
    let db = app.store.db();
    let found = Entity::find_by_id(id).one(db).await?.ok_or(Error::NotFound)?;
    Ok(Json(one(db, found).await?))
}

/// Changes an inbound connection, from the next message on
#[utoipa::path(put, path = "/api/admin/inboundconnections/{id}", operation_id = "updateInboundConnection",
    tag = "interfaces", params(("id" = Uuid, Path)), request_body = InboundConnectionForm,
    responses((status = 200, body = InboundConnection), (status = 409, description = "Changed by somebody else")))]
async fn update_inbound_connection(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(form): Body<InboundConnectionForm>,
) -> Result<Json<InboundConnection>> {
    let actor = Actor::platform(&caller);
    let mut edit =
        records::edit::<ConnectionRecord>(&app, &actor, Entity::find_by_id(id), form.version).await?;
    let checked = check(&edit.txn, form, edit.before.kind).await?;
    let before = edit.row.clone();
    edit.row = ActiveModel {
        id: before.id,
        kind: before.kind,
        received_count: before.received_count,
        last_received_at: before.last_received_at,
        refused_count: before.refused_count,
        created_at: before.created_at,
        version: before.version,
        ..checked
    };
    let saved = edit.save().await?;
    Ok(Json(one(app.store.db(), saved).await?))
}

/// Removes an inbound connection. Its messages stay
#[utoipa::path(delete, path = "/api/admin/inboundconnections/{id}", operation_id = "deleteInboundConnection",
    tag = "interfaces", params(("id" = Uuid, Path)), responses((status = 204)))]
async fn delete_inbound_connection(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
) -> Result<StatusCode> {
    let actor = Actor::platform(&caller);
    records::lock::<ConnectionRecord>(&app, &actor, Entity::find_by_id(id)).await?.remove().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The columns of a connection from a form, except those set at its creation.
async fn check(
    db: &impl ConnectionTrait,
    form: InboundConnectionForm,
    kind: ConnectionKind,
) -> Result<ActiveModel> {
    let networks = networks(&form.networks)?;
    let certificate =
        fingerprint(&form.certificate).ok_or_else(|| Error::field("certificate", NO_CERTIFICATE))?;
    let assertion_certificate = match kind {
        ConnectionKind::Mllp | ConnectionKind::Folder => String::new(),
        ConnectionKind::Xdr => fingerprint(&form.assertion_certificate)
            .ok_or_else(|| Error::field("assertionCertificate", NO_CERTIFICATE))?,
    };
    // Files have no sender on the network.
    let (certificate, networks) = match kind {
        ConnectionKind::Folder => (String::new(), Vec::new()),
        ConnectionKind::Mllp | ConnectionKind::Xdr => (certificate, networks),
    };
    if certificate.is_empty() && networks.is_empty() && kind != ConnectionKind::Folder {
        return Err(Error::field("networks", ANYBODY));
    }
    if certificate.is_empty() && !assertion_certificate.is_empty() && !form.loose_assertions {
        return Err(Error::field("certificate", UNBOUND));
    }
    match form.organization_id {
        None if kind.is_hl7() => return Err(Error::field("organizationId", NO_ORGANIZATION)),
        Some(id) if !open().filter(organization::Column::Id.eq(id)).exists(db).await? => {
            return Err(Error::field("organizationId", NO_ORGANIZATION));
        }
        _ => {}
    }
    let assigned_to = match &*form.assigned_to {
        "" => None,
        name => {
            let found = member(db, form.organization_id, name).await?;
            Some(found.ok_or_else(|| Error::field("assignedTo", NO_PERSON))?)
        }
    };
    // XDR requests name no applications.
    let named = |name: PartyName| if kind.is_hl7() { String::from(name) } else { String::new() };
    let sending_facility = named(form.sending_facility);
    Ok(ActiveModel {
        name_key: Set(sql::key(&form.name)),
        name: Set(form.name.into()),
        organization_id: Set(form.organization_id),
        is_enabled: Set(form.is_enabled),
        sending_application: Set(named(form.sending_application)),
        sending_facility_key: Set(sending_facility.trim().to_lowercase()),
        sending_facility: Set(sending_facility),
        receiving_facility: Set(named(form.receiving_facility)),
        certificate: Set(certificate),
        loose_assertions: Set(form.loose_assertions && !assertion_certificate.is_empty()),
        assertion_certificate: Set(assertion_certificate),
        networks: Set(networks.into()),
        assigned_to: Set(assigned_to),
        document_type: Set(form.document_type.into()),
        is_prescription_network: Set(form.is_prescription_network),
        ..ActiveModel::default()
    })
}

/// A member of an organization, by user name.
async fn member(
    db: &impl ConnectionTrait,
    organization_id: Option<Uuid>,
    user_name: &str,
) -> Result<Option<Uuid>> {
    let named = app_user::Entity::find()
        .filter(app_user::Column::UserNameKey.eq(user_name_key(user_name)))
        .filter(app_user::Column::DeletedAt.is_null());
    let (Some(organization_id), Some(user)) = (organization_id, named.one(db).await?) else {
        return Ok(None);
    };
    let there = membership::Entity::find()
        .filter(membership::Column::OrganizationId.eq(organization_id))
        .filter(membership::Column::UserId.eq(user.id))
        .filter(membership::Column::IsDisabled.eq(false));
    Ok(there.exists(db).await?.then_some(user.id))
}

fn networks(given: &[SourceNetwork]) -> Result<Vec<String>> {
    let mut networks = Vec::new();
    for text in given {
        let network = Network::try_from(text.trim().to_owned());
        let network = String::from(network.map_err(|_| Error::field("networks", NO_NETWORK))?);
        if !networks.contains(&network) {
            networks.push(network);
        }
    }
    match networks.len() > NETWORKS_MAX {
        true => Err(Error::field("networks", NO_NETWORK)),
        false => Ok(networks),
    }
}

/// The fingerprint of a certificate in PEM, or one as people copy it; `None` for other texts.
fn fingerprint(text: &str) -> Option<String> {
    let text = text.trim();
    if text.starts_with("-----BEGIN") {
        let digest = X509::from_pem(text.as_bytes()).ok()?.digest(MessageDigest::sha256()).ok()?;
        return Some(digest.iter().map(|byte| format!("{byte:02x}")).collect());
    }
    let digits: String = text.chars().filter(|c| !c.is_whitespace() && *c != ':').collect();
    let is_fingerprint = digits.len() == 64 && digits.chars().all(|c| c.is_ascii_hexdigit());
    (digits.is_empty() || is_fingerprint).then(|| digits.to_lowercase())
}

async fn one(db: &impl ConnectionTrait, row: Model) -> Result<InboundConnection> {
    shown(db, vec![row]).await?.pop().ok_or(Error::NotFound)
}

/// Connections with the names of their references, in the same order.
async fn shown(db: &impl ConnectionTrait, rows: Vec<Model>) -> Result<Vec<InboundConnection>> {
    let organizations = names_of(db, rows.iter().filter_map(|row| row.organization_id)).await?;
    let people: Vec<(Uuid, String)> = app_user::Entity::find()
        .select_only()
        .columns([app_user::Column::Id, app_user::Column::UserName])
        .filter(app_user::Column::Id.is_in(rows.iter().filter_map(|row| row.assigned_to)))
        .into_tuple()
        .all(db)
        .await?;
    let people: HashMap<Uuid, String> = people.into_iter().collect();
    let connection = |row: Model| InboundConnection {
        id: row.id,
        name: row.name,
        kind: row.kind,
        organization_name: row.organization_id.and_then(|id| organizations.get(&id).cloned()),
        organization_id: row.organization_id,
        is_enabled: row.is_enabled,
        sending_application: row.sending_application,
        sending_facility: row.sending_facility,
        receiving_facility: row.receiving_facility,
        certificate: row.certificate,
        assertion_certificate: row.assertion_certificate,
        loose_assertions: row.loose_assertions,
        networks: row.networks.0,
        assigned_to: row.assigned_to.and_then(|id| people.get(&id).cloned()).unwrap_or_default(),
        document_type: row.document_type,
        is_prescription_network: row.is_prescription_network,
        received_count: row.received_count,
        last_received_at: row.last_received_at,
        refused_count: row.refused_count,
        version: row.version,
    };
    Ok(rows.into_iter().map(connection).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_is_taken_as_people_copy_it() {
        let digits = "AB".repeat(32);
        assert_eq!(fingerprint(&digits), Some("ab".repeat(32)));
        let with_colons = ["AB"; 32].join(":");
        assert_eq!(fingerprint(&with_colons), Some("ab".repeat(32)));
        assert_eq!(fingerprint(" "), Some(String::new()));
        assert_eq!(fingerprint("ab"), None);
        assert_eq!(fingerprint("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"), None);
    }
}
