//! What somebody did.

use super::http::UserEvent;
use platform::{
    App, Member, Result,
    http::{Page, Paged},
    sql::capped_count,
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use store::entities::audit_entry::{Column, Entity};
use uuid::Uuid;

/// A page of somebody's acts in the organization, by the index on their actor.
pub async fn events(app: &App, member: &Member, user_id: Uuid, page: Page) -> Result<Paged<UserEvent>> {
    let db = app.store.db();
    let acts = Entity::find()
        .filter(Column::OrganizationId.eq(member.organization_id))
        .filter(Column::ActorId.eq(user_id));
    let counted = capped_count(db, acts.clone()).await?;
    let rows = acts
        .order_by_desc(Column::At)
        .order_by_desc(Column::Id)
        .offset(page.offset())
        .limit(page.size)
        .all(db)
        .await?;
    let event = |row: store::entities::audit_entry::Model| UserEvent {
        id: row.id,
        event_type: row.event_type,
        created_on: row.at,
        object_type: row.object_type,
        object_id: row.object_id,
        succeeded: row.outcome == "Success",
        source_ip: row.source_ip,
    };
    Ok(Paged::capped(rows.into_iter().map(event).collect(), counted))
}
