//! Licences of connectors, from the request to the check without a network.

use chrono::Duration;
use console::licences::format;
use openssl::pkey::PKey;
use platform::Role;
use reqwest::Method;
use serde_json::{Value, json};
use std::process::Command;
use testkit::{Client, Db, Organization, TestApp};
use uuid::Uuid;

const ISSUE: &str = "/api/licenses/issue";
const LIST: &str = "/api/adminlicenses";

async fn operator(app: &TestApp) -> (Client, Organization) {
    let home = app.organization("home").await;
    (app.signed_in(Role::SysAdmin, &home).await, home)
}

fn form(organization: &Organization) -> Value {
    json!({
        "name": "Dana Reyes", "email": "dana@larkfield.example", "internalproductname": "Connector",
        "quantity": 2, "expiresindays": 30, "company": organization.id, "licensedPlan": false,
        "applicationname": "Carepost Connector", "licenseType": "Standard", "reference": "order-1",
    })
}

fn changed(form: &Value, member: &str, value: Value) -> Value {
    let mut form = form.clone();
    form[member] = value;
    form
}

/// ADA-C-022 ADB-C-009 ADB-R-074 ADB-R-075 ADB-R-076
#[tokio::test]
async fn licences_are_issued_by_form_and_checked_without_a_network() {
    let app = TestApp::start(Db::sqlite()).await;
    let (operator, organization) = operator(&app).await;
    let fields = format!(
        "name=Dana+Reyes&email=dana%40larkfield.example&internalproductname=Connector&quantity=1&expiresindays=30&\
         company={}&licensedPlan=false&applicationname=Carepost+Connector&licenseType=Standard&reference=order-7&\
         connectorId={}&connectorName=",
        organization.id,
        "AB:".repeat(31) + "AB",
    );
    let request = operator
        .request(Method::POST, ISSUE)
        .header("content-type", "application/x-www-form-urlencoded")
        .body(fields);
    let issued = operator.send(request).await.ok();
    let path = format!("/api/admin/organizations/{}/licenses", organization.id);
    let kept = operator.get(&path).await.ok();
    assert_eq!(kept["licenseKeys"][0]["licenseKey"], issued["Items"][0]["LicenseKey"]);
    assert_eq!(kept["licenseKeys"][0]["name"], "Carepost Connector");
    assert_eq!(issued["Count"], 1);
    let licence = issued["Items"][0]["LicenseKey"].as_str().expect("a licence").to_owned();
    let pem = app.client().get("/api/licenses/publickey").await.text();
    let key = PKey::public_key_from_pem(pem.as_bytes()).expect("a key");
    let fingerprint = "ab".repeat(32);
    let terms = format::verify(&licence, &key, Some(&fingerprint)).expect("a genuine licence");
    assert_eq!((terms.organization_id, terms.reference.as_str()), (organization.id, "order-7"));
    assert_eq!(terms.expires, app.clock.now() + Duration::days(30));
    assert!(format::verify(&licence, &key, None).is_err());

    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("key.pem");
    std::fs::write(&file, &pem).expect("the key");
    let verify = |licence: &str, more: &[&str]| {
        let out = Command::new(env!("CARGO_BIN_EXE_carepost"))
            .args(["licence", "verify", "--public-key"])
            .arg(&file)
            .args(more)
            .arg(licence)
            .output()
            .expect("it runs");
        (out.status.code(), String::from_utf8_lossy(&out.stdout).into_owned())
    };
    let bound = ["--fingerprint", fingerprint.as_str()];
    let (code, said) = verify(&licence, &bound);
    assert!(matches!(code, Some(0 | 3)) && said.contains("This licence is genuine."), "{code:?} {said}");
    assert_eq!(verify(&licence, &[]).0, Some(1));
    let forged = licence.replace("CPL1.ey", "CPL1.eX");
    assert_eq!(verify(&forged, &bound).0, Some(1));
    app.finish().await;
}

/// ADB-R-057 ADB-R-058 ADB-R-059 ADB-R-060 ADB-R-061 ADB-R-062 ADB-R-063 ADB-R-064 ADB-R-065 ADB-R-066 ADB-R-070 ADB-R-071
#[tokio::test]
async fn a_request_names_everything_and_is_answered_once() {
    let app = TestApp::start(Db::sqlite()).await;
    let (operator, organization) = operator(&app).await;
    let right = form(&organization);
    for (member, value) in [
        ("name", json!("")),
        ("email", json!("nobody")),
        ("internalproductname", json!(" ")),
        ("quantity", json!(0)),
        ("quantity", json!("many")),
        ("quantity", json!(501)),
        ("expiresindays", json!(0)),
        ("company", json!(uuid::Uuid::now_v7())),
        ("applicationname", Value::Null),
        ("applicationname", json!("Something else")),
        ("licenseType", json!("Eternal")),
        ("reference", json!("")),
        ("connectorId", json!("abc")),
    ] {
        let refused = operator.post(ISSUE, &changed(&right, member, value.clone())).await.problem(422);
        assert!(refused["modelState"][member].is_array(), "{member} {value}: {refused}");
    }
    let bound = changed(&right, "connectorId", json!("ab".repeat(32)));
    assert!(operator.post(ISSUE, &bound).await.problem(422)["modelState"]["quantity"].is_array());
    assert_eq!(operator.get(LIST).await.ok()["Count"], 0);
    assert_eq!(operator.post(ISSUE, &right).await.ok()["Items"].as_array().map(Vec::len), Some(2));
    let again = operator.post(ISSUE, &right).await.problem(422);
    assert_eq!(
        again["modelState"]["reference"],
        json!(["Licences with this reference were already issued."])
    );
    let plan = changed(&changed(&right, "licensedPlan", json!(true)), "applicationname", Value::Null);
    operator.post(ISSUE, &changed(&plan, "reference", json!("order-2"))).await.ok();
    assert_eq!(operator.get(LIST).await.ok()["Count"], 4);
    app.finish().await;
}

/// ADB-C-008 ADB-R-007 ADB-R-043 ADB-R-044
#[tokio::test]
async fn licences_are_listed_by_odata() {
    let app = TestApp::start(Db::sqlite()).await;
    let (operator, organization) = operator(&app).await;
    for (days, reference) in [(30, "soon"), (90, "later"), (365, "last")] {
        let form = changed(&form(&organization), "expiresindays", json!(days));
        operator.post(ISSUE, &changed(&form, "reference", json!(reference))).await.ok();
    }
    let time = |days: i64| {
        (app.clock.now() + Duration::days(days)).to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
    };
    let found = async |query: String| operator.get(&format!("{LIST}?{query}")).await.ok();
    let soon = format!("$filter=ExpirationDate ge {} and ExpirationDate le {}", time(0), time(60));
    assert_eq!(found(soon).await["Count"], 2);
    assert_eq!(found("$filter=contains(Organization,'HOM')".into()).await["Count"], 6);
    assert_eq!(found("$filter=LicenseType eq 'Trial'".into()).await["Count"], 0);
    let page = found("$orderby=ExpirationDate desc&$top=4&$skip=4".into()).await;
    let ends: Vec<&str> = page["Items"]
        .as_array()
        .expect("items")
        .iter()
        .filter_map(|l| l["ExpirationDate"].as_str())
        .collect();
    assert!(ends.len() == 2 && ends.iter().all(|end| *end < time(31).as_str()), "{ends:?}");
    for wrong in ["$filter=Password eq 'x'", "$orderby=LicenseKey; drop", "$top=101"] {
        operator.get(&format!("{LIST}?{wrong}")).await.problem(400);
    }
    let reader = app.signed_in(Role::Reporting, &organization).await;
    reader.get(LIST).await.problem(403);
    app.client().get(LIST).await.problem(401);
    app.finish().await;
}

/// ADB-C-011 ADB-R-080
#[tokio::test]
async fn applications_are_offered_with_the_licence_types_as_operators_list_them() {
    let app = TestApp::start(Db::sqlite()).await;
    let (operator, organization) = operator(&app).await;
    let apps =
        async |query: &str| operator.get(&format!("/api/admin/apps{query}")).await.ok()["items"].clone();
    let both = json!(["Standard", "Trial"]);
    let of = |name: &str, types: &Value| json!({ "name": name, "licenseTypes": types });
    let (connector, printer) = (of("Carepost Connector", &both), of("Carepost Print Driver", &both));
    assert_eq!(apps("?size=5000").await, json!([connector, printer]), "those that are there keep all types");

    let add = async |list: &str, form: Value| operator.post(&format!("/api/admin/lists/{list}"), &form).await;
    let evaluation = add("licencetypes", json!({ "name": "Evaluation" })).await.ok();
    let lifetime = add("licencetypes", json!({ "name": "Lifetime", "isRetired": true })).await.ok();
    let scanner = add("applications", json!({ "name": "Scanner" })).await.ok();
    add("applications", json!({ "name": "Fax Printer", "isRetired": true })).await.ok();
    let all = json!(["Standard", "Trial", "Evaluation"]);
    let after = json!([connector, printer, of("Scanner", &all)]);
    assert_eq!(
        apps("").await,
        after,
        "a new type is for new applications, and what is retired is not offered"
    );
    assert_eq!(apps("?size=1").await, json!([connector]));

    let path = format!("/api/admin/lists/applications/{}", scanner["id"].as_str().expect("an id"));
    let types =
        |ids: Value| json!({ "name": "Scanner", "licenseTypeIds": ids, "version": scanner["version"] });
    for wrong in [json!([Uuid::now_v7()]), json!([lifetime["id"]])] {
        let refused = operator.put(&path, &types(wrong)).await.problem(422);
        assert_eq!(
            refused["modelState"]["licenseTypeIds"],
            json!(["Please choose from the list of licence types."])
        );
    }
    let elsewhere = add("jobfunctions", json!({ "name": "Scribe", "licenseTypeIds": [] })).await.problem(422);
    assert!(elsewhere["modelState"]["licenseTypeIds"].is_array(), "{elsewhere}");
    let saved = operator.put(&path, &types(json!([evaluation["id"]]))).await.ok();
    assert_eq!((&saved["licenseTypeIds"], &saved["version"]), (&json!([evaluation["id"]]), &json!(2)));
    operator.put(&path, &types(json!([]))).await.problem(409);
    assert_eq!(apps("").await[2], of("Scanner", &json!(["Evaluation"])));
    let renamed = json!({ "name": "Scanner 2", "version": 2 });
    let renamed = operator.put(&path, &renamed).await.ok();
    assert_eq!(renamed["licenseTypeIds"], saved["licenseTypeIds"], "what is left out stays");

    operator.get("/api/admin/apps?size=5001").await.problem(400);
    let reader = app.signed_in(Role::Reporting, &organization).await;
    reader.get("/api/admin/apps").await.problem(403);
    app.finish().await;
}

/// ADB-R-080
#[tokio::test]
async fn a_licence_of_an_application_has_one_of_its_types() {
    let app = TestApp::start(Db::sqlite()).await;
    let (operator, organization) = operator(&app).await;
    let trial = json!([app.listed("licence_type", "Trial").await]);
    let scanner = json!({ "name": "Scanner", "licenseTypeIds": trial });
    operator.post("/api/admin/lists/applications", &scanner).await.ok();
    let of_scanner = changed(&form(&organization), "applicationname", json!("Scanner"));
    let refused = operator.post(ISSUE, &of_scanner).await.problem(422);
    let said = json!(["Please choose one of the licence types of this application."]);
    assert_eq!(refused["modelState"]["licenseType"], said);
    operator.post(ISSUE, &changed(&of_scanner, "licenseType", json!("Trial"))).await.ok();
    let of_plan = changed(&of_scanner, "licensedPlan", json!(true));
    operator.post(ISSUE, &changed(&of_plan, "reference", json!("order-2"))).await.ok();
    app.finish().await;
}
