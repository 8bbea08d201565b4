//! Names of messages, files, batches, addresses, intake rules and trust bundles in the audit trail.

use async_trait::async_trait;
use platform::{
    Result,
    audit::{Audited, FindObjects, ObjectKinds, Reader, Rows},
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};
use std::collections::{BTreeSet, HashMap};
use store::{
    Database,
    entities::{
        attachment, document_source, intake_rule,
        message::{self, Direction},
        triage_batch, trust_bundle,
    },
};
use uuid::Uuid;

/// The kinds of objects of this area that have names.
pub fn audited() -> ObjectKinds {
    let addresses = Rows::<document_source::Entity> {
        id: document_source::Column::Id,
        name: document_source::Column::Address,
        organization: Some(document_source::Column::OrganizationId),
    };
    let rules = Rows::<intake_rule::Entity> {
        id: intake_rule::Column::Id,
        name: intake_rule::Column::Name,
        organization: Some(intake_rule::Column::OrganizationId),
    };
    let bundles = Rows::<trust_bundle::Entity> {
        id: trust_bundle::Column::Id,
        name: trust_bundle::Column::Name,
        organization: None,
    };
    ObjectKinds::new()
        .with("message", Messages)
        .with("attachment", Files)
        .with("triagebatch", Batches)
        .with("documentsource", addresses)
        .with("intakerule", rules)
        .with("trustbundle", bundles)
}

/// Messages, as far as they may be read.
struct Messages;

#[async_trait]
impl FindObjects for Messages {
    async fn find(&self, db: &Database, reader: Reader<'_>, ids: Vec<Uuid>) -> Result<Vec<(Uuid, Audited)>> {
        // Nothing else is asked for: SQLite would rather go through all messages of an organization.
        let rows = message::Entity::find().filter(message::Column::Id.is_in(ids)).all(db).await?;
        let is_readable = |row: &&message::Model| match reader {
            Reader::Member(tenant) => tenant.holds(row),
            Reader::Operator => true,
        };
        Ok(rows.iter().filter(is_readable).map(|row| (row.id, called(row, reader))).collect())
    }
}

/// Files, with the names of their messages.
struct Files;

#[async_trait]
impl FindObjects for Files {
    async fn find(&self, db: &Database, reader: Reader<'_>, ids: Vec<Uuid>) -> Result<Vec<(Uuid, Audited)>> {
        let rows = attachment::Entity::find()
            .filter(attachment::Column::Id.is_in(ids))
            .select_only()
            .columns([attachment::Column::Id, attachment::Column::MessageId]);
        let files: Vec<(Uuid, Uuid)> = rows.into_tuple().all(db).await?;
        let messages: BTreeSet<Uuid> = files.iter().map(|(_, message)| *message).collect();
        let messages = Messages.find(db, reader, messages.into_iter().collect()).await?;
        let messages: HashMap<Uuid, Audited> = messages.into_iter().collect();
        let of_message = |(id, message): (Uuid, Uuid)| Some((id, messages.get(&message)?.clone()));
        Ok(files.into_iter().filter_map(of_message).collect())
    }
}

/// Batches of files. The names of the files may be a patient's: a batch is called by who made it.
struct Batches;

#[async_trait]
impl FindObjects for Batches {
    async fn find(&self, db: &Database, reader: Reader<'_>, ids: Vec<Uuid>) -> Result<Vec<(Uuid, Audited)>> {
        use triage_batch::Column;
        let rows = Rows::<triage_batch::Entity> {
            id: Column::Id,
            name: Column::CreatedByName,
            organization: Some(Column::OrganizationId),
        };
        let found = rows.find(db, reader, ids).await?;
        Ok(found.into_iter().map(|(id, by)| (id, Audited::named(format!("By {}", by.name)))).collect())
    }
}

fn called(row: &message::Model, reader: Reader<'_>) -> Audited {
    let is_named = matches!(reader, Reader::Member(_)) && !row.from_name.is_empty();
    let name = match row.direction {
        Direction::Intake if is_named => format!("From {}", row.from_name),
        Direction::Intake => format!("From {}", row.from_address),
        Direction::Release if row.to_address.is_empty() => String::new(),
        Direction::Release => format!("To {}", shortened(&row.to_address)),
    };
    Audited { name, message: row.deleted_at.is_none().then_some((row.id, row.direction)) }
}

/// The first of several addresses.
fn shortened(addresses: &str) -> String {
    let all: Vec<&str> = addresses.split(';').map(str::trim).filter(|address| !address.is_empty()).collect();
    match all[..] {
        [] => String::new(),
        [only] => only.to_owned(),
        [first, ..] => format!("{first} and {} more", all.len() - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::shortened;

    #[test]
    fn of_many_addresses_the_first_is_named() {
        assert_eq!(shortened("a@x.example"), "a@x.example");
        assert_eq!(shortened("a@x.example; b@x.example;c@x.example"), "a@x.example and 2 more");
        assert_eq!(shortened(""), "");
    }
}
