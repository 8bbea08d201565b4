//! Finders that start from the tenant. Tables of a tenant are read through these, so that no query forgets the scope.

use crate::entities::{attachment, delivery, document_source, membership, message, saved_address};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, Select, entity::prelude::Uuid};

/// The organization whose rows a request may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tenant(pub Uuid);

impl Tenant {
    /// Messages that are not deleted.
    pub fn messages(self) -> Select<message::Entity> {
        message::Entity::find()
            .filter(message::Column::OrganizationId.eq(self.0))
            .filter(message::Column::DeletedAt.is_null())
    }

    /// Attachments that are not deleted.
    pub fn attachments(self) -> Select<attachment::Entity> {
        attachment::Entity::find()
            .filter(attachment::Column::OrganizationId.eq(self.0))
            .filter(attachment::Column::DeletedAt.is_null())
    }

    pub fn deliveries(self) -> Select<delivery::Entity> {
        delivery::Entity::find().filter(delivery::Column::OrganizationId.eq(self.0))
    }

    pub fn document_sources(self) -> Select<document_source::Entity> {
        document_source::Entity::find().filter(document_source::Column::OrganizationId.eq(self.0))
    }

    /// Users of the organization, disabled ones included.
    pub fn memberships(self) -> Select<membership::Entity> {
        membership::Entity::find().filter(membership::Column::OrganizationId.eq(self.0))
    }

    pub fn saved_addresses(self) -> Select<saved_address::Entity> {
        saved_address::Entity::find().filter(saved_address::Column::OrganizationId.eq(self.0))
    }
}
