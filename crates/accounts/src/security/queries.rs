//! Database access of the security settings.

use super::{rules, types::SecurityForm};
use platform::{App, Error, Manager, Result, security::SecuritySettings, settings};

pub async fn find(app: &App, manager: &Manager) -> Result<SecuritySettings> {
    settings::find(app, manager.organization_id).await
}

/// Saves settings, if nobody changed them since the form was read. Only an administrator of the organization can lock
/// themselves out, since operators work from elsewhere.
pub async fn save(app: &App, manager: &Manager, form: &SecurityForm) -> Result<SecuritySettings> {
    let caller = &manager.caller;
    let own = (caller.organization_id == Some(manager.organization_id)).then_some(caller.source_ip.as_str());
    let wanted = rules::settings(form, own).map_err(Error::Invalid)?;
    settings::save(app, &manager.actor(), manager.organization_id, form.version, wanted).await
}
