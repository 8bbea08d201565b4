//! Imports of organizations from a file.

use platform::Role;
use reqwest::{
    Method,
    multipart::{Form, Part},
};
use sea_orm::{EntityTrait, PaginatorTrait};
use serde_json::{Value, json};
use store::entities::{brand, import_batch, organization};
use testkit::{Answer, Client, Db, TestApp};
use uuid::Uuid;

const IMPORT: &str = "/api/admin/import";
const ORGANIZATIONS: &str = "/api/admin/import/organization";
const CHECK: &str = "/api/admin/import/organization/check";
const HEADS: &str =
    "Organization name,Subdomain,Street,City,State,Zip,Contact first name,Contact last name,Contact email";

/// Settings shared by all organizations of a file.
pub async fn choices(app: &TestApp) -> Value {
    let brand = brand::Entity::find().one(app.store.db()).await.expect("brands").expect("a brand");
    json!({
        "HispProviderId": app.listed("hisp_provider", "Carepost Direct").await, "BrandId": brand.id,
        "PlanId": null, "Specialty": app.listed("organization_specialty", "Family Medicine").await,
        "Type": app.listed("organization_type", "Clinic").await,
    })
}

pub fn line(n: usize) -> String {
    format!(
        "Alder Clinic {n},alder-{n},418 Orchard Lane,Portland,OR,97201,Dana,Whitlock,dana{n}@alder.example"
    )
}

fn file(lines: impl IntoIterator<Item = String>) -> Vec<u8> {
    let lines: Vec<String> = [HEADS.to_owned()].into_iter().chain(lines).collect();
    lines.join("\r\n").into_bytes()
}

pub async fn upload(client: &Client, path: &str, name: &str, content: Vec<u8>, choices: &Value) -> Answer {
    let form = Form::new()
        .text("metadata", choices.to_string())
        .part("file", Part::bytes(content).file_name(name.to_owned()));
    client.send(client.request(Method::POST, path).multipart(form)).await
}

async fn organizations(app: &TestApp) -> u64 {
    organization::Entity::find().count(app.store.db()).await.expect("a count")
}

/// The only imported file.
async fn batch(operator: &Client) -> Value {
    operator.get(&format!("{IMPORT}/batches")).await.ok()["items"][0].clone()
}

fn counts(batch: &Value) -> [i64; 4] {
    ["waiting", "created", "existing", "failed"].map(|name| batch[name].as_i64().expect("a number"))
}

/// ADA-R-038 ADA-R-039 ADA-R-171 ADA-R-172 ADA-R-321 ADA-R-322 ADA-R-323 ADA-C-096 ADA-C-097
#[tokio::test]
async fn a_file_is_checked_imported_corrected_and_imported_again() {
    let app = TestApp::start(Db::sqlite()).await;
    let home = app.organization("larkfield").await;
    let operator = app.signed_in(Role::SysAdmin, &home).await;
    let choices = choices(&app).await;
    let (bad, before) = (
        "Alder_Clinic,alder-3,418 Orchard Lane,Portland,OR,97201,D,Whitlock,dana@alder.example",
        organizations(&app).await,
    );
    let content = file([line(1), line(2), bad.to_owned(), line(1), line(9).replace("alder-9", "larkfield")]);

    let found = upload(&operator, CHECK, "a.csv", content.clone(), &choices).await.ok();
    let numbers =
        ["total", "ready", "existing", "failed"].map(|name| found[name].as_i64().expect("a number"));
    assert_eq!(numbers, [5, 2, 1, 2], "{found}");
    assert_eq!((&found["problems"][0]["line"], &found["problems"][0]["key"]), (&json!(4), &json!("alder-3")));
    assert_eq!(organizations(&app).await, before, "a check saves nothing");
    assert!(batch(&operator).await.is_null());

    let added = upload(&operator, ORGANIZATIONS, "C:\\lists\\alder.csv", content, &choices).await.ok();
    assert_eq!((&added["fileName"], &added["total"]), (&json!("alder.csv"), &json!(5)));
    assert_eq!(counts(&batch(&operator).await), [5, 0, 0, 0]);
    app.drain().await;
    let done = batch(&operator).await;
    assert_eq!((counts(&done), &done["batchStatus"]), ([0, 2, 1, 2], &json!("Completed")));
    assert_eq!(organizations(&app).await, before + 2);
    let items = operator.get(&format!("{IMPORT}?itemStatus=Failed")).await.ok();
    let wrong = &items["items"][0];
    assert_eq!(
        [&wrong["batchType"], &wrong["key"], &wrong["primaryContactStatus"], &wrong["itemError"]],
        [
            &json!("Organization"),
            &json!("alder-3"),
            &json!("Invalid"),
            &json!("Organization name: Invalid characters in field: _")
        ]
    );
    assert_eq!(wrong["pcsErrors"].as_array().expect("errors").len(), 1);

    // The correction file contains the failed rows only, so that nothing is imported twice.
    let id = added["id"].as_str().expect("an id");
    let to_correct = operator.get(&format!("{IMPORT}/{id}/problems")).await.text();
    assert_eq!(to_correct.lines().count(), 3, "{to_correct}");
    assert!(
        to_correct.contains(",Problems\r\n") && to_correct.contains("Organization name: Invalid"),
        "{to_correct}"
    );
    let corrected = to_correct
        .replace("Alder_Clinic", "Alder Clinic 3")
        .replace(",D,", ",Dana,")
        .replace("larkfield", "alder-9");
    let content = [corrected.into_bytes(), b"Alder Clinic 1,alder-1,,,418 Orchard Lane,,Portland,OR,97201,,,Dana,Whitlock,d@alder.example,,,,,\r\n".to_vec()].concat();
    upload(&operator, ORGANIZATIONS, "again.csv", content, &choices).await.ok();
    app.drain().await;
    assert_eq!(counts(&batch(&operator).await), [0, 2, 1, 0]);
    assert_eq!(organizations(&app).await, before + 4);
    app.finish().await;
}

/// ADA-R-315 ADA-R-316 ADA-R-317 ADA-R-318 ADA-R-319 ADA-R-320
#[tokio::test]
async fn the_file_and_what_its_organizations_share_are_needed_and_wrong_files_are_refused() {
    let app = TestApp::start(Db::sqlite()).await;
    let home = app.organization("larkfield").await;
    let operator = app.signed_in(Role::SysAdmin, &home).await;
    let empty = Form::new().text("metadata", "{}");
    let empty =
        operator.send(operator.request(Method::POST, ORGANIZATIONS).multipart(empty)).await.problem(422);
    assert_eq!(empty["modelState"]["file"], json!(["You must select a file."]));
    for field in ["PlanId", "HispProviderId", "BrandId", "Type", "Specialty"] {
        assert!(empty["modelState"][field].is_array(), "{field}");
    }
    let mut choices = choices(&app).await;
    for (name, content, text) in [
        ("a.pdf", b"%PDF-1.7".to_vec(), "Please choose a CSV or XLSX file."),
        ("a.csv", file([]), "The file has no rows below the column names."),
        ("a.csv", vec![b'a'; (10 << 20) + 1], "The file may have at most 10 MB."),
    ] {
        let refused = upload(&operator, ORGANIZATIONS, name, content, &choices).await;
        assert_eq!(refused.texts("file"), [text]);
    }
    choices["BrandId"] = json!(Uuid::now_v7());
    let refused = upload(&operator, ORGANIZATIONS, "a.csv", file([line(1)]), &choices).await;
    assert_eq!(refused.texts("BrandId").len(), 1);
    let admin = app.signed_in(Role::Admin, &home).await;
    upload(&admin, ORGANIZATIONS, "a.csv", file([line(1)]), &choices).await.problem(403);
    let template = operator.get(&format!("{IMPORT}/template")).await.text();
    assert!(template.starts_with("Organization name,Subdomain,"), "{template}");
    app.finish().await;
}

/// If a node stops during an import, another one continues, and no organization is created twice.
#[tokio::test]
async fn an_import_goes_on_where_it_was_interrupted() {
    let app = TestApp::start(Db::sqlite()).await;
    let home = app.organization("larkfield").await;
    let operator = app.signed_in(Role::SysAdmin, &home).await;
    let (before, choices) = (organizations(&app).await, choices(&app).await);
    upload(&operator, ORGANIZATIONS, "a.csv", file((0..20).map(line)), &choices).await.ok();
    let file = import_batch::Entity::find().one(app.store.db()).await.expect("files").expect("a file");
    let rows = store::entities::import_row::Entity::find().all(app.store.db()).await.expect("rows");
    for row in &rows[..7] {
        console::imports::queries::import(&app, &file, row).await.expect("an organization");
        // As after a crash, when the worker does not know that the row is done.
        console::imports::queries::import(&app, &file, row).await.expect("nothing to do");
    }
    assert_eq!(organizations(&app).await, before + 7);
    let app = app.restart().await;
    app.drain().await;
    assert_eq!(organizations(&app).await, before + 20);
    app.finish().await;
}

/// The target is two minutes.
#[tokio::test]
#[ignore = "takes a minute"]
async fn ten_thousand_organizations_are_imported_within_two_minutes() {
    let app = TestApp::start(Db::sqlite()).await;
    let home = app.organization("larkfield").await;
    let operator = app.signed_in(Role::SysAdmin, &home).await;
    let choices = choices(&app).await;
    let content = file((0..10_000).map(line));
    let began = store::Clock::system().now();
    upload(&operator, CHECK, "a.csv", content.clone(), &choices).await.ok();
    let checked = store::Clock::system().now();
    upload(&operator, ORGANIZATIONS, "a.csv", content, &choices).await.ok();
    let kept = store::Clock::system().now();
    app.drain().await;
    let took = store::Clock::system().now() - kept;
    eprintln!("check {}, upload {}, import {took}", checked - began, kept - checked);
    assert_eq!(counts(&batch(&operator).await), [0, 10_000, 0, 0]);
    assert!(took < chrono::TimeDelta::minutes(2), "{took}");
    app.finish().await;
}
