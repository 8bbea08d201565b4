//! Lists that operators edit.

use platform::{Role, audit::event};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder};
use serde_json::{Value, json};
use store::entities::{audit_entry, organization};
use testkit::{Client, Db, TestApp};

async fn operator(app: &TestApp) -> Client {
    let home = app.organization("home").await;
    app.signed_in(Role::SysAdmin, &home).await
}

fn names(page: &Value) -> Vec<&str> {
    page["items"]
        .as_array()
        .expect("items")
        .iter()
        .map(|item| item["name"].as_str().expect("a name"))
        .collect()
}

/// Audit entries of a row: events with their details, oldest first.
async fn trail(app: &TestApp, id: &Value) -> Vec<(String, Value)> {
    let entries = audit_entry::Entity::find()
        .filter(audit_entry::Column::ObjectId.eq(id.as_str().expect("an id")))
        .order_by_asc(audit_entry::Column::Seq)
        .all(app.store.db())
        .await
        .expect("audit entries");
    let detail = |text: &str| serde_json::from_str(text).expect("a detail");
    entries.into_iter().map(|entry| (entry.event_type, detail(&entry.detail))).collect()
}

/// ADA-R-029 ADA-C-057 ADA-C-058 ADA-C-059 ADA-C-060
#[tokio::test]
async fn a_reserved_word_is_added_changed_and_deleted_with_a_trail() {
    let app = TestApp::start(Db::sqlite()).await;
    let operator = operator(&app).await;
    let word = operator.post("/api/reservedwords", &json!({ "name": " Meridian " })).await.ok();
    assert_eq!((&word["name"], &word["profanity"]), (&json!("Meridian"), &json!(false)));
    let path = format!("/api/reservedwords/{}", word["id"].as_str().expect("an id"));
    let change = json!({ "name": "Meridian", "profanity": true, "version": word["version"] });
    let saved = operator.put(&path, &change).await.ok();
    assert_eq!(operator.get(&path).await.ok(), saved);

    let stale = operator.put(&path, &change).await.problem(409);
    assert_eq!(stale["message"], "Somebody else has changed this word since you opened it.");
    let without = operator.put(&path, &json!({ "name": "Meridian" })).await.problem(422);
    assert!(without["modelState"]["version"].is_array());

    operator.delete(&path).await.ok();
    operator.get(&path).await.problem(404);
    let expected = [
        (event::CREATED, json!({ "name": "Meridian", "profanity": false })),
        (event::CHANGED, json!({ "before": { "profanity": false }, "after": { "profanity": true } })),
        (event::DELETED, json!({ "name": "Meridian", "profanity": true })),
    ];
    assert_eq!(trail(&app, &word["id"]).await, expected.map(|(event, detail)| (event.to_owned(), detail)));
    app.finish().await;
}

/// ADA-C-054
#[tokio::test]
async fn a_reserved_word_fits_a_subdomain_and_stands_once() {
    let app = TestApp::start(Db::sqlite()).await;
    let operator = operator(&app).await;
    for name in ["", "two words", "-edge", "dot.ted", &"x".repeat(64)] {
        let refused = operator.post("/api/reservedwords", &json!({ "name": name })).await.problem(422);
        assert!(refused["modelState"]["name"].is_array(), "{name}");
    }
    let taken = operator.post("/api/reservedwords", &json!({ "name": "ADMIN" })).await.problem(422);
    assert_eq!(taken["modelState"]["name"], json!(["This word is already reserved."]));
    let admin = &operator.get("/api/reservedwords?search=admin").await.ok()["items"][0]["id"];
    let exists = format!("/api/reservedwords/exists?name=Admin&id={}", admin.as_str().expect("an id"));
    assert_eq!(operator.get("/api/reservedwords/exists?name=Admin").await.ok()["data"], true);
    assert_eq!(operator.get(&exists).await.ok()["data"], false);
    app.finish().await;
}

/// ADA-R-333 ADA-R-335 ADA-R-336 ADA-C-056
#[tokio::test]
async fn reserved_words_are_searched_filtered_sorted_and_paged() {
    let app = TestApp::start(Db::sqlite()).await;
    let operator = operator(&app).await;
    assert_eq!(operator.get("/api/reservedwords").await.ok()["items"].as_array().map(Vec::len), Some(10));
    operator.post("/api/reservedwords", &json!({ "name": "darn", "profanity": true })).await.ok();
    assert_eq!(names(&operator.get("/api/reservedwords?profanity=true").await.ok()), ["darn"]);
    let found = operator.get("/api/reservedwords?search=MAIL&sortDir=desc&pageSize=2").await.ok();
    assert_eq!(names(&found), ["webmail", "mail"]);
    assert_eq!(operator.get("/api/reservedwords?search=100%25").await.ok()["totalCount"], 0);
    operator.get("/api/reservedwords?pageNumber=0").await.problem(400);
    app.finish().await;
}

/// ADA-R-003 ADA-C-055
#[tokio::test]
async fn a_subdomain_is_reserved_by_its_word_or_by_a_profanity_within() {
    let app = TestApp::start(Db::sqlite()).await;
    let operator = operator(&app).await;
    operator.post("/api/reservedwords", &json!({ "name": "darn", "profanity": true })).await.ok();
    for (name, reserved) in
        [("WWW", true), ("www-clinic", false), ("darn", true), ("darn-clinic", true), ("darnell", false)]
    {
        let answer = operator.get(&format!("/api/reservedwords/isreservedword?name={name}")).await.ok();
        assert_eq!(answer["data"], reserved, "{name}");
        let asked = app.client().post("/api/account/register/subdomain", &json!({ "subDomain": name })).await;
        if reserved {
            assert_eq!(asked.ok()["isAvailable"], false, "{name}");
        }
    }
    app.finish().await;
}

/// ADB-R-239 ADB-R-240 ADB-R-244 ADB-R-245 ADB-C-038
#[tokio::test]
async fn specialties_are_searched_and_paged_by_the_row_they_begin_at() {
    let app = TestApp::start(Db::sqlite()).await;
    let operator = operator(&app).await;
    let path = "/api/admin/organizationspecialties";
    let all = operator.get(&format!("{path}?pageSize=5000")).await.ok();
    assert_eq!(all["totalCount"], names(&all).len());
    let second = operator.get(&format!("{path}?pageStart=1&pageSize=2")).await.ok();
    assert_eq!(names(&second), names(&all)[1..3]);
    assert_eq!(
        names(&operator.get(&format!("{path}?search=medicine%20fam")).await.ok()),
        ["Family Medicine"]
    );
    operator.get(&format!("{path}?pageSize=5001")).await.problem(400);
    app.finish().await;
}

/// ADB-R-242 ADB-C-039 ADB-C-040 ADB-C-041 ADB-C-042
#[tokio::test]
async fn a_specialty_is_added_renamed_and_deleted_unless_an_organization_has_it() {
    let app = TestApp::start(Db::sqlite()).await;
    let operator = operator(&app).await;
    let path = "/api/admin/organizationspecialties";
    let added = operator.post(path, &json!({ "name": "Sleep Medicine" })).await.ok();
    let one = format!("{path}/{}", added["id"].as_str().expect("an id"));
    let form = json!({ "name": "Sleep and Dream Medicine", "version": added["version"] });
    assert_eq!(operator.put(&one, &form).await.ok(), operator.get(&one).await.ok());
    operator.put(&one, &form).await.problem(409);
    operator.post(path, &json!({ "name": "family medicine" })).await.problem(422);

    let id = added["id"].as_str().and_then(|id| id.parse().ok());
    let patch = organization::ActiveModel {
        organization_specialty_id: sea_orm::ActiveValue::Set(id),
        ..Default::default()
    };
    let db = app.store.db();
    organization::Entity::update_many().set(patch).exec(db).await.expect("the organization has it");
    let used = operator.delete(&one).await.problem(409);
    assert_eq!(used["message"], "1 organization uses this entry, so it cannot be deleted.");
    let none = organization::ActiveModel {
        organization_specialty_id: sea_orm::ActiveValue::Set(None),
        ..Default::default()
    };
    organization::Entity::update_many().set(none).exec(db).await.expect("the organization has another");
    operator.delete(&one).await.ok();
    operator.get(&one).await.problem(404);

    let kind = app.listed("organization_type", "Clinic").await;
    operator.delete(&format!("{path}/{kind}")).await.problem(404);
    app.finish().await;
}
