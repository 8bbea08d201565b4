//! What somebody did.

use super::http::UserEvent;
use platform::{
    App, Member, Result,
    http::{Page, Paged},
    sql,
};
use sea_orm::{ColumnTrait, EntityTrait, Order, QueryFilter};
use store::entities::audit_entry::{Column, Entity};
use uuid::Uuid;

/// A page of somebody's acts in the organization, by the index on their actor.
pub async fn events(app: &App, member: &Member, user_id: Uuid, page: Page) -> Result<Paged<UserEvent>> {
    let acts = Entity::find()
        .filter(Column::OrganizationId.eq(member.organization_id))
        .filter(Column::ActorId.eq(user_id));
    let newest = [(Column::At, Order::Desc), (Column::Id, Order::Desc)];
    let event = |row: store::entities::audit_entry::Model| UserEvent {
        id: row.id,
        event_type: row.event_type,
        created_on: row.at,
        object_type: row.object_type,
        object_id: row.object_id,
        succeeded: row.outcome == "Success",
        source_ip: row.source_ip,
    };
    Ok(sql::page(app.store.db(), acts, &newest, page).await?.map(event))
}
