//! Fax over online services, simulated by their answers (see the tests of the crate `fax`).

use crate::{
    fax::{LARKFIELD, SUMMIT, draft, fax, only_fax, outcomes, pass_with_arrivals},
    support::*,
};
use axum::{
    Json, Router,
    body::Bytes,
    extract::State,
    http::{Method, StatusCode, Uri},
    response::{IntoResponse, Response},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::Duration;
use sea_orm::EntityTrait;
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};
use store::entities::organization_feature;
use testkit::{Client, Db, Options, Practice, Role, TestApp};
use tokio::net::TcpListener;

pub const WESTFAX: &str = "/api/westfax/account";
const EFAX: &str = "/api/efax/account";
const PRODUCT: &str = "9def20cc-fe85-43bc-babe-23c26c2a115b";
pub const JOB: &str = "3d1f0a52-a7b8-4012-8def-1234567890ab";

/// A service with a fixed answer for each given path, and 503 for all others.
#[derive(Clone, Default)]
pub struct Service {
    answers: Arc<Mutex<HashMap<String, (u16, Value)>>>,
    seen: Arc<Mutex<Vec<(String, Bytes)>>>,
}

impl Service {
    async fn start() -> (Self, url::Url) {
        let service = Self::default();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let router = Router::new().fallback(answer).layer(axum::extract::DefaultBodyLimit::disable());
        let router = router.with_state(service.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        (service, address.parse().expect("a URL"))
    }

    pub fn says(&self, path: &str, status: u16, body: Value) {
        self.answers.lock().expect("answers").insert(path.to_owned(), (status, body));
    }

    /// Sets the answer of WestFax to a method.
    pub fn westfax(&self, method: &str, result: Value) {
        self.says(&format!("POST /REST/{method}/json"), 200, json!({ "Success": true, "Result": result }));
    }

    /// Bodies of the requests for a path.
    pub fn bodies(&self, path: &str) -> Vec<String> {
        let seen = self.seen.lock().expect("requests");
        let of_path = seen.iter().filter(|(seen, _)| seen == path);
        of_path.map(|(_, body)| String::from_utf8_lossy(body).into_owned()).collect()
    }
}

async fn answer(State(service): State<Service>, method: Method, uri: Uri, body: Bytes) -> Response {
    let path = format!("{method} {}", uri.path());
    let answer = service.answers.lock().expect("answers").get(&path).cloned();
    service.seen.lock().expect("requests").push((path, body));
    match answer {
        Some((status, body)) => (StatusCode::from_u16(status).expect("a status"), Json(body)).into_response(),
        None => StatusCode::SERVICE_UNAVAILABLE.into_response(),
    }
}

/// The application with this service in place of WestFax and eFax, a practice, and its administrator.
pub async fn start(db: Db) -> (TestApp, Service, Practice, Client) {
    let (service, url) = Service::start().await;
    let configure = Box::new(move |config: &mut platform::Config| {
        config.fax.westfax_url = Some(url.clone());
        config.fax.efax_url = Some(url.clone());
    });
    let app = TestApp::start_with(db, Options { configure: Some(configure), ..Options::default() }).await;
    let practice = app.practice("larkfield").await;
    app.enable(&practice.organization, "WestFaxInterface").await;
    let admin = app.signed_in(Role::Admin, &practice.organization).await;
    service.westfax("Security_Authenticate", json!("ok"));
    service.westfax("Profile_GetProductList", json!([{ "Id": PRODUCT, "InboundNumber": "7405550110" }]));
    service.westfax("Fax_GetFaxIdentifiers", json!([]));
    (app, service, practice, admin)
}

pub fn westfax_account() -> Value {
    json!({ "userName": "clinic@example.com", "password": "not to be shown", "productId": PRODUCT })
}

/// Lets the practice send from its number.
pub async fn link(app: &TestApp, practice: &Practice, source: &Value) {
    let id = text(source, "id").parse().expect("an id");
    let organization_id = practice.organization.id;
    app.link(&practice.user, &testkit::Source { id, address: LARKFIELD.into(), organization_id }).await;
}

/// MSG-C-136, MSG-C-137, MSG-R-160, ADA-R-348
#[tokio::test]
async fn a_fax_goes_out_and_comes_in_over_westfax() {
    let (app, service, larkfield, admin) = start(Db::sqlite()).await;
    let account = admin.put(WESTFAX, &westfax_account()).await;
    assert!(!account.text().contains("not to be shown"));
    let account = account.ok();
    assert_eq!((&account["accountType"], &account["hasPassword"]), (&json!("WestFaxAccount"), &json!(true)));
    let synced = admin.post(&format!("{WESTFAX}/sync"), &json!({})).await.ok();
    link(&app, &larkfield, &synced["added"][0]).await;

    service.westfax("Fax_SendFax", json!(JOB));
    let described = |status: &str, result: &str, pages: u32| json!([{ "Id": JOB, "Status": status, "FaxCallInfoList": [{ "Result": result, "CallPageCount": pages }] }]);
    service.westfax("Fax_GetFaxDescriptionsUsingIds", described("Production", "", 0));
    let sent = fax(&larkfield, SUMMIT, "Visit note").await;
    pass(&app, Duration::minutes(1)).await;
    let form = service.bodies("POST /REST/Fax_SendFax/json").remove(0);
    let pages = only_fax(&larkfield, &sent).await["pages"].as_u64().expect("pages");
    for part in ["740-555-0120", "7405550110", PRODUCT, "%PDF-"] {
        assert!(form.contains(part), "{part}");
    }
    assert_eq!(text(&only_fax(&larkfield, &sent).await, "now"), "Dialling");
    service.westfax(
        "Fax_GetFaxDescriptionsUsingIds",
        described("Complete", "Sent", u32::try_from(pages).expect("pages")),
    );
    pass(&app, Duration::minutes(1)).await;
    let sent = only_fax(&larkfield, &sent).await;
    assert_eq!((text(&sent, "now"), outcomes(&sent)), ("Delivered", vec!["Delivered"]));

    let inbound = "4c5890ce-0edf-4877-aee1-706415922415";
    let date = app.clock.now().to_rfc3339();
    let listed = |tag| json!([{ "Id": inbound, "Direction": "Inbound", "Tag": tag, "Date": date }]);
    let call = json!({ "TermNumber": "7405550110", "OrigNumber": "7405550120", "OrigCSID": "SUMMIT", "Result": "Success" });
    let description = json!([{ "Id": inbound, "Direction": "Inbound", "Date": date, "PageCount": 1,
        "FaxQuality": "Fine", "FaxCallInfoList": [call] }]);
    let files = json!([{ "Id": inbound, "FaxFiles": [{ "FileContents": STANDARD.encode(note_pdf()) }] }]);
    service.westfax("Fax_GetFaxIdentifiers", listed("None"));
    service.westfax("Fax_GetFaxDescriptionsUsingIds", description);
    service.westfax("Fax_GetFaxDocuments", files);
    service.westfax("Fax_ChangeFaxFilterValue", json!(true));
    // WestFax sends a callback, whose content is ignored.
    let callback = text(&account, "callbackUrl");
    let path = &callback[callback.find("/api/").expect("a path")..];
    let client = app.client();
    assert_eq!(client.post(path, &json!({ "FaxId": "forged" })).await.status.as_u16(), 204);
    client.post(&format!("{path}a"), &json!({})).await.problem(404);
    messaging::fax::arrivals::poll(&app).await.expect("providers are asked");
    app.drain().await;
    let arrived = only_message(&larkfield.client).await;
    let came = &arrived["fax"];
    assert_eq!((text(came, "caller"), text(came, "called")), ("740-555-0120", "740-555-0110"));
    assert_eq!((text(came, "senderId"), &came["resolution"]), ("SUMMIT", &json!("Fine")));
    let marked = || service.bodies("POST /REST/Fax_ChangeFaxFilterValue/json");
    assert!(marked().len() == 1 && marked()[0].contains("Retrieved") && marked()[0].contains(inbound));
    // WestFax did not receive the acknowledgement, so it is repeated until it does.
    pass_with_arrivals(&app, Duration::minutes(2)).await;
    only_message(&larkfield.client).await;
    let told = marked().len();
    assert!(told > 1);
    service.westfax("Fax_GetFaxIdentifiers", listed("Retrieved"));
    pass_with_arrivals(&app, Duration::minutes(2)).await;
    assert_eq!(marked().len(), told);
    only_message(&larkfield.client).await;
    app.finish().await;
}

/// An existing account stays in use; without the feature, a new one is refused.
///
/// ADA-R-073
#[tokio::test]
async fn westfax_is_offered_where_its_feature_is_on() {
    let (app, _, _, admin) = start(Db::sqlite()).await;
    let other = app.organization("summit").await;
    let without = app.signed_in(Role::Admin, &other).await;
    let offers = async |client: &Client| client.get("/api/fax/providers").await.text().contains("westfax");
    assert!(offers(&admin).await && !offers(&without).await);
    without.put(WESTFAX, &westfax_account()).await.problem(404);
    let account = admin.put(WESTFAX, &westfax_account()).await.ok();
    organization_feature::Entity::delete_many().exec(app.store.db()).await.expect("no features");
    assert!(offers(&admin).await);
    let mut form = westfax_account();
    form["version"] = account["version"].clone();
    admin.put(WESTFAX, &form).await.ok();
    admin.delete(WESTFAX).await.ok();
    assert!(!offers(&admin).await);
    app.finish().await;
}

/// MSG-C-137
#[tokio::test]
async fn numbers_are_brought_over_from_westfax() {
    let (app, service, _, admin) = start(Db::sqlite()).await;
    let path = format!("{WESTFAX}/sync");
    admin.post(&path, &json!({})).await.problem(404);
    admin.put(WESTFAX, &westfax_account()).await.ok();
    let synced = admin.post(&path, &json!({})).await.ok();
    assert_eq!((&synced["problems"], synced["added"].as_array().map(Vec::len)), (&json!([]), Some(1)));
    let added = &synced["added"][0];
    assert_eq!((text(added, "displayAddress"), &added["status"]), ("740-555-0110", &json!(1)));
    assert_eq!(admin.post(&path, &json!({})).await.ok(), json!({ "added": [], "problems": [] }));

    // A number of another organization is not taken from it.
    let other = app.organization("summit").await;
    app.fax_number(&other, SUMMIT).await;
    let products = json!([{ "Id": PRODUCT, "InboundNumber": "7405550120" }, { "Id": "another", "InboundNumber": "7405550130" }]);
    service.westfax("Profile_GetProductList", products);
    let synced = admin.post(&path, &json!({})).await.ok();
    assert_eq!(
        synced,
        json!({ "added": [], "problems": ["7405550120: This fax number is already in use."] })
    );
    app.finish().await;
}

/// MSG-C-138, MSG-C-139, MSG-C-140
#[tokio::test]
async fn numbers_at_westfax_are_added_and_deleted() {
    let (app, _, _, admin) = start(Db::sqlite()).await;
    let path = format!("{WESTFAX}/numbers");
    let number = json!({ "number": "(740) 555-0110", "displayName": "Front desk" });
    let problem = admin.post(&path, &number).await.problem(422);
    assert_eq!(problem["modelState"]["provider"][0], "Set up an account at this provider first.");
    admin.put(WESTFAX, &westfax_account()).await.ok();
    let problem = admin.post(&path, &json!({ "number": "911" })).await.problem(422);
    assert_eq!(problem["modelState"]["number"][0], "Emergency numbers cannot be faxed to.");
    let added = admin.post(&path, &number).await.ok();
    assert_eq!((&added["status"], text(&added, "displayName")), (&json!(1), "Front desk"));
    assert_eq!(
        admin.delete(WESTFAX).await.problem(409)["message"],
        "Delete the fax numbers of this account first."
    );
    admin.delete(&format!("{path}/7405550199")).await.problem(404);
    assert_eq!(admin.delete(&format!("{path}/740-555-0110")).await.ok()["status"], 4);
    admin.delete(&format!("{path}/740-555-0110")).await.problem(404);
    admin.delete(WESTFAX).await.ok();
    assert_eq!(admin.get("/api/fax/accounts").await.ok()["items"], json!([]));
    app.finish().await;
}

/// An account at eFax with an activated number.
pub async fn efax_number(app: &TestApp, service: &Service, larkfield: &Practice, admin: &Client) {
    service.says("POST /tokens", 200, json!({ "access_token": "token", "expires_in": 86399 }));
    service.says("GET /faxes/received", 200, json!({ "faxes": [] }));
    let form = json!({ "appId": "app", "userName": "user", "password": "not to be shown" });
    let account = admin.put(EFAX, &form).await.ok();
    assert_eq!((text(&account, "accountType"), text(&account, "appId")), ("EFaxAccount", "app"));
    let form = json!({ "directAddressType": "fax", "fullAddress": LARKFIELD, "provider": "efax" });
    let number = admin.post("/api/admin/documentsources", &form).await.ok();
    let path = format!("/api/admin/documentsources/activate/{}", text(&number, "id"));
    assert_eq!(admin.post(&path, &json!({})).await.ok()["status"], 1);
    link(app, larkfield, &number).await;
}

/// MSG-C-134, MSG-C-135
#[tokio::test]
async fn a_fax_goes_out_over_efax() {
    let (app, service, larkfield, admin) = start(Db::sqlite()).await;
    efax_number(&app, &service, &larkfield, &admin).await;
    service.says("POST /faxes", 201, json!([{ "fax_id": JOB, "destination_fax_number": "17405550120" }]));
    let details = format!("GET /faxes/{JOB}/transmission-details");
    let state = |state: &str| json!({ "fax_id": JOB, "transmission_data": { "transmission_status": state } });
    service.says(&details, 200, state("INPROGESS"));
    let sent = fax(&larkfield, SUMMIT, "Visit note").await;
    pass(&app, Duration::minutes(1)).await;
    assert_eq!(text(&only_fax(&larkfield, &sent).await, "now"), "Dialling");
    let form: Value = serde_json::from_str(&service.bodies("POST /faxes").remove(0)).expect("JSON");
    assert_eq!(form["destinations"], json!([{ "fax_number": "17405550120" }]));
    service.says(&details, 200, state("COMPLETE"));
    pass(&app, Duration::minutes(1)).await;
    assert_eq!(text(&only_fax(&larkfield, &sent).await, "now"), "Delivered");
    assert_eq!(service.bodies("POST /faxes").len(), 1);
    admin.delete(EFAX).await.problem(409);
    for number in admin.get("/api/admin/documentsources").await.ok()["items"].as_array().expect("numbers") {
        admin.delete(&format!("/api/admin/documentsources/{}", text(number, "id"))).await.ok();
    }
    admin.delete(EFAX).await.ok();
    app.finish().await;
}

#[tokio::test]
async fn what_a_service_says_against_an_account_is_told_in_its_words() {
    let (app, service, _, admin) = start(Db::sqlite()).await;
    let refused = json!({ "Success": false, "ErrorString": "Invalid credentials" });
    service.says("POST /REST/Security_Authenticate/json", 200, refused);
    admin.put(WESTFAX, &westfax_account()).await.ok();
    let words = "WestFax does not accept the user name or the password: Invalid credentials";
    let test = admin.post("/api/fax/accounts/westfax/test", &json!({})).await.ok();
    assert_eq!(test["problems"], json!([words]));
    let synced = admin.post(&format!("{WESTFAX}/sync"), &json!({})).await.ok();
    assert_eq!(synced, json!({ "added": [], "problems": [words] }));
    let number = admin.post(&format!("{WESTFAX}/numbers"), &json!({ "number": LARKFIELD })).await.ok();
    assert_eq!((&number["status"], text(&number, "problem")), (&json!(5), words));
    app.finish().await;
}

#[tokio::test]
async fn a_service_that_is_down_for_an_hour_gets_its_fax_afterwards() {
    let (app, service, larkfield, admin) = start(Db::sqlite()).await;
    efax_number(&app, &service, &larkfield, &admin).await;
    // The service is throttled, and accepts nothing meanwhile.
    service.says("POST /faxes", 429, json!({}));
    let sent = fax(&larkfield, SUMMIT, "Visit note").await;
    pass(&app, Duration::hours(1)).await;
    larkfield.client.enter(&larkfield.user).await;
    let waiting = only_fax(&larkfield, &sent).await;
    assert!(text(&waiting, "now").starts_with("The fax provider cannot be reached"), "{waiting}");
    assert_eq!(waiting["attempts"], json!([]), "nothing that was not sent counts as a call");
    service.says("POST /faxes", 201, json!([{ "fax_id": JOB, "destination_fax_number": "17405550120" }]));
    let done = json!({ "fax_id": JOB, "transmission_data": { "transmission_status": "COMPLETE" } });
    service.says(&format!("GET /faxes/{JOB}/transmission-details"), 200, done);
    pass(&app, Duration::hours(1)).await;
    larkfield.client.enter(&larkfield.user).await;
    assert_eq!(outcomes(&only_fax(&larkfield, &sent).await), ["Delivered"]);
    // After a lost answer it is unknown whether the fax was accepted, so it is never sent again automatically.
    service.says("POST /faxes", 500, json!({}));
    let id = draft(&larkfield, LARKFIELD, &[SUMMIT], "Perhaps").await;
    larkfield.client.post(&format!("/api/messages/{id}/send"), &json!({})).await.ok();
    let before = service.bodies("POST /faxes").len();
    pass(&app, Duration::hours(2)).await;
    larkfield.client.enter(&larkfield.user).await;
    assert_eq!(outcomes(&only_fax(&larkfield, &id).await), ["Uncertain"]);
    assert_eq!(service.bodies("POST /faxes").len(), before + 1);
    app.finish().await;
}

#[tokio::test]
async fn an_account_at_a_service_keeps_its_password_for_one_user_only() {
    let (app, service, _, admin) = start(Db::sqlite()).await;
    let first = admin.put(WESTFAX, &westfax_account()).await.ok();
    let mut form = westfax_account();
    form.as_object_mut().expect("a form").remove("password");
    form["productId"] = json!("another");
    assert!(admin.put(WESTFAX, &form).await.problem(422)["modelState"]["version"].is_array());
    form["version"] = first["version"].clone();
    let changed = admin.put(WESTFAX, &form).await.ok();
    assert_eq!((&changed["hasPassword"], text(&changed, "productId")), (&json!(true), "another"));
    assert_eq!(changed["callbackUrl"], first["callbackUrl"], "the service keeps calling there");
    admin.post("/api/fax/accounts/westfax/test", &json!({})).await.ok();
    let tried = service.bodies("POST /REST/Security_Authenticate/json");
    assert!(tried.iter().all(|body| body.contains("not to be shown")));
    form["version"] = changed["version"].clone();
    form["userName"] = json!("somebody@example.com");
    let problem = admin.put(WESTFAX, &form).await.problem(422);
    assert_eq!(
        problem["modelState"]["password"],
        json!(["The stored password is for another user or server. Enter the password for this one."])
    );
    form["hasNoPassword"] = json!(true);
    let problem = admin.put(WESTFAX, &form).await.problem(422);
    assert_eq!(problem["modelState"]["password"][0], "Enter the password or key.");
    app.finish().await;
}

#[tokio::test]
async fn what_an_account_at_a_service_lacks_is_said_at_its_fields() {
    let (app, _, _, admin) = start(Db::sqlite()).await;
    for (path, fields) in
        [(WESTFAX, ["userName", "productId", "password"]), (EFAX, ["userName", "appId", "password"])]
    {
        let problem = admin.put(path, &json!({})).await.problem(422);
        for field in fields {
            assert!(problem["modelState"][field].is_array(), "{path} {field}");
        }
        admin.delete(path).await.problem(404);
    }
    let mut hostile = westfax_account();
    hostile["userName"] = json!("clinic\r\nX-Other: 1");
    assert!(admin.put(WESTFAX, &hostile).await.problem(422)["modelState"]["userName"].is_array());
    // Accounts at services have paths of their own.
    admin.put("/api/fax/accounts/westfax", &westfax_account()).await.problem(404);
    app.finish().await;
}

#[tokio::test]
async fn nobody_else_manages_the_account_of_an_organization() {
    let (app, _, larkfield, admin) = start(Db::sqlite()).await;
    let account = admin.put(WESTFAX, &westfax_account()).await.ok();
    larkfield.client.put(WESTFAX, &westfax_account()).await.problem(403);
    larkfield.client.post(&format!("{WESTFAX}/sync"), &json!({})).await.problem(403);
    let stranger = app.signed_in(Role::Admin, &app.organization("bayline").await).await;
    let of = larkfield.organization.id;
    let (mut form, theirs) = (westfax_account(), format!("{WESTFAX}?organizationId={of}"));
    stranger.put(&theirs, &form).await.problem(404);
    stranger.delete(&theirs).await.problem(404);
    stranger.post(&format!("{WESTFAX}/sync?organizationId={of}"), &json!({})).await.problem(404);
    let operator = app.signed_in(Role::SysAdmin, &larkfield.organization).await;
    operator.post(&format!("{WESTFAX}/sync?organizationId={of}"), &json!({})).await.ok();
    let problem = operator.put(WESTFAX, &form).await.problem(422);
    assert!(problem["modelState"]["organizationId"].is_array());
    form["version"] = account["version"].clone();
    operator.put(&theirs, &form).await.ok();
    app.finish().await;
}
