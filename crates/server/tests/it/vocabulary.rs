//! Reference data kept by operators: lists, document and release types, plans, resellers.

use platform::Role;
use sea_orm::{ActiveModelTrait, ActiveValue::Set, EntityTrait};
use serde_json::{Value, json};
use store::entities::{membership, message, organization};
use testkit::{Client, Db, Organization, TestApp, document};
use uuid::Uuid;

testkit::on_both_databases! {
    entries_are_searched_changed_and_refused_while_they_are_in_use,
    a_plan_keeps_room_for_whoever_has_it,
}

async fn operator(app: &TestApp) -> (Client, Organization) {
    let home = app.organization("home").await;
    (app.signed_in(Role::SysAdmin, &home).await, home)
}

fn id_of(answer: &Value) -> Uuid {
    answer["id"].as_str().and_then(|id| id.parse().ok()).expect("an id")
}

async fn give(app: &TestApp, change: organization::ActiveModel) {
    change.update(app.store.db()).await.expect("an organization");
}

/// Fills in the required fields of an organization.
async fn complete(app: &TestApp, id: Uuid) {
    let change = organization::ActiveModel {
        id: Set(id),
        organization_type_id: Set(Some(app.listed("organization_type", "Hospital").await)),
        organization_specialty_id: Set(Some(app.listed("organization_specialty", "Family Medicine").await)),
        hisp_provider_id: Set(Some(app.listed("hisp_provider", "Carepost Direct").await)),
        ..Default::default()
    };
    give(app, change).await;
}

fn list(name: &str) -> String {
    format!("/api/admin/lists/{name}")
}

#[tokio::test]
async fn a_new_installation_begins_with_the_vocabulary_of_the_field() {
    let app = TestApp::start(Db::sqlite()).await;
    let (operator, _) = operator(&app).await;
    for (name, search, code) in [
        ("organizationtypes", "hospital", "hospital"),
        ("purposesofuse", "TREAT", "TREAT"),
        ("classifications", "referral", "57133-1"),
        ("jobfunctions", "nurse practitioner", "nurse-practitioner"),
        ("hispproviders", "direct", "carepost"),
    ] {
        let found = operator.get(&format!("{}?search={search}&pageSize=100", list(name))).await.ok();
        let items = found["items"].as_array().expect("items");
        assert!(items.iter().any(|item| item["code"] == code), "{name}");
    }
    let types = operator.get("/api/admin/documenttypes?search=11488-4").await.ok();
    assert_eq!(types["items"][0]["name"], "Consultation");
    operator.get(&list("planets")).await.problem(404);
    app.finish().await;
}

/// ADA-C-043
#[tokio::test]
async fn purposes_of_use_are_everybodys_choice_and_organizations_have_no_others() {
    let app = TestApp::start(Db::sqlite()).await;
    let (operator, home) = operator(&app).await;
    let person = app.signed_in(Role::User, &home).await;
    let purposes = person.get("/api/query/purposesofuse").await.ok();
    let treatment = json!({ "code": "TREAT", "name": "Treatment", "isRetired": false });
    assert_eq!(purposes["items"][0], treatment);

    complete(&app, home.id).await;
    let path = format!("/api/organizations/{}", home.id);
    let organization = operator.get(&path).await.ok();
    let allow = |codes: &[&str], version: &Value| {
        let mut form = organization.clone();
        form["allowedPurposeOfUseCodes"] = json!(codes);
        form["version"] = version.clone();
        form
    };
    let wrong = operator.put(&path, &allow(&["TREAT", "WHIM"], &organization["version"])).await.problem(422);
    let said = json!(["Please choose from the list of purposes of use."]);
    assert_eq!(wrong["modelState"]["allowedPurposeOfUseCodes"], said);
    let saved = operator.put(&path, &allow(&["TREAT"], &organization["version"])).await.ok();

    let entry = operator.get(&format!("{}?search=TREAT", list("purposesofuse"))).await.ok();
    let entry =
        entry["items"].as_array().expect("items").iter().find(|e| e["code"] == "TREAT").expect("one").clone();
    let at = format!("{}/{}", list("purposesofuse"), id_of(&entry));
    let used = operator.delete(&at).await.problem(409);
    assert_eq!(used["message"], "1 organization uses this entry, so it cannot be deleted.");
    let renamed = json!({ "name": "Treatment", "code": "CURE", "version": entry["version"] });
    let fixed = operator.put(&at, &renamed).await.problem(422);
    assert_eq!(fixed["modelState"]["code"], json!(["This code is in use, so it cannot be changed."]));

    let retired =
        json!({ "name": "Treatment", "code": "TREAT", "isRetired": true, "version": entry["version"] });
    operator.put(&at, &retired).await.ok();
    operator.put(&path, &allow(&["TREAT", "COC"], &saved["version"])).await.ok();
    app.finish().await;
}

async fn entries_are_searched_changed_and_refused_while_they_are_in_use(db: Db) {
    let app = TestApp::start(db).await;
    let (operator, home) = operator(&app).await;
    let types = list("organizationtypes");
    let added = operator.post(&types, &json!({ "name": " Sleep Center " })).await.ok();
    assert_eq!((&added["name"], &added["isRetired"]), (&json!("Sleep Center"), &json!(false)));
    let at = format!("{types}/{}", id_of(&added));
    let form = json!({ "name": "Sleep Clinic", "version": added["version"] });
    assert_eq!(operator.put(&at, &form).await.ok(), operator.get(&at).await.ok());
    operator.put(&at, &form).await.problem(409);
    let taken = operator.post(&types, &json!({ "name": "sleep clinic" })).await.problem(422);
    assert_eq!(taken["modelState"]["name"], json!(["This name is already in the list."]));
    assert_eq!(operator.get(&format!("{types}?search=clinic%20sleep")).await.ok()["totalCount"], 1);

    let has = |id| organization::ActiveModel {
        id: Set(home.id),
        organization_type_id: Set(id),
        ..Default::default()
    };
    give(&app, has(Some(id_of(&added)))).await;
    let used = operator.delete(&at).await.problem(409);
    assert_eq!(used["message"], "1 organization uses this entry, so it cannot be deleted.");
    give(&app, has(None)).await;
    operator.delete(&at).await.ok();
    operator.get(&at).await.problem(404);
    let specialty = app.listed("organization_specialty", "Family Medicine").await;
    operator.delete(&format!("{types}/{specialty}")).await.problem(404);

    let jobs = list("jobfunctions");
    let job = operator.post(&jobs, &json!({ "name": "Care Navigator" })).await.ok();
    let user = app.user(Role::User, &home).await;
    let place = membership::ActiveModel {
        user_id: Set(user.id),
        organization_id: Set(home.id),
        job_function: Set("Care Navigator".into()),
        ..Default::default()
    };
    place.update(app.store.db()).await.expect("a membership");
    let at = format!("{jobs}/{}", id_of(&job));
    operator.put(&at, &json!({ "name": "Care Guide", "version": job["version"] })).await.ok();
    let place = membership::Entity::find_by_id((user.id, home.id)).one(app.store.db()).await.expect("rows");
    assert_eq!(place.expect("a membership").job_function, "Care Guide", "people have what it is called now");
    let used = operator.delete(&at).await.problem(409);
    assert_eq!(used["message"], "1 membership uses this entry, so it cannot be deleted.");
    app.finish().await;
}

#[tokio::test]
async fn a_retired_entry_is_offered_to_nobody_and_kept_by_whoever_has_it() {
    let app = TestApp::start(Db::sqlite()).await;
    let (operator, home) = operator(&app).await;
    let clinic = app.listed("organization_type", "Clinic").await;
    let at = format!("{}/{clinic}", list("organizationtypes"));
    let read = operator.get(&at).await.ok();
    let retired = json!({ "name": "Clinic", "isRetired": true, "version": read["version"] });
    assert_eq!(operator.put(&at, &retired).await.ok()["code"], "clinic", "a code that is not sent stays");
    let choices = operator.get("/api/organizations/types").await.ok();
    let shown = json!({ "id": clinic, "name": "Clinic", "isRetired": true });
    assert!(choices["items"].as_array().expect("items").contains(&shown));
    let offered = app.client().get("/api/account/register/options").await.ok();
    assert!(offered["types"].as_array().expect("types").iter().all(|t| t["name"] != "Clinic"));

    complete(&app, home.id).await;
    let path = format!("/api/organizations/{}", home.id);
    let mut form = operator.get(&path).await.ok();
    form["organizationTypeId"] = json!(clinic);
    let wrong = operator.put(&path, &form).await.problem(422);
    assert!(wrong["modelState"]["organizationTypeId"].is_array());
    let has = organization::ActiveModel {
        id: Set(home.id),
        organization_type_id: Set(Some(clinic)),
        ..Default::default()
    };
    give(&app, has).await;
    operator.put(&path, &form).await.ok();
    app.finish().await;
}

#[tokio::test]
async fn a_classification_that_messages_have_stays() {
    let app = TestApp::start(Db::sqlite()).await;
    let (operator, _) = operator(&app).await;
    let path = list("classifications");
    operator.post(&path, &json!({ "name": "Without a code" })).await.problem(422);
    let taken = operator.post(&path, &json!({ "name": "Again", "code": "57133-1" })).await.problem(422);
    assert_eq!(taken["modelState"]["code"], json!(["This code is already in the list."]));
    let entry = operator.post(&path, &json!({ "name": "Sleep study", "code": "28633-6" })).await.ok();
    let at = format!("{path}/{}", id_of(&entry));

    let practice = app.practice("larkfield").await;
    let mut fields = document(&practice.address, &[&practice.address], "A study");
    fields["classification"] = json!("28633-6");
    let draft = practice.client.draft(fields).await;
    let used = operator.delete(&at).await.problem(409);
    assert_eq!(used["message"], "1 message uses this entry, so it cannot be deleted.");
    let other = json!({ "name": "Sleep study", "code": "28634-4", "version": entry["version"] });
    assert!(operator.put(&at, &other).await.problem(422)["modelState"]["code"].is_array());
    let draft: Uuid = draft.parse().expect("an id");
    let cleared = message::ActiveModel { id: Set(draft), classification: Set(None), ..Default::default() };
    cleared.update(app.store.db()).await.expect("a message");
    operator.put(&at, &other).await.ok();
    operator.delete(&at).await.ok();
    app.finish().await;
}

#[tokio::test]
async fn document_types_are_known_by_loinc_and_offered_to_everybody() {
    let app = TestApp::start(Db::sqlite()).await;
    let (operator, home) = operator(&app).await;
    let path = "/api/admin/documenttypes";
    let wrong = operator.post(path, &json!({ "name": "Sleep study", "code": "28633-7" })).await.problem(422);
    let said = "This is not a valid LOINC code. Please check its digits (example: 11488-4).";
    assert_eq!(wrong["modelState"]["code"], json!([said]));
    let added = operator.post(path, &json!({ "name": "Sleep study", "code": "28633-6" })).await.ok();
    operator.post(path, &json!({ "name": "SLEEP study" })).await.problem(422);
    let person = app.signed_in(Role::User, &home).await;
    let offered = async || {
        let types = person.get("/api/documenttypes").await.ok();
        types["items"].as_array().expect("items").iter().any(|t| t["name"] == "Polysomnography")
    };
    let at = format!("{path}/{}", id_of(&added));
    operator.put(&at, &json!({ "name": "Polysomnography", "version": added["version"] })).await.ok();
    assert!(offered().await);
    operator.delete(&at).await.ok();
    assert!(!offered().await);
    app.finish().await;
}

/// MSG-R-154
#[tokio::test]
async fn release_types_of_the_installation_are_kept_by_operators() {
    let app = TestApp::start(Db::sqlite()).await;
    let (operator, _) = operator(&app).await;
    let path = "/api/admin/releasetypes";
    let form = json!({
        "name": "Second opinion", "sendType": "Pdf", "classificationCode": "11488-4",
        "subject": "A second opinion", "trackFaxResponses": true,
    });
    let mut unknown = form.clone();
    unknown["classificationCode"] = json!("1-8");
    let wrong = operator.post(path, &unknown).await.problem(422);
    assert!(wrong["modelState"]["classificationCode"].is_array());
    let added = operator.post(path, &form).await.ok();
    let practice = app.practice("larkfield").await;
    let types = practice.client.get("/api/releasetypes").await.ok();
    let types = types["releaseTypes"].as_array().expect("types");
    let shown = types.iter().find(|t| t["id"] == added["id"]).expect("the release type");
    assert_eq!(
        (&shown["sendType"], &shown["conversion"], &shown["organizationId"]),
        (&json!("Pdf"), &json!("Pdf"), &json!(null))
    );

    let mut fields = document(&practice.address, &[&practice.address], "Of this type");
    fields["releaseTypeId"] = added["id"].clone();
    practice.client.draft(fields.clone()).await;
    let at = format!("{path}/{}", id_of(&added));
    let used = operator.delete(&at).await.problem(409);
    assert_eq!(used["message"], "1 message uses this entry, so it cannot be deleted.");
    let mut retired = form;
    retired["isRetired"] = json!(true);
    retired["version"] = added["version"].clone();
    operator.put(&at, &retired).await.ok();
    let wrong = practice.client.put("/api/messages", &fields).await.problem(422);
    assert!(wrong["modelState"]["releaseTypeId"].is_array(), "nobody chooses it any more");

    let own = app.release_type(&practice.organization, "Their own").await;
    operator.get(&format!("{path}/{own}")).await.problem(404);
    app.finish().await;
}

fn plan(name: &str, users: i32) -> Value {
    json!({ "name": name, "tierCode": "T9", "allowedUsers": users, "restricted": ["send", "reply"] })
}

/// ADA-R-193
async fn a_plan_keeps_room_for_whoever_has_it(db: Db) {
    let app = TestApp::start(db).await;
    let (operator, home) = operator(&app).await;
    let path = "/api/admin/plans";
    for users in [0, -2, 1_000_001] {
        let wrong = operator.post(path, &plan("Odd", users)).await.problem(422);
        assert!(wrong["modelState"]["allowedUsers"].is_array(), "{users}");
    }
    let added = operator.post(path, &plan("Clinic", -1)).await.ok();
    assert_eq!(added["restricted"], json!(["send", "reply"]));
    assert_eq!(added["allowedUsersDescription"], "Unlimited users");
    operator.post(path, &plan("clinic", 5)).await.problem(422);
    let id = id_of(&added);
    let at = format!("{path}/{id}");
    give(&app, organization::ActiveModel { id: Set(home.id), plan_id: Set(Some(id)), ..Default::default() })
        .await;
    app.user(Role::User, &home).await;
    app.user(Role::User, &home).await;
    let users = operator.get(&format!("/api/organizations/{}", home.id)).await.ok()["numberOfUsers"].clone();
    let users = i32::try_from(users.as_i64().expect("a number")).expect("few");

    let mut small = plan("Clinic", users - 1);
    small["version"] = added["version"].clone();
    let wrong = operator.put(&at, &small).await.problem(422);
    let said = format!("An organization that has this plan has {users} users.");
    assert_eq!(wrong["modelState"]["allowedUsers"], json!([said]));
    small["allowedUsers"] = json!(users);
    small["isRetired"] = json!(true);
    operator.put(&at, &small).await.ok();
    let used = operator.delete(&at).await.problem(409);
    assert_eq!(used["message"], "1 organization uses this entry, so it cannot be deleted.");

    let offered = async |query: String| {
        let plans = operator.get(&format!("/api/organizations/plans{query}")).await.ok();
        plans["items"].as_array().expect("items").iter().any(|p| p["id"] == added["id"])
    };
    assert!(!offered(String::new()).await, "it is retired");
    assert!(offered(format!("?organizationId={}", home.id)).await, "who has it keeps it");
    give(&app, organization::ActiveModel { id: Set(home.id), plan_id: Set(None), ..Default::default() })
        .await;
    operator.delete(&at).await.ok();
    app.finish().await;
}

/// ADA-R-174 ADA-R-349
#[tokio::test]
async fn a_licensing_reseller_sells_plans_and_stays_one_while_it_does() {
    let app = TestApp::start(Db::sqlite()).await;
    let (operator, _) = operator(&app).await;
    let path = "/api/admin/resellers";
    let reseller = |name: &str, kind: &str| json!({ "name": name, "type": kind, "bypassTerms": true });
    let affiliate = operator.post(path, &reseller("Harbor Partners", "Affiliate")).await.ok();
    let licenser = operator.post(path, &reseller("Northwind", "Licensing")).await.ok();
    operator.post(path, &reseller("Someone", "Friend")).await.problem(422);
    operator.post(path, &reseller("northwind", "Affiliate")).await.problem(422);

    let mut form = plan("Northwind 50", 50);
    form["resellerId"] = affiliate["id"].clone();
    let wrong = operator.post("/api/admin/plans", &form).await.problem(422);
    assert_eq!(wrong["modelState"]["resellerId"], json!(["Please choose a licensing reseller."]));
    form["resellerId"] = licenser["id"].clone();
    let sold = operator.post("/api/admin/plans", &form).await.ok();
    assert_eq!(sold["resellerName"], "Northwind");

    let at = format!("{path}/{}", id_of(&licenser));
    let mut other = reseller("Northwind", "Affiliate");
    other["version"] = licenser["version"].clone();
    assert!(operator.put(&at, &other).await.problem(422)["modelState"]["type"].is_array());
    let used = operator.delete(&at).await.problem(409);
    assert_eq!(used["message"], "1 plan uses this entry, so it cannot be deleted.");
    operator.delete(&format!("/api/admin/plans/{}", id_of(&sold))).await.ok();
    operator.put(&at, &other).await.ok();
    operator.delete(&at).await.ok();
    app.finish().await;
}

/// ADA-R-087 ADA-R-088 ADA-R-089 ADA-C-026 ADA-C-027 ADA-C-028 ADA-C-029
#[tokio::test]
async fn an_organization_has_alternate_oids_of_which_one_is_the_default() {
    let app = TestApp::start(Db::sqlite()).await;
    let (operator, home) = operator(&app).await;
    let path = format!("/api/admin/organizations/{}/oids", home.id);
    let oid = |value: &str, is_default: bool| json!({ "value": value, "isDefault": is_default });
    let first = operator.post(&path, &oid("2.16.840.1.113883.3.9999.1", true)).await.ok();
    let second = operator.post(&path, &oid("2.16.840.1.113883.3.9999.2", true)).await.ok();
    let defaults = async || {
        let all = operator.get(&path).await.ok();
        let items = all["items"].as_array().expect("items").clone();
        items.iter().map(|o| o["isDefault"] == true).collect::<Vec<_>>()
    };
    assert_eq!(defaults().await, [false, true], "the newer default takes the place of the older one");
    for wrong in ["", "larkfield", &format!("2.{}", "1".repeat(260))] {
        assert!(
            operator.post(&path, &oid(wrong, false)).await.problem(422)["modelState"]["value"].is_array()
        );
    }
    let taken = operator.post(&path, &oid("2.16.840.1.113883.3.9999.1", false)).await.problem(422);
    assert_eq!(taken["modelState"]["value"], json!(["The organization already has this OID."]));
    let mut change = oid("2.16.840.1.113883.3.9999.1", true);
    change["id"] = first["id"].clone();
    change["version"] = first["version"].clone();
    operator.put(&path, &change).await.ok();
    assert_eq!(defaults().await, [true, false]);
    operator.put(&path, &change).await.problem(409);
    let other = app.organization("summit").await;
    let elsewhere = format!("/api/admin/organizations/{}/oids", other.id);
    operator.put(&elsewhere, &change).await.problem(404);
    operator.delete(&format!("{elsewhere}/{}", id_of(&second))).await.problem(404);
    operator.delete(&format!("{path}/{}", id_of(&second))).await.ok();
    assert_eq!(defaults().await, [true]);
    operator.get(&format!("/api/admin/organizations/{}/oids", Uuid::now_v7())).await.problem(404);
    app.finish().await;
}

/// ADA-R-033
#[tokio::test]
async fn operators_keep_the_saved_addresses_of_any_organization_and_members_their_own() {
    let app = TestApp::start(Db::sqlite()).await;
    let (operator, _) = operator(&app).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let path = "/api/directaddresscache";
    let of = |id: Uuid| format!("{path}?organizationId={id}");
    let mut list = json!({ "addresses": ["records@direct.partner.example"] });
    list["version"] = operator.get(&of(larkfield.organization.id)).await.ok()["version"].clone();
    let list = operator.put(&of(larkfield.organization.id), &list).await.ok();
    assert_eq!(list["addresses"], json!(["records@direct.partner.example"]));
    assert_eq!(operator.get(&of(larkfield.organization.id)).await.ok(), list);
    assert_eq!(larkfield.client.get(path).await.ok(), list);
    assert_eq!(larkfield.client.get(&of(larkfield.organization.id)).await.ok(), list);
    summit.client.get(&of(larkfield.organization.id)).await.problem(404);
    summit.client.put(&of(larkfield.organization.id), &list).await.problem(404);
    operator.get(&of(Uuid::now_v7())).await.problem(404);
    let wrong = operator.put(&of(larkfield.organization.id), &json!({ "addresses": ["no address"] })).await;
    assert!(wrong.problem(422)["modelState"]["addresses"].is_array());
    app.finish().await;
}
