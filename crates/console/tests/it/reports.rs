//! Reports over all organizations.

use crate::world::{Person, World};
use chrono::{DateTime, Duration, SecondsFormat, Utc};
use platform::Role;
use reqwest::StatusCode;
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};
use serde_json::{Value, json};
use store::entities::document_source::{SourceKind, SourceStatus};
use store::entities::message_event::EventType;
use store::entities::{
    audit_entry, document_source, generated_report_piece, intake_rule, intake_rule_user, message_event,
    saved_address, session, user_document_source,
};
use testkit::Db;
use uuid::Uuid;

testkit::on_both_databases! {
    the_direct_addresses_of_all_organizations_come_as_one_csv_file,
    all_organizations_come_as_one_csv_file,
    users_have_a_line_for_each_of_their_organizations,
    what_happened_to_messages_comes_in_pages_newest_first,
    addresses_that_nobody_sends_from_come_for_chosen_organizations,
    contacts_are_counted_with_those_that_were_sent_to,
    sign_ins_between_two_dates_come_with_their_devices,
    intake_rules_and_how_documents_are_downloaded_come_for_chosen_organizations,
    a_long_report_is_made_in_the_background_and_kept_for_a_week,
}

const REPORT: &str = "/api/admin/reports/directaddresses";

impl World {
    async fn addresses(&self, organization: Uuid, sub_domain: &str, name: &str, count: usize) {
        let rows = (0..count).map(|n| {
            let address = format!("desk{n}@{sub_domain}.direct.carepost.example");
            document_source::ActiveModel {
                id: Set(Uuid::now_v7()),
                organization_id: Set(organization),
                kind: Set(SourceKind::Direct),
                address: Set(address.clone()),
                address_key: Set(address),
                display_name: Set(name.into()),
                status: Set(SourceStatus::Activated),
                created_at: Set(self.app.clock.now()),
                version: Set(1),
                limits_readers: Set(false),
            }
        });
        document_source::Entity::insert_many(rows)
            .exec_without_returning(self.app.store.db())
            .await
            .expect("addresses");
    }
}

/// ADA-C-045
async fn the_direct_addresses_of_all_organizations_come_as_one_csv_file(db: Db) {
    let world = World::new(db).await;
    let larkfield = world.organization_id("Larkfield Family Medicine", "larkfield").await;
    let formula = world.organization_id("Formula Clinic", "formula").await;
    let gone = world.organization_id("Gone Clinic", "gone").await;
    world.addresses(larkfield, "larkfield", "Desk, front", 1_500).await;
    world.addresses(formula, "formula", "=1+1", 1).await;
    world.addresses(gone, "gone", "Desk", 1).await;
    world.call("DELETE", &format!("/api/organizations/{gone}"), Value::Null).await;
    let answer = world.call("GET", REPORT, Value::Null).await;
    assert_eq!(answer.status, StatusCode::OK);
    let text = answer.text();
    let lines: Vec<&str> = text.split("\r\n").collect();
    assert_eq!(lines[0], "Organization ID,Organization,Subdomain,Direct Address,Name");
    let first = format!(
        "{larkfield},Larkfield Family Medicine,larkfield,desk0@larkfield.direct.carepost.example,\"Desk, front\""
    );
    assert_eq!(lines[1], first);
    assert_eq!(lines.len(), 1 + 1_500 + 1 + 1, "a line each, and the end of the last");
    assert!(text.contains("'=1+1"), "no spreadsheet computes a name");
    assert!(!text.contains("desk0@gone"), "a deleted organization has no addresses");
}

#[tokio::test]
async fn who_only_reads_reports_may_have_the_direct_addresses_too() {
    let world = World::new(Db::sqlite()).await;
    let (client, _) = world.sign_in(Person::System(Role::Reporting)).await;
    let answer = world.call_as(&client, "GET", REPORT, Value::Null).await;
    assert_eq!(answer.status, StatusCode::OK);
    let entries = store::entities::audit_entry::Entity::find().all(world.app.store.db()).await.unwrap();
    let audited = entries.iter().any(|e| e.object_id == "directaddresses" && e.actor_id.is_some());
    assert!(audited, "the audit trail tells who took them");
}

impl World {
    /// The data rows of a report, as lists of cells.
    async fn lines(&self, method: &str, path: &str, body: Value) -> Vec<Vec<String>> {
        let answer = self.call(method, path, body).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
        assert_eq!(answer.header("content-type"), "text/csv; charset=utf-8");
        let text = answer.text();
        let lines = text.split("\r\n").filter(|line| !line.is_empty()).skip(1);
        lines.map(|line| line.split(',').map(str::to_owned).collect()).collect()
    }

    async fn events(&self, rows: Vec<message_event::ActiveModel>) {
        for some in rows.chunks(500) {
            let some = message_event::Entity::insert_many(some.to_vec());
            some.exec_without_returning(self.app.store.db()).await.expect("events");
        }
    }

    async fn downloads(&self, report: &str) -> usize {
        let of_report = audit_entry::Column::ObjectId.eq(report);
        let entries = audit_entry::Entity::find().filter(of_report).all(self.app.store.db()).await.unwrap();
        entries.iter().filter(|e| e.event_type == "Downloaded" && e.actor_id.is_some()).count()
    }
}

/// ADA-C-046 ADA-R-028
async fn all_organizations_come_as_one_csv_file(db: Db) {
    let world = World::new(db).await;
    let larkfield = world.organization_id("Larkfield Family Medicine", "larkfield").await;
    let gone = world.organization_id("Gone Clinic", "gone").await;
    world.call("DELETE", &format!("/api/organizations/{gone}"), Value::Null).await;
    let lines = world.lines("GET", "/api/admin/reports/organizations", Value::Null).await;
    assert_eq!(lines.len(), 1, "a deleted organization is none");
    assert_eq!(lines[0][..3], [larkfield.to_string().as_str(), "Larkfield Family Medicine", "larkfield"]);
    assert_eq!(lines[0][3..6], ["1234567893", "Portland", "OR"]);
    assert_eq!(lines[0][9..12], ["No", "Yes", "No"]);
    assert_eq!(world.downloads("organizations").await, 1);
}

/// ADA-C-048
async fn users_have_a_line_for_each_of_their_organizations(db: Db) {
    let world = World::new(db).await;
    let larkfield = world.organization_id("Larkfield Family Medicine", "larkfield").await;
    let summit = world.organization_id("Summit Clinic", "summit").await;
    let both = world.user(Person::Member(Role::User, larkfield)).await;
    world.join(both, summit, "Administrator").await;
    let lines = world.lines("GET", "/api/admin/reports/users", Value::Null).await;
    let of_both: Vec<_> = lines.iter().filter(|line| line[0] == both.to_string()).collect();
    let mut roles: Vec<(&str, &str)> = of_both.iter().map(|l| (l[5].as_str(), l[6].as_str())).collect();
    roles.sort_unstable();
    assert_eq!(roles, [("Larkfield Family Medicine", "User"), ("Summit Clinic", "Administrator")]);
    assert!(of_both.iter().all(|line| line[8] == "Active"), "{of_both:?}");
    let system = lines.iter().find(|line| line[6] == "SysAdmin").expect("the operator has a line too");
    assert_eq!(system[4..6], ["", ""]);
    assert_eq!(world.downloads("users").await, 1);
}

/// An event of a message that no longer exists.
fn event(organization: Uuid, kind: EventType, at: DateTime<Utc>, user: &str) -> message_event::ActiveModel {
    message_event::ActiveModel {
        id: Set(Uuid::now_v7()),
        organization_id: Set(organization),
        message_id: Set(Uuid::now_v7()),
        event_type: Set(kind),
        at: Set(at),
        user_id: Set(None),
        user_name: Set(user.into()),
    }
}

fn events_path(start: DateTime<Utc>, end: DateTime<Utc>, more: &str) -> String {
    let [start, end] = [start, end].map(|at| at.to_rfc3339_opts(SecondsFormat::Millis, true));
    format!("/api/admin/reports/events?start={start}&end={end}&pageSize=10000{more}")
}

/// ADA-C-050, ADA-R-126, ADA-R-130
async fn what_happened_to_messages_comes_in_pages_newest_first(db: Db) {
    let world = World::new(db).await;
    let larkfield = world.organization_id("Larkfield Family Medicine", "larkfield").await;
    let summit = world.organization_id("Summit Clinic", "summit").await;
    let now = world.app.clock.now();
    let received = |n: i64| {
        let of = if n % 2 == 0 { larkfield } else { summit };
        // Several events have the same time, so that a page boundary falls between them.
        event(of, EventType::Received, now - Duration::minutes(n / 300), &format!("Number {n}"))
    };
    let others = [
        event(larkfield, EventType::Failed, now - Duration::days(40), "=1+1"),
        event(larkfield, EventType::Uncertain, now, ""),
    ];
    world.events((0..2_500).map(received).chain(others).collect()).await;
    let month = |more: &str| events_path(now - Duration::days(30), now, more);
    let all = world.lines("GET", &month("&pageNumber=1"), Value::Null).await;
    assert_eq!(all.len(), 2_500);
    assert!(all.is_sorted_by(|a, b| a[0] >= b[0]), "newest first");
    let mut names: Vec<&str> = all.iter().map(|line| line[5].as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 2_500, "each stands once");
    let second = month("&pageNumber=2").replace("10000", "1200");
    assert_eq!(world.lines("GET", &second, Value::Null).await, all[1_200..2_400]);
    let old = events_path(now - Duration::days(50), now, "&pageNumber=1&eventTypes=Failed");
    let old = world.lines("GET", &old, Value::Null).await;
    assert_eq!(old.len(), 1);
    assert_eq!(old[0][1..4], ["Failed", larkfield.to_string().as_str(), "Larkfield Family Medicine"]);
    assert_eq!(old[0][5], "'=1+1", "no spreadsheet computes a name");
    assert_eq!(world.downloads("events").await, 3);
}

/// ADA-R-117, ADA-R-118, ADA-R-119, ADA-R-120, ADA-R-121, ADA-R-122, ADA-R-123, ADA-R-124
#[tokio::test]
async fn dates_and_pages_of_a_report_must_be_possible() {
    let world = World::new(Db::sqlite()).await;
    let now = world.app.clock.now();
    let (day, text) = (Duration::days(1), "Start Date must be smaller or equal than End Date.");
    let wrong = "Please enter a valid value for this field.";
    let path = |start, end| events_path(start, end, "&pageNumber=1");
    let bare = "/api/admin/reports/events?pageNumber=1".to_owned();
    let page = |more: &str| events_path(now - day, now, more);
    for (path, field, text) in [
        (path(now, now - day), "start", text),
        (path(now + day, now + day), "start", text),
        (path(now - day, now + day * 2), "end", text),
        (bare.clone(), "start", text),
        (bare, "end", text),
        (page(""), "pageNumber", wrong),
        (page("&pageNumber=0"), "pageNumber", wrong),
        (page("&pageNumber=100"), "pageNumber", wrong),
        (page("&pageNumber=1&eventTypes=Invented"), "eventTypes", wrong),
        (page("&pageNumber=1").replace("10000", "10001"), "pageSize", wrong),
    ] {
        let answer = world.call("GET", &path, Value::Null).await;
        assert_eq!(answer.texts(field), [text], "{path}");
    }
    assert_eq!(world.call("GET", &path(now, now), Value::Null).await.status, StatusCode::OK);
    assert_eq!(world.downloads("events").await, 1, "what is refused is no download");
}

/// ADA-C-051
async fn addresses_that_nobody_sends_from_come_for_chosen_organizations(db: Db) {
    let world = World::new(db).await;
    const UNASSIGNED: &str = "/api/admin/reports/addresses/unassigned";
    let larkfield = world.organization_id("Larkfield Family Medicine", "larkfield").await;
    let summit = world.organization_id("Summit Clinic", "summit").await;
    world.addresses(larkfield, "larkfield", "Desk", 3).await;
    world.addresses(summit, "summit", "Desk", 1).await;
    let user = world.user(Person::Member(Role::User, larkfield)).await;
    let db = world.app.store.db();
    let key = document_source::Column::AddressKey.eq("desk1@larkfield.direct.carepost.example");
    let source = document_source::Entity::find().filter(key).one(db).await.unwrap().unwrap();
    let link = user_document_source::ActiveModel {
        user_id: Set(user),
        document_source_id: Set(source.id),
        organization_id: Set(larkfield),
    };
    user_document_source::Entity::insert(link).exec_without_returning(db).await.unwrap();
    let addresses = async |ids: Value| -> Vec<String> {
        let lines = world.lines("POST", UNASSIGNED, ids).await;
        lines.into_iter().map(|line| line[3].split('@').next().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(addresses(json!([larkfield])).await, ["desk0", "desk2"]);
    assert_eq!(addresses(json!([summit, larkfield])).await, ["desk0", "desk2", "desk0"]);
    for (ids, status) in [
        (json!([]), StatusCode::BAD_REQUEST),
        (json!([larkfield, Uuid::now_v7()]), StatusCode::NOT_FOUND),
        (json!(["larkfield"]), StatusCode::UNPROCESSABLE_ENTITY),
    ] {
        assert_eq!(world.call("POST", UNASSIGNED, ids.clone()).await.status, status, "{ids}");
    }
    assert_eq!(world.downloads("unassignedaddresses").await, 2);
}

#[tokio::test]
async fn who_only_reads_reports_chooses_organizations_by_name() {
    let world = World::new(Db::sqlite()).await;
    for (name, sub_domain) in [("Larkfield", "larkfield"), ("Larch Clinic", "larch"), ("Summit", "summit")] {
        world.organization(name, sub_domain).await;
    }
    let (client, _) = world.sign_in(Person::System(Role::Reporting)).await;
    let path = "/api/admin/reports/organizationchoices?search=LAR";
    let found = world.call_as(&client, "GET", path, Value::Null).await.ok();
    let items = found["items"].as_array().unwrap();
    let names: Vec<&str> = items.iter().filter_map(|o| o["name"].as_str()).collect();
    assert_eq!(names, ["Larch Clinic", "Larkfield"]);
    let inside = "/api/admin/reports/organizationchoices?search=clinic";
    let found_inside = world.call_as(&client, "GET", inside, Value::Null).await.ok();
    assert_eq!(found_inside["items"][0]["name"], "Larch Clinic");
    let members: Vec<&String> = items[0].as_object().unwrap().keys().collect();
    assert_eq!(members, ["id", "name"], "names only");
}

/// ADA-C-047, ADA-R-128
async fn contacts_are_counted_with_those_that_were_sent_to(db: Db) {
    let world = World::new(db).await;
    let app = &world.app;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    for _ in 0..2 {
        larkfield.client.send_document(&larkfield.address, &[&summit.address], "Referral").await;
    }
    let contact = |name: &str| saved_address::ActiveModel {
        organization_id: Set(larkfield.organization.id),
        address: Set(format!("{name}@elsewhere.example")),
        name: Set(name.into()),
        company: Set(String::new()),
    };
    saved_address::Entity::insert_many([contact("one"), contact("two")])
        .exec_without_returning(app.store.db())
        .await
        .expect("saved addresses");
    let report = "/api/admin/reports/contacts-usage-statistics";
    let lines = world.lines("GET", report, Value::Null).await;
    let of = |id: Uuid| lines.iter().find(|line| line[0] == id.to_string()).expect("a line")[2..].to_vec();
    assert_eq!(of(larkfield.organization.id), ["2", "1", "2"]);
    assert_eq!(of(summit.organization.id), ["0", "0", "0"]);
    app.advance(Duration::days(31));
    let (client, _) = world.sign_in(Person::System(Role::Reporting)).await;
    let later = world.call_as(&client, "GET", report, Value::Null).await;
    assert!(later.text().contains(",2,0,0\r\n"), "what was sent 31 days ago does not count");
}

/// ADA-C-021, ADA-C-049, ADA-R-129
async fn sign_ins_between_two_dates_come_with_their_devices(db: Db) {
    let world = World::new(db).await;
    let larkfield = world.organization_id("Larkfield Family Medicine", "larkfield").await;
    let (_, session) = world.sign_in(Person::Member(Role::User, larkfield)).await;
    let change = session::ActiveModel {
        id: Set(session),
        user_agent: Set("=cmd()".into()),
        source_ip: Set("192.0.2.7".into()),
        ..Default::default()
    };
    session::Entity::update(change).exec(world.app.store.db()).await.expect("a session");
    let now = world.app.clock.now();
    let path = |start: DateTime<Utc>, end: DateTime<Utc>| {
        let [start, end] = [start, end].map(|at| at.to_rfc3339_opts(SecondsFormat::Millis, true));
        format!("/api/admin/reports/devices?startDate={start}&endDate={end}")
    };
    let day = Duration::days(1);
    let lines = world.lines("GET", &path(now - day, now), Value::Null).await;
    let found = lines.iter().find(|line| line[3] == "Larkfield Family Medicine").expect("a line");
    assert_eq!(
        found[4..6],
        ["'=cmd()", "192.0.2.7"],
        "no spreadsheet computes what a browser says of itself"
    );
    assert!(world.lines("GET", &path(now - day * 3, now - day * 2), Value::Null).await.is_empty());
    let refused = world.call("GET", &path(now, now - day), Value::Null).await;
    assert_eq!(refused.texts("startDate"), ["Start Date must be smaller or equal than End Date."]);
    let of_organization = format!("/api/admin/organizations/{larkfield}/devices");
    let devices = world.get(&of_organization).await;
    assert_eq!(devices["items"][0]["ipAddress"], "192.0.2.7");
    assert_eq!(devices["items"][0]["isSignedIn"], true);
}

/// ADA-C-052, ADA-C-053, ADA-R-131
async fn intake_rules_and_how_documents_are_downloaded_come_for_chosen_organizations(db: Db) {
    let world = World::new(db).await;
    let larkfield = world.organization_id("Larkfield Family Medicine", "larkfield").await;
    let user = world.user(Person::Member(Role::User, larkfield)).await;
    for (position, name) in ["=Labs", "Visits"].into_iter().enumerate() {
        let id = Uuid::now_v7();
        let rule = intake_rule::ActiveModel {
            id: Set(id),
            organization_id: Set(larkfield),
            name: Set(name.into()),
            name_key: Set(name.to_lowercase()),
            position: Set(position as i32),
            is_enabled: Set(position == 0),
            stops: Set(false),
            sealed_terms: Set(Vec::new()),
            version: Set(1),
        };
        intake_rule::Entity::insert(rule).exec_without_returning(world.app.store.db()).await.expect("a rule");
        if position == 0 {
            let link = intake_rule_user::ActiveModel {
                intake_rule_id: Set(id),
                user_id: Set(user),
                organization_id: Set(larkfield),
            };
            let linked = intake_rule_user::Entity::insert(link);
            linked.exec_without_returning(world.app.store.db()).await.expect("a link");
        }
    }
    let lines = world.lines("POST", "/api/admin/reports/intakerules", json!([larkfield])).await;
    assert_eq!(lines[0][2..7], ["1", "'=Labs", "Yes", "No", &user.to_string()]);
    assert_eq!(lines[1][2..7], ["2", "Visits", "No", "No", ""]);
    let profiles = "/api/admin/reports/downloadprofiles";
    let standard = world.lines("POST", profiles, json!([larkfield])).await;
    assert_eq!(standard[0][2..], ["Saved", "File", "One", "No", "Yes", "Ask first"]);
    let settings = format!("/api/settings/interoperability?organizationId={larkfield}");
    let mut form = world.get(&settings).await;
    form["exportMode"] = json!("print");
    form["gaps"] = json!("refuse");
    world.call("PUT", &settings, form).await.ok();
    let changed = world.lines("POST", profiles, json!([larkfield])).await;
    assert_eq!((changed[0][2].as_str(), changed[0][7].as_str()), ("Printed", "Never"));
    for report in ["intakerules", "downloadprofiles"] {
        let path = format!("/api/admin/reports/{report}");
        let unknown = world.call("POST", &path, json!([Uuid::now_v7()])).await;
        assert_eq!(unknown.status, StatusCode::NOT_FOUND);
    }
    assert_eq!((world.downloads("intakerules").await, world.downloads("downloadprofiles").await), (1, 2));
}

const GENERATED: &str = "/api/admin/generated_reports";

/// ADB-C-006, ADB-C-007, ADB-R-034, ADB-R-035, ADB-R-036, ADB-R-037, ADB-R-038
async fn a_long_report_is_made_in_the_background_and_kept_for_a_week(db: Db) {
    let world = World::new(db).await;
    let larkfield = world.organization_id("Larkfield Family Medicine", "larkfield").await;
    world.addresses(larkfield, "larkfield", "Desk, front", 2_500).await;
    let asked = world.call("POST", GENERATED, json!({ "report": "DirectAddresses" })).await;
    assert_eq!(asked.status, StatusCode::ACCEPTED);
    let path = format!("{GENERATED}/{}", asked.json()["id"].as_str().expect("an id"));
    assert_eq!(asked.json()["state"], "Processing");
    assert_eq!(world.call("GET", &path, Value::Null).await.status, StatusCode::CONFLICT, "it is not ready");
    world.app.drain().await;
    let listed = world.get(&format!("{GENERATED}?sortDir=desc&pageNumber=1&pageSize=10")).await;
    assert_eq!(listed["totalCount"], 1);
    let report = &listed["items"][0];
    assert_eq!((&report["name"], &report["state"]), (&json!("Direct Addresses"), &json!("Ready")));
    let file_name = report["fileName"].as_str().expect("a name");
    assert!(file_name.starts_with("direct-addresses-2") && file_name.ends_with(".csv"), "{file_name}");
    let file = world.call("GET", &path, Value::Null).await;
    assert!(file.header("content-disposition").contains(file_name));
    let text = file.text();
    assert_eq!(report["sizeBytes"], text.len());
    assert_eq!(text, world.call("GET", REPORT, Value::Null).await.text(), "it is what the tile downloads");
    world.app.advance(Duration::days(8));
    let (client, _) = world.sign_in(Person::System(Role::SysAdmin)).await;
    let gone = world.call_as(&client, "GET", &path, Value::Null).await;
    assert_eq!(gone.status, StatusCode::NOT_FOUND);
    console::reports::generated::expire(&world.app).await.expect("expired reports");
    let pieces = generated_report_piece::Entity::find().count(world.app.store.db()).await.expect("pieces");
    assert_eq!(pieces, 0, "its content goes with it");
}

/// ADB-S-003
#[tokio::test]
async fn a_report_on_some_days_asks_for_them_and_reporters_do_not_see_what_was_generated() {
    let world = World::new(Db::sqlite()).await;
    let refused = world.call("POST", GENERATED, json!({ "report": "Messages" })).await;
    let text = "Start Date must be smaller or equal than End Date.";
    assert_eq!(
        (refused.texts("start"), refused.texts("end")),
        (vec![text.to_owned()], vec![text.to_owned()])
    );
    let now = world.app.clock.now();
    let month = json!({ "report": "Devices", "start": now - Duration::days(30), "end": now });
    let made = world.call("POST", GENERATED, month).await.json();
    world.app.drain().await;
    let path = format!("{GENERATED}/{}", made["id"].as_str().expect("an id"));
    assert!(world.call("GET", &path, Value::Null).await.text().starts_with("User ID,Username"));
    let (reporter, _) = world.sign_in(Person::System(Role::Reporting)).await;
    assert_eq!(world.call_as(&reporter, "GET", GENERATED, Value::Null).await.status, StatusCode::FORBIDDEN);
    assert_eq!(world.call("DELETE", &path, Value::Null).await.status, StatusCode::NO_CONTENT);
    assert_eq!(world.call("GET", &path, Value::Null).await.status, StatusCode::NOT_FOUND);
}

/// ADA-C-022
#[tokio::test]
async fn an_operator_sees_what_an_organization_is_licensed_for() {
    let world = World::new(Db::sqlite()).await;
    let larkfield = world.organization_id("Larkfield Family Medicine", "larkfield").await;
    let elsewhere = world.organization_id("Summit Clinic", "summit").await;
    world.people(larkfield, 2).await;
    world.people(elsewhere, 1).await;
    let licenses = world.get(&format!("/api/admin/organizations/{larkfield}/licenses")).await;
    let [license] = licenses["items"].as_array().expect("licenses").as_slice() else { panic!("one license") };
    assert_eq!((&license["allowedUsers"], &license["numberOfUsers"]), (&json!(3), &json!(2)));
    assert_eq!(license["status"], "Active");
    let unknown = format!("/api/admin/organizations/{}/licenses", Uuid::now_v7());
    assert_eq!(world.call("GET", &unknown, Value::Null).await.status, StatusCode::NOT_FOUND);
}
