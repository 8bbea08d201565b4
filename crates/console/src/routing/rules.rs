//! `/api/admin/routingrules`

use super::{
    endpoints::{self, EndpointOfRule, RoutingEndpoint},
    senders::{self, RoutingSender, SenderOfRule},
};
use axum::{Json, extract::State, http::StatusCode};
use direct::DirectAddress;
use exchange::link::Target;
use platform::{
    App, Caller, Error, Result,
    access::SYSADMINS,
    api::Api,
    audit::Actor,
    http::{Body, Created, Id, Page, Params},
    records::{self, Record},
    sql::{self, holds_words},
    text::{Format, Rule, SearchWords},
};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, Order, PaginatorTrait, QueryFilter,
    QueryOrder,
};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use store::{
    Transaction,
    entities::{
        document_source, routing_endpoint,
        routing_rule::{
            ActiveModel, Column, Entity, LocationCode, Model, RoutingFormat, RoutingSecurity, RoutingStep,
            Transport,
        },
        routing_sender,
    },
};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

/// Maximum number of rules of an installation.
const RULES_MAX: u64 = 5_000;

const TOO_MANY: &str = "There can be 5,000 routing rules at most.";
const NO_ADDRESS: &str = "Please enter a Direct address.";
const GONE: &str = "This routing rule no longer exists.";
const OWN_SENDER: &str = "This address belongs to an organization that sends through this rule.";
const UNENCRYPTED: &str = "Only messages over a VPN can go without encryption.";
const SAML_IS_SOAP: &str = "SAML is for ITI-41 and XDR alone.";
const HL7_NEEDS_HL7: &str = "Send MDM and ORU over HL7, or as single documents to a web service.";
const NO_CERTIFICATE: &str = "There is no certificate with this name.";
const ENDPOINT_ELSEWHERE: &str =
    "An endpoint of this rule is in a network that this step type does not allow.";

pub fn api() -> Api {
    Api::new()
        .route(SYSADMINS, routes!(routing_rules, create_routing_rule))
        .route(SYSADMINS, routes!(routing_rule, update_routing_rule, delete_routing_rule))
}

pub(crate) struct RuleRecord;

impl Record for RuleRecord {
    type Entity = Entity;
    const OBJECT: &'static str = "routingrule";
    const NOUN: &'static str = "this routing rule";
    const ID: Column = Column::Id;
    const VERSION: Column = Column::Version;
    const NAME: Option<Column> = Some(Column::Address);
    const AUDITED: &'static [Column] = &[
        Column::Address,
        Column::StepType,
        Column::SecurityType,
        Column::CustomCertificateName,
        Column::ConvertToFormat,
        Column::LocationCode,
        Column::FacilityOid,
        Column::KeyHieAddress,
    ];
    const TAKEN: (&'static str, &'static str) =
        ("address", "There is already a routing rule for this address.");
}

platform::text! {
    /// The Direct address of the recipients.
    pub RoutedAddress = Rule::line(1, 255).says("Please enter a Direct address of at most 255 characters.");
    /// Name of a certificate in the configuration folder, or empty for the default.
    pub CertificateName = Rule::line(0, 64).pattern("[A-Za-z0-9][A-Za-z0-9_-]*")
        .says("Please enter a name of letters, digits, hyphens and underscores.");
    /// An object identifier, or empty.
    pub OptionalOid = Rule::line(0, 255).format(Format::Oid).says("Please enter an OID, such as 2.16.840.1.113883.3.1.");
    /// Address of the recipient within KeyHIE.
    pub KeyHieAddress = Rule::line(0, 255).says("Please enter at most 255 characters.");
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoutingRule {
    pub id: Uuid,
    pub address: String,
    pub step_type: RoutingStep,
    pub security_type: RoutingSecurity,
    /// Empty for the default.
    pub custom_certificate_name: String,
    pub convert_to_format: Option<RoutingFormat>,
    pub location_code: Option<LocationCode>,
    pub facility_oid: String,
    pub key_hie_address: String,
    /// In the order of attempts.
    pub endpoints: Vec<RoutingEndpoint>,
    pub senders: Vec<RoutingSender>,
    /// Send it back when saving.
    pub version: i32,
}

/// A page of rules.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoutingRules {
    pub routing_rules: Vec<RoutingRule>,
    pub total_rules_count: u64,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoutingRuleForm {
    pub address: RoutedAddress,
    pub step_type: RoutingStep,
    pub security_type: RoutingSecurity,
    /// For the security type Certificate: the certificate that endpoints must present. Empty to accept any that this
    /// machine trusts.
    #[serde(default)]
    pub custom_certificate_name: CertificateName,
    pub convert_to_format: Option<RoutingFormat>,
    pub location_code: Option<LocationCode>,
    #[serde(default)]
    pub facility_oid: OptionalOid,
    #[serde(default)]
    pub key_hie_address: KeyHieAddress,
    /// The complete list, in the order of attempts: endpoints that are not in it are removed. Without it, they stay
    /// as they are.
    #[schema(max_items = 10)]
    pub endpoints: Option<Vec<EndpointOfRule>>,
    /// The complete list: senders that are not in it are removed. Without it, they stay as they are.
    #[schema(max_items = 500)]
    pub senders: Option<Vec<SenderOfRule>>,
    /// The version that was read. Not needed when creating.
    pub version: Option<i32>,
}

/// Endpoints and senders from a form.
struct Lists {
    endpoints: Option<Vec<EndpointOfRule>>,
    senders: Option<Vec<SenderOfRule>>,
}

impl Lists {
    fn take(form: &mut RoutingRuleForm) -> Self {
        Self { endpoints: form.endpoints.take(), senders: form.senders.take() }
    }

    /// Saves them with their locked rule, whose new values are given. Returns `true` if something changed.
    async fn save(self, app: &App, txn: &Transaction, actor: &Actor, rule: &Model) -> Result<bool> {
        let mut is_changed = false;
        if let Some(wanted) = self.endpoints {
            is_changed |= endpoints::replace(app, txn, actor, rule, wanted).await?;
        }
        if let Some(wanted) = self.senders {
            is_changed |= senders::replace(app, txn, actor, rule, wanted).await?;
        }
        Ok(is_changed)
    }
}

#[derive(Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum RuleSortDir {
    #[default]
    Asc,
    Desc,
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct RoutingRuleQuery {
    /// Each word is contained in the address.
    #[param(inline)]
    pub search: Option<SearchWords>,
    #[serde(default)]
    #[param(inline, required = false)]
    pub sort_dir: RuleSortDir,
    pub page_number: Option<u64>,
    /// 10 by default, at most 100.
    pub page_size: Option<u64>,
}

/// The routing rules, by address
#[utoipa::path(get, path = "/api/admin/routingrules", operation_id = "routingRules", tag = "routing",
    params(RoutingRuleQuery), responses((status = 200, body = RoutingRules)))]
async fn routing_rules(
    State(app): State<App>,
    Params(query): Params<RoutingRuleQuery>,
) -> Result<Json<RoutingRules>> {
    let page = Page::new(query.page_number, query.page_size, 10, 100)?;
    let found =
        Entity::find().filter(holds_words(Column::AddressKey, query.search.as_deref().unwrap_or_default()));
    let order = match query.sort_dir {
        RuleSortDir::Asc => Order::Asc,
        RuleSortDir::Desc => Order::Desc,
    };
    let db = app.store.db();
    let found = sql::page(db, found, &[(Column::AddressKey, order)], page).await?;
    let total_rules_count = found.total_count;
    Ok(Json(RoutingRules { routing_rules: shown(db, found.items).await?, total_rules_count }))
}

/// Creates a routing rule. It takes effect once it has an endpoint and a sender
#[utoipa::path(post, path = "/api/admin/routingrules", operation_id = "createRoutingRule", tag = "routing",
    request_body = RoutingRuleForm, responses((status = 201, body = RoutingRule)))]
async fn create_routing_rule(
    State(app): State<App>,
    caller: Caller,
    Body(mut form): Body<RoutingRuleForm>,
) -> Result<Created<RoutingRule>> {
    let db = app.store.db();
    if Entity::find().count(db).await? >= RULES_MAX {
        return Err(Error::Conflict(TOO_MANY.into()));
    }
    let lists = Lists::take(&mut form);
    let checked = check(&app, form).await?;
    let row =
        ActiveModel { id: Set(Uuid::now_v7()), created_at: Set(app.clock.now()), version: Set(1), ..checked };
    let (txn, actor) = (app.store.begin().await?, Actor::platform(&caller));
    let created = records::create_in::<RuleRecord>(&app, &txn, &actor, row).await?;
    lists.save(&app, &txn, &actor, &created).await?;
    txn.commit().await?;
    Ok(Created(format!("/api/admin/routingrules/{}", created.id), one(db, created).await?))
}

/// Reads a routing rule
#[utoipa::path(get, path = "/api/admin/routingrules/{id}", operation_id = "routingRule", tag = "routing",
    params(("id" = Uuid, Path)), responses((status = 200, body = RoutingRule)))]
async fn routing_rule(State(app): State<App>, Id(id): Id<Uuid>) -> Result<Json<RoutingRule>> {
    let db = app.store.db();
    let found = Entity::find_by_id(id).one(db).await?.ok_or(Error::NotFound)?;
    Ok(Json(one(db, found).await?))
}

/// Changes a routing rule, also for waiting messages
#[utoipa::path(put, path = "/api/admin/routingrules/{id}", operation_id = "updateRoutingRule", tag = "routing",
    params(("id" = Uuid, Path)), request_body = RoutingRuleForm,
    responses((status = 200, body = RoutingRule), (status = 409, description = "Changed by somebody else")))]
async fn update_routing_rule(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(mut form): Body<RoutingRuleForm>,
) -> Result<Json<RoutingRule>> {
    let (version, step_type) = (form.version, form.step_type);
    let lists = Lists::take(&mut form);
    let checked = check(&app, form).await?;
    let actor = Actor::platform(&caller);
    let mut edit = records::edit::<RuleRecord>(&app, &actor, Entity::find_by_id(id), version).await?;
    let address_key = checked.address_key.clone().take().unwrap_or_default();
    let rule = Model { address_key, step_type, ..edit.before.clone() };
    let is_changed = lists.save(&app, &edit.txn, &actor, &rule).await?;
    check_parts(&app, &edit.txn, &edit.before, &rule).await?;
    edit.row = ActiveModel {
        id: edit.row.id,
        created_at: edit.row.created_at,
        version: edit.row.version,
        ..checked
    };
    if is_changed {
        edit.touch()?;
    }
    let saved = edit.save().await?;
    Ok(Json(one(app.store.db(), saved).await?))
}

/// Deletes a routing rule with its endpoints and senders. From then on, its messages go by Direct
#[utoipa::path(delete, path = "/api/admin/routingrules/{id}", operation_id = "deleteRoutingRule", tag = "routing",
    params(("id" = Uuid, Path)), responses((status = 204)))]
async fn delete_routing_rule(State(app): State<App>, caller: Caller, Id(id): Id<Uuid>) -> Result<StatusCode> {
    let actor = Actor::platform(&caller);
    let edit = records::lock::<RuleRecord>(&app, &actor, Entity::find_by_id(id)).await?;
    let endpoints = routing_endpoint::Entity::delete_many();
    endpoints.filter(routing_endpoint::Column::RoutingRuleId.eq(id)).exec(&edit.txn).await?;
    let senders = routing_sender::Entity::delete_many();
    senders.filter(routing_sender::Column::RoutingRuleId.eq(id)).exec(&edit.txn).await?;
    edit.remove().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Checks that a changed rule still fits its senders and endpoints.
async fn check_parts(app: &App, txn: &Transaction, before: &Model, rule: &Model) -> Result<()> {
    let senders = senders::of(rule.id).all(txn).await?;
    let senders = senders.iter().map(|sender| sender.organization_id);
    refuse_own_sender(txn, &rule.address_key, senders, "address").await?;
    if rule.step_type == before.step_type {
        return Ok(());
    }
    let guard = super::guard(app, rule.step_type);
    let is_elsewhere = |e: &routing_endpoint::Model| {
        Target::parse(&e.ip_address, None, 1).is_none_or(|target| target.is_refused_by(&guard))
    };
    if endpoints::of(txn, [rule.id]).await?.iter().any(is_elsewhere) {
        return Err(Error::field("stepType", ENDPOINT_ELSEWHERE));
    }
    Ok(())
}

/// The columns of a rule from a form, without id, time and version.
async fn check(app: &App, form: RoutingRuleForm) -> Result<ActiveModel> {
    let address = DirectAddress::parse(&form.address).map_err(|_| Error::field("address", NO_ADDRESS))?;
    let (step, security) = (form.step_type, form.security_type);
    if let Some((field, problem)) = problem(step, security, form.convert_to_format) {
        return Err(Error::field(field, problem));
    }
    let name = match security {
        RoutingSecurity::Certificate => String::from(form.custom_certificate_name),
        _ => String::new(),
    };
    if !name.is_empty() && !has_certificate(app, &name).await {
        return Err(Error::field("customCertificateName", NO_CERTIFICATE));
    }
    Ok(ActiveModel {
        address_key: Set(address.mailbox().to_string()),
        address: Set(form.address.into()),
        step_type: Set(step),
        security_type: Set(security),
        custom_certificate_name: Set(name),
        convert_to_format: Set(form.convert_to_format),
        location_code: Set(form.location_code),
        facility_oid: Set(form.facility_oid.into()),
        key_hie_address: Set(form.key_hie_address.into()),
        ..ActiveModel::default()
    })
}

/// The fields of a form that contradict each other, with errors.
fn problem(
    step: RoutingStep,
    security: RoutingSecurity,
    format: Option<RoutingFormat>,
) -> Option<(&'static str, &'static str)> {
    let transport = step.transport();
    let is_soap = matches!(transport, Transport::Iti41 | Transport::Xdr { .. });
    let takes_hl7 = matches!(transport, Transport::Mllp | Transport::WebService { is_json: false });
    if security == RoutingSecurity::None && !step.is_over_vpn() {
        Some(("securityType", UNENCRYPTED))
    } else if security == RoutingSecurity::Saml && !is_soap {
        Some(("securityType", SAML_IS_SOAP))
    } else if matches!(format, Some(RoutingFormat::Mdm | RoutingFormat::Oru)) && !takes_hl7 {
        Some(("convertToFormat", HL7_NEEDS_HL7))
    } else {
        None
    }
}

async fn has_certificate(app: &App, name: &str) -> bool {
    match &app.config.routing.certificates_folder {
        Some(folder) => tokio::fs::try_exists(folder.join(format!("{name}.pem"))).await.unwrap_or(false),
        None => false,
    }
}

/// Refuses a rule to an organization's own address: it would only send to itself.
pub(super) async fn refuse_own_sender(
    txn: &Transaction,
    address_key: &str,
    senders: impl IntoIterator<Item = Uuid>,
    field: &str,
) -> Result<()> {
    let own = document_source::Entity::find()
        .filter(document_source::Column::AddressKey.eq(address_key))
        .filter(document_source::Column::OrganizationId.is_in(senders));
    match own.one(txn).await? {
        Some(_) => Err(Error::field(field, OWN_SENDER)),
        None => Ok(()),
    }
}

/// Locks the rule of an endpoint or sender, and increases its version, so that a list read before this change cannot
/// be saved over it.
pub(super) async fn change(txn: &Transaction, id: Uuid) -> Result<Model> {
    use sea_orm::{ActiveModelTrait as _, IntoActiveModel, QuerySelect};
    let found = Entity::find_by_id(id).lock_exclusive().one(txn).await?;
    let rule = found.ok_or_else(|| Error::field("routingRuleId", GONE))?;
    let next = rule.version + 1;
    let mut rule = rule.into_active_model();
    rule.version = Set(next);
    Ok(rule.update(txn).await?)
}

async fn one(db: &impl ConnectionTrait, row: Model) -> Result<RoutingRule> {
    shown(db, vec![row]).await?.pop().ok_or(Error::NotFound)
}

async fn shown(db: &impl ConnectionTrait, rows: Vec<Model>) -> Result<Vec<RoutingRule>> {
    let ids: Vec<Uuid> = rows.iter().map(|row| row.id).collect();
    let mut endpoints: HashMap<Uuid, Vec<RoutingEndpoint>> = HashMap::new();
    for row in endpoints::of(db, ids.iter().copied()).await? {
        endpoints.entry(row.routing_rule_id).or_default().push(row.into());
    }
    let of_rules = routing_sender::Entity::find()
        .filter(routing_sender::Column::RoutingRuleId.is_in(ids))
        .order_by_asc(routing_sender::Column::Id);
    let mut senders: HashMap<Uuid, Vec<RoutingSender>> = HashMap::new();
    for sender in senders::senders_with_organizations(db, of_rules.all(db).await?).await? {
        senders.entry(sender.routing_rule_id).or_default().push(sender);
    }
    let rule = |row: Model| RoutingRule {
        endpoints: endpoints.remove(&row.id).unwrap_or_default(),
        senders: senders.remove(&row.id).unwrap_or_default(),
        id: row.id,
        address: row.address,
        step_type: row.step_type,
        security_type: row.security_type,
        custom_certificate_name: row.custom_certificate_name,
        convert_to_format: row.convert_to_format,
        location_code: row.location_code,
        facility_oid: row.facility_oid,
        key_hie_address: row.key_hie_address,
        version: row.version,
    };
    Ok(rows.into_iter().map(rule).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use RoutingStep::*;

    #[test]
    fn what_does_not_go_together_is_refused_at_its_field() {
        let field = |step, security, format| problem(step, security, format).map(|(field, _)| field);
        assert_eq!(field(SendAsHL7Step, RoutingSecurity::None, None), Some("securityType"));
        assert_eq!(field(SendAsHL7OverVpnStep, RoutingSecurity::None, Some(RoutingFormat::Oru)), None);
        assert_eq!(field(SendAsHL7Step, RoutingSecurity::Saml, None), Some("securityType"));
        assert_eq!(field(SendToKeyhieStep, RoutingSecurity::Saml, Some(RoutingFormat::Cda)), None);
        assert_eq!(
            field(SendAsXdrStep, RoutingSecurity::MutualTls, Some(RoutingFormat::Mdm)),
            Some("convertToFormat")
        );
    }
}
