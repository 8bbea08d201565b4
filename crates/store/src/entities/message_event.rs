//! What happened to a message, for reports and activity lists.

use sea_orm::entity::prelude::*;

/// What happened to a message, for reports and activity lists.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "message_event")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub message_id: Uuid,
    pub event_type: String,
    pub at: DateTimeUtc,
    pub user_id: Option<Uuid>,
    pub user_name: String,
}

/// What can happen to a message, as `event_type` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// Nobody knows whether a fax arrived. A person decides, so that reports do not hold it.
    Uncertain,
}

impl EventType {
    /// What reports are about, in the order in which it is offered.
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

    pub fn name(self) -> &'static str {
        match self {
            Self::Delivered => "Delivered",
            Self::Exported => "Exported",
            Self::Forwarded => "Forwarded",
            Self::Replied => "Replied",
            Self::Deleted => "Deleted",
            Self::Bounced => "Bounced",
            Self::Failed => "Failed",
            Self::Processed => "Processed",
            Self::Received => "Received",
            Self::Uncertain => "Uncertain",
        }
    }

    /// The reported ones that a list names, separated by commas; all of them when it names none. Nothing when it names
    /// one that there is not.
    pub fn listed(names: &str) -> Option<Vec<Self>> {
        let names: Vec<&str> = names.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
        if names.iter().any(|name| Self::REPORTED.iter().all(|kind| kind.name() != *name)) {
            return None;
        }
        let is_wanted = |kind: &Self| names.is_empty() || names.contains(&kind.name());
        Some(Self::REPORTED.into_iter().filter(is_wanted).collect())
    }
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
