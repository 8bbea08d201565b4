//! Which messages are routed by a rule, and in which order.

use crate::model::{DeliveryKind, DeliveryState};
use chrono::{DateTime, Duration, Utc};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    QueryTrait, Select, SelectExt,
    sea_query::{Expr, ExprTrait},
};
use store::{
    Transaction,
    entities::{delivery, message, routing_endpoint, routing_rule, routing_sender},
};
use uuid::Uuid;
use workflow::names;

/// Longer than all attempts for a message take.
const HELD_UP: Duration = Duration::days(4);

/// A rule with its endpoints and senders.
pub struct Route {
    pub rule: routing_rule::Model,
    /// In the order in which they are tried.
    pub endpoints: Vec<routing_endpoint::Model>,
    senders: Vec<routing_sender::Model>,
}

/// Result of a rule for a message to its address.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict<'a> {
    /// Routed to the endpoints, with the facility of this sender.
    Routed(&'a routing_sender::Model),
    /// Sent by Direct, because its organization may not send through the rule.
    NotASender,
    /// Sent by Direct, because the rule has no endpoint.
    NoEndpoint,
}

impl Route {
    /// The result of the rule for messages of an organization.
    pub fn judge(&self, organization_id: Uuid) -> Verdict<'_> {
        match self.senders.iter().find(|sender| sender.organization_id == organization_id) {
            None => Verdict::NotASender,
            Some(_) if self.endpoints.is_empty() => Verdict::NoEndpoint,
            Some(sender) => Verdict::Routed(sender),
        }
    }

    /// The first sender, whose facility is used for tests.
    pub fn first_sender(&self) -> Option<&routing_sender::Model> {
        self.senders.first()
    }

    /// Whether an earlier message to this address waits on the same route. A message older than all retries does not
    /// hold up others.
    pub async fn has_earlier(
        &self,
        db: &impl ConnectionTrait,
        row: &delivery::Model,
        now: DateTime<Utc>,
    ) -> Result<bool, DbErr> {
        use delivery::Column;
        let before = Condition::any()
            .add(Column::AcceptedAt.lt(row.accepted_at))
            .add(ExprTrait::and(Column::AcceptedAt.eq(row.accepted_at), Column::Id.lt(row.id)));
        let senders = self.senders.iter().map(|sender| sender.organization_id);
        let earlier = waiting(&row.address_key)
            .filter(Column::AcceptedAt.gt(now - HELD_UP))
            .filter(before)
            .filter(Column::OrganizationId.is_in(senders));
        earlier.exists(db).await
    }
}

/// Waiting deliveries to an address, in the order of sending.
fn waiting(address_key: &str) -> Select<delivery::Entity> {
    use delivery::Column;
    // Constants, so that the partial index is used.
    delivery::Entity::find()
        .filter(Column::AddressKey.eq(address_key))
        .filter(Expr::col(Column::State).eq(Expr::cust((DeliveryState::Queued as i16).to_string())))
        .filter(Expr::col(Column::Kind).eq(Expr::cust((DeliveryKind::DirectMessage as i16).to_string())))
}

/// The rules for the recipients of a message.
pub fn of_message(message_id: Uuid) -> Select<routing_rule::Entity> {
    let addresses = delivery::Entity::find()
        .select_only()
        .column(delivery::Column::AddressKey)
        .filter(delivery::Column::MessageId.eq(message_id));
    routing_rule::Entity::find().filter(routing_rule::Column::AddressKey.in_subquery(addresses.into_query()))
}

/// Rules with their endpoints and senders.
pub async fn load(db: &impl ConnectionTrait, rules: Vec<routing_rule::Model>) -> Result<Vec<Route>, DbErr> {
    let mut routes = Vec::with_capacity(rules.len());
    for rule in rules {
        let endpoints = routing_endpoint::Entity::find()
            .filter(routing_endpoint::Column::RoutingRuleId.eq(rule.id))
            .order_by_asc(routing_endpoint::Column::Position)
            .all(db)
            .await?;
        let senders = routing_sender::Entity::find()
            .filter(routing_sender::Column::RoutingRuleId.eq(rule.id))
            .order_by_asc(routing_sender::Column::Id)
            .all(db)
            .await?;
        routes.push(Route { rule, endpoints, senders });
    }
    Ok(routes)
}

/// Wakes the next message for the address of a settled delivery, if a rule keeps the order there.
pub async fn wake_next(
    txn: &Transaction,
    now: DateTime<Utc>,
    settled: &delivery::Model,
) -> Result<(), DbErr> {
    use delivery::Column;
    let rule = routing_rule::Entity::find().filter(routing_rule::Column::AddressKey.eq(&settled.address_key));
    let Some(rule) = rule.one(txn).await? else { return Ok(()) };
    // Messages of other senders go by Direct and wait for nothing, so they must not be woken instead.
    let senders = routing_sender::Entity::find()
        .select_only()
        .column(routing_sender::Column::OrganizationId)
        .filter(routing_sender::Column::RoutingRuleId.eq(rule.id));
    let others = waiting(&settled.address_key)
        .filter(Column::Id.ne(settled.id))
        .filter(Column::OrganizationId.in_subquery(senders.into_query()));
    let next = others.order_by_asc(Column::AcceptedAt).order_by_asc(Column::Id).one(txn).await?;
    let Some(next) = next else { return Ok(()) };
    let message = message::Entity::find_by_id(next.message_id).one(txn).await?;
    if let Some(workflow_id) = message.and_then(|message| message.workflow_id) {
        workflow::wake(txn, now, workflow_id, names::DELIVER).await?;
    }
    Ok(())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use routing_rule::{RoutingSecurity, RoutingStep};

    fn route(endpoints: usize, senders: &[u128]) -> Route {
        let id = Uuid::from_u128(1);
        let endpoint = |position| routing_endpoint::Model {
            id: Uuid::now_v7(),
            routing_rule_id: id,
            position,
            ip_address: "hl7.example".into(),
            port: None,
            oid: String::new(),
            version: 1,
        };
        let sender = |organization: &u128| routing_sender::Model {
            id: Uuid::now_v7(),
            routing_rule_id: id,
            organization_id: Uuid::from_u128(*organization),
            organization_oid: "1.2.3".into(),
            facility_type: String::new(),
            facility_type_code_id: String::new(),
            facility_type_code_scheme: String::new(),
            version: 1,
        };
        Route {
            rule: routing_rule::Model {
                id,
                address: "results@northgate.example".into(),
                address_key: "results@northgate.example".into(),
                step_type: RoutingStep::SendAsHL7OverVpnStep,
                security_type: RoutingSecurity::None,
                custom_certificate_name: String::new(),
                convert_to_format: None,
                location_code: None,
                facility_oid: String::new(),
                key_hie_address: String::new(),
                created_at: DateTime::<Utc>::UNIX_EPOCH,
                version: 1,
            },
            endpoints: (0..endpoints).map(|i| endpoint(i as i32)).collect(),
            senders: senders.iter().map(sender).collect(),
        }
    }

    /// ADB-R-095
    #[test]
    fn a_rule_takes_messages_of_its_senders_once_it_has_an_endpoint() {
        let (larkfield, other) = (Uuid::from_u128(7), Uuid::from_u128(8));
        assert!(
            matches!(route(1, &[7]).judge(larkfield), Verdict::Routed(s) if s.organization_id == larkfield)
        );
        assert_eq!(route(1, &[7]).judge(other), Verdict::NotASender);
        assert_eq!(route(1, &[]).judge(larkfield), Verdict::NotASender);
        assert_eq!(route(0, &[7]).judge(larkfield), Verdict::NoEndpoint);
    }
}
