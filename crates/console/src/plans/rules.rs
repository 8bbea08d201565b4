//! Which plan fits whom, without a database.

use store::entities::{
    plan,
    reseller::{self, ResellerKind},
};
use uuid::Uuid;

/// Every organization may have the Free plan, which is no row: its id is null.
pub const FREE: &str = "Free";
pub const FREE_USERS: i32 = 3;
/// What a plan without a limit says as its number of users.
pub const UNLIMITED: i32 = -1;

pub fn is_licensing(reseller: &reseller::Model) -> bool {
    reseller.kind == ResellerKind::Licensing
}

/// A plan of that many users has room for those who are there.
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

/// The plans of a licensing reseller, or those that belong to no reseller. Retired ones are offered to nobody.
pub fn is_offered_by(plan: &plan::Model, licenser: Option<Uuid>) -> bool {
    plan.reseller_id == licenser && !plan.is_retired
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
