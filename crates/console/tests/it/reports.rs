use crate::{
    databases::on_both,
    world::{Person, World},
};
use axum::http::StatusCode;
use platform::session::ROLE_REPORTING;
use sea_orm::{ActiveValue::Set, EntityTrait};
use serde_json::Value;
use store::entities::document_source;
use uuid::Uuid;

const REPORT: &str = "/api/admin/reports/directaddresses";

impl World {
    async fn addresses(&self, organization: Uuid, sub_domain: &str, name: &str, count: usize) {
        let rows = (0..count).map(|n| {
            let address = format!("desk{n}@{sub_domain}.direct.carepost.example");
            document_source::ActiveModel {
                id: Set(Uuid::now_v7()),
                organization_id: Set(organization),
                kind: Set("direct".into()),
                address: Set(address.clone()),
                address_key: Set(address),
                display_name: Set(name.into()),
                status: Set(1),
                created_at: Set(self.app.clock.now()),
            }
        });
        document_source::Entity::insert_many(rows)
            .exec_without_returning(self.app.store.db())
            .await
            .expect("addresses");
    }
}

#[tokio::test]
async fn the_direct_addresses_of_all_organizations_come_as_one_csv_file() {
    on_both(async |world| {
        let larkfield = world.organization_id("Larkfield Family Medicine", "larkfield").await;
        let formula = world.organization_id("Formula Clinic", "formula").await;
        let gone = world.organization_id("Gone Clinic", "gone").await;
        world.addresses(larkfield, "larkfield", "Desk, front", 1_500).await;
        world.addresses(formula, "formula", "=1+1", 1).await;
        world.addresses(gone, "gone", "Desk", 1).await;
        world.call("DELETE", &format!("/api/organizations/{gone}"), Value::Null).await;
        let answer = world.call("GET", REPORT, Value::Null).await;
        assert_eq!(answer.status, StatusCode::OK);
        let text = answer.body.as_str().expect("a text").to_owned();
        let lines: Vec<&str> = text.split("\r\n").collect();
        assert_eq!(lines[0], "Organization ID,Organization,Subdomain,Direct Address,Name");
        let first = format!(
            "{larkfield},Larkfield Family Medicine,larkfield,desk0@larkfield.direct.carepost.example,\"Desk, front\""
        );
        assert_eq!(lines[1], first);
        assert_eq!(lines.len(), 1 + 1_500 + 1 + 1, "a line each, and the end of the last");
        assert!(text.contains("'=1+1"), "no spreadsheet computes a name");
        assert!(!text.contains("desk0@gone"), "a deleted organization has no addresses");
    })
    .await;
}

#[tokio::test]
async fn who_only_reads_reports_may_have_the_direct_addresses_too() {
    on_both(async |world| {
        let (token, _) = world.sign_in(Person::System(ROLE_REPORTING)).await;
        let answer = world.call_as(&token, "GET", REPORT, Value::Null).await;
        assert_eq!(answer.status, StatusCode::OK);
        let entries = store::entities::audit_entry::Entity::find().all(world.app.store.db()).await.unwrap();
        let told = entries.iter().any(|e| e.object_id == "directaddresses" && e.actor_id.is_some());
        assert!(told, "the audit trail tells who took them");
    })
    .await;
}
