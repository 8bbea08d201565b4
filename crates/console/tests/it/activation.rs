use crate::world::{World, id_of, with};
use accounts::onboarding::activation::{ACTIVATION, CREATE_RECORDS_ADDRESS, ISSUE_CERTIFICATE};
use console::organizations::rules::NO_ADMINISTRATOR;
use reqwest::StatusCode;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder};
use serde_json::json;
use store::entities::{workflow, workflow_step};
use testkit::Db;
use uuid::Uuid;

testkit::on_both_databases! {
    activating_sets_off_certificate_and_records_address_once,
}

/// Stages and names of the steps of each activation, oldest first.
async fn activations(world: &World, id: Uuid) -> Vec<Vec<(i32, String)>> {
    let db = world.app.store.db();
    let found = workflow::Entity::find()
        .filter(workflow::Column::ObjectId.eq(id))
        .filter(workflow::Column::OrganizationId.eq(id))
        .filter(workflow::Column::Kind.eq(ACTIVATION))
        .order_by_asc(workflow::Column::Id)
        .all(db)
        .await
        .unwrap();
    let mut all = Vec::new();
    for one in found {
        let steps = workflow_step::Entity::find()
            .filter(workflow_step::Column::WorkflowId.eq(one.id))
            .order_by_asc(workflow_step::Column::Stage)
            .all(db)
            .await
            .unwrap();
        all.push(steps.into_iter().map(|s| (s.stage, s.name)).collect());
    }
    all
}

fn whole() -> Vec<(i32, String)> {
    vec![(0, ISSUE_CERTIFICATE.name.into()), (1, CREATE_RECORDS_ADDRESS.name.into())]
}

/// ADA-R-008
async fn activating_sets_off_certificate_and_records_address_once(db: Db) {
    let world = World::new(db).await;
    let id = world.organization_id("Larkfield Family Medicine", "larkfield").await;
    let path = format!("/api/organizations/{id}/activate");
    for _ in 0..2 {
        let body = json!({ "id": id, "activated": true, "sendEmail": false, "seedRecords": true });
        assert_eq!(world.call("PUT", &path, body).await.status, StatusCode::NO_CONTENT);
    }
    assert!(world.row(id).await.is_activated);
    assert_eq!(activations(&world, id).await, [whole()]);
    let detail = r#"{"activated":true,"emails":0,"seedRecords":true}"#;
    assert_eq!(world.audited(id).await[1..], [("Changed".into(), detail.into())]);
}

#[tokio::test]
async fn the_records_address_can_be_left_out() {
    let world = World::new(Db::sqlite()).await;
    let id = world.organization_id("Larkfield Family Medicine", "larkfield").await;
    let path = format!("/api/organizations/{id}/activate");
    world.call("PUT", &path, json!({ "activated": true, "seedRecords": false })).await.ok();
    assert_eq!(activations(&world, id).await, [vec![(0, ISSUE_CERTIFICATE.name.to_owned())]]);
}

#[tokio::test]
async fn deactivating_closes_the_organization_and_sets_off_nothing() {
    let world = World::new(Db::sqlite()).await;
    let id = world.organization_id("Larkfield Family Medicine", "larkfield").await;
    let path = format!("/api/organizations/{id}/activate");
    world.call("PUT", &path, json!({ "activated": true })).await.ok();
    world.call("PUT", &path, json!({ "activated": false, "sendEmail": true })).await.ok();
    assert!(!world.row(id).await.is_activated);
    assert_eq!(activations(&world, id).await.len(), 1);
}

#[tokio::test]
async fn an_activation_mail_is_refused_where_nobody_could_get_it() {
    let world = World::new(Db::sqlite()).await;
    let id = world.organization_id("Larkfield Family Medicine", "larkfield").await;
    let path = format!("/api/organizations/{id}/activate");
    let answer = world.call("PUT", &path, json!({ "activated": true, "sendEmail": true })).await;
    assert_eq!(answer.texts("sendEmail"), [NO_ADMINISTRATOR]);
    assert!(!world.row(id).await.is_activated);
}

#[tokio::test]
async fn a_body_that_names_another_organization_is_refused() {
    let world = World::new(Db::sqlite()).await;
    let id = world.organization_id("Larkfield Family Medicine", "larkfield").await;
    let path = format!("/api/organizations/{id}/activate");
    let answer = world.call("PUT", &path, json!({ "id": Uuid::now_v7(), "activated": true })).await;
    assert_eq!(answer.texts("id").len(), 1);
}

#[tokio::test]
async fn the_form_activates_like_the_dialog() {
    let world = World::new(Db::sqlite()).await;
    let form = with(world.form("Born Active", "born"), json!({ "activationStatus": "Activated" }));
    let born = id_of(&world.call("POST", "/api/organizations", form).await.ok());
    assert_eq!(activations(&world, born).await, [whole()]);

    let later = world.organization("Later Active", "later").await;
    let path = format!("/api/organizations/{}", id_of(&later));
    let body = with(later.clone(), json!({ "activationStatus": "Activated" }));
    let saved = world.call("PUT", &path, body).await.ok();
    assert_eq!(saved["activationStatus"], "Activated");
    world.call("PUT", &path, with(saved, json!({ "city": "Salem" }))).await.ok();
    assert_eq!(activations(&world, id_of(&later)).await, [whole()]);
}
