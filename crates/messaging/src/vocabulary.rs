//! Lists of terms that the system defines and organizations extend.

use platform::Member;
use sea_orm::{ColumnTrait, Condition};
use uuid::Uuid;

/// Rows of the member's organization and of the system.
pub fn own_or_system(column: impl ColumnTrait, member: &Member) -> Condition {
    of_or_system(column, member.organization_id)
}

/// Rows of an organization and of the system.
pub fn of_or_system(column: impl ColumnTrait, organization_id: Uuid) -> Condition {
    Condition::any().add(column.is_null()).add(column.eq(organization_id))
}
