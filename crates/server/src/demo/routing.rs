//! A routing rule to an interface without a listener, as an example of a rule and a failing test; and a system on the
//! same machine that may send HL7 v2.

use anyhow::{Context, Result};
use chrono::{DateTime, Utc};
use sea_orm::{ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter};
use store::{
    Transaction,
    entities::{
        inbound_connection::{self, ConnectionKind},
        organization, routing_endpoint,
        routing_rule::{self, LocationCode, RoutingFormat, RoutingSecurity, RoutingStep},
        routing_sender,
        string_list::StringList,
    },
};
use uuid::Uuid;

const ADDRESS: &str = "results@northgate.direct.example";
/// In the order of attempts.
const ENDPOINTS: [(&str, i32, &str); 2] =
    [("127.0.0.1", 9, ""), ("hl7-standby.northgate.example", 2575, "1.2.840.99.9.2")];

pub async fn load(txn: &Transaction, now: DateTime<Utc>) -> Result<()> {
    let larkfield = organization::Entity::find().filter(organization::Column::SubDomain.eq("larkfield"));
    let larkfield = larkfield.one(txn).await?.context("the first practice")?;
    let rule = routing_rule::ActiveModel {
        id: Set(Uuid::now_v7()),
        address: Set(ADDRESS.into()),
        address_key: Set(ADDRESS.into()),
        step_type: Set(RoutingStep::SendAsHL7OverVpnStep),
        security_type: Set(RoutingSecurity::Certificate),
        custom_certificate_name: Set(String::new()),
        convert_to_format: Set(Some(RoutingFormat::Mdm)),
        location_code: Set(Some(LocationCode::Rrh)),
        facility_oid: Set("1.2.840.99.9.1".into()),
        key_hie_address: Set(String::new()),
        created_at: Set(now),
        version: Set(1),
    };
    let rule = rule.insert(txn).await?;
    for (position, (host, port, oid)) in (1..).zip(ENDPOINTS) {
        let endpoint = routing_endpoint::ActiveModel {
            id: Set(Uuid::now_v7()),
            routing_rule_id: Set(rule.id),
            position: Set(position),
            ip_address: Set(host.into()),
            port: Set(Some(port)),
            oid: Set(oid.into()),
            version: Set(1),
        };
        endpoint.insert(txn).await?;
    }
    let sender = routing_sender::ActiveModel {
        id: Set(Uuid::now_v7()),
        routing_rule_id: Set(rule.id),
        organization_id: Set(larkfield.id),
        organization_oid: Set("1.2.840.99.1".into()),
        facility_type: Set("Ambulatory care site".into()),
        facility_type_code_id: Set("35971002".into()),
        facility_type_code_scheme: Set("2.16.840.1.113883.6.96".into()),
        version: Set(1),
    };
    sender.insert(txn).await?;
    let connection = inbound_connection::ActiveModel {
        id: Set(Uuid::now_v7()),
        name: Set("Northgate laboratory".into()),
        name_key: Set("northgate laboratory".into()),
        kind: Set(ConnectionKind::Mllp),
        organization_id: Set(Some(larkfield.id)),
        is_enabled: Set(true),
        sending_application: Set(String::new()),
        sending_facility: Set("NORTHGATE".into()),
        sending_facility_key: Set("northgate".into()),
        receiving_facility: Set(String::new()),
        certificate: Set(String::new()),
        assertion_certificate: Set(String::new()),
        networks: Set(StringList(vec!["127.0.0.0/8".into()])),
        assigned_to: Set(None),
        document_type: Set("Laboratory report".into()),
        is_prescription_network: Set(false),
        loose_assertions: Set(false),
        received_count: Set(0),
        last_received_at: Set(None),
        refused_count: Set(0),
        created_at: Set(now),
        version: Set(1),
    };
    connection.insert(txn).await?;
    Ok(())
}
