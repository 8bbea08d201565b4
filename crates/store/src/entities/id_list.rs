//! A JSON column with an array of ids.

use sea_orm::FromJsonQueryResult;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// An array of ids in a JSON column. Any other value is an error of the query.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
#[serde(transparent)]
pub struct IdList(pub Vec<Uuid>);
