//! Networks, their members, and systems with service accounts.

use chrono::Duration;
use platform::{Config, Role, audit::event, session};
use reqwest::Method;
use sea_orm::{ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter, QueryOrder};
use serde_json::{Value, json};
use store::entities::{app_user, audit_entry, network_feature, organization, service_account};
use testkit::{Answer, Client, Db, Options, Organization, TestApp, User};
use uuid::Uuid;

testkit::on_both_databases! {
    networks_are_created_renamed_and_found_by_how_their_name_begins,
    the_organizations_of_a_network_are_listed_and_searched,
}

const HOME: &str = "192.0.2.7";
const AWAY: &str = "198.51.100.1";

/// An application behind a proxy, so that a request may come from any address.
async fn behind_a_proxy(db: Db) -> TestApp {
    let configure = |config: &mut Config| {
        config.http.trusted_proxies = vec!["127.0.0.0/8".to_owned().try_into().expect("a network")];
    };
    TestApp::start_with(db, Options { configure: Some(Box::new(configure)), ..Options::default() }).await
}

async fn operator(app: &TestApp) -> Client {
    let home = app.organization(&format!("home-{}", Uuid::new_v4().simple())).await;
    app.signed_in(Role::SysAdmin, &home).await
}

/// A new network and its administrator.
async fn administrator(app: &TestApp, home: &Organization) -> (User, Client, Uuid) {
    let user = app.user(Role::NetAdmin, home).await;
    let row = user_row(app, user.id).await;
    let client = app.browser_of(&user).await;
    (user, client, row.network_admin_of.expect("a network"))
}

async fn user_row(app: &TestApp, id: Uuid) -> app_user::Model {
    app_user::Entity::find_by_id(id).one(app.store.db()).await.expect("users").expect("a user")
}

fn at(network: impl std::fmt::Display) -> String {
    format!("/api/networks/{network}")
}

fn admin_at(network: impl std::fmt::Display) -> String {
    format!("/api/admin/networks/{network}")
}

async fn create(ops: &Client, name: &str) -> Value {
    let answer = ops.post("/api/networks", &json!({ "name": name })).await;
    let location = answer.header("location");
    let created = answer.ok();
    assert_eq!(location, at(created["id"].as_str().expect("an id")));
    created
}

fn names(list: &Value) -> Vec<&str> {
    list["items"].as_array().expect("items").iter().map(|i| i["name"].as_str().expect("a name")).collect()
}

fn texts<'a>(problem: &'a Value, field: &str) -> Vec<&'a str> {
    problem["modelState"][field].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Audit entries of the platform about an object, oldest first: event, details, and success.
async fn audited(app: &TestApp, object_id: &str) -> Vec<(String, Value, bool)> {
    let rows = audit_entry::Entity::find()
        .filter(audit_entry::Column::ObjectId.eq(object_id))
        .filter(audit_entry::Column::OrganizationId.is_null())
        .order_by_asc(audit_entry::Column::Seq)
        .all(app.store.db())
        .await
        .expect("the trail");
    assert!(platform::audit::verify(app.store.db()).await.expect("a check").is_empty());
    let entry = |r: audit_entry::Model| {
        (r.event_type, serde_json::from_str(&r.detail).expect("JSON"), r.outcome == "Success")
    };
    rows.into_iter().map(entry).collect()
}

/// SES-C-054 SES-C-055 SES-C-056 SES-C-057 SES-C-060
async fn networks_are_created_renamed_and_found_by_how_their_name_begins(db: Db) {
    let app = TestApp::start(db).await;
    let ops = operator(&app).await;
    let created = create(&ops, "  Northwind Alliance ").await;
    assert_eq!((&created["name"], &created["version"]), (&json!("Northwind Alliance"), &json!(1)));
    for name in ["atlas Care", "Atlas Labs", "Zephyr_100%", "Zephyr"] {
        create(&ops, name).await;
    }
    let all = ops.get("/api/networks?page=1&size=2").await.ok();
    assert_eq!((names(&all), &all["totalCount"]), (vec!["atlas Care", "Atlas Labs"], &json!(5)));
    let last = ops.get("/api/networks?page=3&size=2").await.ok();
    assert_eq!(names(&last), ["Zephyr_100%"]);
    for (search, expected) in [
        ("ATLAS", vec!["atlas Care", "Atlas Labs"]),
        ("zephyr_1", vec!["Zephyr_100%"]),
        ("zephyr%25", vec![]),
        ("las", vec![]),
        ("%27%3B--", vec![]),
    ] {
        let found = ops.get(&format!("/api/networks?search={search}")).await.ok();
        assert_eq!(names(&found), expected, "{search}");
    }
    ops.get("/api/networks?size=101").await.problem(400);
    ops.get("/api/networks?search=a%00").await.problem(400);
    let id = created["id"].as_str().expect("an id");
    let renamed = ops.put(&at(id), &json!({ "name": "Northwind", "version": 1 })).await.ok();
    assert_eq!((&renamed["name"], &renamed["version"]), (&json!("Northwind"), &json!(2)));
    assert_eq!(ops.get(&at(id)).await.ok(), renamed);
    let overview = ops.get(&admin_at(id)).await.ok();
    assert_eq!(
        (&overview["organizationCount"], &overview["adminCount"], &overview["hasServiceAccount"]),
        (&json!(0), &json!(0), &json!(false))
    );
    let change = json!({ "before": { "name": "Northwind Alliance" }, "after": { "name": "Northwind" } });
    assert_eq!(
        audited(&app, id).await,
        [
            (event::CREATED.into(), json!({ "name": "Northwind Alliance" }), true),
            (event::CHANGED.into(), change, true)
        ]
    );
    app.finish().await;
}

#[tokio::test]
async fn a_name_is_checked_and_belongs_to_one_network() {
    let app = TestApp::start(Db::sqlite()).await;
    let ops = operator(&app).await;
    let first = create(&ops, "Northwind").await;
    let other = create(&ops, "Southwind").await;
    for name in ["", "ab", "Line\nbreak", "Null\u{0}byte", &"n".repeat(101)] {
        let problem = ops.post("/api/networks", &json!({ "name": name })).await.problem(422);
        assert_eq!(texts(&problem, "name"), ["Please enter a name of 3 to 100 characters."]);
    }
    for taken in ["northwind", " NORTHWIND "] {
        let text = "Another network has this name. Please enter a different one.";
        let problem = ops.post("/api/networks", &json!({ "name": taken })).await.problem(422);
        assert_eq!(texts(&problem, "name"), [text]);
        let path = at(other["id"].as_str().expect("an id"));
        let problem = ops.put(&path, &json!({ "name": taken, "version": 1 })).await.problem(422);
        assert_eq!(texts(&problem, "name"), [text]);
    }
    let own = at(first["id"].as_str().expect("an id"));
    ops.put(&own, &json!({ "name": "NorthWind", "version": 1 })).await.ok();
    create(&ops, "<img src=x onerror=alert(1)>").await;
    ops.post("/api/networks", &json!({ "name": 7 })).await.problem(422);
    ops.get(&at("not-an-id")).await.problem(404);
    ops.get(&at(Uuid::now_v7())).await.problem(404);
    ops.get(&admin_at(Uuid::now_v7())).await.problem(404);
    app.finish().await;
}

#[tokio::test]
async fn a_network_is_not_written_over_by_who_has_not_seen_the_change() {
    let app = TestApp::start(Db::sqlite()).await;
    let ops = operator(&app).await;
    let path = at(create(&ops, "Northwind").await["id"].as_str().expect("an id"));
    ops.put(&path, &json!({ "name": "Eastwind", "version": 1 })).await.ok();
    ops.put(&path, &json!({ "name": "Westwind", "version": 1 })).await.problem(409);
    assert_eq!(ops.get(&path).await.ok()["name"], "Eastwind");
    app.finish().await;
}

/// SES-C-058
#[tokio::test]
async fn a_network_with_organizations_is_not_deleted() {
    let app = TestApp::start(Db::sqlite()).await;
    let ops = operator(&app).await;
    let larkfield = app.organization("larkfield").await;
    let id = create(&ops, "Northwind").await["id"].as_str().expect("an id").to_owned();
    let members = format!("{}/organizations", admin_at(&id));
    ops.post(&members, &json!({ "organizationId": larkfield.id })).await.ok();
    let problem = ops.delete(&at(&id)).await.problem(409);
    assert_eq!(
        problem["message"],
        "This network still has organizations. Please remove them from the network before you delete it."
    );
    // A deleted organization no longer prevents the deletion.
    ops.delete(&format!("/api/organizations/{}", larkfield.id)).await.ok();
    ops.delete(&at(&id)).await.ok();
    ops.get(&at(&id)).await.problem(404);
    ops.delete(&at(&id)).await.problem(404);
    app.finish().await;
}

#[tokio::test]
async fn a_deleted_network_leaves_nobody_with_its_role() {
    let app = TestApp::start(Db::sqlite()).await;
    let ops = operator(&app).await;
    let home = app.organization("larkfield").await;
    let (user, admin, id) = administrator(&app, &home).await;
    let system = app.service(id).await;
    features(&app, id).await;
    system.get(&at(id)).await.ok();
    ops.delete(&at(id)).await.ok();
    admin.get("/api/users/profiledata").await.problem(401);
    system.get("/api/networks").await.problem(401);
    assert_eq!(user_row(&app, user.id).await.network_admin_of, None);
    let entries = audited(&app, &id.to_string()).await;
    let (event, detail, succeeded) = entries.last().expect("an entry");
    assert_eq!((event.as_str(), &detail["sessions"], *succeeded), (event::DELETED, &json!(1), true));
    app.finish().await;
}

/// SES-C-062 SES-C-063
#[tokio::test]
async fn an_organization_is_in_one_network() {
    let app = TestApp::start(Db::sqlite()).await;
    let ops = operator(&app).await;
    let larkfield = app.organization("larkfield").await;
    let (one, other) = (create(&ops, "Northwind").await, create(&ops, "Southwind").await);
    let members =
        |network: &Value| format!("{}/organizations", admin_at(network["id"].as_str().expect("an id")));
    let body = json!({ "organizationId": larkfield.id });
    ops.post(&members(&one), &body).await.ok();
    let again = ops.post(&members(&one), &body).await.problem(422);
    assert_eq!(texts(&again, "organizationId"), ["This organization is already in this network."]);
    let elsewhere = ops.post(&members(&other), &body).await.problem(422);
    assert_eq!(
        texts(&elsewhere, "organizationId"),
        ["This organization is already in the network Northwind. Please remove it there first."]
    );
    let unknown = json!({ "organizationId": Uuid::now_v7() });
    let problem = ops.post(&members(&other), &unknown).await.problem(422);
    assert_eq!(texts(&problem, "organizationId"), ["Please choose an organization from the list."]);
    ops.post(&members(&other), &json!({ "organizationId": "larkfield" })).await.problem(422);
    ops.post(&members(&json!({ "id": Uuid::now_v7() })), &body).await.problem(404);
    let place = |network: &Value| format!("{}/{}", members(network), larkfield.id);
    ops.delete(&place(&other)).await.problem(404);
    ops.delete(&place(&one)).await.ok();
    ops.delete(&place(&one)).await.problem(404);
    ops.post(&members(&other), &body).await.ok();
    let id = one["id"].as_str().expect("an id");
    let added = json!({ "organizationAdded": larkfield.id });
    assert_eq!(audited(&app, id).await[1], (event::CHANGED.into(), added, true));
    let of_organization = audit_entry::Entity::find()
        .filter(audit_entry::Column::OrganizationId.eq(larkfield.id))
        .order_by_asc(audit_entry::Column::Seq)
        .all(app.store.db())
        .await
        .expect("the trail of the organization");
    let details: Vec<_> = of_organization.iter().map(|e| e.detail.as_str()).collect();
    assert_eq!(details[0], json!({ "networkJoined": one["id"] }).to_string());
    app.finish().await;
}

/// SES-C-061
async fn the_organizations_of_a_network_are_listed_and_searched(db: Db) {
    let app = TestApp::start(db).await;
    let home = app.organization("home").await;
    let (_, admin, id) = administrator(&app, &home).await;
    for name in ["alder", "birch", "beech"] {
        let organization = app.organization(name).await;
        join_network(&app, organization.id, id).await;
    }
    app.organization("bystander").await;
    let list = format!("{}/organizations", admin_at(id));
    let all = admin.get(&format!("{list}?size=2")).await.ok();
    assert_eq!((names(&all), &all["totalCount"]), (vec!["alder practice", "beech practice"], &json!(3)));
    assert_eq!(names(&admin.get(&format!("{list}?size=2&page=2")).await.ok()), ["birch practice"]);
    assert_eq!(
        names(&admin.get(&format!("{list}?search=B")).await.ok()),
        ["beech practice", "birch practice"]
    );
    assert_eq!(names(&admin.get(&format!("{list}?search=%25")).await.ok()), [""; 0]);
    let long = format!("{list}?search={}", "x".repeat(4000));
    admin.get(&long).await.problem(400);
    app.finish().await;
}

async fn join_network(app: &TestApp, organization_id: Uuid, network_id: Uuid) {
    let row = organization::ActiveModel {
        id: Set(organization_id),
        network_id: Set(Some(network_id)),
        ..Default::default()
    };
    row.update(app.store.db()).await.expect("an organization");
}

/// SES-C-064 SES-C-065
#[tokio::test]
async fn somebody_is_made_an_administrator_by_username_or_email() {
    let app = TestApp::start(Db::sqlite()).await;
    let ops = operator(&app).await;
    let larkfield = app.organization("larkfield").await;
    let id = create(&ops, "Northwind").await["id"].as_str().expect("an id").to_owned();
    let path = format!("{}/admins", admin_at(&id));
    let (priya, owen) = (app.user(Role::User, &larkfield).await, app.user(Role::User, &larkfield).await);
    set_email(&app, owen.id, "owen@elsewhere.example").await;
    let client = app.browser_of(&priya).await;
    client.get(&at(&id)).await.problem(403);
    let add = async |named: &str| ops.post(&path, &json!({ "userName": named })).await;
    let added = add(&format!("  {} ", priya.user_name.to_uppercase())).await.ok();
    assert_eq!((&added["id"], &added["fullName"]), (&json!(priya.id), &json!("Priya Nandakumar")));
    client.get(&at(&id)).await.ok();
    assert_eq!(client.get("/api/users/profiledata").await.ok()["administerOfNetworkObjectId"], json!(id));
    assert_eq!(add("owen@elsewhere.example").await.ok()["id"], json!(owen.id));
    let other = create(&ops, "Southwind").await["id"].as_str().expect("an id").to_owned();
    let twin = [app.user(Role::User, &larkfield).await, app.user(Role::User, &larkfield).await];
    for user in &twin {
        set_email(&app, user.id, "office@larkfield.example").await;
    }
    disable(&app, twin[1].id).await;
    for (named, text) in [
        (priya.user_name.as_str(), "This person is already an administrator of this network."),
        ("", "Please enter a username or an e-mail address."),
        ("nobody@carepost.example", "Nobody has this username or e-mail address."),
        ("null\0byte", "Please enter a username or an e-mail address."),
        (&"x".repeat(5000), "Please enter a username or an e-mail address."),
        ("office@larkfield.example", "Several people have this e-mail address. Please enter the username."),
        (&twin[1].user_name, "This person's account is disabled."),
    ] {
        let problem = add(named).await.problem(422);
        assert_eq!(texts(&problem, "userName"), [text], "{named}");
    }
    let elsewhere = ops
        .post(&format!("{}/admins", admin_at(&other)), &json!({ "userName": priya.user_name }))
        .await
        .problem(422);
    assert_eq!(
        texts(&elsewhere, "userName"),
        ["This person already administers another network. Each person can administer only one."]
    );
    let list = ops.get(&path).await.ok();
    assert_eq!(list["totalCount"], 2);
    let found = ops.get(&format!("{path}?search={}", &priya.user_name[..8].to_uppercase())).await.ok();
    assert_eq!((&found["totalCount"], &found["items"][0]["id"]), (&json!(1), &json!(priya.id)));
    app.finish().await;
}

async fn set_email(app: &TestApp, id: Uuid, email: &str) {
    let row = app_user::ActiveModel { id: Set(id), email: Set(email.into()), ..Default::default() };
    row.update(app.store.db()).await.expect("a user");
}

async fn disable(app: &TestApp, id: Uuid) {
    let row = app_user::ActiveModel { id: Set(id), is_disabled: Set(true), ..Default::default() };
    row.update(app.store.db()).await.expect("a user");
}

/// SES-C-066
#[tokio::test]
async fn who_is_an_administrator_no_more_is_out_at_once() {
    let app = TestApp::start(Db::sqlite()).await;
    let ops = operator(&app).await;
    let home = app.organization("larkfield").await;
    let (user, admin, id) = administrator(&app, &home).await;
    app.join(user.id, &home, session::ROLE_USER).await;
    let member = app.browser_of(&user).await;
    let (_, _, elsewhere) = administrator(&app, &home).await;
    ops.delete(&format!("{}/admins/{}", admin_at(elsewhere), user.id)).await.problem(404);
    ops.delete(&format!("{}/admins/{}", admin_at(id), user.id)).await.ok();
    admin.get(&at(id)).await.problem(401);
    member.get(&at(id)).await.problem(401);
    member.renew().await.problem(401);
    let again = app.browser_of(&user).await;
    assert_eq!(again.get("/api/users/profiledata").await.ok()["isNetworkAdmin"], false);
    again.get(&at(id)).await.problem(403);
    ops.delete(&format!("{}/admins/{}", admin_at(id), user.id)).await.problem(404);
    let entries = audited(&app, &id.to_string()).await;
    let removed = json!({ "administratorRemoved": user.id, "sessions": 2 });
    assert_eq!(entries, [(event::CHANGED.into(), removed, true)]);
    app.finish().await;
}

#[tokio::test]
async fn a_network_administrator_sees_their_own_network_only() {
    let app = TestApp::start(Db::sqlite()).await;
    let home = app.organization("larkfield").await;
    let (user, admin, id) = administrator(&app, &home).await;
    let (_, _, foreign) = administrator(&app, &home).await;
    let list = admin.get("/api/networks").await.ok();
    assert_eq!((&list["items"][0]["id"], &list["totalCount"]), (&json!(id), &json!(1)));
    admin.put(&at(id), &json!({ "name": "Renamed by its administrator", "version": 1 })).await.ok();
    for path in [
        at(foreign),
        format!("{}/features", at(foreign)),
        format!("{}/serviceaccounts", at(foreign)),
        format!("{}/organizations", admin_at(foreign)),
        format!("{}/admins", admin_at(foreign)),
    ] {
        admin.get(&path).await.problem(404);
    }
    admin.put(&at(foreign), &json!({ "name": "Taken over" })).await.problem(404);
    // Network administrators cannot change the members and administrators of their network.
    let organization = json!({ "organizationId": home.id });
    admin.post(&format!("{}/organizations", admin_at(id)), &organization).await.problem(403);
    admin.delete(&format!("{}/organizations/{}", admin_at(id), home.id)).await.problem(403);
    let person = json!({ "userName": user.user_name });
    admin.post(&format!("{}/admins", admin_at(id)), &person).await.problem(403);
    admin.delete(&format!("{}/admins/{}", admin_at(id), user.id)).await.problem(403);
    admin.delete(&at(id)).await.problem(403);
    admin.get(&admin_at(id)).await.problem(403);
    admin.post("/api/networks", &json!({ "name": "One more" })).await.problem(403);
    app.finish().await;
}

async fn features(app: &TestApp, network_id: Uuid) {
    let row = |position, name: &str, parent: Option<&str>, is_enabled| network_feature::ActiveModel {
        network_id: Set(network_id),
        name: Set(name.into()),
        parent: Set(parent.map(Into::into)),
        is_enabled: Set(is_enabled),
        position: Set(position),
    };
    let rows = [
        row(2, "Closed", None, false),
        row(3, "WithinClosed", Some("Closed"), true),
        row(0, "SingleSignOn", None, true),
        row(1, "PointClickCareIdentityProvider", Some("SingleSignOn"), true),
    ];
    network_feature::Entity::insert_many(rows)
        .exec_without_returning(app.store.db())
        .await
        .expect("features");
}

#[tokio::test]
async fn features_stand_below_those_they_belong_to() {
    let app = TestApp::start(Db::sqlite()).await;
    let home = app.organization("larkfield").await;
    let (_, admin, id) = administrator(&app, &home).await;
    let path = format!("{}/features", at(id));
    assert_eq!(admin.get(&path).await.ok(), json!({ "features": [] }));
    features(&app, id).await;
    let leaf = |name: &str, on: bool| json!({ "name": name, "isEnabled": on, "childNetworkFeatures": [] });
    let expected = json!({ "features": [
        {
            "name": "SingleSignOn", "isEnabled": true,
            "childNetworkFeatures": [leaf("PointClickCareIdentityProvider", true)],
        },
        { "name": "Closed", "isEnabled": false, "childNetworkFeatures": [leaf("WithinClosed", false)] },
    ] });
    assert_eq!(admin.get(&path).await.ok(), expected);
    assert_eq!(app.service(id).await.get(&path).await.ok(), expected);
    app.signed_in(Role::Admin, &home).await.get(&path).await.problem(403);
    app.finish().await;
}

/// SES-C-059 SES-R-307 SES-R-308
#[tokio::test]
async fn operators_add_switch_and_remove_features_of_a_network() {
    let app = TestApp::start(Db::sqlite()).await;
    let home = app.organization("larkfield").await;
    let (_, admin, id) = administrator(&app, &home).await;
    let operator = app.signed_in(Role::SysAdmin, &home).await;
    let path = format!("{}/features", admin_at(id));
    let feature = |name: &str, parent: Option<&str>, on: bool| json!({ "name": name, "parent": parent, "isEnabled": on });
    operator.post(&path, &feature("Referrals", None, true)).await.ok();
    operator.post(&path, &feature("SingleSignOn", Some("Referrals"), true)).await.ok();
    let shown = async || admin.get(&format!("{}/features", at(id))).await.ok()["features"].clone();
    assert_eq!(shown().await[0]["childNetworkFeatures"][0]["isEnabled"], true);
    operator.put(&path, &feature("Referrals", None, false)).await.ok();
    assert_eq!(shown().await[0]["childNetworkFeatures"][0]["isEnabled"], false, "off with its parent");

    for (name, parent, field) in [("Referrals", None, "name"), ("SingleSignOn", Some("Unknown"), "parent")] {
        let wrong = operator.post(&path, &feature(name, parent, true)).await.problem(422);
        assert!(wrong["modelState"][field].is_array(), "{name}");
    }
    let free = operator.post(&path, &feature("Anything", None, true)).await;
    assert!(free.status.is_client_error(), "only what switches something is offered");
    let circle = feature("Referrals", Some("SingleSignOn"), true);
    let circle = operator.put(&path, &circle).await.problem(422);
    assert!(circle["modelState"]["parent"].is_array());
    let held = operator.delete(&format!("{path}?name=Referrals")).await.problem(409);
    assert_eq!(held["message"], "1 feature is below this one. Please remove it first.");
    operator.delete(&format!("{path}?name=SingleSignOn")).await.ok();
    operator.delete(&format!("{path}?name=Referrals")).await.ok();
    assert_eq!(shown().await, json!([]));
    operator.put(&path, &feature("Referrals", None, true)).await.problem(404);
    for nothing in ["SharedDirectory", "Queries"] {
        operator.post(&path, &feature(nothing, None, true)).await.problem(422);
    }
    admin.post(&path, &feature("Referrals", None, true)).await.problem(403);
    app.finish().await;
}

/// SES-S-071 SES-R-307 SES-R-308
#[tokio::test]
async fn a_network_switches_single_sign_on_and_referrals_for_its_members() {
    let app = TestApp::start(Db::sqlite()).await;
    let home = app.organization("larkfield").await;
    let (_, _, id) = administrator(&app, &home).await;
    let operator = app.signed_in(Role::SysAdmin, &home).await;
    let admin = app.signed_in(Role::Admin, &home).await;
    let row = organization::ActiveModel { id: Set(home.id), network_id: Set(Some(id)), ..Default::default() };
    row.update(app.store.db()).await.expect("a member of the network");
    let path = format!("{}/features", admin_at(id));
    let feature = |name: &str, on: bool| json!({ "name": name, "parent": null, "isEnabled": on });
    let may_connect = async || admin.get("/api/account/settings/sso").await.status != 403;
    assert!(!may_connect().await, "nobody has switched it on");
    operator.post(&path, &feature("SingleSignOn", true)).await.ok();
    assert!(may_connect().await);
    operator.put(&path, &feature("SingleSignOn", false)).await.ok();
    assert!(!may_connect().await);

    operator.post(&path, &feature("Referrals", false)).await.ok();
    let asked = json!({ "messageId": Uuid::now_v7(), "reason": "A knee" });
    let refused = admin.post("/api/conversations", &asked).await.problem(409);
    assert_eq!(refused["message"], "Your network does not offer referrals.");
    operator.put(&path, &feature("Referrals", true)).await.ok();
    admin.post("/api/conversations", &asked).await.problem(404);
    app.finish().await;
}

async fn from(client: &Client, address: &str, method: Method, path: &str) -> Answer {
    client.send(client.request(method, path).header("x-forwarded-for", address)).await
}

/// A new service account for a network, usable from these addresses.
async fn account(app: &TestApp, manager: &Client, network: Uuid, addresses: &[&str]) -> (Client, String) {
    let path = format!("{}/serviceaccounts", at(network));
    let issued = from(manager, HOME, Method::PUT, &path).await.ok();
    let to = manager.request(Method::PUT, &format!("{path}/ipaddresses"));
    manager.send(to.header("x-forwarded-for", HOME).json(addresses)).await.ok();
    let client = app.client();
    client.set_token(issued["token"].as_str().expect("a token"));
    (client, issued["account"]["id"].as_str().expect("an id").to_owned())
}

#[tokio::test]
async fn a_service_account_is_used_from_its_addresses_only() {
    let app = behind_a_proxy(Db::sqlite()).await;
    let home = app.organization("larkfield").await;
    let (_, manager, id) = administrator(&app, &home).await;
    let (system, _) = account(&app, &manager, id, &[]).await;
    // Before addresses are set, no address is allowed.
    let problem = from(&system, HOME, Method::GET, &at(id)).await.problem(403);
    assert_eq!(
        (&problem["message"], &problem["reason"]),
        (
            &json!("This service account may not be used from this network address."),
            &json!("Address not allowed.")
        )
    );
    let (system, _) = account(&app, &manager, id, &["192.0.2.0/24", "2001:db8::/32", "203.0.113.9"]).await;
    for allowed in [HOME, "192.0.2.255", "203.0.113.9", "2001:db8:1::7"] {
        from(&system, allowed, Method::GET, &at(id)).await.ok();
    }
    for refused in [AWAY, "192.0.3.1", "203.0.113.10", "2001:db9::1", "127.0.0.1"] {
        from(&system, refused, Method::GET, &at(id)).await.problem(403);
        // An operation that the account may not call anyway gives the same answer.
        let answer = from(&system, refused, Method::GET, "/api/organizations").await.problem(403);
        assert_eq!(answer["reason"], "Address not allowed.");
    }
    app.finish().await;
}

#[tokio::test]
async fn a_refused_token_is_on_record_and_does_not_flood_the_trail() {
    let app = behind_a_proxy(Db::sqlite()).await;
    let home = app.organization("larkfield").await;
    let (_, manager, id) = administrator(&app, &home).await;
    let (system, account_id) = account(&app, &manager, id, &[HOME]).await;
    for _ in 0..3 {
        from(&system, AWAY, Method::GET, &at(id)).await.problem(403);
    }
    let refusals = async || {
        let entries = audited(&app, &account_id).await;
        entries.into_iter().filter(|(e, _, _)| e == event::SERVICE_ACCOUNT_REFUSED).collect::<Vec<_>>()
    };
    let told =
        (event::SERVICE_ACCOUNT_REFUSED.to_owned(), json!({ "reason": "address", "networkId": id }), false);
    assert_eq!(refusals().await, std::slice::from_ref(&told));
    app.advance(Duration::minutes(2));
    from(&system, AWAY, Method::GET, &at(id)).await.problem(403);
    from(&system, "198.51.100.2", Method::GET, &at(id)).await.problem(403);
    assert_eq!(refusals().await, [told.clone(), told.clone(), told]);
    let shown = from(&manager, HOME, Method::GET, &format!("{}/serviceaccounts", at(id))).await.ok();
    assert_eq!((&shown["lastRefusedFrom"], &shown["lastUsedDate"]), (&json!("198.51.100.2"), &Value::Null));
    app.finish().await;
}

#[tokio::test]
async fn a_token_ends_with_its_renewal_its_disabling_and_its_account() {
    let app = behind_a_proxy(Db::sqlite()).await;
    let home = app.organization("larkfield").await;
    let (_, manager, id) = administrator(&app, &home).await;
    let path = format!("{}/serviceaccounts", at(id));
    let (old, account_id) = account(&app, &manager, id, &[HOME]).await;
    from(&old, HOME, Method::GET, &at(id)).await.ok();
    let (system, same_id) = account(&app, &manager, id, &[HOME]).await;
    assert_eq!(account_id, same_id);
    let problem = from(&old, HOME, Method::GET, &at(id)).await.problem(401);
    assert_eq!(problem["reason"], "Token revoked or expired.");
    for (act, status) in [("disable", 401), ("disable", 401), ("enable", 200), ("enable", 200)] {
        let shown = from(&manager, HOME, Method::PUT, &format!("{path}/{act}")).await.ok();
        assert_eq!(shown["serviceAccountEnabled"], act == "enable");
        assert_eq!(from(&system, HOME, Method::GET, &at(id)).await.status.as_u16(), status, "{act}");
    }
    from(&manager, HOME, Method::DELETE, &path).await.ok();
    from(&system, HOME, Method::GET, &at(id)).await.problem(401);
    for (method, path) in [
        (Method::GET, path.clone()),
        (Method::DELETE, path.clone()),
        (Method::PUT, format!("{path}/enable")),
        (Method::PUT, format!("{path}/disable")),
    ] {
        from(&manager, HOME, method, &path).await.problem(404);
    }
    let changes: Vec<_> = audited(&app, &account_id)
        .await
        .into_iter()
        .filter(|(event, _, _)| !event.starts_with("ServiceAccount"))
        .map(|(event, detail, _)| (event, detail["enabled"].clone(), detail["tokenRenewed"].clone()))
        .collect();
    let (none, yes, no) = (Value::Null, json!(true), json!(false));
    assert_eq!(
        changes,
        [
            ("Created".into(), none.clone(), none.clone()),
            ("Changed".into(), none.clone(), none.clone()),
            ("Changed".into(), none.clone(), yes.clone()),
            ("Changed".into(), none.clone(), none.clone()),
            ("Changed".into(), no, none.clone()),
            ("Changed".into(), yes, none.clone()),
            ("Deleted".into(), none.clone(), none),
        ]
    );
    app.finish().await;
}

#[tokio::test]
async fn every_use_of_a_service_account_is_on_record() {
    let app = behind_a_proxy(Db::sqlite()).await;
    let home = app.organization("larkfield").await;
    let (_, manager, id) = administrator(&app, &home).await;
    let (system, account_id) = account(&app, &manager, id, &["192.0.2.0/24"]).await;
    from(&system, HOME, Method::GET, &at(id)).await.ok();
    from(&system, "192.0.2.8", Method::GET, "/api/organizations").await.problem(403);
    let used: Vec<_> = audited(&app, &account_id)
        .await
        .into_iter()
        .filter(|(event, _, _)| event == event::SERVICE_ACCOUNT_USED)
        .map(|(_, detail, worked)| (detail["operation"].as_str().expect("an operation").to_owned(), worked))
        .collect();
    assert_eq!(
        used,
        [("GET /api/networks/{id}".to_owned(), true), ("GET /api/organizations".to_owned(), false)]
    );
    let shown = from(&manager, HOME, Method::GET, &format!("{}/serviceaccounts", at(id))).await.ok();
    assert_eq!(shown["lastUsedFrom"], "192.0.2.8");
    assert!(shown["lastUsedDate"].is_string());
    // Only the hash of the token is stored.
    let row = service_account::Entity::find().one(app.store.db()).await.expect("accounts").expect("one");
    assert_eq!(row.token_hash, platform::secret::token_hash(&system.token()));
    assert!(!shown.to_string().contains(&system.token()));
    app.finish().await;
}

#[tokio::test]
async fn a_service_account_is_kept_by_those_who_manage_its_network() {
    let app = TestApp::start(Db::sqlite()).await;
    let (ops, home) = (operator(&app).await, app.organization("larkfield").await);
    let (_, manager, id) = administrator(&app, &home).await;
    let (_, stranger, _) = administrator(&app, &home).await;
    let path = format!("{}/serviceaccounts", at(id));
    manager.get(&path).await.problem(404);
    let empty = ops.send(ops.request(Method::PUT, &path)).await.ok();
    assert_eq!(empty["account"]["clientIpAddresses"], json!([]));
    assert_eq!(manager.get(&path).await.ok(), empty["account"]);
    let system = app.service(id).await;
    for (client, status) in [
        (&stranger, 404),
        (&system, 403),
        (&app.signed_in(Role::Admin, &home).await, 403),
        (&app.signed_in(Role::User, &home).await, 403),
        (&app.signed_in(Role::Reporting, &home).await, 403),
    ] {
        client.get(&path).await.problem(status);
        client.put(&path, &json!({})).await.problem(status);
        client.delete(&path).await.problem(status);
        client.put(&format!("{path}/enable"), &json!({})).await.problem(status);
        client.put(&format!("{path}/disable"), &json!({})).await.problem(status);
        client.put(&format!("{path}/ipaddresses"), &json!([])).await.problem(status);
    }
    ops.put(&format!("{}/serviceaccounts", at(Uuid::now_v7())), &json!({})).await.problem(404);
    assert_eq!(ops.get(&path).await.ok()["serviceAccountEnabled"], true);
    app.finish().await;
}

#[tokio::test]
async fn the_addresses_of_a_service_account_are_checked() {
    let app = TestApp::start(Db::sqlite()).await;
    let home = app.organization("larkfield").await;
    let (_, manager, id) = administrator(&app, &home).await;
    let path = format!("{}/serviceaccounts/ipaddresses", at(id));
    manager.put(&path, &json!([HOME])).await.problem(404);
    manager.put(&format!("{}/serviceaccounts", at(id)), &json!({})).await.ok();
    let many: Vec<_> = (0..201).map(|n| format!("10.0.0.{n}")).collect();
    for (addresses, text) in [
        (json!(["192.0.2.1", "somewhere"]), "Entry 2 is neither an address nor a network."),
        (json!(["10.0.0.0/33"]), "Entry 1 is neither an address nor a network."),
        (json!(["<script>alert(1)</script>"]), "Entry 1 is neither an address nor a network."),
        (json!(["9".repeat(500)]), "Entry 1 is neither an address nor a network."),
        (json!(many), "Please enter at most 200 addresses."),
    ] {
        let problem = manager.put(&path, &addresses).await.problem(422);
        assert_eq!(texts(&problem, "clientIpAddresses"), [text]);
    }
    manager.put(&path, &json!([7])).await.problem(422);
    manager.put(&path, &json!("192.0.2.1")).await.problem(400);
    let saved = manager
        .put(&path, &json!([" 192.0.2.1", "2001:DB8::/32", "192.0.2.1", "::ffff:192.0.2.2"]))
        .await
        .ok();
    assert_eq!(saved["clientIpAddresses"], json!(["192.0.2.1", "2001:db8::/32", "192.0.2.2"]));
    let of = |version: &serde_json::Value| format!("{path}?version={version}");
    let none = manager.put(&of(&saved["version"]), &json!([])).await.ok();
    assert_eq!(none["clientIpAddresses"], json!([]));
    let refused = manager.put(&of(&saved["version"]), &json!([HOME])).await.problem(409);
    assert_eq!(refused["message"], "Somebody else has changed these addresses since you opened them.");
    manager.put(&of(&none["version"]), &json!([HOME])).await.ok();
    app.finish().await;
}

#[tokio::test]
async fn a_service_account_searches_the_directory_and_enters_no_organization() {
    let app = TestApp::start(Db::sqlite()).await;
    let home = app.organization("larkfield").await;
    let (_, _, id) = administrator(&app, &home).await;
    join_network(&app, home.id, id).await;
    let system = app.service(id).await;
    system.post("/api/directory/search", &json!({ "state": "OH" })).await.ok();
    assert_eq!(system.get("/api/networks").await.ok()["totalCount"], 1);
    let members = system.get(&format!("{}/organizations", admin_at(id))).await.ok();
    assert_eq!(names(&members), ["larkfield practice"]);
    system.get(&at(Uuid::now_v7())).await.problem(404);
    for (method, path) in [
        (Method::POST, "/api/intake"),
        (Method::GET, "/api/messages"),
        (Method::PUT, "/api/messages"),
        (Method::GET, "/api/users/profiledata"),
        (Method::POST, "/api/account/hubticket"),
        (Method::PUT, "/api/networks/0"),
    ] {
        system.send(system.request(method, path)).await.problem(403);
    }
    system.set_token("cpsa_no-such-token");
    system.get("/api/networks").await.problem(401);
    app.finish().await;
}
