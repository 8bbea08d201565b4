//! Used one-time assertions: each allows a single request, across all nodes.

use super::hash;
use chrono::Duration;
use exchange::receive::assertion::Assertion;
use platform::{App, Result};
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter, sea_query::OnConflict};
use store::entities::used_assertion::{ActiveModel, Column, Entity};

/// Additional time for which an assertion is remembered after its expiry, because clocks differ, also those of nodes.
const LONGER: Duration = Duration::hours(1);

/// Marks a valid assertion as used, given the fingerprint of its signer's certificate. Returns whether it was unused.
pub async fn use_up(app: &App, fingerprint: &str, assertion: &Assertion) -> Result<bool> {
    let row = ActiveModel {
        assertion_key: Set(hash([fingerprint.as_bytes(), assertion.id.as_bytes()])),
        ends_at: Set(assertion.until),
    };
    let once = OnConflict::column(Column::AssertionKey).do_nothing().to_owned();
    let added = Entity::insert(row).on_conflict(once).exec_without_returning(app.store.db()).await?;
    Ok(added == 1)
}

/// Removes expired assertions.
pub async fn forget(app: &App) -> Result<()> {
    let over = Entity::delete_many().filter(Column::EndsAt.lt(app.clock.now() - LONGER));
    over.exec(app.store.db()).await?;
    Ok(())
}
