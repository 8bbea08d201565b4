//! People of organizations, by id and name.

use platform::{App, Result, session::full_name};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use serde::Serialize;
use std::collections::HashMap;
use store::entities::app_user;
use utoipa::ToSchema;
use uuid::Uuid;

/// A person's id and name.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PersonView {
    pub id: Uuid,
    pub name: String,
}

/// Names of users by id.
pub async fn names_of(app: &App, ids: impl IntoIterator<Item = Uuid>) -> Result<HashMap<Uuid, String>> {
    let ids: Vec<Uuid> = ids.into_iter().collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let users = app_user::Entity::find().filter(app_user::Column::Id.is_in(ids)).all(app.store.db()).await?;
    Ok(users.into_iter().map(|u| (u.id, full_name(&u))).collect())
}
