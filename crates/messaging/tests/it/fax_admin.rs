//! Fax accounts, numbers and log, and who manages them.

use crate::{
    fax::{BUSY, LARKFIELD, SUMMIT, confirming, draft, fax, only_fax, pass_with_arrivals, two},
    support::*,
};
use chrono::Duration;
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter};
use serde_json::{Value, json};
use store::entities::fax_reception::ReceptionState;
use store::entities::{fax_account, fax_reception};
use testkit::{Client, Db, Options, Organization, Role, TestApp};

testkit::on_both_databases! {
    the_fax_log_has_calls_and_receptions_by_filter_and_as_csv,
    a_long_fax_log_is_saved_whole,
}

const SOURCES: &str = "/api/admin/documentsources";
const ACCOUNT: &str = "/api/fax/accounts/embedded";

/// An administrator of a new organization with an account for calls within the installation.
async fn administrator(app: &TestApp, name: &str) -> (Organization, Client) {
    let organization = app.organization(name).await;
    let client = app.signed_in(Role::Admin, &organization).await;
    client.put(ACCOUNT, &json!({})).await.ok();
    (organization, client)
}

fn form(number: &str) -> Value {
    json!({ "directAddressType": "fax", "fullAddress": number, "displayName": "Front desk", "provider": "embedded" })
}

/// MSG-C-125, MSG-C-127, MSG-C-130
#[tokio::test]
async fn a_number_sends_once_its_account_was_found_to_work() {
    let app = TestApp::start(Db::sqlite()).await;
    let (_, admin) = administrator(&app, "larkfield").await;
    let exists = format!("{SOURCES}/exists?val=(740)%20555-0110");
    assert_eq!(admin.get(&exists).await.ok()["data"], false);
    let made = admin.post(SOURCES, &form("(740) 555-0110")).await.ok();
    assert_eq!((text(&made, "fullAddress"), text(&made, "displayAddress")), (LARKFIELD, "740-555-0110"));
    assert_eq!(
        (&made["status"], &made["type"], &made["directAddressType"]),
        (&json!(0), &json!("Fax"), &json!("fax"))
    );
    assert_eq!(admin.get(&exists).await.ok()["data"], true);
    let id = text(&made, "id");
    let active = admin.post(&format!("{SOURCES}/activate/{id}"), &json!({})).await.ok();
    assert_eq!((&active["status"], &active["problem"]), (&json!(1), &Value::Null));
    let status = admin.get(&format!("{SOURCES}/{id}/faxstatus")).await.ok();
    assert_eq!(
        (&status["problems"], &status["calls"], &status["waiting"]),
        (&json!([]), &json!(0), &json!(0))
    );

    let changed = json!({
        "directAddressType": "fax", "displayName": "Referrals", "provider": "embedded",
        "callers": ["740-555-0130"], "senderIds": ["COUNTY LAB"], "version": active["version"],
    });
    let path = format!("{SOURCES}/{id}");
    let request = changed;
    let changed = admin.put(&path, &request).await.ok();
    let why = admin.put(&path, &request).await.problem(409);
    assert_eq!(why["message"], "Somebody else has changed this fax number since you opened it.");
    assert_eq!((&changed["displayName"], &changed["status"]), (&json!("Referrals"), &json!(1)));
    assert_eq!(
        (&changed["callers"], &changed["senderIds"]),
        (&json!(["+17405550130"]), &json!(["COUNTY LAB"]))
    );
    assert_eq!(admin.get(&format!("{SOURCES}/{id}")).await.ok(), changed);

    admin.post(SOURCES, &form("740-555-0111")).await.ok();
    let list = admin.get(&format!("{SOURCES}?type=fax&sortDir=desc&pageNumber=1&pageSize=10")).await.ok();
    let addresses = |list: &Value| -> Vec<String> {
        list["items"]
            .as_array()
            .expect("items")
            .iter()
            .map(|s| text(s, "displayAddress").to_owned())
            .collect()
    };
    assert_eq!(
        (addresses(&list), &list["totalCount"]),
        (vec!["740-555-0111".into(), "740-555-0110".into()], &json!(2))
    );
    assert_eq!(
        addresses(&admin.get(&format!("{SOURCES}?type=fax&search=referr")).await.ok()),
        ["740-555-0110"]
    );
    assert_eq!(addresses(&admin.get(&format!("{SOURCES}?search=555-0111")).await.ok()), ["740-555-0111"]);
    admin.get(&format!("{SOURCES}?type=direct")).await.problem(400);
    let acts: Vec<_> =
        audit_of(&app, id.parse().expect("an id")).await.into_iter().map(|a| a.event_type).collect();
    assert_eq!(acts, ["Created", "Changed", "Changed"]);
    app.finish().await;
}

/// MSG-C-129
#[tokio::test]
async fn a_number_is_the_organizations_that_activated_it_until_it_is_deleted() {
    let app = TestApp::start(Db::sqlite()).await;
    let (_, larkfield) = administrator(&app, "larkfield").await;
    let (_, summit) = administrator(&app, "summit").await;
    let made = larkfield.post(SOURCES, &form(LARKFIELD)).await.ok();
    let activate = |made: &Value| format!("{SOURCES}/activate/{}", text(made, "id"));
    let claimed = summit.post(SOURCES, &form(LARKFIELD)).await.ok();
    larkfield.post(&activate(&made), &json!({})).await.ok();
    let refused = summit.post(&activate(&claimed), &json!({})).await.problem(409);
    assert!(text(&refused, "message").starts_with("This fax number is active in another organization"));
    summit.delete(&format!("{SOURCES}/{}", text(&claimed, "id"))).await.ok();
    let problem = summit.post(SOURCES, &form("740 555 0110")).await.problem(422);
    assert_eq!(problem["modelState"]["fullAddress"][0], "This fax number is already in use.");
    let path = format!("{SOURCES}/{}", text(&made, "id"));
    assert_eq!(larkfield.delete(&path).await.ok()["status"], 4);
    larkfield.get(&path).await.problem(404);
    larkfield.delete(&path).await.problem(404);
    assert_eq!(larkfield.get(SOURCES).await.ok()["totalCount"], 0);
    summit.post(SOURCES, &form(LARKFIELD)).await.ok();
    app.finish().await;
}

#[tokio::test]
async fn a_number_that_is_deleted_in_mid_call_goes_when_the_call_is_over() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, _, own) = two(&app).await;
    let admin = app.signed_in(Role::Admin, &larkfield.organization).await;
    let sent = fax(&larkfield, SUMMIT, "In mid call").await;
    pass(&app, Duration::seconds(2)).await;
    assert_eq!(text(&only_fax(&larkfield, &sent).await, "now"), "Dialling");
    let path = format!("{SOURCES}/{}", own.id);
    assert_eq!(admin.delete(&path).await.ok()["status"], 3);
    let refused = admin.post(&format!("{SOURCES}/activate/{}", own.id), &json!({})).await.problem(409);
    assert_eq!(refused["message"], "This fax number is being deleted.");
    pass_with_arrivals(&app, Duration::minutes(5)).await;
    assert_eq!(text(&only_fax(&larkfield, &sent).await, "now"), "Delivered");
    admin.get(&path).await.problem(404);
    app.finish().await;
}

#[tokio::test]
async fn what_a_form_of_a_number_lacks_is_said_at_its_fields() {
    let app = TestApp::start(Db::sqlite()).await;
    let organization = app.organization("larkfield").await;
    let admin = app.signed_in(Role::Admin, &organization).await;
    let said = async |form: &Value, field: &str| {
        let problem = admin.post(SOURCES, form).await.problem(422);
        problem["modelState"][field][0].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(said(&form(LARKFIELD), "provider").await, "Set up an account at this provider first.");
    admin.put(ACCOUNT, &json!({})).await.ok();
    for (number, sentence) in [
        ("", "Enter a fax number."),
        ("911", "Emergency numbers cannot be faxed to."),
        ("555-0110", "Enter the fax number with its area code."),
        ("740-555-0110 x12", "Your own fax number cannot have an extension."),
    ] {
        assert_eq!(said(&form(number), "fullAddress").await, sentence);
    }
    let with = |member: &str, value: Value| {
        let mut form = form(LARKFIELD);
        form[member] = value;
        form
    };
    assert_eq!(
        said(&with("callers", json!(["411"])), "callers").await,
        "411: Short codes and service numbers cannot be faxed to."
    );
    let long = json!(["A MACHINE WITH A NAME THAT IS TOO LONG"]);
    assert_eq!(
        said(&with("senderIds", long), "senderIds").await,
        "A sender ID can have up to 20 characters."
    );
    assert!(!said(&with("directAddressType", json!("direct")), "directAddressType").await.is_empty());
    assert_eq!(admin.get(SOURCES).await.ok()["totalCount"], 0);
    app.finish().await;
}

#[tokio::test]
async fn an_account_with_numbers_is_not_deleted() {
    let app = TestApp::start(Db::sqlite()).await;
    let (_, admin) = administrator(&app, "larkfield").await;
    assert_eq!(admin.post(&format!("{ACCOUNT}/test"), &json!({})).await.ok()["problems"], json!([]));
    let made = admin.post(SOURCES, &form(LARKFIELD)).await.ok();
    let refused = admin.delete(ACCOUNT).await.problem(409);
    assert_eq!(refused["message"], "Delete the fax numbers of this account first.");
    admin.delete(&format!("{SOURCES}/{}", text(&made, "id"))).await.ok();
    admin.delete(ACCOUNT).await.ok();
    assert_eq!(admin.get("/api/fax/accounts").await.ok()["items"], json!([]));
    admin.delete(ACCOUNT).await.problem(404);
    admin.post(&format!("{ACCOUNT}/test"), &json!({})).await.problem(404);
    app.finish().await;
}

#[tokio::test]
async fn an_administrator_sees_which_providers_there_are() {
    let app = TestApp::start(Db::sqlite()).await;
    let (organization, admin) = administrator(&app, "larkfield").await;
    app.enable(&organization, "WestFaxInterface").await;
    let offered = admin.get("/api/fax/providers").await.ok();
    let embedded = json!({
        "provider": "embedded", "name": "Within this installation", "isConfigured": true, "isForOperators": false,
    });
    let modems = json!({
        "provider": "hylafax", "name": "HylaFAX", "isConfigured": false, "isForOperators": true,
    });
    let service = |provider: &str, name: &str| json!({ "provider": provider, "name": name, "isConfigured": false, "isForOperators": false });
    let services = [service("westfax", "WestFax"), service("efax", "eFax")];
    assert_eq!(offered["items"], json!([embedded, modems, services[0], services[1]]));
    admin.put("/api/fax/accounts/pigeon", &json!({})).await.problem(404);
    app.finish().await;
}

/// MSG-C-133, ADA-C-025
#[tokio::test]
async fn providers_of_numbers_are_the_accounts_of_the_organization() {
    let app = TestApp::start(Db::sqlite()).await;
    let (organization, admin) = administrator(&app, "larkfield").await;
    let path = "/api/admin/documentsources/documentsourceproviders?type=Fax";
    let account = &admin.get("/api/fax/accounts").await.ok()["items"][0];
    let own = json!([{ "id": account["id"], "name": "Within this installation", "isRetired": false }]);
    let listed = admin.get(path).await.ok();
    assert_eq!((&listed["items"], &listed["totalCount"]), (&own, &json!(1)));
    assert_eq!(admin.get(&format!("{path}&pageNumber=2")).await.ok()["items"], json!([]));

    let other = app.organization("summit").await;
    let stranger = app.signed_in(Role::Admin, &other).await;
    assert_eq!(stranger.get(path).await.ok()["totalCount"], 0);
    stranger.get(&format!("{path}&organizationId={}", organization.id)).await.problem(404);
    let user = app.signed_in(Role::User, &organization).await;
    user.get(path).await.problem(403);
    let operator = app.signed_in(Role::SysAdmin, &other).await;
    assert_eq!(operator.get(&format!("{path}&organizationId={}", organization.id)).await.ok()["items"], own);
    assert!(operator.get(path).await.problem(422)["modelState"]["organizationId"].is_array());

    for client in [&operator, &admin] {
        let path = "/api/admin/documentsources/documentsourceproviders";
        for query in ["", "?pageNumber=1&pageSize=20&type=DirectMessaging"] {
            let listed = client.get(&format!("{path}{query}")).await.ok();
            assert_eq!(listed["items"][0]["name"], "Carepost Direct");
        }
    }
    app.finish().await;
}

#[tokio::test]
async fn numbers_within_the_installation_are_for_demonstrations_only() {
    let production = Box::new(|config: &mut platform::Config| {
        config.mode = platform::config::Mode::Production;
        config.session.require_second_factor = Some(false);
    });
    let app =
        TestApp::start_with(Db::sqlite(), Options { configure: Some(production), ..Options::default() })
            .await;
    let organization = app.organization("larkfield").await;
    let admin = app.signed_in(Role::Admin, &organization).await;
    admin.put(ACCOUNT, &json!({})).await.problem(404);
    let offered = admin.get("/api/fax/providers").await.ok();
    let names: Vec<_> =
        offered["items"].as_array().expect("providers").iter().map(|p| text(p, "name")).collect();
    assert_eq!(names, ["HylaFAX", "eFax"], "WestFax is a feature");
    app.finish().await;
}

#[tokio::test]
async fn an_operator_sets_up_modems_and_hears_in_plain_words_what_is_wrong() {
    let app = TestApp::start(Db::sqlite()).await;
    let (organization, admin) = administrator(&app, "larkfield").await;
    let operator = app.signed_in(Role::SysAdmin, &organization).await;
    let path = |rest: &str| format!("/api/fax/accounts/hylafax{rest}?organizationId={}", organization.id);
    let gone = format!("127.0.0.1:{}", testports::free_port());
    let form = json!({
        "server": gone, "userName": "carepost", "password": "not to be shown", "outsideLine": "9,",
    });
    let refused = admin.put(&path(""), &form).await.problem(409);
    assert_eq!(refused["message"], "Only the operator of this installation can set up modems.");
    let mut wrong = form.clone();
    wrong["server"] = json!("fax.example\r\nADMIN x");
    assert!(operator.put(&path(""), &wrong).await.problem(422)["modelState"]["server"].is_array());
    let answer = operator.put(&path(""), &form).await;
    assert!(!answer.text().contains("not to be shown"));
    assert_eq!(answer.ok()["hasPassword"], true);
    let kept = fax_account::Entity::find().filter(fax_account::Column::Provider.eq("hylafax"));
    let kept = kept.one(app.store.db()).await.expect("accounts").expect("an account");
    let sealed = kept.sealed_secrets.expect("a sealed password");
    assert!(!String::from_utf8_lossy(&sealed).contains("not to be shown"));
    let test = operator.post(&path("/test"), &json!({})).await.ok();
    assert_eq!(test["problems"].as_array().map(Vec::len), Some(1), "{test}");
    let mut number = self::form(LARKFIELD);
    number["provider"] = json!("hylafax");
    let made = admin.post(SOURCES, &number).await.ok();
    let failed = admin.post(&format!("{SOURCES}/activate/{}", text(&made, "id")), &json!({})).await.ok();
    assert_eq!((&failed["status"], &failed["problem"]), (&json!(5), &test["problems"][0]));
    app.finish().await;
}

#[tokio::test]
async fn a_password_of_modems_is_for_one_user_at_one_server() {
    let app = TestApp::start(Db::sqlite()).await;
    let (organization, _) = administrator(&app, "larkfield").await;
    let operator = app.signed_in(Role::SysAdmin, &organization).await;
    let path = &format!("/api/fax/accounts/hylafax?organizationId={}", organization.id);
    let mut form = json!({ "server": "fax.example:4559", "userName": "carepost", "password": "secret" });
    let save = async |form: &mut Value| {
        let saved = operator.put(path, form).await.ok();
        form["version"] = saved["version"].clone();
        saved["hasPassword"] == true
    };
    save(&mut form).await;
    form["password"] = json!("");
    form["outsideLine"] = json!("9,");
    let outdated = form.clone();
    assert!(save(&mut form).await, "the same user at the same server");
    operator.put(path, &outdated).await.problem(409);
    for (field, another) in [("server", "other.example:4559"), ("userName", "somebody")] {
        let mut changed = form.clone();
        changed[field] = json!(another);
        let problem = operator.put(path, &changed).await.problem(422);
        assert_eq!(
            problem["modelState"],
            json!({ "password":
                ["The stored password is for another user or server. Enter the password for this one."] })
        );
    }
    let accounts = format!("/api/fax/accounts?organizationId={}", organization.id);
    let kept = operator.get(&accounts).await.ok()["items"].clone();
    let hylafax = kept.as_array().expect("accounts").iter().find(|a| a["provider"] == "hylafax");
    let hylafax = hylafax.expect("HylaFAX");
    assert_eq!((&hylafax["server"], &hylafax["hasPassword"]), (&json!("fax.example:4559"), &json!(true)));
    form["userName"] = json!("somebody");
    form["password"] = json!("theirs");
    assert!(save(&mut form).await);
    form["password"] = json!("");
    form["hasNoPassword"] = json!(true);
    form["server"] = json!("other.example:4559");
    assert!(!save(&mut form).await, "a user without a password");
    form["hasNoPassword"] = json!(false);
    form["server"] = json!("fax.example:4559");
    save(&mut form).await;
    app.finish().await;
}

#[tokio::test]
async fn users_and_strangers_manage_no_fax() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, _, own) = two(&app).await;
    let stranger = app.signed_in(Role::Admin, &app.organization("bayline").await).await;
    let of = larkfield.organization.id;
    let paths = ["", "/api/fax/accounts", "/api/fax/settings", "/api/fax/log", "/api/fax/log/csv"];
    for path in paths.iter().map(|p| if p.is_empty() { SOURCES } else { p }) {
        larkfield.client.get(path).await.problem(403);
        stranger.get(&format!("{path}?organizationId={of}")).await.problem(404);
    }
    for path in [format!("{SOURCES}/{}", own.id), format!("{SOURCES}/{}/faxstatus", own.id)] {
        larkfield.client.get(&path).await.problem(403);
        stranger.get(&path).await.problem(404);
    }
    stranger.delete(&format!("{SOURCES}/{}", own.id)).await.problem(404);
    stranger.put(&format!("{SOURCES}/{}", own.id), &form(LARKFIELD)).await.problem(404);
    stranger.post(&format!("{SOURCES}/activate/{}", own.id), &json!({})).await.problem(404);
    stranger.get("/api/admin/faxqueue").await.problem(403);
    app.finish().await;
}

/// ADA-R-014
#[tokio::test]
async fn an_operator_manages_the_fax_of_any_organization() {
    let app = TestApp::start(Db::sqlite()).await;
    let organization = app.organization("larkfield").await;
    let operator = app.signed_in(Role::SysAdmin, &organization).await;
    operator.put(ACCOUNT, &json!({})).await.problem(422);
    let of = organization.id;
    operator.put(&format!("{ACCOUNT}?organizationId={of}"), &json!({})).await.ok();
    let made = operator.post(&format!("{SOURCES}?organizationId={of}"), &form(LARKFIELD)).await.ok();
    assert_eq!(made["organizationId"], json!(of));
    operator.get(&format!("{SOURCES}/{}", text(&made, "id"))).await.ok();
    assert_eq!(operator.get(&format!("{SOURCES}?organizationId={of}")).await.ok()["totalCount"], 1);
    operator.get(&format!("{SOURCES}?organizationId={}", uuid::Uuid::now_v7())).await.problem(404);
    let entry = audit_of(&app, text(&made, "id").parse().expect("an id")).await.remove(0);
    assert_eq!(entry.organization_id, Some(of), "it stands in the organization's own trail");
    app.finish().await;
}

async fn the_fax_log_has_calls_and_receptions_by_filter_and_as_csv(db: Db) {
    let app = TestApp::start(db).await;
    let (larkfield, summit, _) = two(&app).await;
    fax(&larkfield, SUMMIT, "Marisol's note").await;
    pass_with_arrivals(&app, Duration::minutes(2)).await;
    larkfield.client.enter(&larkfield.user).await;
    fax(&larkfield, BUSY, "Busy").await;
    pass(&app, Duration::minutes(1)).await;
    let ours = app.signed_in(Role::Admin, &larkfield.organization).await;
    let outcomes = async |query: &str| -> Vec<String> {
        let page = ours.get(&format!("/api/fax/log{query}")).await.ok();
        page["items"].as_array().expect("items").iter().map(|e| text(e, "outcome").to_owned()).collect()
    };
    assert_eq!(outcomes("").await, ["Busy", "Delivered"]);
    assert_eq!(outcomes("?outcome=Busy").await, ["Busy"]);
    assert_eq!(outcomes("?number=555-0120").await, ["Delivered"]);
    assert_eq!(outcomes("?direction=Received").await, Vec::<String>::new());
    assert_eq!(outcomes("?start=2099-01-01T00:00:00Z").await, Vec::<String>::new());
    assert_eq!(outcomes("?pageNumber=2&pageSize=1").await, ["Delivered"]);
    ours.get("/api/fax/log?direction=Sideways").await.problem(400);
    let by_number = json!({ "number": "555-0120", "pageSize": 10 });
    let typed = ours.post("/api/fax/log", &by_number).await.ok();
    assert_eq!((typed["totalCount"].as_u64(), text(&typed["items"][0], "outcome")), (Some(1), "Delivered"));
    let table = ours.post("/api/fax/log/csv", &by_number).await.text();
    assert_eq!(table.lines().count(), 2, "heads and one call: {table}");
    let table = ours.get("/api/fax/log/csv").await;
    assert!(table.header("content-disposition").contains("fax-log.csv"));
    let table = table.text();
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 3, "{table}");
    assert!(lines[0].starts_with("Time,Direction,Own number,Other number"));
    assert!(lines[1].contains("740-555-0197") && lines[1].contains("Busy"));
    assert!(!table.contains("Marisol"), "the log names no content");
    // Both directions in one order, page by page.
    let answer = draft(&summit, SUMMIT, &[LARKFIELD], "Answer").await;
    let path = format!("/api/messages/{answer}/send");
    summit.client.post(&path, &confirming(&[LARKFIELD])).await.ok();
    pass_with_arrivals(&app, Duration::minutes(2)).await;
    let ours = app.signed_in(Role::Admin, &larkfield.organization).await;
    let mut all = Vec::new();
    for page in 1..=4 {
        let page = ours.get(&format!("/api/fax/log?pageNumber={page}&pageSize=1")).await.ok();
        assert_eq!(page["totalCount"], 3);
        all.extend(page["items"].as_array().expect("items").clone());
    }
    let directions: Vec<_> = all.iter().map(|e| text(e, "direction")).collect();
    assert_eq!(directions, ["Received", "Sent", "Sent"]);
    let at = |e: &Value| -> chrono::DateTime<chrono::Utc> { text(e, "at").parse().expect("a time") };
    assert!(all.is_sorted_by(|a, b| at(a) >= at(b)), "newest first");
    let theirs = app.signed_in(Role::Admin, &summit.organization).await;
    let page = theirs.get("/api/fax/log?direction=Received").await.ok();
    assert_eq!((&page["totalCount"], &page["items"][0]["direction"]), (&json!(1), &json!("Received")));
    assert_eq!(
        (&page["items"][0]["ownNumber"], &page["items"][0]["otherNumber"]),
        (&json!("740-555-0120"), &json!("740-555-0110"))
    );
    pass(&app, Duration::minutes(40)).await;
    app.finish().await;
}

async fn a_long_fax_log_is_saved_whole(db: Db) {
    let app = TestApp::start(db).await;
    let (larkfield, _, own) = two(&app).await;
    fax(&larkfield, SUMMIT, "Visit note").await;
    pass_with_arrivals(&app, Duration::minutes(2)).await;
    let account = fax_account::Entity::find()
        .filter(fax_account::Column::OrganizationId.eq(larkfield.organization.id))
        .one(app.store.db())
        .await
        .expect("accounts")
        .expect("an account");
    // More than are read at once, many of them at the same moment.
    let rows = (0..450).map(|n| fax_reception::ActiveModel {
        id: Set(uuid::Uuid::now_v7()),
        account_id: Set(account.id),
        organization_id: Set(larkfield.organization.id),
        remote_id: Set(format!("reception {n}")),
        state: Set(ReceptionState::Discarded),
        caller: Set(Some(format!("+1740557{n:04}"))),
        document_source_id: Set(Some(own.id)),
        received_at: Set(app.clock.now() - Duration::hours(n / 150)),
        ..Default::default()
    });
    fax_reception::Entity::insert_many(rows)
        .exec_without_returning(app.store.db())
        .await
        .expect("receptions");
    let admin = app.signed_in(Role::Admin, &larkfield.organization).await;
    let table = admin.get("/api/fax/log/csv").await.text();
    let callers: std::collections::HashSet<&str> = table.lines().skip(1).collect();
    assert_eq!((table.lines().count(), callers.len()), (452, 451));
    assert!(
        table.contains("740-557-0000") && table.contains("740-557-0449") && table.contains("740-555-0120")
    );
    let filtered = admin.get("/api/fax/log/csv?direction=Received&number=740557").await.text();
    assert_eq!(filtered.lines().count(), 451);
    app.finish().await;
}

#[tokio::test]
async fn fax_settings_that_somebody_else_has_changed_are_not_saved_over_unseen() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let admin = app.signed_in(Role::Admin, &larkfield).await;
    let path = "/api/fax/settings";
    let mut form = admin.get(path).await.ok();
    form["mostCalls"] = json!(6);
    let saved = admin.put(path, &form).await.ok();
    let why = admin.put(path, &form).await.problem(409);
    assert_eq!(why["message"], "Somebody else has changed these settings since you opened them.");
    assert_eq!(admin.put(path, &saved).await.ok()["mostCalls"], 6);
    app.finish().await;
}

#[tokio::test]
async fn what_is_wrong_with_fax_settings_is_said_at_their_fields() {
    let app = TestApp::start(Db::sqlite()).await;
    let (_, admin) = administrator(&app, "larkfield").await;
    let path = "/api/fax/settings";
    let before = admin.get(path).await.ok();
    assert_eq!((&before["callsPerLine"], &before["retryMinutes"]), (&json!(1), &json!([3, 6, 12])));
    for (field, value) in [
        ("timeZone", json!("Mars/Olympus")),
        ("areaCode", json!("74")),
        ("callsPerLine", json!(0)),
        ("mostCalls", json!(21)),
        ("retryMinutes", json!([0])),
        ("blockedNumbers", json!(["911"])),
    ] {
        let mut form = before.clone();
        form[field] = value;
        let problem = admin.put(path, &form).await.problem(422);
        assert!(problem["modelState"][field].is_array(), "{problem}");
    }
    let mut form = before.clone();
    form["quietFrom"] = json!("22:00:00");
    assert!(admin.put(path, &form).await.problem(422)["modelState"]["quietUntil"].is_array());
    form["quietUntil"] = json!("06:00:00");
    form["areaCode"] = json!("740");
    form["blockedNumbers"] = json!(["555-0199", "(740) 555-0199"]);
    let saved = admin.put(path, &form).await.ok();
    assert_eq!(saved["blockedNumbers"], json!(["+17405550199"]));
    assert_eq!(admin.get(path).await.ok(), saved);
    app.finish().await;
}
