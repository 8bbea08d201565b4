//! Requests and answers of the API.

use chrono::{DateTime, Utc};
use platform::text::{Rule, SearchWords};
use serde::{Deserialize, Serialize};
use store::entities::network;
use utoipa::ToSchema;
use uuid::Uuid;

platform::text! {
    /// Name of a network.
    pub NetworkName = Rule::line(3, 100).says("Please enter a name of 3 to 100 characters.");
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct NetworkQuery {
    /// Beginning of the name.
    #[param(inline)]
    pub search: Option<SearchWords>,
    pub page: Option<u64>,
    /// At most 100.
    pub size: Option<u64>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Network {
    pub id: Uuid,
    pub name: String,
    pub create_date: Option<DateTime<Utc>>,
    /// Send it back when saving.
    pub version: i32,
}

impl From<network::Model> for Network {
    fn from(row: network::Model) -> Self {
        Self { id: row.id, name: row.name, create_date: row.created_at, version: row.version }
    }
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct NetworkForm {
    pub name: NetworkName,
    /// The version that was read, so that changes by others are not overwritten. Not needed when creating.
    pub version: Option<i32>,
}

#[derive(Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NetworkFeature {
    pub name: String,
    /// Always false if the parent is off.
    pub is_enabled: bool,
    #[schema(no_recursion)]
    pub child_network_features: Vec<Self>,
}

#[derive(Serialize, ToSchema)]
pub struct NetworkFeatures {
    pub features: Vec<NetworkFeature>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NetworkOverview {
    #[serde(flatten)]
    pub network: Network,
    /// Exact up to 10,000.
    pub organization_count: u64,
    /// Exact up to 10,000.
    pub admin_count: u64,
    pub has_service_account: bool,
}
