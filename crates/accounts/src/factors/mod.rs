//! Second factors: a user's factors, whether one is required, and the checks of apps, passkeys and codes.

pub mod codes;
pub mod passkeys;
pub mod totp;

pub use totp::reseal;

use crate::person::{self, open_organizations};
use platform::{App, Result, security::SecuritySettings, settings::Settings as _};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder};
use serde::{Deserialize, Serialize};
use store::entities::{app_user, passkey, recovery_code, second_factor};
use utoipa::ToSchema;
use uuid::Uuid;

/// A way to answer the second step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum Method {
    /// The code of an authenticator app.
    App,
    Passkey,
    /// An e-mailed code.
    Email,
    Recovery,
}

/// The second factors of a user.
pub struct Factors {
    pub app: Option<second_factor::Model>,
    pub email_codes: bool,
    pub passkeys: Vec<passkey::Model>,
    pub recovery_codes: u64,
}

impl Factors {
    pub async fn of(db: &impl ConnectionTrait, user_id: Uuid) -> Result<Self> {
        let row = second_factor::Entity::find_by_id(user_id).one(db).await?;
        let passkeys = passkey::Entity::find()
            .filter(passkey::Column::UserId.eq(user_id))
            .order_by_asc(passkey::Column::Id)
            .all(db)
            .await?;
        let unused = recovery_code::Entity::find()
            .filter(recovery_code::Column::UserId.eq(user_id))
            .filter(recovery_code::Column::UsedAt.is_null());
        Ok(Self {
            email_codes: row.as_ref().is_some_and(|r| r.email_codes),
            app: row.filter(|r| r.confirmed_at.is_some()),
            passkeys,
            recovery_codes: unused.count(db).await?,
        })
    }

    pub fn any(&self) -> bool {
        self.app.is_some() || self.email_codes || !self.passkeys.is_empty()
    }
}

/// Whether the installation or an organization of the user requires a second step.
pub async fn is_required(app: &App, db: &impl ConnectionTrait, user_id: Uuid) -> Result<bool> {
    if app.config.requires_second_factor() {
        return Ok(true);
    }
    for organization in open_organizations(db, user_id).await? {
        if SecuritySettings::of(&organization)?.require_second_factor {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether the user needs a second step to sign in.
pub async fn is_asked_for(app: &App, db: &impl ConnectionTrait, user: &app_user::Model) -> Result<bool> {
    Ok(Factors::of(db, user.id).await?.any() || is_required(app, db, user.id).await?)
}

/// The user's methods for the second step, best first; `None` if no second step is needed. Users who need one but
/// have set up none get a code by e-mail.
pub async fn methods(
    app: &App,
    db: &impl ConnectionTrait,
    user: &app_user::Model,
) -> Result<Option<Vec<Method>>> {
    let factors = Factors::of(db, user.id).await?;
    if !factors.any() && !is_required(app, db, user.id).await? {
        return Ok(None);
    }
    let mut methods = Vec::new();
    if !factors.passkeys.is_empty() && passkeys::are_available(app) {
        methods.push(Method::Passkey);
    }
    if factors.app.is_some() {
        methods.push(Method::App);
    }
    let by_mail = email::is_available(app) && person::recipient(user).is_some();
    if by_mail && (factors.email_codes || !factors.any()) {
        methods.push(Method::Email);
    }
    if factors.any() && factors.recovery_codes > 0 {
        methods.push(Method::Recovery);
    }
    Ok(Some(methods))
}
