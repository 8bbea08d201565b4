//! Received faxes, and their organizations.

use crate::{
    fax::{LARKFIELD, SUMMIT, confirming, draft, fax, only_fax, outcomes, pass_with_arrivals, two},
    support::*,
};
use bytes::Bytes;
use chrono::Duration;
use fax::{
    FaxNumber, Outcome, Resolution,
    providers::embedded::{Call, Exchange},
};
use messaging::fax::{arrivals, calls};
use platform::secret::token_hash;
use sea_orm::{ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter};
use serde_json::{Value, json};
use store::entities::{fax_account, fax_call, fax_reception, organization};
use testkit::{Client, Db, Organization, Role, TestApp};
use uuid::Uuid;

testkit::on_both_databases! {
    what_a_provider_lists_again_is_shown_once,
}

const NOBODYS: &str = "+17405550160";

async fn account(app: &TestApp, organization: &Organization) -> fax_account::Model {
    let of = fax_account::Column::OrganizationId.eq(organization.id);
    fax_account::Entity::find().filter(of).one(app.store.db()).await.expect("accounts").expect("an account")
}

/// A fax received by the account of an organization.
async fn arrive(app: &TestApp, organization: &Organization, to: &str, station: &str, tiff: Vec<u8>) -> Uuid {
    let exchange = calls::exchange(app, &account(app, organization).await);
    let number = |text: &str| FaxNumber::from_e164(text).expect("a number");
    let now = app.clock.now();
    let call = Call {
        key: Uuid::now_v7(),
        from: number(LARKFIELD),
        to: number(to),
        station_id: station.into(),
        sender_name: "Larkfield".into(),
        resolution: Resolution::Fine,
        pages: 1,
        first_page: 1,
        arriving_pages: 1,
        outcome: Outcome::Delivered,
        placed_at: now,
        answered_at: now,
        ends_at: now,
        withdrawn: false,
    };
    exchange.place(&call, Bytes::from(tiff)).await.expect("a call");
    call.key
}

/// A received page.
fn page() -> Vec<u8> {
    documents::samples::fax_tiff(&note_pdf(), "11/19/2026 10:00 AM", "Larkfield")
}

async fn queue(operator: &Client) -> Value {
    operator.get("/api/admin/faxqueue").await.ok()
}

#[tokio::test]
async fn a_fax_to_a_number_that_nobody_has_waits_for_an_operator() {
    let app = TestApp::start(Db::sqlite()).await;
    let (_, summit, _) = two(&app).await;
    arrive(&app, &summit.organization, NOBODYS, "+17405550110", page()).await;
    pass_with_arrivals(&app, Duration::minutes(1)).await;
    assert_eq!(intake(&summit.client, json!({})).await["items"], json!([]));
    let operator = app.signed_in(Role::SysAdmin, &summit.organization).await;
    let list = queue(&operator).await;
    let waiting = &list["items"][0];
    assert_eq!((&list["totalCount"], text(waiting, "called")), (&json!(1), "740-555-0160"));
    assert_eq!((text(waiting, "caller"), &waiting["pages"]), ("740-555-0110", &json!(1)));

    let path = format!("/api/admin/faxqueue/{}/assign", text(waiting, "id"));
    let wrong = json!({ "documentSourceId": Uuid::now_v7() });
    assert!(operator.post(&path, &wrong).await.problem(422)["modelState"]["documentSourceId"].is_array());
    let admin = app.signed_in(Role::Admin, &summit.organization).await;
    admin.post(&path, &wrong).await.problem(403);
    let numbers = admin.get("/api/admin/documentsources").await.ok();
    let right = json!({ "documentSourceId": numbers["items"][0]["id"] });
    operator.post(&path, &right).await.ok();
    operator.post(&path, &right).await.problem(409);
    app.drain().await;
    assert_eq!(queue(&operator).await["totalCount"], 0);
    let arrived = only_message(&summit.client).await;
    assert_eq!((&arrived["sourceType"], text(&arrived["fax"], "called")), (&json!("Fax"), "740-555-0160"));
    let acts = audit_of(&app, text(waiting, "id").parse().expect("an id")).await;
    assert!(acts.iter().any(|a| a.detail.contains("assignedTo")));
    app.finish().await;
}

#[tokio::test]
async fn a_fax_that_is_nobodys_is_taken_out_of_the_queue_with_a_reason() {
    let app = TestApp::start(Db::sqlite()).await;
    let (_, summit, _) = two(&app).await;
    arrive(&app, &summit.organization, NOBODYS, "", page()).await;
    pass_with_arrivals(&app, Duration::minutes(1)).await;
    let operator = app.signed_in(Role::SysAdmin, &summit.organization).await;
    let id = text(&queue(&operator).await["items"][0], "id").to_owned();
    let path = format!("/api/admin/faxqueue/{id}/discard");
    let problem = operator.post(&path, &json!({ "reason": " " })).await.problem(422);
    assert!(problem["modelState"]["reason"].is_array());
    operator.post(&path, &json!({ "reason": "Advertising" })).await.ok();
    operator.post(&path, &json!({ "reason": "Advertising" })).await.problem(409);
    assert_eq!(queue(&operator).await["totalCount"], 0);
    let kept = fax_reception::Entity::find().one(app.store.db()).await.expect("rows").expect("a row");
    assert!(kept.blob_id.is_some(), "its pages are kept");
    app.finish().await;
}

#[tokio::test]
async fn where_the_number_is_unknown_the_caller_and_then_the_machine_tell_whose_it_is() {
    let app = TestApp::start(Db::sqlite()).await;
    let (_, summit, _) = two(&app).await;
    let admin = app.signed_in(Role::Admin, &summit.organization).await;
    let list = admin.get("/api/admin/documentsources").await.ok();
    let path = format!("/api/admin/documentsources/{}", text(&list["items"][0], "id"));
    let form = |more: Value| {
        let mut form = json!({ "directAddressType": "fax", "provider": "embedded" });
        form.as_object_mut().expect("a form").extend(more.as_object().cloned().unwrap_or_default());
        form
    };
    admin.put(&path, &form(json!({ "callers": [LARKFIELD], "version": 1 }))).await.ok();
    arrive(&app, &summit.organization, NOBODYS, "", page()).await;
    pass_with_arrivals(&app, Duration::minutes(1)).await;
    assert_eq!(intake(&summit.client, json!({})).await["items"].as_array().map(Vec::len), Some(1));
    admin.put(&path, &form(json!({ "senderIds": ["COUNTY LAB"], "version": 2 }))).await.ok();
    arrive(&app, &summit.organization, NOBODYS, "COUNTY LAB", page()).await;
    arrive(&app, &summit.organization, NOBODYS, "COUNTY", page()).await;
    pass_with_arrivals(&app, Duration::minutes(1)).await;
    assert_eq!(intake(&summit.client, json!({})).await["items"].as_array().map(Vec::len), Some(2));
    app.finish().await;
}

async fn what_a_provider_lists_again_is_shown_once(db: Db) {
    let app = TestApp::start(db).await;
    let (_, summit, _) = two(&app).await;
    let key = arrive(&app, &summit.organization, SUMMIT, "", page()).await;
    let before = fax_call::Entity::find_by_id(key).one(app.store.db()).await.expect("calls").expect("a call");
    pass_with_arrivals(&app, Duration::minutes(1)).await;
    // As if the acknowledgement had not reached the provider.
    before.into_active_model().reset_all().update(app.store.db()).await.expect("the call as it was");
    pass_with_arrivals(&app, Duration::minutes(1)).await;
    only_message(&summit.client).await;
    let row = fax_call::Entity::find_by_id(key).one(app.store.db()).await.expect("calls").expect("a call");
    assert!(row.taken_at.is_some(), "it is told again");
    app.finish().await;
}

#[tokio::test]
async fn what_comes_for_a_deleted_organization_stays_with_its_provider() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit, _) = two(&app).await;
    let key = arrive(&app, &summit.organization, SUMMIT, "", page()).await;
    let now = app.clock.now();
    let deleted = organization::ActiveModel {
        id: Set(summit.organization.id),
        deleted_at: Set(Some(now)),
        ..Default::default()
    };
    deleted.update(app.store.db()).await.expect("an organization");
    let sent = fax(&larkfield, SUMMIT, "Too late").await;
    pass_with_arrivals(&app, Duration::minutes(5)).await;
    let row = fax_call::Entity::find_by_id(key).one(app.store.db()).await.expect("calls").expect("a call");
    assert!(row.taken_at.is_none() && row.blob_id.is_some());
    assert_eq!(fax_reception::Entity::find().all(app.store.db()).await.expect("receptions"), []);
    assert_eq!(outcomes(&only_fax(&larkfield, &sent).await), ["BadNumber"], "the sender is told");
    app.finish().await;
}

#[tokio::test]
async fn a_fax_that_breaks_off_is_kept_marked_and_goes_on_at_the_first_unconfirmed_page() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit, _) = two(&app).await;
    let cut = "+17405550199";
    app.fax_number(&summit.organization, cut).await;
    let sent = fax(&larkfield, cut, "Cut").await;
    pass_with_arrivals(&app, Duration::minutes(20)).await;
    arrivals::poll(&app).await.expect("providers are asked");
    app.drain().await;
    larkfield.client.enter(&larkfield.user).await;
    summit.client.enter(&summit.user).await;
    let fax = only_fax(&larkfield, &sent).await;
    assert_eq!(outcomes(&fax), ["RemoteHangUp", "Delivered"]);
    let calls = fax["attempts"].as_array().expect("attempts");
    let confirmed = calls[0]["confirmedPages"].as_i64().expect("pages");
    assert!(confirmed > 0, "{fax}");
    assert_eq!(calls[1]["firstPage"], confirmed + 1);
    assert_eq!((&calls[1]["confirmedPages"], &fax["confirmedPages"]), (&fax["pages"], &fax["pages"]));
    let list = intake(&summit.client, json!({})).await;
    let mut whole = 0;
    let mut marks = Vec::new();
    for item in list["items"].as_array().expect("items") {
        whole += item["properties"]["faxPageCount"].as_i64().expect("pages");
        marks.push(message(&summit.client, text(item, "id")).await["fax"]["partial"].clone());
    }
    assert_eq!(Some(whole), fax["pages"].as_i64(), "no page is there twice");
    marks.sort_by_key(Value::is_null);
    assert_eq!(marks, [json!("The line was cut."), Value::Null]);
    app.finish().await;
}

#[tokio::test]
async fn a_fax_that_breaks_off_before_its_first_page_is_kept_too() {
    let app = TestApp::start(Db::sqlite()).await;
    let (_, summit, _) = two(&app).await;
    arrive(&app, &summit.organization, SUMMIT, "", b"II*\0\0\0\0\0".to_vec()).await;
    pass_with_arrivals(&app, Duration::minutes(1)).await;
    let arrived = only_message(&summit.client).await;
    assert_eq!(arrived["attachments"][0]["fileName"], "Fax.tif");
    app.finish().await;
}

#[tokio::test]
async fn a_fax_from_a_number_whose_answer_is_tracked_is_linked_with_what_was_sent() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit, _) = two(&app).await;
    let back = async |subject: &str| {
        let draft = draft(&summit, SUMMIT, &[LARKFIELD], subject).await;
        summit.client.post(&format!("/api/messages/{draft}/send"), &confirming(&[LARKFIELD])).await.ok();
        pass_with_arrivals(&app, Duration::minutes(2)).await;
        let list = intake(&larkfield.client, json!({})).await;
        message(&larkfield.client, text(&list["items"][0], "id")).await
    };
    let conversation = json!({ "conversationId": "order 7", "type": "Order", "conversationStatus": "Draft" });
    let order = async || {
        let sent = draft(&larkfield, LARKFIELD, &[SUMMIT], "Order").await;
        let form = json!({ "confirmedFaxNumbers": [SUMMIT], "conversation": conversation });
        larkfield.client.post(&format!("/api/messages/{sent}/send"), &form).await.ok();
        pass_with_arrivals(&app, Duration::minutes(2)).await;
        sent
    };
    assert_eq!(back("Before").await["fax"]["answers"], Value::Null);
    order().await;
    assert_eq!(back("Without the feature").await["fax"]["answers"], Value::Null);
    app.enable(&larkfield.organization, "AutomatedCarePlans").await;
    for practice in [&larkfield, &summit] {
        practice.client.enter(&practice.user).await;
    }
    let sent = order().await;
    fax(&larkfield, SUMMIT, "Without tracking").await;
    pass_with_arrivals(&app, Duration::minutes(2)).await;
    assert_eq!(only_fax(&larkfield, &sent).await["answerId"], Value::Null);

    let answer = back("Result").await;
    assert_eq!(answer["fax"]["answers"], json!(sent));
    assert_eq!(answer["conversation"], conversation);
    assert_eq!(only_fax(&larkfield, &sent).await["answerId"], answer["id"]);
    app.finish().await;
}

#[tokio::test]
async fn a_callback_means_only_that_the_account_is_looked_at() {
    let app = TestApp::start(Db::sqlite()).await;
    let (_, summit, _) = two(&app).await;
    let account = account(&app, &summit.organization).await;
    let later = app.clock.now() + Duration::days(1);
    let change = fax_account::ActiveModel {
        id: Set(account.id),
        callback_hash: Set(token_hash("a token")),
        poll_at: Set(later),
        ..Default::default()
    };
    change.update(app.store.db()).await.expect("an account");
    arrive(&app, &summit.organization, SUMMIT, "", page()).await;
    let client = app.client();
    let forged = json!({ "Id": Uuid::now_v7(), "Direction": "Inbound", "OrigNumber": "911" });
    client.post("/api/fax/callbacks/another", &forged).await.problem(404);
    arrivals::poll(&app).await.expect("providers are asked");
    assert_eq!(intake(&summit.client, json!({})).await["items"], json!([]));
    assert_eq!(client.post("/api/fax/callbacks/a%20token", &forged).await.status.as_u16(), 204);
    arrivals::poll(&app).await.expect("providers are asked");
    app.drain().await;
    only_message(&summit.client).await;
    app.finish().await;
}

/// ADA-R-179
#[tokio::test]
async fn an_organization_that_is_not_activated_gets_no_fax_until_it_is() {
    let app = TestApp::start(Db::sqlite()).await;
    let (_, summit, _) = two(&app).await;
    let activate = async |is_activated: bool| {
        let id = Set(summit.organization.id);
        let row = organization::ActiveModel { id, is_activated: Set(is_activated), ..Default::default() };
        row.update(app.store.db()).await.expect("the organization");
    };
    arrive(&app, &summit.organization, SUMMIT, "", page()).await;
    activate(false).await;
    pass_with_arrivals(&app, Duration::minutes(1)).await;
    assert_eq!(intake(&summit.client, json!({})).await["items"], json!([]));
    activate(true).await;
    pass_with_arrivals(&app, Duration::minutes(2)).await;
    assert_eq!(only_message(&summit.client).await["sourceType"], "Fax", "it waited with the provider");
    app.finish().await;
}
