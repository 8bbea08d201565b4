//! Activity of a person, for their administrator.

use crate::users::{USERS, form, job, path, practice};
use chrono::Duration;
use platform::Role;
use serde_json::json;
use testkit::{Db, TestApp};

testkit::on_both_databases! {
    what_somebody_did_is_listed_newest_first,
}

/// Activity is filtered by type and day, and includes what was changed.
#[tokio::test]
async fn what_somebody_did_is_narrowed_by_type() {
    let app = TestApp::start(Db::sqlite()).await;
    let (_, admin_user, admin) = practice(&app, "larkfield").await;
    let nurse = job(&admin, "Nurse").await;
    let nurse = admin.post(USERS, &form("a@larkfield.example", &nurse)).await.ok();
    let enable = format!("{USERS}/{}/enable?enable=false", nurse["id"].as_str().expect("an id"));
    assert_eq!(admin.post(&enable, &json!({})).await.status, 204);
    let of_type = format!("{}/events/type", path(&admin_user));
    let changed = admin.get(&format!("{of_type}?eventTypes=Changed")).await.ok();
    assert_eq!((&changed["totalCount"], &changed["items"][0]["what"]), (&json!(1), &json!("disabled")));
    let both = admin.get(&format!("{of_type}?eventTypes=Changed,Created")).await.ok();
    assert_eq!(both["totalCount"], 2);
    assert_eq!(admin.get(&format!("{of_type}?end=2020-01-01")).await.ok()["totalCount"], 0);
    admin.get(&format!("{of_type}?eventTypes=Invented")).await.problem(422);
    app.finish().await;
}

/// SES-R-331, SES-R-332, SES-R-333, SES-R-334: signatures are paged like the rest of the activity.
async fn what_somebody_did_is_listed_newest_first(db: Db) {
    let app = TestApp::start(db).await;
    let (larkfield, _, admin) = practice(&app, "larkfield").await;
    let user = app.user(Role::User, &larkfield).await;
    app.browser_of(&user).await;
    app.advance(Duration::hours(1));
    let client = app.browser_of(&user).await;
    let own = client.get("/api/account/profile").await.ok();
    let profile = json!({ "firstName": "Priya", "lastName": "Nandakumar", "version": own["version"] });
    let mut saved = client.put("/api/account/profile", &profile).await.ok();
    let events = format!("{}/events", path(&user));
    let admin_again = app.signed_in(Role::Admin, &larkfield).await;
    let list = admin_again.get(&events).await.ok();
    assert_eq!((&list["totalCount"], &list["totalIsCapped"]), (&json!(3), &json!(false)));
    let kinds: Vec<&str> = list["items"]
        .as_array()
        .expect("events")
        .iter()
        .map(|e| e["eventType"].as_str().expect("a kind"))
        .collect();
    assert_eq!(kinds, ["Changed", "SignedIn", "SignedIn"]);
    let first = &list["items"][0];
    assert_eq!(
        (&first["objectType"], &first["objectId"], &first["succeeded"], &first["sourceIp"]),
        (&json!("user"), &json!(user.id), &json!(true), &json!("127.0.0.1"))
    );
    let second = admin_again.get(&format!("{events}?pageSize=1&pageStart=2")).await.ok();
    assert_eq!(second["items"][0], list["items"][1]);
    admin_again.get(&format!("{events}?pageSize=101")).await.problem(400);
    admin_again.get(&format!("{events}?pageStart=0")).await.problem(400);
    drop(admin);
    for number in 0..30 {
        saved["lastName"] = json!(format!("Nandakumar {number}"));
        saved = client.put("/api/account/profile", &saved).await.ok();
    }
    let first_page = admin_again.get(&events).await.ok();
    assert_eq!(first_page["totalCount"], json!(33));
    assert_eq!(
        first_page["items"].as_array().map(Vec::len),
        Some(30),
        "thirty unless another number is asked for"
    );
    assert_eq!(admin_again.get(&format!("{events}?pageStart=1")).await.ok(), first_page);
    app.finish().await;
}
