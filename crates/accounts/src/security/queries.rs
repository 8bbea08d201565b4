//! Reading and writing the security settings.

use super::{http::SecurityForm, rules};
use platform::{
    App, Error, Member, Result,
    audit::{self, Act, Actor, event},
    security::{MEMBER, SecuritySettings},
};
use sea_orm::{ActiveModelTrait, ActiveValue::Set, EntityTrait, QuerySelect, sea_query::LockType};
use serde_json::json;
use store::entities::organization;

pub async fn find(app: &App, member: &Member) -> Result<SecuritySettings> {
    let found = organization::Entity::find_by_id(member.organization_id).one(app.store.db()).await?;
    SecuritySettings::of(&found.ok_or(Error::NotFound)?)
}

/// Saves settings that nobody changed since the form was read; without a version, over whatever is there.
pub async fn save(app: &App, member: &Member, form: &SecurityForm) -> Result<SecuritySettings> {
    let mut wanted = rules::settings(form, &member.caller.source_ip).map_err(Error::Invalid)?;
    let txn = app.store.begin().await?;
    let query = organization::Entity::find_by_id(member.organization_id).lock(LockType::NoKeyUpdate);
    let found = query.one(&txn).await?.ok_or(Error::NotFound)?;
    let before = SecuritySettings::of(&found)?;
    if form.version.is_some_and(|version| version != before.version) {
        return Err(Error::Outdated("these settings"));
    }
    wanted.version = before.version + 1;
    let mut settings = found.settings;
    if !settings.is_object() {
        settings = json!({});
    }
    settings[MEMBER] = json!(wanted);
    let row = organization::ActiveModel { id: Set(found.id), settings: Set(settings), ..Default::default() };
    row.update(&txn).await?;
    let act = Act::new(event::SECURITY_CHANGED, "organization", found.id)
        .detail(json!({ "before": before, "after": wanted }));
    audit::record(app, &txn, &Actor::from(&member.caller), act).await?;
    txn.commit().await?;
    Ok(wanted)
}
