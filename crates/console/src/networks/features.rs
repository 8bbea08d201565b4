//! `/api/admin/networks/{id}/features`: operators add, switch and remove the features of a network.

use super::{queries, rules, types::NetworkFeatures};
use axum::{Json, extract::State, http::StatusCode};
use platform::{
    App, Caller, Error, Result,
    access::SYSADMINS,
    api::Api,
    audit::event,
    fields::FieldErrors,
    http::{Body, Created, Id, Params},
    network_features::Switch,
    text::Rule,
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, IntoActiveModel, ModelTrait, QueryFilter,
};
use serde::Deserialize;
use serde_json::json;
use std::collections::HashMap;
use store::{
    Transaction,
    entities::network_feature::{ActiveModel, Column, Entity, Model},
};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

/// Maximum number of features of one network.
const FEATURES_MAX: usize = 200;

const TAKEN: &str = "The network already has this feature.";
const NO_SUCH_PARENT: &str = "Please choose another feature of this network that is not below this one.";
const TOO_MANY: &str = "A network can have 200 features at most.";

pub fn api() -> Api {
    Api::new().route(SYSADMINS, routes!(add_feature, change_feature, remove_feature))
}

platform::text! {
    /// Name of a feature, by which the product looks it up.
    pub FeatureName = Rule::line(2, 64).pattern("[A-Za-z][A-Za-z0-9]*")
        .says("Please enter a name of letters and digits that begins with a letter, such as Referrals.");
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NetworkFeatureForm {
    pub name: Switch,
    /// The parent feature; while that is off, this one is off.
    pub parent: Option<String>,
    #[serde(default)]
    pub is_enabled: bool,
}

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct FeatureQuery {
    #[param(inline)]
    pub name: FeatureName,
}

/// Adds a feature to a network
#[utoipa::path(post, path = "/api/admin/networks/{id}/features", operation_id = "addNetworkFeature",
    tag = "networks", params(("id" = Uuid, Path)), request_body = NetworkFeatureForm,
    responses((status = 201, body = NetworkFeatures)))]
async fn add_feature(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(form): Body<NetworkFeatureForm>,
) -> Result<Created<NetworkFeatures>> {
    let txn = app.store.begin().await?;
    let present = locked(&txn, &caller, id).await?;
    let mut errors = FieldErrors::default();
    errors.require(present.iter().all(|f| f.name != form.name.name()), "name", TAKEN);
    errors.require(present.len() < FEATURES_MAX, "name", TOO_MANY);
    check_parent(&present, &form, &mut errors);
    errors.check()?;
    let row = ActiveModel {
        network_id: Set(id),
        name: Set(form.name.name().into()),
        parent: Set(form.parent.clone()),
        is_enabled: Set(form.is_enabled),
        position: Set(present.iter().map(|f| f.position).max().unwrap_or(0) + 1),
    };
    Entity::insert(row).exec_without_returning(&txn).await?;
    let detail = json!({ "feature": form.name.name(), "parent": form.parent, "isEnabled": form.is_enabled });
    queries::record(&app, &txn, &caller, event::CHANGED, id, detail).await?;
    txn.commit().await?;
    Ok(Created(format!("/api/networks/{id}/features"), shown(&app, id).await?))
}

/// Switches a feature of a network, or moves it under another one
#[utoipa::path(put, path = "/api/admin/networks/{id}/features", operation_id = "changeNetworkFeature",
    tag = "networks", params(("id" = Uuid, Path)), request_body = NetworkFeatureForm,
    responses((status = 200, body = NetworkFeatures)))]
async fn change_feature(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(form): Body<NetworkFeatureForm>,
) -> Result<Json<NetworkFeatures>> {
    let txn = app.store.begin().await?;
    let present = locked(&txn, &caller, id).await?;
    let before = named(&present, form.name.name())?;
    let mut errors = FieldErrors::default();
    check_parent(&present, &form, &mut errors);
    errors.check()?;
    let was = json!({ "parent": before.parent, "isEnabled": before.is_enabled });
    let is = json!({ "parent": form.parent, "isEnabled": form.is_enabled });
    if was != is {
        let mut row = before.clone().into_active_model();
        row.parent = Set(form.parent.clone());
        row.is_enabled = Set(form.is_enabled);
        row.update(&txn).await?;
        let detail = json!({ "feature": form.name.name(), "before": was, "after": is });
        queries::record(&app, &txn, &caller, event::CHANGED, id, detail).await?;
        txn.commit().await?;
    }
    Ok(Json(shown(&app, id).await?))
}

/// Removes a feature without child features
#[utoipa::path(delete, path = "/api/admin/networks/{id}/features", operation_id = "removeNetworkFeature",
    tag = "networks", params(("id" = Uuid, Path), FeatureQuery),
    responses((status = 204), (status = 409, description = "Other features belong to it")))]
async fn remove_feature(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Params(FeatureQuery { name }): Params<FeatureQuery>,
) -> Result<StatusCode> {
    let txn = app.store.begin().await?;
    let present = locked(&txn, &caller, id).await?;
    let feature = named(&present, &name)?;
    let within = present.iter().filter(|f| f.parent.as_deref() == Some(&*name)).count();
    if within > 0 {
        let text = match within {
            1 => "1 feature is below this one. Please remove it first.".to_owned(),
            many => format!("{many} features are below this one. Please remove them first."),
        };
        return Err(Error::Conflict(text.into()));
    }
    feature.clone().delete(&txn).await?;
    let detail = json!({ "removedFeature": &*name });
    queries::record(&app, &txn, &caller, event::CHANGED, id, detail).await?;
    txn.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The features of a locked network.
async fn locked(txn: &Transaction, caller: &Caller, id: Uuid) -> Result<Vec<Model>> {
    queries::locked(txn, caller, id).await?;
    Ok(Entity::find().filter(Column::NetworkId.eq(id)).all(txn).await?)
}

fn named<'a>(present: &'a [Model], name: &str) -> Result<&'a Model> {
    present.iter().find(|f| f.name == name).ok_or(Error::NotFound)
}

/// Checks a parent: a feature of the network that is not a child of this feature.
fn check_parent(present: &[Model], form: &NetworkFeatureForm, errors: &mut FieldErrors) {
    let Some(parent) = form.parent.as_deref() else { return };
    let parents: HashMap<&str, Option<&str>> =
        present.iter().map(|f| (f.name.as_str(), f.parent.as_deref())).collect();
    let above = std::iter::successors(Some(parent), |name| parents.get(name).copied().flatten());
    let is_circle = above.take(present.len() + 1).any(|name| name == form.name.name());
    errors.require(parents.contains_key(parent) && !is_circle, "parent", NO_SUCH_PARENT);
}

async fn shown(app: &App, id: Uuid) -> Result<NetworkFeatures> {
    Ok(NetworkFeatures { features: rules::tree(queries::features(app.store.db(), id).await?) })
}
