//! Lists of terms that the system defines and organizations extend.

use platform::Member;
use sea_orm::{ColumnTrait, Condition};

/// Rows of the member's organization and of the system.
pub fn own_or_system(column: impl ColumnTrait, member: &Member) -> Condition {
    Condition::any().add(column.is_null()).add(column.eq(member.organization_id))
}
