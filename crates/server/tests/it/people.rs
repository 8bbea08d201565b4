//! All accounts, as operators manage them.

use crate::inbox::newest;
use platform::{Config, Role, config::Mode, session::ROLE_ADMINISTRATOR};
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};
use serde_json::{Value, json};
use store::entities::{app_user, audit_entry, membership, organization};
use testkit::{Client, Db, Options, Organization, PASSWORD, TestApp, User};
use uuid::Uuid;

testkit::on_both_databases! {
    the_list_is_searched_filtered_sorted_and_paged,
    of_two_operators_who_disable_each_other_one_stays,
}

const USERS: &str = "/api/admin/users";
const NEW: &str = "violet tram under the bridge";

struct World {
    app: TestApp,
    larkfield: Organization,
    admin: User,
    ops: Client,
    operator: User,
}

impl World {
    async fn new(db: Db) -> Self {
        Self::with(db, |_| ()).await
    }

    async fn with(db: Db, configure: impl Fn(&mut Config) + Send + Sync + 'static) -> Self {
        let options = Options { configure: Some(Box::new(configure)), ..Options::default() };
        let app = TestApp::start_with(db, options).await;
        let larkfield = app.organization("larkfield").await;
        let admin = app.user(Role::Admin, &larkfield).await;
        let operator = app.user(Role::SysAdmin, &larkfield).await;
        let ops = app.browser_of(&operator).await;
        Self { app, larkfield, admin, ops, operator }
    }

    async fn job(&self) -> Value {
        self.ops.get("/api/users/jobs").await.ok()["items"][0]["id"].clone()
    }

    async fn read(&self, id: impl std::fmt::Display) -> Value {
        self.ops.get(&format!("{USERS}/{id}")).await.ok()
    }

    /// Form of a new administrator, who chooses a password through an e-mail.
    async fn form(&self, user_name: &str) -> Value {
        json!({
            "userDetails": {
                "userName": user_name, "firstName": "Rowan", "lastName": "Aldane", "phoneNumber": "(555) 010-0199",
                "roleName": "Administrator", "jobFunctionId": self.job().await, "idProofStatus": "NotPassed",
            },
            "organizationId": self.larkfield.id, "emailCreatePassword": true,
        })
    }

    async fn row(&self, id: Uuid) -> app_user::Model {
        app_user::Entity::find_by_id(id).one(self.app.store.db()).await.expect("users").expect("a user")
    }

    async fn audited(&self, event: &str, object: Uuid) -> u64 {
        audit_entry::Entity::find()
            .filter(audit_entry::Column::EventType.eq(event))
            .filter(audit_entry::Column::ObjectId.eq(object.to_string()))
            .count(self.app.store.db())
            .await
            .expect("the trail")
    }
}

fn id_of(value: &Value) -> Uuid {
    value["id"].as_str().expect("an id").parse().expect("an id")
}

/// Form for saving an account as it was read, with a change.
fn saved(read: &Value, change: Value) -> Value {
    let mut form = json!({});
    for field in ["userName", "email", "firstName", "lastName", "phoneNumber", "version"] {
        form[field] = read[field].clone();
    }
    for (name, value) in change.as_object().expect("a change") {
        form[name] = value.clone();
    }
    form
}

/// ADA-C-061 ADA-R-002 ADA-R-132 ADA-R-134 ADA-R-135 ADA-R-136 ADA-R-138 ADA-R-140 ADA-R-141 ADA-R-147 ADA-R-148
async fn the_list_is_searched_filtered_sorted_and_paged(db: Db) {
    let world = World::new(db).await;
    for (name, last) in [("zoe@summit.example", "Łukasik"), ("abe@summit.example", "Larkin")] {
        let mut form = world.form(name).await;
        form["userDetails"]["lastName"] = json!(last);
        world.ops.post(USERS, &form).await.ok();
    }
    let list = async |query: &str| world.ops.get(&format!("{USERS}{query}")).await.ok();
    let names = async |query: &str| {
        let page = list(query).await;
        let names = page["users"].as_array().expect("users").iter();
        names.map(|user| user["userName"].as_str().expect("a name").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names("?search=ZOE").await, ["zoe@summit.example"]);
    assert_eq!(names("?search=%C5%82uk").await, ["zoe@summit.example"], "by the last name too");
    assert_eq!(names("?search=rowan%20larki").await, ["abe@summit.example"], "each word counts");
    for pattern in ["%25", "_oe", "%5C"] {
        assert!(names(&format!("?search={pattern}")).await.is_empty(), "{pattern}");
    }
    let mut up = names("?pageSize=100").await;
    assert_eq!(up.len(), 4);
    assert!(up.is_sorted(), "{up:?}");
    let down = names(r#"?sort={"by":"userName","dir":"desc"}"#).await;
    up.reverse();
    assert_eq!(up, down);
    world.ops.get(&format!(r#"{USERS}?sort={{"by":"email"}}"#)).await.problem(400);
    let page = list("?pageNumber=2&pageSize=1").await;
    assert_eq!((&page["totalUsersCount"], page["users"].as_array().map(Vec::len)), (&json!(4), Some(1)));
    assert_eq!(names("?sysAdmin=true").await, std::slice::from_ref(&world.operator.user_name));

    let gone = id_of(&list("?search=abe").await["users"][0]);
    world.ops.delete(&format!("{USERS}/{gone}")).await.ok();
    assert!(names("?search=abe").await.is_empty());
    let shown = list("?search=abe&deleted=true").await["users"][0].clone();
    assert!(shown["deletedDateTime"].is_string() && shown["isDisabled"] == true);

    let row = list(&format!("?search={}", world.admin.user_name)).await["users"][0].clone();
    assert_eq!(row["organizations"][0]["name"], "larkfield practice");
    assert_eq!(
        (&row["idProofStatus"], &row["isOrgAdmin"], &row["isNetworkAdmin"], &row["isSysAdmin"]),
        (&json!("Passed"), &json!(true), &json!(false), &json!(false))
    );
    let summit = world.app.practice("summit").await;
    let row = list(&format!("?search={}", summit.user.user_name)).await["users"][0].clone();
    assert_eq!(row["organizations"][0]["name"], "summit practice", "of every organization");
    let operator = list("?sysAdmin=true").await["users"][0].clone();
    assert_eq!((&operator["isSysAdmin"], &operator["roleType"]), (&json!(true), &json!("system")));
    world.app.finish().await;
}

/// ADA-C-064 ADA-R-018 ADA-R-175 ADA-R-257 ADA-R-258 ADA-R-259 ADA-R-260 ADA-R-262 ADA-R-265 ADA-R-266 ADA-R-268 ADA-R-269 ADA-R-270
#[tokio::test]
async fn the_first_user_of_an_organization_is_made_by_an_operator() {
    let world = World::new(Db::sqlite()).await;
    let summit = world.app.organization("summit").await;
    let nothing = |user_name: &str| json!({ "userDetails": { "userName": user_name, "firstName": " ", "lastName": "" } });
    let refused = world.ops.post(USERS, &nothing("rowan")).await;
    for (field, text) in [
        ("userDetails.userName", "Username is not valid"),
        ("userDetails.firstName", "First Name is required."),
        ("userDetails.lastName", "Last Name is required."),
    ] {
        assert_eq!(refused.texts(field), [text]);
    }
    for missing in ["", " "] {
        let refused = world.ops.post(USERS, &nothing(missing)).await;
        assert_eq!(refused.texts("userDetails.userName"), ["Username is not valid"]);
    }
    let mut form = world.form("rowan@summit.example").await;
    form["organizationId"] = Value::Null;
    form["emailCreatePassword"] = json!(false);
    for field in ["roleName", "jobFunctionId", "idProofStatus"] {
        form["userDetails"][field] = Value::Null;
    }
    let refused = world.ops.post(USERS, &form).await;
    for (field, text) in [
        ("organizationId", "Please choose an organization from the list."),
        ("roleName", "Role is required."),
        ("jobFunctionId", "Primary job function is required."),
        ("password", "Please enter a password, or send an e-mail to choose one."),
    ] {
        assert_eq!(refused.texts(field), [text]);
    }
    let mut form = world.form("rowan@summit.example").await;
    form["organizationId"] = json!(summit.id);
    form["userDetails"]["idProofStatus"] = Value::Null;
    assert_eq!(
        world.ops.post(USERS, &form).await.texts("idProofStatus"),
        ["ID proofing status is required."]
    );
    form["userDetails"]["idProofStatus"] = json!("NotPassed");
    form["organizationId"] = json!(Uuid::now_v7());
    assert_eq!(world.ops.post(USERS, &form).await.texts("organizationId").len(), 1);
    form["organizationId"] = json!(summit.id);
    let members = membership::Entity::find().filter(membership::Column::OrganizationId.eq(summit.id));
    let nobody = members.count(world.app.store.db()).await.expect("memberships");
    assert_eq!(nobody, 0, "there is no administrator who could make them");
    let made = world.ops.post(USERS, &form).await.ok();
    assert_eq!((&made["status"], &made["hasUnclaimedSecurityTokens"]), (&json!("Invited"), &json!(true)));
    assert_eq!(world.ops.post(USERS, &form).await.texts("userName"), ["Username already exists"]);

    let mail = newest(&world.app, "rowan@summit.example").await;
    let body = json!({ "token": mail.token(), "password": NEW });
    world.app.client().post("/api/account/password/set", &body).await.ok();
    let rowan = world.app.client();
    rowan.sign_in("rowan@summit.example", NEW).await.ok();
    let profile = rowan.get("/api/users/profiledata").await.ok();
    assert_eq!((&profile["isAdmin"], &profile["organizationId"]), (&json!(true), &json!(summit.id)));
    assert_eq!(world.audited("Created", id_of(&made)).await, 1);
    world.app.finish().await;
}

/// ADA-R-267
#[tokio::test]
async fn an_operator_sets_the_first_password_and_vouches_for_an_administrator() {
    let world = World::new(Db::sqlite()).await;
    let summit = world.app.organization("summit").await;
    let update = organization::Entity::update_many()
        .col_expr(organization::Column::IdProofedAt, Option::<chrono::DateTime<chrono::Utc>>::None.into())
        .filter(organization::Column::Id.eq(summit.id));
    update.exec(world.app.store.db()).await.expect("an organization");
    let mut form = world.form("rowan@summit.example").await;
    form["organizationId"] = json!(summit.id);
    form["emailCreatePassword"] = json!(false);
    form["userDetails"]["idProofStatus"] = json!("Passed");
    form["password"] = json!("short");
    assert_eq!(world.ops.post(USERS, &form).await.texts("password").len(), 1);
    form["password"] = json!(NEW);
    let made = world.ops.post(USERS, &form).await.ok();
    assert_eq!((&made["idProofStatus"], &made["status"]), (&json!("Passed"), &json!("Active")));
    world.app.client().sign_in("rowan@summit.example", NEW).await.ok();
    world.app.finish().await;
}

/// ADA-R-270
#[tokio::test]
async fn the_proof_of_an_administrator_is_changed_with_the_account_and_stays_where_it_is_left_out() {
    let world = World::new(Db::sqlite()).await;
    let path = format!("{USERS}/{}", world.admin.id);
    let read = world.read(world.admin.id).await;
    assert_eq!(read["idProofStatus"], "Passed");
    let change = async |status: Value| {
        let read = world.read(world.admin.id).await;
        world.ops.put(&path, &saved(&read, json!({ "idProofStatus": status }))).await
    };
    assert_eq!(
        change(json!("UnderReview")).await.texts("idProofStatus"),
        ["ID proofing status is required."]
    );
    assert_eq!(change(json!("NotPassed")).await.ok()["idProofStatus"], "NotPassed");
    assert_eq!(change(Value::Null).await.ok()["idProofStatus"], "NotPassed");
    assert_eq!(world.audited("IdentityProofingDecided", world.larkfield.id).await, 1);
    assert_eq!(change(json!("Passed")).await.ok()["idProofStatus"], "Passed");
    assert_eq!(change(json!("Passed")).await.ok()["idProofStatus"], "Passed");
    assert_eq!(world.audited("IdentityProofingDecided", world.larkfield.id).await, 2);

    let person = world.app.user(Role::User, &world.larkfield).await;
    let read = world.read(person.id).await;
    let path = format!("{USERS}/{}", person.id);
    let refused = world.ops.put(&path, &saved(&read, json!({ "idProofStatus": "Passed" }))).await;
    assert_eq!(
        refused.texts("idProofStatus"),
        ["Identity proofing is only for administrators of organizations."]
    );
    world.app.finish().await;
}

/// ADA-C-066 ADA-R-271 ADA-R-272 ADA-R-273
#[tokio::test]
async fn an_operator_makes_another_who_chooses_a_password_by_mail() {
    let world = World::new(Db::sqlite()).await;
    let form = json!({ "userName": "report@carepost.example", "firstName": "Rhea", "lastName": "Port", "role": "SysAdminReporting" });
    let made = world.ops.post("/api/admin/sysadmin", &form).await.ok();
    assert_eq!((&made["roleName"], &made["roleType"]), (&json!("SysAdminReporting"), &json!("system")));
    let body =
        json!({ "token": newest(&world.app, "report@carepost.example").await.token(), "password": NEW });
    world.app.client().post("/api/account/password/set", &body).await.ok();
    let refused = world.ops.post("/api/admin/sysadmin", &json!({ "role": "Administrator" })).await;
    refused.problem(422);
    world.app.finish().await;
}

/// ADA-R-273
#[tokio::test]
async fn without_a_mail_server_no_operator_is_invited() {
    let world = World::with(Db::sqlite(), |config| {
        config.mode = Mode::Production;
        config.session.require_second_factor = Some(false);
    })
    .await;
    let form = json!({ "userName": "ola@carepost.example", "firstName": "Ola", "lastName": "Ng", "role": "SysAdmin" });
    let problem = world.ops.post("/api/admin/sysadmin", &form).await.problem(409);
    assert!(problem["message"].as_str().is_some_and(|text| text.contains("no mail server")), "{problem}");
    let path = format!("{USERS}/{}/sync", world.admin.id);
    let problem = world.ops.post(&path, &json!({})).await.problem(409);
    assert!(
        problem["message"].as_str().is_some_and(|text| text.starts_with("No customer-messaging service"))
    );
    world.app.finish().await;
}

/// ADA-C-062 ADA-C-063 ADA-R-019
#[tokio::test]
async fn an_account_is_changed_once_and_not_over_what_somebody_else_saved() {
    let world = World::new(Db::sqlite()).await;
    let (id, path) = (world.admin.id, format!("{USERS}/{}", world.admin.id));
    let read = world.read(id).await;
    let preferences = json!({ "emailNewMessages": true, "emailSystemNotifications": false });
    let mut form =
        saved(&read, json!({ "userName": "dana.new@larkfield.example", "userPreferences": preferences }));
    assert_eq!(world.ops.put(&path, &form).await.texts("ownPassword"), ["Please enter your password."]);
    form["ownPassword"] = json!(PASSWORD);
    let after = world.ops.put(&path, &form).await.ok();
    assert_eq!(after["userName"], "dana.new@larkfield.example");
    assert_eq!(after["userPreferences"]["emailNewMessages"], true);
    world.app.client().sign_in("dana.new@larkfield.example", PASSWORD).await.ok();
    world.ops.put(&path, &form).await.problem(409);
    let taken = saved(&after, json!({ "userName": world.operator.user_name, "ownPassword": PASSWORD }));
    assert_eq!(world.ops.put(&path, &taken).await.texts("userName"), ["Username already exists"]);
    let no_mail = saved(&after, json!({ "userName": "dana" }));
    assert_eq!(world.ops.put(&path, &no_mail).await.texts("userName"), ["Username is not valid"]);
    let role = saved(&after, json!({ "systemRole": "SysAdmin" }));
    assert_eq!(
        world.ops.put(&path, &role).await.texts("systemRole").len(),
        1,
        "nobody becomes an operator so"
    );
    let own = world.read(world.operator.id).await;
    let own = saved(&own, json!({ "systemRole": "SysAdminReporting" }));
    let answer = world.ops.put(&format!("{USERS}/{}", world.operator.id), &own).await;
    assert_eq!(answer.texts("systemRole").len(), 1, "not the own role");
    world.ops.get(&format!("{USERS}/{}", Uuid::now_v7())).await.problem(404);
    world.app.finish().await;
}

#[tokio::test]
async fn an_address_changes_with_the_password_and_the_old_one_is_told() {
    let world = World::new(Db::sqlite()).await;
    for (id, old) in [
        (world.admin.id, world.admin.user_name.clone()),
        (world.operator.id, world.operator.user_name.clone()),
    ] {
        let path = format!("{USERS}/{id}");
        let read = world.read(id).await;
        let name = saved(&read, json!({ "firstName": "Idun" }));
        let read = world.ops.put(&path, &name).await.ok();
        let mut form = saved(&read, json!({ "email": format!("{id}@elsewhere.example") }));
        for wrong in ["", "wrong"] {
            form["ownPassword"] = json!(wrong);
            assert_eq!(world.ops.put(&path, &form).await.texts("ownPassword").len(), 1);
        }
        assert_eq!(world.read(id).await["email"], read["email"]);
        form["ownPassword"] = json!(PASSWORD);
        world.ops.put(&path, &form).await.ok();
        let told = newest(&world.app, &old).await.subject;
        assert_eq!(told, "The e-mail address of your account was changed by the operator");
    }
    world.app.finish().await;
}

/// ADA-C-067 ADA-C-068 ADA-R-020 ADA-R-021 ADA-R-195 ADA-R-201
#[tokio::test]
async fn whoever_is_disabled_is_out_at_once_and_everywhere() {
    let world = World::new(Db::sqlite()).await;
    let dana = world.app.browser_of(&world.admin).await;
    let enable = async |enable: bool| {
        world
            .ops
            .post(&format!("{USERS}/enable"), &json!({ "id": world.admin.id, "enable": enable }))
            .await
            .ok()
    };
    enable(false).await;
    assert_eq!(dana.get("/api/users/profiledata").await.status, 401);
    assert_eq!(world.app.client().sign_in(&world.admin.user_name, PASSWORD).await.status, 401);
    assert!(world.read(world.admin.id).await["disabledDateTime"].is_string());
    enable(false).await;
    assert_eq!(world.audited("Changed", world.admin.id).await, 1, "doing it again is no act");
    enable(true).await;
    world.app.client().sign_in(&world.admin.user_name, PASSWORD).await.ok();

    let of_system = |id: Uuid| format!("/api/admin/sysadmin/{id}");
    world.ops.put(&of_system(world.admin.id), &json!({ "enable": false })).await.problem(404);
    let body = json!({ "id": world.operator.id, "enable": false });
    world.ops.post(&format!("{USERS}/enable"), &body).await.problem(404);
    world.ops.put(&of_system(world.operator.id), &json!({ "enable": false })).await.problem(409);
    world.ops.delete(&format!("{USERS}/{}", world.operator.id)).await.problem(409);
    let reader = world.app.user(Role::Reporting, &world.larkfield).await;
    let browser = world.app.browser_of(&reader).await;
    world.ops.put(&of_system(reader.id), &json!({ "enable": false })).await.ok();
    assert_eq!(browser.get("/api/users/profiledata").await.status, 401);
    world.app.finish().await;
}

/// ADA-R-201
async fn of_two_operators_who_disable_each_other_one_stays(db: Db) {
    let world = World::new(db).await;
    let other = world.app.user(Role::SysAdmin, &world.larkfield).await;
    let theirs = world.app.browser_of(&other).await;
    let off = json!({ "enable": false });
    let (one, two) =
        (format!("/api/admin/sysadmin/{}", other.id), format!("/api/admin/sysadmin/{}", world.operator.id));
    let answers = tokio::join!(world.ops.put(&one, &off), theirs.put(&two, &off));
    let done = [answers.0.status, answers.1.status].iter().filter(|status| status.is_success()).count();
    let left = app_user::Entity::find()
        .filter(app_user::Column::SystemRole.eq("SysAdmin"))
        .filter(app_user::Column::IsDisabled.eq(false))
        .count(world.app.store.db())
        .await
        .expect("users");
    assert_eq!((done, left), (1, 1), "{} {}", answers.0.status, answers.1.status);
    world.app.finish().await;
}

/// ADA-C-065
#[tokio::test]
async fn a_deleted_account_belongs_to_nothing_and_frees_its_user_name() {
    let world = World::new(Db::sqlite()).await;
    let dana = world.app.browser_of(&world.admin).await;
    let path = format!("{USERS}/{}", world.admin.id);
    world.ops.delete(&path).await.ok();
    assert_eq!(dana.get("/api/users/profiledata").await.status, 401);
    let places = membership::Entity::find().filter(membership::Column::UserId.eq(world.admin.id));
    assert_eq!(places.count(world.app.store.db()).await.expect("memberships"), 0);
    for call in [world.ops.get(&path).await, world.ops.delete(&path).await] {
        call.problem(404);
    }
    world
        .ops
        .post(&format!("{USERS}/enable"), &json!({ "id": world.admin.id, "enable": true }))
        .await
        .problem(404);
    let body = json!({
        "userId": world.admin.id, "organizationId": world.larkfield.id, "role": "User", "jobFunctionId": world.job().await,
    });
    let path = format!("/api/admin/organizations/{}/users", world.larkfield.id);
    assert_eq!(
        world.ops.post(&path, &body).await.texts("userId").len(),
        1,
        "it is assigned nowhere any more"
    );
    world.ops.post(USERS, &world.form(&world.admin.user_name).await).await.ok();
    assert!(!world.row(world.admin.id).await.first_name.is_empty(), "the trail still names them");
    world.app.finish().await;
}

/// ADA-C-073 ADA-R-026 ADA-R-200
#[tokio::test]
async fn sessions_end_and_two_factor_goes_but_does_not_come() {
    let world = World::new(Db::sqlite()).await;
    let dana = world.app.browser_of(&world.admin).await;
    let at = |what: &str| format!("{USERS}/{}/{what}", world.admin.id);
    let open = world.ops.get(&at("sessions")).await.ok();
    assert_eq!(open["items"][0]["organizationName"], "larkfield practice");
    assert_eq!(world.ops.delete(&at("sessions")).await.status, 204);
    assert_eq!(dana.get("/api/users/profiledata").await.status, 401);
    assert_eq!(world.ops.get(&at("sessions")).await.ok(), json!({ "items": [] }));
    world.app.client().sign_in(&world.admin.user_name, PASSWORD).await.ok();

    let dana = world.app.browser_of(&world.admin).await;
    dana.put("/api/account/secondfactor/email", &json!({ "password": PASSWORD, "on": true })).await.ok();
    assert_eq!(world.read(world.admin.id).await["twoFactorEnabled"], true);
    let sign_in = json!({ "userName": world.admin.user_name, "password": PASSWORD });
    let asked = world.app.client().post("/api/account/login", &sign_in).await.ok();
    assert!(asked["challenge"].is_string(), "{asked}");
    let read = world.read(world.admin.id).await;
    let unproven = saved(&read, json!({ "twoFactorEnabled": false }));
    let path = format!("{USERS}/{}", world.admin.id);
    assert_eq!(world.ops.put(&path, &unproven).await.texts("identityProof").len(), 1);
    assert_eq!(world.read(world.admin.id).await["twoFactorEnabled"], true);
    assert_eq!(world.ops.post(&at("2fa/disable?identityProof=Video"), &json!({})).await.status, 204);
    let read = world.read(world.admin.id).await;
    assert_eq!(read["twoFactorEnabled"], false);
    assert_eq!(dana.get("/api/users/profiledata").await.status, 401, "whoever used it is out");
    world.app.client().sign_in(&world.admin.user_name, PASSWORD).await.ok();

    assert_eq!(world.ops.post(&at("2fa/enable"), &json!({})).await.status, 404);
    world.ops.put(&path, &saved(&read, json!({ "firstName": "Dana", "twoFactorEnabled": true }))).await;
    assert_eq!(world.read(world.admin.id).await["twoFactorEnabled"], false);
    world.app.finish().await;
}

/// ADA-C-074 ADA-C-075 ADA-C-076 ADA-R-027 ADA-R-275 ADA-R-276
#[tokio::test]
async fn somebody_is_assigned_to_a_second_organization_and_taken_out_again() {
    let world = World::new(Db::sqlite()).await;
    let summit = world.app.organization("summit").await;
    let path = format!("/api/admin/organizations/{}/users", summit.id);
    let body = json!({
        "userId": world.admin.id, "organizationId": summit.id, "role": "Administrator", "jobFunctionId": world.job().await,
    });
    let choices = format!("/api/organizations/{}?search=summit", world.admin.id);
    assert_eq!(world.ops.get(&choices).await.ok()["items"].as_array().map(Vec::len), Some(1));
    let mut elsewhere = body.clone();
    elsewhere["organizationId"] = json!(world.larkfield.id);
    assert_eq!(world.ops.post(&path, &elsewhere).await.texts("organizationId").len(), 1);
    assert_eq!(world.ops.post(&path, &body).await.ok()["role"], ROLE_ADMINISTRATOR);
    world.ops.post(&path, &body).await.problem(409);
    assert_eq!(world.ops.get(&choices).await.ok()["items"], json!([]));
    assert_eq!(world.read(world.admin.id).await["organizations"].as_array().map(Vec::len), Some(2));
    let other = world.app.user(Role::Admin, &summit).await;

    let place = format!("{path}/{}", other.id);
    let version = world.read(other.id).await["version"].as_i64().expect("a version");
    let form = json!({ "permissions": { "openRestricted": false } });
    assert_eq!(world.ops.put(&place, &form).await.ok()["permissions"]["openRestricted"], false);
    world.ops.put(&place, &form).await.ok();
    let read = world.read(other.id).await;
    assert_eq!(read["organizations"][0]["permissions"]["openRestricted"], false);
    assert_eq!(read["version"], version + 1, "who has the person open is told that it is outdated");
    world.ops.put(&format!("{path}/{}", Uuid::now_v7()), &form).await.problem(404);
    let theirs = world.app.browser_of(&other).await;
    let trail = theirs.get(&format!("/api/audit/user/{}?eventType=Changed", other.id)).await.ok();
    assert_eq!(trail["totalCount"], 1, "the organization reads it in its own trail: {trail}");

    world.ops.delete(&format!("{path}/{}", world.admin.id)).await.ok();
    world.ops.delete(&format!("{path}/{}", world.admin.id)).await.problem(404);
    world.ops.delete(&format!("{path}/{}", Uuid::now_v7())).await.problem(404);
    world.ops.delete(&format!("{path}/{}", other.id)).await.problem(409);
    world.app.finish().await;
}

/// ADA-S-039 ADA-C-063
#[tokio::test]
async fn role_and_job_are_changed_in_place_and_a_lock_is_lifted() {
    let world = World::new(Db::sqlite()).await;
    let person = world.app.user(Role::User, &world.larkfield).await;
    let client = world.app.browser_of(&person).await;
    let read = world.read(person.id).await;
    let path = format!("{USERS}/{}", person.id);
    let jobs = world.ops.get("/api/users/jobs").await.ok();
    let job = jobs["items"][0]["name"].clone();
    let form = saved(&read, json!({ "roleName": "Administrator", "primaryJobFunction": job }));
    world.ops.put(&path, &form).await.ok();
    let read = world.read(person.id).await;
    assert_eq!(
        (&read["organizations"][0]["role"], &read["primaryJobFunction"]),
        (&json!("Administrator"), &job)
    );
    assert_eq!(client.get("/api/users/profiledata").await.status, 401, "another role begins anew");
    world.ops.put(&path, &saved(&read, json!({ "roleName": "Emperor" }))).await.problem(422);

    let place = format!("/api/admin/organizations/{}/users/{}", world.larkfield.id, person.id);
    assert_eq!(world.ops.put(&place, &json!({ "role": "User" })).await.ok()["role"], "User");
    let last = format!("/api/admin/organizations/{}/users/{}", world.larkfield.id, world.admin.id);
    world.ops.put(&last, &json!({ "role": "User" })).await.problem(409);

    let wrong = json!({ "userName": person.user_name, "password": "Not this one 1!" });
    for _ in 0..20 {
        world.app.client().post("/api/account/login", &wrong).await;
    }
    let read = world.read(person.id).await;
    assert_eq!(read["lockoutEnabled"], true);
    world.ops.put(&path, &saved(&read, json!({ "lockoutEnabled": false }))).await.ok();
    assert_eq!(world.read(person.id).await["lockoutEnabled"], false);
    world.app.client().sign_in(&person.user_name, PASSWORD).await.ok();
    world.app.finish().await;
}

/// ADA-S-016 ADA-T-029
#[tokio::test]
async fn an_organization_tells_who_made_it_and_how_it_is_used() {
    let world = World::new(Db::sqlite()).await;
    let path = format!("/api/organizations/{}/info", world.larkfield.id);
    let info = world.ops.get(&path).await.ok();
    assert_eq!(
        (&info["activeUsers"], &info["directAddresses"], &info["messagesReceived"]),
        (&json!(1), &json!(0), &json!(0))
    );
    assert!(info["createDate"].is_string() && info["idProofedDate"].is_string());
    world.ops.get(&format!("/api/organizations/{}/info", Uuid::now_v7())).await.problem(404);
    world.app.finish().await;
}
