//! Tools of operators: lookups by identifier, and retries of failed steps.

use chrono::TimeDelta;
use platform::Role;
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter, QueryOrder};
use serde_json::{Value, json};
use store::entities::{delivery, message, workflow as flow, workflow_step};
use testkit::{Client, Db, Practice, TestApp};
use workflow::StepStatus;

const RETRY: &str = "/api/workflows/retry";
const FAILURES: &str = "/api/workflows/failures?type=send";

testkit::on_both_databases! {
    a_retry_sends_again_what_failed_and_nothing_else,
    causes_are_counted_and_a_stopped_retry_leaves_the_rest,
    recipients_who_were_refused_are_tried_again_by_cause,
}

struct World {
    app: TestApp,
    operator: Client,
    larkfield: Practice,
    summit: Practice,
    bayline: Practice,
}

impl World {
    async fn start(db: Db) -> Self {
        let app = TestApp::start(db).await;
        let (larkfield, summit, bayline) =
            (app.practice("larkfield").await, app.practice("summit").await, app.practice("bayline").await);
        let operator = app.signed_in(Role::SysAdmin, &larkfield.organization).await;
        Self { app, operator, larkfield, summit, bayline }
    }

    /// Sends a document whose delivery to the last recipient fails permanently.
    async fn failing(&self, subject: &str, to: &[&str]) -> String {
        let sent = self.larkfield.client.send_document(&self.larkfield.address, to, subject).await;
        let step = self.newest_delivery().await;
        // As if the worker had died during the last attempt.
        let worn = workflow_step::ActiveModel { attempt: Set(1_000), ..Default::default() };
        workflow_step::Entity::update_many()
            .set(worn)
            .filter(workflow_step::Column::Id.eq(step.id))
            .exec(self.app.store.db())
            .await
            .expect("a step");
        self.app.drain().await;
        sent
    }

    /// The newest step for the domain of bayline.
    async fn newest_delivery(&self) -> workflow_step::Model {
        let steps = workflow_step::Entity::find()
            .filter(workflow_step::Column::Name.eq("Deliver"))
            .filter(workflow_step::Column::Status.eq(StepStatus::Pending))
            .order_by_desc(workflow_step::Column::Id)
            .all(self.app.store.db())
            .await
            .expect("steps");
        for step in steps {
            let id =
                step.meta["transmission_id"].as_str().expect("an id").parse::<uuid::Uuid>().expect("an id");
            let found = store::entities::transmission::Entity::find_by_id(id).one(self.app.store.db()).await;
            if found.expect("transmissions").expect("a transmission").domain.contains("bayline") {
                return step;
            }
        }
        panic!("nothing is sent to bayline")
    }

    async fn received(&self, practice: &Practice) -> usize {
        message::Entity::find()
            .filter(message::Column::OrganizationId.eq(practice.organization.id))
            .all(self.app.store.db())
            .await
            .expect("messages")
            .len()
    }

    async fn retries(&self) -> Value {
        self.operator.get("/api/workflows/retries").await.ok()["items"][0].clone()
    }

    /// Runs the due steps, including those due a second later.
    async fn go_on(&self) {
        self.app.drain().await;
        self.app.advance(TimeDelta::seconds(1));
        self.app.drain().await;
    }
}

/// ADA-R-032 ADA-R-280 ADA-C-082
async fn a_retry_sends_again_what_failed_and_nothing_else(db: Db) {
    let world = World::start(db).await;
    let to = [world.summit.address.as_str(), world.bayline.address.as_str()];
    let sent = world.failing("For both", &to).await;
    assert_eq!((world.received(&world.summit).await, world.received(&world.bayline).await), (1, 0));
    let found = world.operator.get(&format!("/api/utilities?id={sent}")).await.ok()["items"][0].clone();
    let workflow_id = found["workflowId"].clone();
    let form = json!({ "type": "send", "retryStep": "Deliver", "workflowIds": [workflow_id] });

    world.app.advance(TimeDelta::minutes(1));
    let counted = world.operator.post(&format!("{RETRY}/count"), &form).await.ok();
    assert_eq!(counted["steps"], 1, "the step that failed, not the one that is completed");
    let started = world.operator.post(RETRY, &form).await.ok();
    assert_eq!((&started["total"], &started["status"]), (&json!(1), &json!("Running")));
    world.go_on().await;
    let done = world.retries().await;
    assert_eq!((&done["status"], &done["retried"]), (&json!("Completed"), &json!(1)));
    assert_eq!((world.received(&world.summit).await, world.received(&world.bayline).await), (1, 1));
    let again = world.operator.post(RETRY, &form).await.problem(409);
    assert_eq!(again["message"], "There are no such steps to retry.");
    world.app.finish().await;
}

async fn causes_are_counted_and_a_stopped_retry_leaves_the_rest(db: Db) {
    let world = World::start(db).await;
    for n in 0..23 {
        world.failing(&format!("Document {n}"), &[&world.bayline.address]).await;
    }
    world.app.advance(TimeDelta::minutes(1));
    let causes = world.operator.get(FAILURES).await.ok();
    let cause = &causes["items"][0];
    assert_eq!((&cause["count"], &cause["retryStep"]), (&json!(23), &json!("Deliver")), "{causes}");
    assert_eq!(causes["items"].as_array().map(Vec::len), Some(1));
    let form =
        json!({ "type": "send", "retryStep": "Deliver", "cause": cause["cause"], "until": cause["last"] });
    assert_eq!(world.operator.post(&format!("{RETRY}/count"), &form).await.ok()["steps"], 23);
    let started = world.operator.post(RETRY, &form).await.ok();
    world.app.drain().await;
    assert_eq!(world.retries().await["done"], 20, "a few at a time");
    let id = started["id"].as_str().expect("an id");
    world.operator.post(&format!("/api/workflows/retries/{id}/stop"), &json!({})).await.ok();
    world.go_on().await;
    assert_eq!(world.retries().await["status"], "Stopped");
    assert_eq!(world.received(&world.bayline).await, 20);
    assert_eq!(world.operator.get(FAILURES).await.ok()["items"][0]["count"], 3);
    world.app.finish().await;
}

/// Each starts a retry before the other's has run.
#[tokio::test]
async fn two_operators_who_retry_the_same_group_send_everything_once() {
    let world = World::start(Db::sqlite()).await;
    for n in 0..3 {
        world.failing(&format!("Document {n}"), &[&world.bayline.address]).await;
    }
    world.app.advance(TimeDelta::minutes(1));
    let cause = world.operator.get(FAILURES).await.ok()["items"][0].clone();
    let form =
        json!({ "type": "send", "retryStep": "Deliver", "cause": cause["cause"], "until": cause["last"] });
    let other = world.app.signed_in(Role::SysAdmin, &world.summit.organization).await;
    world.operator.post(RETRY, &form).await.ok();
    other.post(RETRY, &form).await.ok();
    world.go_on().await;
    let retries = world.operator.get("/api/workflows/retries").await.ok();
    for retry in retries["items"].as_array().expect("retries") {
        assert_eq!((&retry["status"], &retry["done"]), (&json!("Completed"), &json!(3)));
    }
    assert_eq!(world.received(&world.bayline).await, 3);
    assert_eq!(world.operator.get(FAILURES).await.ok()["items"], json!([]));
    world.app.finish().await;
}

/// The step for a domain completes even if recipients there were refused. They are a separate cause, and only
/// they are retried.
async fn recipients_who_were_refused_are_tried_again_by_cause(db: Db) {
    let world = World::start(db).await;
    let late = world.bayline.address.replace("records@", "frontdesk@");
    let to = [world.bayline.address.as_str(), late.as_str()];
    let sent = world.larkfield.client.send_document(&world.larkfield.address, &to, "For both").await;
    world.app.drain().await;
    assert_eq!(world.received(&world.bayline).await, 1);
    let failures = world.operator.get(FAILURES).await.ok();
    let cause = &failures["items"][0];
    assert_eq!((&cause["count"], &cause["retryStep"]), (&json!(1), &json!("Deliver")), "{failures}");
    let found = world.operator.get(&format!("/api/utilities?id={sent}")).await.ok()["items"][0].clone();
    let by_list = json!({ "type": "send", "retryStep": "Deliver", "workflowIds": [found["workflowId"]] });
    assert_eq!(world.operator.post(&format!("{RETRY}/count"), &by_list).await.ok()["steps"], 1);
    let named = format!("?organizationId={}", world.bayline.organization.id);
    let address = json!({ "localPart": "frontdesk", "displayName": "Front desk" });
    let made = world.operator.post(&format!("/api/settings/directaddresses{named}"), &address).await.ok();
    let activation =
        format!("/api/settings/directaddresses/{}/activate{named}", made["id"].as_str().expect("an id"));
    world.operator.post(&activation, &json!({})).await.ok();
    world.app.advance(TimeDelta::minutes(1));
    let form = json!({ "type": "send", "retryStep": "Deliver", "cause": cause["cause"] });
    world.operator.post(RETRY, &form).await.ok();
    world.go_on().await;
    assert_eq!(world.retries().await["retried"], 1);
    let accepted = delivery::Entity::find()
        .filter(delivery::Column::AddressKey.eq(late))
        .one(world.app.store.db())
        .await
        .expect("deliveries")
        .expect("a delivery");
    assert!(accepted.sent_at.is_some() && accepted.failed_at.is_none(), "{:?}", accepted.state);
    assert_eq!(world.received(&world.bayline).await, 1, "whoever had it already does not get it twice");
    assert_eq!(world.operator.get(FAILURES).await.ok()["items"], json!([]));
    world.app.finish().await;
}

/// ADA-R-208
#[tokio::test]
async fn only_workflows_that_send_and_receive_are_retried() {
    let world = World::start(Db::sqlite()).await;
    world.failing("Late", &[&world.bayline.address]).await;
    world.app.advance(TimeDelta::minutes(1));
    let cause = world.operator.get(FAILURES).await.ok()["items"][0].clone();
    let failed = workflow_step::Entity::find().filter(workflow_step::Column::Status.eq(StepStatus::Failed));
    let failed = failed.one(world.app.store.db()).await.expect("steps").expect("the step that failed");
    let form = json!({
        "type": "send", "retryStep": "Deliver", "cause": cause["cause"], "workflowIds": [failed.workflow_id],
    });
    let kinds = ["email", "EmailWorkflow", "BulkRetryWorkflow", "ReportWorkflow", "MessageSendWorkflow"];
    for kind in kinds {
        let mut other = form.clone();
        other["type"] = json!(kind);
        for path in [RETRY.to_owned(), format!("{RETRY}/count")] {
            world.operator.post(&path, &other).await.problem(422);
        }
        world.operator.get(&format!("/api/workflows/failures?type={kind}")).await.problem(400);
    }
    assert_eq!(world.operator.post(&format!("{RETRY}/count"), &form).await.ok()["steps"], 1);
    // The same step as a part of another workflow.
    flow::Entity::update_many()
        .set(flow::ActiveModel { kind: Set("ReportWorkflow".into()), ..Default::default() })
        .filter(flow::Column::Id.eq(failed.workflow_id))
        .exec(world.app.store.db())
        .await
        .expect("a workflow");
    assert_eq!(world.operator.post(&format!("{RETRY}/count"), &form).await.ok()["steps"], 0);
    let refused = world.operator.post(RETRY, &form).await.problem(409);
    assert_eq!(refused["message"], "There are no such steps to retry.");
    world.app.finish().await;
}

/// ADA-R-277 ADA-R-278 ADA-R-279
#[tokio::test]
async fn a_retry_needs_a_type_a_step_and_workflows() {
    let app = TestApp::start(Db::sqlite()).await;
    let home = app.organization("larkfield").await;
    let operator = app.signed_in(Role::SysAdmin, &home).await;
    let wrong = operator.post(RETRY, &json!({})).await;
    assert_eq!(wrong.texts("type"), ["Type is missing."]);
    assert_eq!(wrong.texts("retryStep"), ["Step Type is missing."]);
    assert_eq!(wrong.texts("workflowIds"), ["Workflow Ids are missing."]);
    let form = json!({ "type": "send", "retryStep": "Open", "workflowIds": ["x"] });
    let wrong = operator.post(RETRY, &form).await;
    assert_eq!(wrong.texts("retryStep"), ["Workflows of this type have no such step."]);
    assert_eq!(wrong.texts("workflowIds"), ["“x” is not a workflow id."]);
    let admin = app.signed_in(Role::Admin, &home).await;
    admin.post(RETRY, &form).await.problem(403);
    app.finish().await;
}

/// ADA-R-030 ADA-R-031 ADA-R-283 ADA-C-079 ADA-C-080 ADA-C-081
#[tokio::test]
async fn identifiers_lead_to_messages_and_workflows() {
    let world = World::start(Db::sqlite()).await;
    let sent = world
        .larkfield
        .client
        .send_document(&world.larkfield.address, &[&world.summit.address], "Referral")
        .await;
    world.app.drain().await;
    let id: uuid::Uuid = sent.parse().expect("an id");
    let row = message::Entity::find_by_id(id)
        .one(world.app.store.db())
        .await
        .expect("messages")
        .expect("the message");
    let (workflow, rfc) =
        (row.workflow_id.expect("a workflow").to_string(), row.rfc_message_id.expect("an id"));
    for spelling in [sent.clone(), id.simple().to_string(), workflow.clone()] {
        let found =
            world.operator.get(&format!("/api/utilities?id={spelling}")).await.ok()["items"][0].clone();
        assert_eq!(
            (&found["messageId"], &found["workflowId"]),
            (&json!(sent), &json!(workflow)),
            "{spelling}"
        );
        assert_eq!(found["organizationId"], json!(world.larkfield.organization.id));
        assert!(!found.to_string().contains("Referral"), "nothing of the content");
    }
    let both = world.operator.get(&format!("/api/utilities?id={rfc}")).await.ok();
    assert_eq!(both["items"].as_array().map(Vec::len), Some(2), "the sender's and the recipient's");
    world.operator.get(&format!("/api/utilities?id={}", uuid::Uuid::now_v7())).await.problem(404);
    assert_eq!(world.operator.get("/api/utilities?id=").await.texts("id").len(), 1);

    let ids = json!({ "objectIds": [format!("{sent},\n{workflow}"), rfc, "nothing"] });
    let decoded = world.operator.post("/api/utilities/mailmessages/objectids", &ids).await.ok();
    for item in &decoded["items"].as_array().expect("items")[..3] {
        assert_eq!((&item["mailMessageId"], &item["workflowId"]), (&json!(sent), &json!(workflow)), "{item}");
    }
    assert!(decoded["items"][3]["mailMessageId"].is_null());
    let decoded = world.operator.post("/api/utilities/objectids", &json!([sent, workflow, "x"])).await.ok();
    let of = |n: usize| [&decoded["items"][n]["uuid"], &decoded["items"][n]["entity"]].map(Clone::clone);
    assert_eq!(of(0), [json!(sent), json!("Message")]);
    assert_eq!(of(1), [json!(workflow), json!("Workflow")]);
    assert_eq!(of(2), [Value::Null, Value::Null]);
    world.larkfield.client.get(&format!("/api/utilities?id={sent}")).await.problem(403);
    world.app.finish().await;
}
