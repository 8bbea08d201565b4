//! Finding the connection of a sender.

use exchange::receive::{listener::Peer, message::Header};
use platform::{Result, config::Network};
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, SelectExt};
use store::entities::{
    inbound_connection::{Column, ConnectionKind, Entity, Model},
    organization,
};
use uuid::Uuid;

/// Result of the search for a sender's connection.
#[derive(Debug)]
pub enum Found {
    One(Box<Model>),
    Unknown,
    /// Several that are equally specific.
    Several,
}

/// The enabled connection of a sender: the most specific one. It is read for each message, so that changes apply at
/// once on every node.
pub async fn find(
    db: &impl ConnectionTrait,
    kind: ConnectionKind,
    peer: &Peer,
    header: Option<&Header>,
) -> Result<Found> {
    let mut senders = Condition::any().add(Column::SendingFacilityKey.eq(""));
    for name in header.into_iter().flat_map(|header| header.sending_facility.names()) {
        senders = senders.add(Column::SendingFacilityKey.eq(name.as_str()));
    }
    let rows = Entity::find()
        .filter(Column::Kind.eq(kind))
        .filter(senders)
        .filter(Column::IsEnabled.eq(true))
        .order_by_asc(Column::Id)
        .all(db)
        .await?;
    Ok(chosen(rows.into_iter().filter(|row| fits(row, peer, header)).collect()))
}

/// The enabled connection for a file in the folder of an organization.
pub async fn find_in_folder(
    db: &impl ConnectionTrait,
    organization_id: Uuid,
    header: &Header,
) -> Result<Found> {
    let rows = Entity::find()
        .filter(Column::Kind.eq(ConnectionKind::Folder))
        .filter(Column::OrganizationId.eq(organization_id))
        .filter(Column::IsEnabled.eq(true))
        .order_by_asc(Column::Id)
        .all(db)
        .await?;
    Ok(chosen(rows.into_iter().filter(|row| names(row, header)).collect()))
}

/// Whether a connection is for the sender and recipient that a message names.
fn names(row: &Model, header: &Header) -> bool {
    let is = |wanted: &str, party: &exchange::receive::message::Party| wanted.is_empty() || party.is(wanted);
    is(&row.sending_application, &header.sending_application)
        && is(&row.sending_facility, &header.sending_facility)
        && is(&row.receiving_facility, &header.receiving_facility)
}

fn fits(row: &Model, peer: &Peer, header: Option<&Header>) -> bool {
    let is_named = match header {
        Some(header) => names(row, header),
        None => {
            let wanted = [&row.sending_application, &row.sending_facility, &row.receiving_facility];
            wanted.into_iter().all(String::is_empty)
        }
    };
    let is_near =
        |text: &String| Network::try_from(text.clone()).is_ok_and(|network| network.contains(peer.address));
    (row.certificate.is_empty() || peer.certificate.as_ref() == Some(&row.certificate))
        && (row.networks.0.is_empty() || row.networks.0.iter().any(is_near))
        && is_named
}

/// How specific a connection is. Among otherwise equal ones, the one that requires an assertion has priority.
fn weight(row: &Model) -> usize {
    let said = [
        &row.certificate,
        &row.assertion_certificate,
        &row.sending_application,
        &row.sending_facility,
        &row.receiving_facility,
    ];
    said.into_iter().filter(|text| !text.is_empty()).count() * 2 + usize::from(!row.networks.0.is_empty())
}

fn chosen(rows: Vec<Model>) -> Found {
    let most = rows.iter().map(weight).max().unwrap_or_default();
    let mut best: Vec<Model> = rows.into_iter().filter(|row| weight(row) == most).collect();
    let is_clear = best.windows(2).all(|two| two[0].organization_id == two[1].organization_id);
    match best.is_empty() {
        true => Found::Unknown,
        false if is_clear => Found::One(Box::new(best.swap_remove(0))),
        false => Found::Several,
    }
}

/// Whether an organization accepts messages now.
pub async fn takes_messages(db: &impl ConnectionTrait, organization_id: Uuid) -> Result<bool> {
    use organization::Column;
    let active = organization::Entity::find_by_id(organization_id)
        .filter(Column::IsActivated.eq(true))
        .filter(Column::IdProofedAt.is_not_null())
        .filter(Column::IsCancelled.eq(false))
        .filter(Column::DeletedAt.is_null());
    Ok(active.exists(db).await?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clinical::hl7::Message;
    use store::{Clock, entities::string_list::StringList};

    fn connection(change: impl FnOnce(&mut Model)) -> Model {
        let mut row = Model {
            id: Uuid::now_v7(),
            name: "North".into(),
            name_key: "north".into(),
            kind: ConnectionKind::Mllp,
            organization_id: Some(Uuid::now_v7()),
            is_enabled: true,
            sending_application: String::new(),
            sending_facility: String::new(),
            sending_facility_key: String::new(),
            receiving_facility: String::new(),
            certificate: String::new(),
            assertion_certificate: String::new(),
            networks: StringList(vec!["10.0.0.0/8".into()]),
            assigned_to: None,
            document_type: String::new(),
            is_prescription_network: false,
            loose_assertions: false,
            received_count: 0,
            last_received_at: None,
            refused_count: 0,
            created_at: Clock::system().now(),
            version: 1,
        };
        change(&mut row);
        row
    }

    #[test]
    fn a_connection_is_used_by_whom_it_describes() {
        let message = Message::read(br"MSH|^~\&|LAB|North^1.2.3^ISO|CP|LARK|1||MDM^T02|1|P|2.5").unwrap();
        let header = Header::read(&message).0;
        let peer = |address: &str, certificate: Option<&str>| Peer {
            address: address.parse().unwrap(),
            certificate: certificate.map(str::to_owned),
        };
        let near = peer("10.1.2.3", None);
        assert!(fits(&connection(|_| {}), &near, Some(&header)));
        assert!(!fits(&connection(|_| {}), &peer("11.1.2.3", None), Some(&header)));
        assert!(fits(&connection(|row| row.sending_facility = "1.2.3".into()), &near, Some(&header)));
        assert!(fits(&connection(|row| row.sending_facility = "NORTH".into()), &near, Some(&header)));
        assert!(!fits(&connection(|row| row.sending_facility = "south".into()), &near, Some(&header)));
        assert!(!fits(&connection(|row| row.receiving_facility = "mark".into()), &near, Some(&header)));
        let shown = connection(|row| row.certificate = "ab".into());
        assert!(!fits(&shown, &near, Some(&header)));
        assert!(fits(&shown, &peer("10.1.2.3", Some("ab")), None));
    }

    #[test]
    fn the_connection_that_says_most_is_meant_and_two_that_say_the_same_are_none() {
        let wide = || connection(|_| {});
        let narrow = connection(|row| row.sending_facility = "north".into());
        let id = narrow.id;
        assert!(matches!(chosen(vec![wide(), narrow, wide()]), Found::One(row) if row.id == id));
        assert!(matches!(chosen(vec![wide(), wide()]), Found::Several));
        let strict = connection(|row| row.assertion_certificate = "ab".into());
        let id = strict.id;
        assert!(matches!(chosen(vec![wide(), strict]), Found::One(row) if row.id == id));
        assert!(matches!(chosen(Vec::new()), Found::Unknown));
    }
}
