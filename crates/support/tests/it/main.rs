//! Support tickets from the view of people and operators.

use serde_json::{Value, json};
use testkit::{Db, Options, Role, TestApp};

fn form() -> Value {
    json!({
        "area": "Fax", "severity": 2, "subject": "The line is busy",
        "details": "Every fax to 740-555-0110 ends as busy.",
    })
}

/// MSG-C-158, MSG-R-406, MSG-R-476
#[tokio::test]
async fn a_ticket_is_kept_and_shown_to_its_author_and_to_operators() {
    let app = TestApp::start(Db::sqlite()).await;
    let practice = app.practice("larkfield").await;
    let colleague = app.signed_in(Role::User, &practice.organization).await;
    let choices = practice.client.get("/api/supporttickets/choices").await.ok();
    assert_eq!(choices["areas"].as_array().expect("areas").len(), 20);
    assert_eq!(choices["isMailed"], false, "no address is configured");
    for (field, wrong) in [("area", json!("Weather")), ("severity", json!(5)), ("subject", json!(" "))] {
        let mut form = form();
        form[field] = wrong;
        assert_eq!(practice.client.post("/api/supporttickets", &form).await.texts(field).len(), 1, "{field}");
    }
    let made = practice.client.post("/api/supporttickets", &form()).await.ok();
    assert_eq!((&made["state"], &made["isMailed"]), (&json!("Open"), &json!(false)));
    let own = practice.client.get("/api/supporttickets").await.ok();
    assert_eq!(own["items"][0]["details"], form()["details"]);
    assert_eq!(colleague.get("/api/supporttickets").await.ok()["totalCount"], 0);

    let operator = app.signed_in(Role::SysAdmin, &practice.organization).await;
    colleague.get("/api/admin/supporttickets").await.problem(403);
    let list = operator.get("/api/admin/supporttickets?state=Open").await.ok();
    assert_eq!(list["items"][0]["organizationName"], "larkfield practice");
    let path = format!("/api/admin/supporttickets/{}", made["id"].as_str().expect("an id"));
    assert_eq!(operator.get(&path).await.ok()["details"], form()["details"]);
    operator.put(&path, &json!({ "state": "Closed", "version": 0 })).await.problem(409);
    operator.put(&path, &json!({ "state": "Closed", "version": 1 })).await.ok();
    let own = practice.client.get("/api/supporttickets").await.ok();
    assert_eq!(own["items"][0]["state"], "Closed");
    app.finish().await;
}

/// MSG-R-475
#[tokio::test]
async fn a_ticket_is_mailed_to_the_configured_address_and_a_brand_may_have_an_area_of_its_own() {
    let configure = Box::new(|config: &mut platform::Config| {
        config.support.address = Some("support@carepost.example".into());
        config.support.brand_areas.insert("carepost".into(), "Portal".into());
        config.support.brand_areas.insert("elsewhere".into(), "Kiosk".into());
    });
    let app =
        TestApp::start_with(Db::sqlite(), Options { configure: Some(configure), ..Options::default() }).await;
    let practice = app.practice("larkfield").await;
    let choices = practice.client.get("/api/supporttickets/choices").await.ok();
    let areas = choices["areas"].as_array().expect("areas");
    assert_eq!((areas.len(), areas.last()), (21, Some(&json!("Portal"))));
    assert_eq!(choices["isMailed"], true);
    let mut portal = form();
    portal["area"] = json!("Kiosk");
    let refused = practice.client.post("/api/supporttickets", &portal).await;
    assert_eq!(refused.texts("area").len(), 1, "the area of another brand");
    portal["area"] = json!("Portal");
    let made = practice.client.post("/api/supporttickets", &portal).await.ok();
    assert_eq!(made["isMailed"], true);
    app.drain().await;
    let mailbox = app.client().get("/api/demo/emails").await.ok();
    let letter = &mailbox["items"][0];
    assert_eq!(letter["toAddress"], "support@carepost.example", "{mailbox}");
    let letter = format!("/api/demo/emails/{}", letter["id"].as_str().expect("an id"));
    let letter = app.client().get(&letter).await.ok();
    assert!(letter["text"].as_str().expect("a text").contains("Portal"), "{letter}");
    app.finish().await;
}

#[tokio::test]
async fn a_day_has_room_for_so_many_tickets() {
    let app = TestApp::start(Db::sqlite()).await;
    let practice = app.practice("larkfield").await;
    for _ in 0..20 {
        practice.client.post("/api/supporttickets", &form()).await.ok();
    }
    practice.client.post("/api/supporttickets", &form()).await.problem(409);
    app.finish().await;
}
