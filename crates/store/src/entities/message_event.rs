//! Events of messages, for reports and activity lists.

use sea_orm::entity::prelude::*;

/// Events of messages, for reports and activity lists.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "message_event")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub message_id: Uuid,
    pub event_type: EventType,
    pub at: DateTimeUtc,
    pub user_id: Option<Uuid>,
    pub user_name: String,
}

/// Kind of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum, DeriveDisplay)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum EventType {
    Delivered,
    Exported,
    Forwarded,
    Replied,
    Deleted,
    Bounced,
    Failed,
    Processed,
    Received,
    /// The outcome of a fax is unknown until a person decides, so reports leave it out.
    Uncertain,
}

impl EventType {
    /// The events that reports cover, in the order in which they are offered.
    pub const REPORTED: [Self; 9] = [
        Self::Delivered,
        Self::Exported,
        Self::Forwarded,
        Self::Replied,
        Self::Deleted,
        Self::Bounced,
        Self::Failed,
        Self::Processed,
        Self::Received,
    ];

    /// Parses a comma-separated list of reported events; an empty list means all of them. `None` for an unknown name.
    pub fn listed(names: &str) -> Option<Vec<Self>> {
        let names: Vec<&str> = names.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
        if names.iter().any(|name| Self::REPORTED.iter().all(|kind| kind.to_string() != *name)) {
            return None;
        }
        let is_wanted = |kind: &Self| names.is_empty() || names.contains(&kind.to_string().as_str());
        Some(Self::REPORTED.into_iter().filter(is_wanted).collect())
    }
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
