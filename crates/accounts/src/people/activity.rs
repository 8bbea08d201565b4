//! A user's acts.

use super::types::UserEvent;
use chrono::{DateTime, Utc};
use platform::{
    App, Member, Result,
    audit::what_changed,
    http::{Page, Paged},
    sql,
};
use sea_orm::{ColumnTrait, Condition, EntityTrait, Order, QueryFilter};
use store::entities::audit_entry::{Column, Entity};
use uuid::Uuid;

/// Filter of a user's acts.
#[derive(Default)]
pub struct Filter {
    /// All if empty.
    pub types: Vec<String>,
    pub start: Option<DateTime<Utc>>,
    /// Exclusive end of the period.
    pub end: Option<DateTime<Utc>>,
}

impl Filter {
    fn condition(self) -> Condition {
        Condition::all()
            .add_option((!self.types.is_empty()).then(|| Column::EventType.is_in(self.types)))
            .add_option(self.start.map(|start| Column::At.gte(start)))
            .add_option(self.end.map(|end| Column::At.lt(end)))
    }
}

/// A page of a user's acts in the organization, by the index on their actor.
pub async fn events(
    app: &App,
    member: &Member,
    user_id: Uuid,
    filter: Filter,
    page: Page,
) -> Result<Paged<UserEvent>> {
    let acts = Entity::find()
        .filter(Column::OrganizationId.eq(member.organization_id))
        .filter(Column::ActorId.eq(user_id))
        .filter(filter.condition());
    let newest = [(Column::At, Order::Desc), (Column::Id, Order::Desc)];
    let event = |row: store::entities::audit_entry::Model| UserEvent {
        id: row.id,
        event_type: row.event_type,
        what: what_changed(&row.detail),
        created_on: row.at,
        object_type: row.object_type,
        object_id: row.object_id,
        succeeded: row.outcome == "Success",
        source_ip: row.source_ip,
    };
    Ok(sql::page(app.store.db(), acts, &newest, page).await?.map(event))
}
