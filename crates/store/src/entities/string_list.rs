//! A JSON column with an array of strings.

use sea_orm::FromJsonQueryResult;
use serde::{Deserialize, Serialize};

/// An array of strings in a JSON column. Any other value is an error of the query.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
#[serde(transparent)]
pub struct StringList(pub Vec<String>);

impl<T: Into<String>> FromIterator<T> for StringList {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self(items.into_iter().map(Into::into).collect())
    }
}

impl From<Vec<String>> for StringList {
    fn from(items: Vec<String>) -> Self {
        Self(items)
    }
}
