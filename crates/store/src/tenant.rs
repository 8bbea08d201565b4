//! Queries that start from the tenant. Tables of a tenant are read through these, so that no query forgets the
//! tenant, and none shows messages of an address that the member may not read.

use crate::entities::{
    attachment, cached_document, delivery, document_source, export_task, membership,
    message::{self, Direction},
    saved_address, triage_batch,
};
use sea_orm::{
    ColumnTrait, Condition, EntityTrait, QueryFilter, QuerySelect, QueryTrait, Select,
    entity::prelude::Uuid,
    sea_query::{BinOper, Expr, ExprTrait, Func},
};
use std::sync::Arc;

/// Addresses, in lower case, whose messages a member may not read. Usually there are none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unreadable(Arc<[String]>);

impl Unreadable {
    pub fn new(addresses: Vec<String>) -> Self {
        Self(addresses.into())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn addresses(&self) -> &[String] {
        &self.0
    }

    /// Whether a message to these recipients is hidden: all of them are addresses that may not be read.
    pub fn hides(&self, recipients: &str) -> bool {
        let mut own =
            recipients.split(';').map(|a| a.trim().to_lowercase()).filter(|a| !a.is_empty()).peekable();
        own.peek().is_some() && own.all(|address| self.0.contains(&address))
    }

    /// Condition for readable messages; none if all are. Messages sent by the organization itself are readable.
    fn readable(&self) -> Option<Condition> {
        if self.is_empty() {
            return None;
        }
        // The recipients without the unreadable ones: a hidden message has only separators left.
        let together = BinOper::Custom("||");
        let own = Expr::expr(Func::lower(message::Column::ToAddress.into_expr()));
        let list = Expr::val(";").binary(together, own).binary(together, Expr::val(";"));
        let left = self.0.iter().fold(list, |list, address| {
            let replace = Func::cust("REPLACE").arg(list).arg(Expr::val(format!(";{address};")));
            Expr::expr(replace.arg(Expr::val(";")))
        });
        let is_sent = message::Column::Direction.ne(Direction::Intake);
        Some(Condition::any().add(is_sent).add(left.ne(";")))
    }
}

/// The organization of a request, and the messages in it that may not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tenant(pub Uuid, Unreadable);

impl Tenant {
    /// Without restrictions, for work that is not a member's.
    pub fn whole(organization_id: Uuid) -> Self {
        Self(organization_id, Unreadable::default())
    }

    /// With a member's restrictions.
    pub fn without(organization_id: Uuid, unreadable: Unreadable) -> Self {
        Self(organization_id, unreadable)
    }

    pub fn unreadable(&self) -> &Unreadable {
        &self.1
    }

    /// Condition for readable messages.
    pub fn readable(&self) -> Condition {
        Condition::all().add_option(self.1.readable())
    }

    /// Whether a message found by other means is readable, deleted or not.
    pub fn holds(&self, row: &message::Model) -> bool {
        row.organization_id == self.0
            && (row.direction != Direction::Intake || !self.1.hides(&row.to_address))
    }

    /// Condition for rows of readable messages, given the column with the message's id.
    pub fn of_readable(&self, message_id: impl ColumnTrait) -> Condition {
        let Some(readable) = self.1.readable() else { return Condition::all() };
        let message = message::Entity::find()
            .select_only()
            .column(message::Column::Id)
            .filter(message::Column::Id.into_expr().eq(message_id.into_expr()))
            .filter(readable);
        Condition::all().add(Expr::exists(message.into_query()))
    }

    /// Readable messages that are not deleted.
    pub fn messages(&self) -> Select<message::Entity> {
        message::Entity::find()
            .filter(message::Column::OrganizationId.eq(self.0))
            .filter(message::Column::DeletedAt.is_null())
            .filter(self.readable())
    }

    /// Attachments of such messages that are not deleted.
    pub fn attachments(&self) -> Select<attachment::Entity> {
        attachment::Entity::find()
            .filter(attachment::Column::OrganizationId.eq(self.0))
            .filter(attachment::Column::DeletedAt.is_null())
            .filter(self.of_readable(attachment::Column::MessageId))
    }

    /// Condition for rows of such messages, given the column with the message's id. It is looked up for each row: a
    /// list of all messages would be created first, however few rows there are.
    pub fn of_messages(&self, message_id: impl ColumnTrait) -> Expr {
        let message = self
            .messages()
            .select_only()
            .column(message::Column::Id)
            .filter(message::Column::Id.into_expr().eq(message_id.into_expr()));
        Expr::exists(message.into_query())
    }

    /// Documents extracted from files of such messages.
    pub fn cached_documents(&self) -> Select<cached_document::Entity> {
        cached_document::Entity::find()
            .filter(cached_document::Column::OrganizationId.eq(self.0))
            .filter(self.of_messages(cached_document::Column::MessageId))
    }

    pub fn deliveries(&self) -> Select<delivery::Entity> {
        delivery::Entity::find().filter(delivery::Column::OrganizationId.eq(self.0))
    }

    pub fn document_sources(&self) -> Select<document_source::Entity> {
        document_source::Entity::find().filter(document_source::Column::OrganizationId.eq(self.0))
    }

    /// Users of the organization, disabled ones included.
    pub fn memberships(&self) -> Select<membership::Entity> {
        membership::Entity::find().filter(membership::Column::OrganizationId.eq(self.0))
    }

    pub fn saved_addresses(&self) -> Select<saved_address::Entity> {
        saved_address::Entity::find().filter(saved_address::Column::OrganizationId.eq(self.0))
    }

    /// Exports of all its people.
    pub fn export_tasks(&self) -> Select<export_task::Entity> {
        export_task::Entity::find().filter(export_task::Column::OrganizationId.eq(self.0))
    }

    pub fn triage_batches(&self) -> Select<triage_batch::Entity> {
        triage_batch::Entity::find().filter(triage_batch::Column::OrganizationId.eq(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sea_orm::DbBackend;

    #[test]
    fn a_message_is_hidden_if_all_it_came_to_may_not_be_read() {
        let hidden = Unreadable::new(vec!["hr@a.example".into(), "board@a.example".into()]);
        assert!(hidden.hides("HR@a.example") && hidden.hides("hr@a.example;board@a.example"));
        assert!(!hidden.hides("hr@a.example;desk@a.example") && !hidden.hides(""));
        assert!(!Unreadable::default().hides("hr@a.example"));
        let all = Tenant::whole(Uuid::nil()).messages().build(DbBackend::Sqlite).to_string();
        assert!(!all.contains("REPLACE"), "nothing is asked where nothing is hidden: {all}");
    }
}
