//! Which assertions for one use were used: none lets two requests in, whichever nodes they come to.

use super::hash;
use chrono::Duration;
use exchange::receive::assertion::Assertion;
use platform::{App, Result};
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter, sea_query::OnConflict};
use store::entities::used_assertion::{ActiveModel, Column, Entity};

/// For so much longer than an assertion holds it is remembered: clocks differ, those of nodes as well.
const LONGER: Duration = Duration::hours(1);

/// Uses an assertion up that holds, given the fingerprint of the certificate of who signed it. Returns whether nobody had.
pub async fn use_up(app: &App, fingerprint: &str, assertion: &Assertion) -> Result<bool> {
    let row = ActiveModel {
        assertion_key: Set(hash([fingerprint.as_bytes(), assertion.id.as_bytes()])),
        ends_at: Set(assertion.until),
    };
    let once = OnConflict::column(Column::AssertionKey).do_nothing().to_owned();
    let added = Entity::insert(row).on_conflict(once).exec_without_returning(app.store.db()).await?;
    Ok(added == 1)
}

/// Forgets those that hold no more.
pub async fn forget(app: &App) -> Result<()> {
    let over = Entity::delete_many().filter(Column::EndsAt.lt(app.clock.now() - LONGER));
    over.exec(app.store.db()).await?;
    Ok(())
}
