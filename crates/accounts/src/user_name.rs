//! User names.

use platform::{
    Result,
    fields::user_name_key,
    text::{Format, Rule},
};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect, SelectExt};
use std::collections::{BTreeSet, HashMap};
use store::entities::app_user;
use uuid::Uuid;

pub const NOT_VALID: &str = "Username is not valid";
pub const EXISTS: &str = "Username already exists";

platform::text! {
    /// A user name is an e-mail address.
    pub UserName = Rule::line(1, 255).format(Format::Email).says(NOT_VALID);
}

/// Whether a new user may have this name.
pub fn is_valid(text: &str) -> bool {
    UserName::new(text).is_ok()
}

/// Whether an account has it.
pub async fn is_taken(db: &impl ConnectionTrait, user_name: &str) -> Result<bool> {
    let of_name = app_user::Column::UserNameKey.eq(user_name_key(user_name));
    Ok(app_user::Entity::find().filter(of_name).exists(db).await?)
}

/// User names by user.
pub async fn names_of(
    db: &impl ConnectionTrait,
    ids: impl IntoIterator<Item = Uuid>,
) -> Result<HashMap<Uuid, String>> {
    let ids: BTreeSet<Uuid> = ids.into_iter().collect();
    let names = app_user::Entity::find()
        .filter(app_user::Column::Id.is_in(ids))
        .select_only()
        .columns([app_user::Column::Id, app_user::Column::UserName])
        .into_tuple::<(Uuid, String)>()
        .all(db)
        .await?;
    Ok(names.into_iter().collect())
}
