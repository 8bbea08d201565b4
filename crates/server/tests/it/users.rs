//! The people of an organization.

use crate::inbox::{mails, newest};
use platform::{Config, Role, audit::event, config::Mode};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    sea_query::Expr,
};
use serde_json::{Value, json};
use store::entities::document_source::SourceStatus;
use store::entities::string_list::StringList;
use store::entities::{
    app_user, audit_entry, document_source, membership, organization, plan, session, sso_connection,
    sso_identity, user_document_source,
};
use testkit::{Client, Db, Options, Organization, PASSWORD, TestApp, User};
use uuid::Uuid;

testkit::on_both_databases! {
    a_name_is_found_however_its_letters_are_typed,
    the_list_is_searched_filtered_sorted_and_paged,
    of_two_administrators_who_demote_each_other_one_stays,
}

const NEW: &str = "violet tram under the bridge";
pub const USERS: &str = "/api/users";

pub async fn practice(app: &TestApp, name: &str) -> (Organization, User, Client) {
    let organization = app.organization(name).await;
    let admin = app.user(Role::Admin, &organization).await;
    let client = app.browser_of(&admin).await;
    (organization, admin, client)
}

/// Gives an organization a plan for this many users.
async fn plan_of(app: &TestApp, organization: &Organization, users: i32) {
    let id = Uuid::now_v7();
    let row = plan::ActiveModel {
        id: Set(id),
        name: Set("Standard".into()),
        name_key: Set("standard".into()),
        tier_code: Set("S".into()),
        allowed_users: Set(users),
        restricted: Set(StringList::default()),
        reseller_id: Set(None),
        is_free: Set(false),
        is_retired: Set(false),
        version: Set(1),
    };
    plan::Entity::insert(row).exec_without_returning(app.store.db()).await.expect("a plan");
    organization::Entity::update_many()
        .col_expr(organization::Column::PlanId, Expr::value(id))
        .filter(organization::Column::Id.eq(organization.id))
        .exec(app.store.db())
        .await
        .expect("an organization");
}

pub async fn job(client: &Client, name: &str) -> String {
    let jobs = client.get("/api/users/jobs").await.ok();
    let job = jobs["items"].as_array().expect("jobs").iter().find(|job| job["name"] == name);
    job.expect("the job")["id"].as_str().expect("an id").to_owned()
}

pub fn form(user_name: &str, job: &str) -> Value {
    json!({
        "userName": user_name, "firstName": "Rowan", "lastName": "Aldane", "phoneNumber": "(555) 010-0199",
        "roleName": "User", "jobFunctionId": job,
    })
}

fn id(value: &Value) -> String {
    value["id"].as_str().expect("an id").to_owned()
}

pub fn path(user: &User) -> String {
    format!("{USERS}/{}", user.id)
}

/// The current form of a person, with a change.
async fn changed(client: &Client, path: &str, change: Value) -> Value {
    let mut form = client.get(path).await.ok();
    for (name, value) in change.as_object().expect("a change") {
        form[name] = value.clone();
    }
    form
}

async fn save(client: &Client, path: &str, change: Value) -> testkit::Answer {
    client.put(path, &changed(client, path, change).await).await
}

fn names(list: &Value) -> Vec<String> {
    let items = list["items"].as_array().expect("a list");
    items.iter().map(|row| row["firstName"].as_str().expect("a name").to_owned()).collect()
}

async fn call_somebody(app: &TestApp, user: &User, first: &str, last: &str) {
    app_user::Entity::update_many()
        .col_expr(app_user::Column::FirstName, Expr::value(first))
        .col_expr(app_user::Column::LastName, Expr::value(last))
        .filter(app_user::Column::Id.eq(user.id))
        .exec(app.store.db())
        .await
        .expect("a name");
}

async fn acts(app: &TestApp, kind: &str, object: &str) -> u64 {
    audit_entry::Entity::find()
        .filter(audit_entry::Column::EventType.eq(kind))
        .filter(audit_entry::Column::ObjectType.eq("user"))
        .filter(audit_entry::Column::ObjectId.eq(object))
        .count(app.store.db())
        .await
        .expect("a count")
}

#[tokio::test]
async fn an_administrator_invites_somebody_who_then_signs_in() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, _, admin) = practice(&app, "larkfield").await;
    let nurse = job(&admin, "Nurse").await;
    let answer = admin.post(USERS, &form(" Rowan@Larkfield.example ", &nurse)).await;
    assert_eq!(answer.status, 201);
    let location = answer.header("location");
    let created = answer.ok();
    assert_eq!(location, format!("{USERS}/{}", id(&created)));
    assert_eq!(
        (&created["userName"], &created["status"], &created["roleName"], &created["primaryJobFunction"]),
        (&json!("Rowan@Larkfield.example"), &json!("Invited"), &json!("User"), &json!("Nurse"))
    );
    assert_eq!(created["phoneNumber"], "5550100199");
    assert_eq!(created["organizations"][0]["id"], json!(larkfield.id));
    assert_eq!(acts(&app, event::CREATED, &id(&created)).await, 1);
    assert_eq!(acts(&app, event::LINK_SENT, &id(&created)).await, 1);
    let mail = newest(&app, "Rowan@Larkfield.example").await;
    assert_eq!(mail.subject, "Your account at larkfield practice");
    let body = json!({ "token": mail.token(), "password": NEW });
    assert_eq!(app.client().post("/api/account/password/set", &body).await.status, 204);
    let rowan = app.client();
    rowan.sign_in("rowan@larkfield.example", NEW).await.ok();
    assert_eq!(rowan.get("/api/users/profiledata").await.ok()["organizationId"], json!(larkfield.id));
    let found = admin.get(&location).await.ok();
    assert_eq!((&found["status"], &found["canChangeUserName"]), (&json!("Active"), &json!(false)));
    assert!(found["lastSignInDate"].is_string());
    app.finish().await;
}

#[tokio::test]
async fn the_form_of_a_user_names_what_is_wrong() {
    let app = TestApp::start(Db::sqlite()).await;
    let (_, somebody, admin) = practice(&app, "larkfield").await;
    let problem = admin.post(USERS, &json!({})).await.problem(422);
    assert_eq!(
        problem["modelState"],
        json!({
            "userName": ["Username is not valid"],
            "firstName": ["First Name is required."],
            "lastName": ["Last Name is required."],
            "roleName": ["Role is required."],
            "jobFunctionId": ["Primary job function is required."],
        })
    );
    let nurse = job(&admin, "Nurse").await;
    let wrong = "Please enter a valid value for this field.";
    for (field, value, text) in [
        ("userName", json!("rowan"), "Username is not valid"),
        ("userName", json!(format!("{}@b.example", "a".repeat(300))), "Username is not valid"),
        ("userName", json!("ro\u{0}wan@b.example"), "Username is not valid"),
        ("userName", json!(somebody.user_name.to_uppercase()), "Username already exists"),
        ("firstName", json!("a".repeat(256)), wrong),
        ("lastName", json!("Al\ndane"), wrong),
        ("phoneNumber", json!("12"), wrong),
        ("roleName", json!("SysAdmin"), wrong),
        ("jobFunctionId", json!(Uuid::now_v7()), wrong),
    ] {
        let mut form = form("rowan@larkfield.example", &nurse);
        form[field] = value;
        let problem = admin.post(USERS, &form).await.problem(422);
        assert_eq!(problem["modelState"], json!({ field: [text] }));
    }
    let hostile = "<script>alert('x')</script>'; DROP TABLE app_user; --";
    let mut form = form("rowan@larkfield.example", &nurse);
    form["lastName"] = json!(hostile);
    assert_eq!(admin.post(USERS, &form).await.ok()["lastName"], hostile);
    assert_eq!(admin.get(&format!("{USERS}?search=DROP%20TABLE%25")).await.ok()["totalCount"], 0);
    assert_eq!(admin.get(&format!("{USERS}?search=alert('x')")).await.ok()["totalCount"], 1);
    app.finish().await;
}

#[tokio::test]
async fn a_user_name_is_valid_and_free_or_not() {
    let app = TestApp::start(Db::sqlite()).await;
    let (_, somebody, admin) = practice(&app, "larkfield").await;
    for (name, is_valid, exists) in [
        (somebody.user_name.to_uppercase().as_str(), true, true),
        ("nobody@carepost.example", true, false),
        ("nobody", false, false),
        ("", false, false),
    ] {
        let found = admin.post(&format!("{USERS}/find?username={name}"), &json!({})).await.ok();
        assert_eq!(found, json!({ "isValid": is_valid, "exists": exists }), "{name}");
    }
    app.finish().await;
}

async fn a_name_is_found_however_its_letters_are_typed(db: Db) {
    let app = TestApp::start(db).await;
    let (larkfield, _, admin) = practice(&app, "larkfield").await;
    for (first, last) in [("Élodie", "Åkerström"), ("DÉSIRÉE", "ÑÚÑEZ")] {
        let user = app.user(Role::User, &larkfield).await;
        call_somebody(&app, &user, first, last).await;
    }
    let of = async |query: &str| names(&admin.get(&format!("{USERS}?search={query}")).await.ok());
    for typed in ["Élodie", "élodie", "ÉLO", "lodie", "åker", "ÅKERSTRÖM"] {
        assert_eq!(of(typed).await, ["Élodie"], "{typed}");
    }
    admin.get(&format!("{USERS}?search=elo%00")).await.problem(400);
    for typed in ["désirée", "Désirée", "DÉSIR", "ñúñez", "Ñúñ"] {
        assert_eq!(of(typed).await, ["DÉSIRÉE"], "{typed}");
    }
    app.finish().await;
}

async fn the_list_is_searched_filtered_sorted_and_paged(db: Db) {
    let app = TestApp::start(db).await;
    let (larkfield, admin_user, admin) = practice(&app, "larkfield").await;
    plan_of(&app, &larkfield, -1).await;
    call_somebody(&app, &admin_user, "Dana", "Whitfield").await;
    for (first, last) in [("Priya", "Nandakumar"), ("owen", "castellan"), ("Zoë", "Zärmel_100%")] {
        let user = app.user(Role::User, &larkfield).await;
        call_somebody(&app, &user, first, last).await;
    }
    let gone = app.user(Role::User, &larkfield).await;
    call_somebody(&app, &gone, "Rosa", "Meijer").await;
    assert_eq!(admin.post(&format!("{}/enable?enable=false", path(&gone)), &json!({})).await.status, 204);
    let nurse = job(&admin, "Nurse").await;
    admin.post(USERS, &form("rowan@larkfield.example", &nurse)).await.ok();
    let (_, _, stranger) = practice(&app, "summit").await;
    assert_eq!(stranger.get(USERS).await.ok()["totalCount"], 1);

    let list = admin.get(USERS).await.ok();
    assert_eq!(names(&list)[..4], ["Rowan", "owen", "Rosa", "Priya"]);
    assert_eq!(
        (&list["totalCount"], &list["allowedUsers"], &list["numberOfUsers"]),
        (&json!(6), &json!(-1), &json!(5))
    );
    let of = async |query: &str| names(&admin.get(&format!("{USERS}?{query}")).await.ok());
    assert_eq!(of("search=nanda%20PRI").await, ["Priya"]);
    assert_eq!(of("search=Nandakumar,%20Priya").await, ["Priya"]);
    assert_eq!(of("search=rowan@lark").await, ["Rowan"]);
    assert_eq!(of("search=100%25").await, ["Zoë"]);
    assert_eq!(of("search=_100").await, ["Zoë"]);
    assert_eq!(of("search=r_sa").await, [""; 0]);
    assert_eq!(of("roleName=Administrator").await, ["Dana"]);
    assert_eq!(of("status=Disabled").await, ["Rosa"]);
    assert_eq!(of("status=Invited").await, ["Rowan"]);
    assert_eq!(of("status=Active&roleName=User").await.len(), 3);
    assert_eq!(of("sort=%7B%22by%22:%22roleName%22%7D&pageSize=1").await, ["Dana"]);
    let backwards = of("sort=%7B%22by%22:%22name%22,%22dir%22:%22desc%22%7D").await;
    assert_eq!(backwards, ["Zoë", "Dana", "Priya", "Rosa", "owen", "Rowan"]);
    assert_eq!(of("pageSize=4&page=2").await.len(), 2);
    assert_eq!(of("size=4&page=2").await.len(), 2, "under either name");
    for wrong in [
        "deleted=true",
        "includeNetwork=true",
        "sort=userName",
        "sort=%7B%22by%22:%22password_hash%22%7D",
        "roleName=SysAdmin",
        "pageSize=101",
        "page=0",
    ] {
        admin.get(&format!("{USERS}?{wrong}")).await.problem(400);
    }
    app.signed_in(Role::User, &larkfield).await.get(USERS).await.problem(403);
    app.finish().await;
}

#[tokio::test]
async fn saving_a_user_keeps_what_belongs_to_the_person() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, _, admin) = practice(&app, "larkfield").await;
    let user = app.user(Role::User, &larkfield).await;
    let theirs = app.browser_of(&user).await;
    let nurse = job(&admin, "Nurse").await;
    let change = json!({ "firstName": "Prya", "phoneNumber": "555-010-0101", "jobFunctionId": nurse });
    let saved = save(&admin, &path(&user), change).await.ok();
    assert_eq!((&saved["firstName"], &saved["phoneNumber"]), (&json!("Prya"), &json!("5550100101")));
    assert_eq!((&saved["primaryJobFunction"], &saved["jobFunctionId"]), (&json!("Nurse"), &json!(nurse)));
    theirs.get("/api/users/profiledata").await.ok();
    let mut stale = saved.clone();
    stale["version"] = json!(1);
    assert_eq!(
        admin.put(&path(&user), &stale).await.problem(409)["message"],
        "Somebody else has changed this user since you opened it."
    );
    stale["version"] = Value::Null;
    admin.put(&path(&user), &stale).await.problem(422);
    let problem =
        save(&admin, &path(&user), json!({ "userName": "other@larkfield.example" })).await.problem(422);
    assert_eq!(
        problem["modelState"]["userName"][0],
        "The user name can be changed only until the invitation is accepted."
    );
    // A new role applies after signing in again.
    let saved = save(&admin, &path(&user), json!({ "roleName": "Administrator" })).await.ok();
    assert_eq!(saved["isOrgAdmin"], true);
    theirs.get("/api/users/profiledata").await.problem(401);
    app.browser_of(&user).await.get(USERS).await.ok();

    let summit = app.organization("summit").await;
    app.join(user.id, &summit, "User").await;
    assert_eq!(admin.get(&path(&user)).await.ok()["canChangePerson"], false);
    let problem = save(&admin, &path(&user), json!({ "firstName": "Someone" })).await.problem(422);
    let text = "Only this person can change this, in their own profile.";
    assert_eq!(problem["modelState"], json!({ "firstName": [text] }));
    save(&admin, &path(&user), json!({ "roleName": "User" })).await.ok();
    let (_, _, stranger) = practice(&app, "bayline").await;
    let form = admin.get(&path(&user)).await.ok();
    stranger.put(&path(&user), &form).await.problem(404);
    app.signed_in(Role::User, &larkfield).await.put(&path(&user), &form).await.problem(403);
    app.finish().await;
}

#[tokio::test]
async fn another_user_name_before_the_invitation_is_accepted_sends_it_again() {
    let app = TestApp::start(Db::sqlite()).await;
    let (_, somebody, admin) = practice(&app, "larkfield").await;
    let nurse = job(&admin, "Nurse").await;
    let created = admin.post(USERS, &form("rowen@larkfield.example", &nurse)).await.ok();
    let first = newest(&app, "rowen@larkfield.example").await.token();
    let place = format!("{USERS}/{}", id(&created));
    let problem = save(&admin, &place, json!({ "userName": somebody.user_name })).await.problem(422);
    assert_eq!(problem["modelState"]["userName"][0], "Username already exists");
    let saved = save(&admin, &place, json!({ "userName": "rowan@larkfield.example" })).await.ok();
    assert_eq!(saved["email"], "rowan@larkfield.example");
    let set = async |token: String| {
        let body = json!({ "token": token, "password": NEW });
        app.client().post("/api/account/password/set", &body).await
    };
    set(first).await.problem(409);
    let second = newest(&app, "rowan@larkfield.example").await.token();
    assert_eq!(set(second).await.status, 204);
    app.client().sign_in("rowan@larkfield.example", NEW).await.ok();
    app.finish().await;
}

/// The sign-in provider is listed as an application of the account until it is removed.
///
/// MSG-C-057, MSG-C-121, SES-C-025
#[tokio::test]
async fn whoever_signs_in_by_a_provider_has_accepted() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, _, admin) = practice(&app, "larkfield").await;
    let nurse = job(&admin, "Nurse").await;
    let created = admin.post(USERS, &form("rowan@larkfield.example", &nurse)).await.ok();
    let (connection_id, now) = (Uuid::now_v7(), app.clock.now());
    let connection = sso_connection::ActiveModel {
        id: Set(connection_id),
        organization_id: Set(larkfield.id),
        name: Set("larkfield-ehr".into()),
        issuer: Set("https://login.larkfield.example".into()),
        client_id: Set("carepost".into()),
        sealed_secret: Set(None),
        is_enabled: Set(true),
        acr_values: Set(String::new()),
        max_age_minutes: Set(None),
        created_at: Set(now),
        modified_at: Set(now),
        version: Set(1),
    };
    let identity = sso_identity::ActiveModel {
        connection_id: Set(connection_id),
        subject: Set("248289761001".into()),
        user_id: Set(id(&created).parse().expect("an id")),
        created_at: Set(now),
        last_used_at: Set(now),
    };
    let db = app.store.db();
    sso_connection::Entity::insert(connection).exec_without_returning(db).await.expect("a connection");
    sso_identity::Entity::insert(identity).exec_without_returning(db).await.expect("a link");
    let place = format!("{USERS}/{}", id(&created));
    let found = admin.get(&place).await.ok();
    assert_eq!((&found["status"], &found["canChangeUserName"]), (&json!("Active"), &json!(false)));
    let of = async |query: &str| names(&admin.get(&format!("{USERS}?{query}")).await.ok()).len();
    assert_eq!((of("status=Invited").await, of("status=Active").await), (0, 2));
    save(&admin, &place, json!({ "userName": "other@larkfield.example" })).await.problem(422);

    let (_, _, stranger) = practice(&app, "summit").await;
    let grants = format!("/api/codegrants?userId={}", id(&created));
    stranger.get(&grants).await.problem(404);
    let granted = admin.get(&format!("{grants}&integrationType=SingleSignOn")).await.ok();
    assert_eq!(granted["items"][0]["id"], json!(connection_id));
    assert_eq!(granted["items"][0]["name"], "larkfield-ehr");
    assert_eq!(admin.get(&format!("{grants}&integrationType=Webhooks")).await.ok()["items"], json!([]));
    admin.get(&format!("{grants}&integrationType=Nonsense")).await.problem(400);
    assert_eq!(admin.get("/api/codegrants").await.ok()["items"], json!([]), "one's own");
    let application = format!("{place}/applications/{connection_id}");
    stranger.delete(&application).await.problem(404);
    assert_eq!(admin.delete(&application).await.status, 204);
    admin.delete(&application).await.problem(404);
    assert_eq!(admin.get(&grants).await.ok()["items"], json!([]));
    app.finish().await;
}

#[tokio::test]
async fn whoever_is_disabled_is_out_at_once_and_comes_back_when_enabled() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, _, admin) = practice(&app, "larkfield").await;
    let user = app.user(Role::User, &larkfield).await;
    let (desk, phone) = (app.browser_of(&user).await, app.browser_of(&user).await);
    admin.post("/api/users/resetpassword", &json!({ "id": user.id })).await.ok();
    let token = newest(&app, &user.user_name).await.token();
    let enable =
        async |on: bool| admin.post(&format!("{}/enable?enable={on}", path(&user)), &json!({})).await;
    assert_eq!(enable(false).await.status, 204);
    for client in [&desk, &phone] {
        client.get("/api/users/profiledata").await.problem(401);
        client.renew().await.problem(401);
    }
    app.client().post("/api/account/password/link", &json!({ "token": token })).await.problem(409);
    app.client().sign_in(&user.user_name, PASSWORD).await.problem(401);
    let problem = admin.post("/api/users/resetpassword", &json!({ "id": user.id })).await.problem(409);
    assert_eq!(problem["message"], "This account is disabled.");
    let found = admin.get(&path(&user)).await.ok();
    assert_eq!((&found["status"], &found["isDisabled"]), (&json!("Disabled"), &json!(true)));
    assert!(found["disabledDateTime"].is_string());
    assert_eq!(enable(false).await.status, 204, "what is done already changes nothing");
    let colleagues = admin.get("/api/users/assignable").await.ok();
    assert!(!colleagues.to_string().contains(&user.id.to_string()));
    assert_eq!(enable(true).await.status, 204);
    app.client().sign_in(&user.user_name, PASSWORD).await.ok();
    assert_eq!(acts(&app, event::CHANGED, &user.id.to_string()).await, 2);
    admin.post(&format!("{}/enable", path(&user)), &json!({})).await.problem(400);
    let (_, _, stranger) = practice(&app, "summit").await;
    stranger.post(&format!("{}/enable?enable=false", path(&user)), &json!({})).await.problem(404);
    let row = app_user::ActiveModel { id: Set(user.id), is_disabled: Set(true), ..Default::default() };
    row.update(app.store.db()).await.expect("somebody whom the operator disabled");
    assert_eq!(
        enable(true).await.problem(409)["message"],
        "This account was disabled by the operator of this installation."
    );
    app.finish().await;
}

#[tokio::test]
async fn somebody_of_two_organizations_is_disabled_in_one_only() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, _, admin) = practice(&app, "larkfield").await;
    let summit = app.organization("summit").await;
    let user = app.user(Role::User, &larkfield).await;
    app.join(user.id, &summit, "User").await;
    let (here, there) = (app.browser_of(&user).await, app.browser_of(&user).await);
    let to = |organization: &Organization| json!({ "orgId": organization.id });
    here.post("/api/account/change", &to(&larkfield)).await.ok();
    there.post("/api/account/change", &to(&summit)).await.ok();
    admin.post(&format!("{}/enable?enable=false", path(&user)), &json!({})).await.ok();
    here.get("/api/users/profiledata").await.problem(401);
    let profile = there.get("/api/users/profiledata").await.ok();
    assert_eq!(profile["organizations"].as_array().expect("places").len(), 1);
    assert_ne!(there.post("/api/account/change", &to(&larkfield)).await.ok()["data"], json!(true));
    app.browser_of(&user).await;
    app.finish().await;
}

#[tokio::test]
async fn an_administrator_neither_disables_nor_demotes_oneself() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, admin_user, admin) = practice(&app, "larkfield").await;
    app.user(Role::Admin, &larkfield).await;
    let answer = admin.post(&format!("{}/enable?enable=false", path(&admin_user)), &json!({})).await;
    assert_eq!(answer.problem(409)["message"], "You cannot disable your own account.");
    let problem = save(&admin, &path(&admin_user), json!({ "roleName": "User" })).await.problem(422);
    assert_eq!(
        problem["modelState"]["roleName"][0],
        "You cannot change your own role. Please ask another administrator."
    );
    save(&admin, &path(&admin_user), json!({ "lastName": "Whitfield" })).await.ok();
    app.finish().await;
}

async fn of_two_administrators_who_demote_each_other_one_stays(db: Db) {
    let app = TestApp::start(db).await;
    let (larkfield, first, mine) = practice(&app, "larkfield").await;
    let second = app.user(Role::Admin, &larkfield).await;
    let theirs = app.browser_of(&second).await;
    let (of_second, of_first) = (path(&second), path(&first));
    let demoted = json!({ "roleName": "User" });
    // Both are read first, because a demoted person can no longer read.
    let second_demoted = changed(&mine, &of_second, demoted.clone()).await;
    let first_demoted = changed(&theirs, &of_first, demoted).await;
    let (one, other) =
        futures::future::join(mine.put(&of_second, &second_demoted), theirs.put(&of_first, &first_demoted))
            .await;
    assert!(one.status.is_success() != other.status.is_success(), "{} {}", one.text(), other.text());
    let left = membership::Entity::find()
        .filter(membership::Column::OrganizationId.eq(larkfield.id))
        .filter(membership::Column::Role.eq("Administrator"));
    assert_eq!(left.count(app.store.db()).await.expect("a count"), 1);
    app.finish().await;
}

#[tokio::test]
async fn the_plan_has_room_for_so_many_and_no_more() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, _, admin) = practice(&app, "larkfield").await;
    let user = app.user(Role::User, &larkfield).await;
    let nurse = job(&admin, "Nurse").await;
    let invited = ["a", "b", "c", "d"].map(|name| form(&format!("{name}@larkfield.example"), &nurse));
    let answers = futures::future::join_all(invited.iter().map(|form| admin.post(USERS, form))).await;
    let taken = answers.iter().filter(|a| a.status == 201).count();
    assert_eq!(taken, 1, "the Free plan has room for three, however many come at once");
    let text =
        "Your plan (Free) has room for 3 users. Please disable somebody or choose a larger plan first.";
    let refused = answers.into_iter().find(|a| a.status != 201).expect("a refusal");
    assert_eq!(refused.problem(409)["message"], text);
    // A disabled person does not count, and can only be enabled within the limit.
    let enable =
        async |on: bool| admin.post(&format!("{}/enable?enable={on}", path(&user)), &json!({})).await;
    assert_eq!(enable(false).await.status, 204);
    admin.post(USERS, &form("e@larkfield.example", &nurse)).await.ok();
    assert_eq!(enable(true).await.problem(409)["message"], text);
    plan_of(&app, &larkfield, -1).await;
    assert_eq!(enable(true).await.status, 204);
    for name in ["f", "g", "h"] {
        admin.post(USERS, &form(&format!("{name}@larkfield.example"), &nurse)).await.ok();
    }
    let list = admin.get(USERS).await.ok();
    assert_eq!((&list["allowedUsers"], &list["numberOfUsers"]), (&json!(-1), &json!(7)));
    app.finish().await;
}

/// SES-C-015, SES-C-022, SES-C-024, SES-R-330
#[tokio::test]
async fn users_see_themselves_and_nobody_else() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, admin_user, admin) = practice(&app, "larkfield").await;
    let user = app.user(Role::User, &larkfield).await;
    let client = app.browser_of(&user).await;
    let (_, _, stranger) = practice(&app, "summit").await;
    for tail in
        ["", "/rules", "/requests", "/events", "/events/type", "/events/signatures", "/documentsources"]
    {
        client.get(&format!("{}{tail}", path(&user))).await.ok();
        client.get(&format!("{}{tail}", path(&admin_user))).await.problem(404);
        client.get(&format!("{USERS}/{}{tail}", Uuid::now_v7())).await.problem(404);
        admin.get(&format!("{}{tail}", path(&user))).await.ok();
        stranger.get(&format!("{}{tail}", path(&user))).await.problem(404);
    }
    client.get(&format!("{USERS}/nobody")).await.problem(404);
    for tail in ["/requests", "/events/signatures"] {
        let list = format!("{}{tail}", path(&user));
        assert_eq!(client.get(&format!("{list}?pageSize=5&pageStart=3")).await.ok()["items"], json!([]));
        client.get(&format!("{list}?pageSize=101")).await.problem(400);
        client.get(&format!("{list}?pageStart=0")).await.problem(400);
    }
    app.finish().await;
}

/// An administrator removes people from the organization. Without another organization, the account is
/// deleted, so that the user name is free again.
#[tokio::test]
async fn a_removed_user_is_gone_and_the_user_name_is_free_again() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, admin_user, admin) = practice(&app, "larkfield").await;
    let (summit, _, stranger) = practice(&app, "summit").await;
    let nurse = job(&admin, "Nurse").await;
    let user = admin.post(USERS, &form("a@larkfield.example", &nurse)).await.ok();
    let path_of = |id: &Value| format!("{USERS}/{}", id.as_str().expect("an id"));
    stranger.delete(&path_of(&user["id"])).await.problem(404);
    admin.delete(&path(&admin_user)).await.problem(409);
    assert_eq!(admin.delete(&path_of(&user["id"])).await.status, 204);
    admin.get(&path_of(&user["id"])).await.problem(404);
    admin.post(USERS, &form("a@larkfield.example", &nurse)).await.ok();

    let elsewhere = app.user(Role::User, &larkfield).await;
    app.join(elsewhere.id, &summit, "User").await;
    assert_eq!(admin.delete(&path(&elsewhere)).await.status, 204);
    admin.get(&path(&elsewhere)).await.problem(404);
    stranger.get(&path(&elsewhere)).await.ok();
    app.finish().await;
}

#[tokio::test]
async fn document_sources_are_given_and_taken_away() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, _, admin) = practice(&app, "larkfield").await;
    let (records, referrals) =
        (app.source(&larkfield, "records").await, app.source(&larkfield, "referrals").await);
    let user = app.user(Role::User, &larkfield).await;
    let theirs = app.browser_of(&user).await;
    let sources = format!("{}/documentsources", path(&user));
    let all = admin.get(&sources).await.ok();
    let assigned = |list: &Value| -> Vec<String> {
        let items = list["items"].as_array().expect("a list").iter();
        items
            .filter(|s| s["isAssigned"] == true)
            .map(|s| s["fullAddress"].as_str().expect("one").to_owned())
            .collect()
    };
    assert_eq!((all["items"].as_array().expect("a list").len(), assigned(&all).len()), (2, 0));
    assert_eq!(theirs.get(&sources).await.ok()["items"], json!([]));
    let link = |id: Uuid| json!({ "organizationId": larkfield.id, "documentSourceId": id });
    let both = json!([link(records.id), link(referrals.id), link(records.id)]);
    assert_eq!(assigned(&admin.put(&sources, &both).await.ok()).len(), 2);
    let mine = theirs.get("/api/documentsources/release").await.ok();
    assert_eq!(mine["items"].as_array().expect("a list").len(), 2);
    assert_eq!(assigned(&admin.put(&sources, &json!([link(referrals.id)])).await.ok()), [referrals.address]);
    admin.put(&sources, &json!([link(referrals.id)])).await.ok();
    assert_eq!(acts(&app, event::CHANGED, &user.id.to_string()).await, 2, "what changes nothing is no act");

    let summit = app.organization("summit").await;
    let foreign = app.source(&summit, "records").await;
    let gone = app.source(&larkfield, "gone").await;
    let row = document_source::ActiveModel {
        id: Set(gone.id),
        status: Set(SourceStatus::Deleted),
        ..Default::default()
    };
    row.update(app.store.db()).await.expect("a deleted source");
    let elsewhere = json!({ "organizationId": summit.id, "documentSourceId": foreign.id });
    let mixed = json!({ "organizationId": summit.id, "documentSourceId": records.id });
    for wrong in [elsewhere, mixed, link(foreign.id), link(gone.id), link(Uuid::now_v7())] {
        let problem = admin.put(&sources, &json!([link(records.id), wrong])).await.problem(422);
        let text = "Please enter a valid value for this field.";
        assert_eq!(problem["modelState"], json!({ "documentSourceId": [text] }));
    }
    admin.put(&sources, &json!({ "documentSourceId": records.id })).await.problem(400);
    theirs.put(&sources, &json!([link(records.id)])).await.problem(403);
    let (_, _, stranger) = practice(&app, "bayline").await;
    stranger.put(&sources, &json!([])).await.problem(404);
    let left = user_document_source::Entity::find().filter(user_document_source::Column::UserId.eq(user.id));
    assert_eq!(left.count(app.store.db()).await.expect("a count"), 1);
    app.finish().await;
}

/// SES-C-025, SES-C-028, SES-R-336
#[tokio::test]
async fn an_administrator_says_which_intake_rules_assign_to_somebody() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, _, admin) = practice(&app, "larkfield").await;
    let (_, _, stranger) = practice(&app, "bayline").await;
    let user = app.user(Role::User, &larkfield).await;
    let rules = format!("{}/intakerules", path(&user));
    let made = admin.post("/api/settings/intakerules", &json!({ "name": "Labs", "stops": true })).await.ok();
    let theirs =
        stranger.post("/api/settings/intakerules", &json!({ "name": "Labs", "stops": true })).await.ok();
    let link = |rule: &Value| json!([{ "organizationId": larkfield.id, "intakeRuleId": rule["id"] }]);
    let saved = admin.put(&rules, &link(&made)).await.ok();
    let listed = json!([{ "organizationId": larkfield.id, "intakeRuleId": made["id"], "name": "Labs" }]);
    assert_eq!(saved["items"], listed);
    assert_eq!(admin.get(&format!("{}/rules", path(&user))).await.ok()["items"], listed);
    let rule =
        admin.get(&format!("/api/settings/intakerules/{}", made["id"].as_str().expect("an id"))).await.ok();
    assert_eq!(rule["people"], json!([user.id]));
    let problem = admin.put(&rules, &link(&theirs)).await.problem(422);
    assert_eq!(problem["modelState"]["intakeRuleId"][0], "This intake rule does not exist.");
    stranger.put(&rules, &json!([])).await.problem(404);
    assert_eq!(admin.put(&rules, &json!([])).await.ok()["items"], json!([]));
    admin.delete(&format!("{}/applications/{}", path(&user), Uuid::now_v7())).await.problem(404);
    app.finish().await;
}

/// SES-C-029, SES-C-030, SES-R-337, SES-R-338
#[tokio::test]
async fn an_operator_assigns_people_to_organizations() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, admin_user, admin) = practice(&app, "larkfield").await;
    let (summit, summit_admin, _) = practice(&app, "summit").await;
    let source = app.source(&summit, "records").await;
    let user = app.user(Role::User, &larkfield).await;
    let theirs = app.browser_of(&user).await;
    let operator = app.user(Role::SysAdmin, &larkfield).await;
    let ops = app.browser_of(&operator).await;
    let place = "/api/admin/users/organizations";
    let nurse = job(&ops, "Nurse").await;
    let body =
        json!({ "userId": user.id, "organizationId": summit.id, "role": "User", "jobFunctionId": nurse });
    admin.post(place, &body).await.problem(403);
    let added = ops.post(place, &body).await.ok();
    assert_eq!((&added["name"], &added["primaryJobFunction"]), (&json!("summit practice"), &json!("Nurse")));
    let told = newest(&app, &summit_admin.user_name).await;
    assert!(told.text.contains(&user.user_name) && told.text.contains("with the role User"), "{}", told.text);
    assert_eq!(
        ops.post(place, &body).await.problem(409)["message"],
        "This person is already assigned to the organization."
    );
    for field in ["userId", "organizationId", "jobFunctionId"] {
        let mut wrong = body.clone();
        wrong[field] = json!(Uuid::now_v7());
        assert!(ops.post(place, &wrong).await.problem(422)["modelState"][field].is_array(), "{field}");
    }
    let mut other = body.clone();
    other["userId"] = json!(operator.id);
    ops.post(place, &other).await.problem(409);
    app.link(&user, &source).await;
    let switch = json!({ "orgId": summit.id });
    assert_eq!(theirs.post("/api/account/change", &switch).await.ok()["data"], true);

    let removal = json!({ "userId": user.id, "organizationId": summit.id });
    assert_eq!(ops.put(place, &removal).await.status, 204);
    theirs.get("/api/users/profiledata").await.problem(401);
    ops.put(place, &removal).await.problem(404);
    let links = user_document_source::Entity::find().filter(user_document_source::Column::UserId.eq(user.id));
    assert_eq!(links.count(app.store.db()).await.expect("a count"), 0);
    app.browser_of(&user).await;
    let entries = audit_entry::Entity::find()
        .filter(audit_entry::Column::OrganizationId.eq(summit.id))
        .filter(audit_entry::Column::ObjectId.eq(user.id.to_string()))
        .filter(audit_entry::Column::EventType.eq(event::CHANGED))
        .order_by_asc(audit_entry::Column::Seq);
    assert_eq!(entries.count(app.store.db()).await.expect("a count"), 2);
    let last = json!({ "userId": admin_user.id, "organizationId": larkfield.id });
    let problem = ops.put(place, &last).await.problem(409);
    assert_eq!(problem["message"], "An organization needs an administrator who can sign in.");
    let closed = session::Entity::find().filter(session::Column::UserId.eq(admin_user.id));
    let open = closed.filter(session::Column::RevokedAt.is_null());
    assert_eq!(open.count(app.store.db()).await.expect("a count"), 1, "a refusal ends no session");
    app.finish().await;
}

#[tokio::test]
async fn without_a_mail_server_nobody_is_invited() {
    let configure = |config: &mut Config| {
        config.mode = Mode::Production;
        config.session.require_second_factor = Some(false);
    };
    let app = TestApp::start_with(
        Db::sqlite(),
        Options { configure: Some(Box::new(configure)), ..Options::default() },
    )
    .await;
    let (_, _, admin) = practice(&app, "larkfield").await;
    let nurse = job(&admin, "Nurse").await;
    let problem = admin.post(USERS, &form("rowan@larkfield.example", &nurse)).await.problem(409);
    assert_eq!(
        problem["message"],
        "No link can be sent, because this installation has no mail server configured."
    );
    assert_eq!(admin.get(USERS).await.ok()["totalCount"], 1);
    app.finish().await;
}

#[tokio::test]
async fn the_password_of_an_operator_is_not_managed_by_a_practice() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, _, admin) = practice(&app, "larkfield").await;
    let operator = app.user(Role::SysAdmin, &larkfield).await;
    app.join(operator.id, &larkfield, "User").await;
    let body = json!({ "id": operator.id });
    let text = "This account is managed by the operator of this installation.";
    assert_eq!(admin.post("/api/users/resetpassword", &body).await.problem(409)["message"], text);
    assert_eq!(
        admin
            .delete(&format!("{}/authenticators?identityProof=InPerson", path(&operator)))
            .await
            .problem(409)["message"],
        text
    );
    assert!(mails(&app, &operator.user_name).await.is_empty());
    app.finish().await;
}
