//! The plans of organizations, and the plans available to them.

use platform::Result;
use sea_orm::{ConnectionTrait, EntityTrait};
use serde::Serialize;
use store::entities::{
    plan,
    reseller::{self, ResellerKind},
};
use utoipa::ToSchema;
use uuid::Uuid;

/// Id of the Free plan, which has no row: null. It is available to every organization.
pub const FREE: &str = "Free";
pub const FREE_USERS: i32 = 3;
/// Number of users of a plan without a limit.
pub const UNLIMITED: i32 = -1;

pub fn is_licensing(reseller: &reseller::Model) -> bool {
    reseller.kind == ResellerKind::Licensing
}

/// Whether a plan has room for a number of users.
pub fn has_room(allowed_users: i32, users: u64) -> bool {
    allowed_users == UNLIMITED || u64::try_from(allowed_users).is_ok_and(|allowed| allowed >= users)
}

pub fn allowed_users_description(allowed_users: i32) -> String {
    match allowed_users {
        UNLIMITED => "Unlimited users".into(),
        1 => "1 user".into(),
        n => format!("Up to {n} users"),
    }
}

/// The plans of a licensing reseller, or those without one. Retired ones are never offered.
pub fn is_offered_by(plan: &plan::Model, licenser: Option<Uuid>) -> bool {
    plan.reseller_id == licenser && !plan.is_retired
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SubscriptionPlan {
    /// Null for the Free plan.
    pub id: Option<Uuid>,
    pub name: String,
    /// -1 for no limit
    pub allowed_users: i32,
    pub allowed_users_description: String,
}

impl SubscriptionPlan {
    pub fn new(id: Option<Uuid>, name: String, allowed_users: i32) -> Self {
        let allowed_users_description = allowed_users_description(allowed_users);
        Self { id, name, allowed_users, allowed_users_description }
    }
}

/// The plan with an id; the Free plan without one, or for its row.
pub async fn named(db: &impl ConnectionTrait, id: Option<Uuid>) -> Result<SubscriptionPlan> {
    let found = match id {
        Some(id) => plan::Entity::find_by_id(id).one(db).await?.filter(|plan| !plan.is_free),
        None => None,
    };
    Ok(match found {
        Some(plan) => SubscriptionPlan::new(Some(plan.id), plan.name, plan.allowed_users),
        None => SubscriptionPlan::new(None, FREE.into(), FREE_USERS),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_of_minus_one_users_is_unlimited() {
        assert!(has_room(UNLIMITED, 1_000_000));
        assert_eq!(allowed_users_description(UNLIMITED), "Unlimited users");
    }

    #[test]
    fn the_free_plan_has_room_for_three() {
        assert!(has_room(FREE_USERS, 3) && !has_room(FREE_USERS, 4));
        assert_eq!(allowed_users_description(FREE_USERS), "Up to 3 users");
    }
}
