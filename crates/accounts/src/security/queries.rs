//! Reading and writing the security settings.

use super::{http::SecurityForm, rules};
use platform::{App, Error, Member, Result, audit::Actor, security::SecuritySettings, settings};

pub async fn find(app: &App, member: &Member) -> Result<SecuritySettings> {
    settings::find(app, member.organization_id).await
}

/// Saves settings that nobody changed since the form was read.
pub async fn save(app: &App, member: &Member, form: &SecurityForm) -> Result<SecuritySettings> {
    let wanted = rules::settings(form, &member.caller.source_ip).map_err(Error::Invalid)?;
    settings::save(app, &Actor::from(&member.caller), member.organization_id, form.version, wanted).await
}
