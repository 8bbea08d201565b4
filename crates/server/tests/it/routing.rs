//! Routing rules, their endpoints and their senders.

use platform::Role;
use serde_json::{Value, json};
use testkit::{Client, Db, TestApp};

const RULES: &str = "/api/admin/routingrules";
const ENDPOINTS: &str = "/api/admin/routingrules/endpoints";
const SENDERS: &str = "/api/admin/routingrules/senders";

async fn operator(app: &TestApp) -> Client {
    let home = app.organization("home").await;
    app.signed_in(Role::SysAdmin, &home).await
}

fn form(address: &str) -> Value {
    json!({ "address": address, "stepType": "SendAsHL7Step", "securityType": "Certificate" })
}

fn with(mut form: Value, field: &str, value: impl Into<Value>) -> Value {
    form[field] = value.into();
    form
}

fn path(list: &str, row: &Value) -> String {
    format!("{list}/{}", row["id"].as_str().expect("an id"))
}

/// Checks that the answer has an error for this field.
fn wrong(problem: &Value, field: &str) {
    assert!(problem["modelState"][field].is_array(), "{field}: {problem}");
}

/// ADB-C-012 ADB-C-013 ADB-C-014 ADB-C-015 ADB-C-016 ADB-R-093 ADB-R-094 ADB-R-109 ADB-R-110
#[tokio::test]
async fn rules_are_listed_by_address_created_saved_once_and_deleted_with_what_belongs_to_them() {
    let app = TestApp::start(Db::sqlite()).await;
    let operator = operator(&app).await;
    let larkfield = app.organization("larkfield").await;
    let first = operator.post(RULES, &form("results@northgate.example")).await.ok();
    operator.post(RULES, &form("labs@bayline.example")).await.ok();
    let endpoint =
        json!({ "routingRuleId": first["id"], "ipAddress": "hl7.northgate.example", "port": "2575" });
    let endpoint = operator.post(ENDPOINTS, &endpoint).await.ok();
    let sender = json!({ "routingRuleId": first["id"], "organizationId": larkfield.id, "organizationOid": "1.2.840.7" });
    let sender = operator.post(SENDERS, &sender).await.ok();
    assert!(sender["organizationName"].is_string());

    let list = |query: &str| {
        let path = format!("{RULES}?{query}");
        let operator = &operator;
        async move { operator.get(&path).await.ok() }
    };
    let found = list("sortDir=desc&pageNumber=1&pageSize=10").await;
    assert_eq!(found["totalRulesCount"], 2);
    assert_eq!(found["routingRules"][0]["address"], "results@northgate.example");
    assert_eq!(found["routingRules"][0]["endpoints"][0]["id"], endpoint["id"]);
    assert_eq!(found["routingRules"][0]["senders"][0]["id"], sender["id"]);
    assert_eq!(list("sortDir=asc").await["routingRules"][0]["address"], "labs@bayline.example");
    assert_eq!(list("search=bayline").await["totalRulesCount"], 1);
    assert_eq!(
        list("pageNumber=2&pageSize=1").await["routingRules"][0]["address"],
        "results@northgate.example"
    );

    let path = path(RULES, &first);
    operator.put(&path, &first).await.problem(409);
    let read = operator.get(&path).await.ok();
    let saved = operator.put(&path, &with(read.clone(), "locationCode", "smh")).await.ok();
    assert_eq!((&saved["locationCode"], &saved["version"]), (&json!("smh"), &json!(4)));
    assert_eq!((&saved["endpoints"], &saved["senders"]), (&read["endpoints"], &read["senders"]));
    operator.put(&path, &read).await.problem(409);
    assert_eq!(operator.get(&path).await.ok(), saved);
    wrong(&operator.post(RULES, &form("RESULTS@northgate.example")).await.problem(422), "address");
    operator.delete(&path).await.ok();
    operator.get(&path).await.problem(404);
    operator.delete(&format!("{ENDPOINTS}/{}", endpoint["id"].as_str().expect("an id"))).await.problem(404);
    operator.delete(&format!("{SENDERS}/{}", sender["id"].as_str().expect("an id"))).await.problem(404);
    app.finish().await;
}

/// ADB-R-096 ADB-R-097 ADB-R-098 ADB-R-099 ADB-R-100 ADB-R-101 ADB-R-102 ADB-R-103 ADB-R-104 ADB-R-105
#[tokio::test]
async fn a_rule_holds_what_an_endpoint_can_be_reached_by() {
    let app = TestApp::start(Db::sqlite()).await;
    let operator = operator(&app).await;
    let good = || form("results@northgate.example");
    let long = format!("a@{}", "x".repeat(254));
    for (field, value) in [
        ("address", json!("")),
        ("address", json!(long)),
        ("address", json!("northgate")),
        ("stepType", Value::Null),
        ("stepType", json!("SendByPigeon")),
        ("securityType", Value::Null),
        ("securityType", json!("None")),
        ("securityType", json!("SAML")),
        ("keyHieAddress", json!("x".repeat(256))),
        ("convertToFormat", json!("PDF")),
        ("locationCode", json!("nyc")),
        ("facilityOid", json!("Northgate")),
        ("customCertificateName", json!("../default")),
        ("customCertificateName", json!("missing")),
    ] {
        wrong(&operator.post(RULES, &with(good(), field, value)).await.problem(422), field);
    }
    let keyhie = json!({
        "address": "keyhie@northgate.example", "stepType": "SendToKeyhieStep", "securityType": "SAML",
        "customCertificateName": "", "convertToFormat": "CDA", "locationCode": "rrh",
        "facilityOid": "2.16.840.1.113883.3.1", "keyHieAddress": "x".repeat(255),
    });
    let kept = operator.post(RULES, &keyhie).await.ok();
    for (field, value) in keyhie.as_object().expect("fields") {
        assert_eq!(kept[field], *value, "{field}");
    }
    for format in ["MDM", "ORU"] {
        let address = format!("{}@northgate.example", format.to_lowercase());
        let made = operator.post(RULES, &with(form(&address), "convertToFormat", format)).await.ok();
        assert_eq!(made["customCertificateName"], "", "the default");
        wrong(
            &operator.post(RULES, &with(keyhie.clone(), "convertToFormat", format)).await.problem(422),
            "convertToFormat",
        );
    }
    app.finish().await;
}

/// ADB-C-017 ADB-C-018 ADB-C-019 ADB-R-118 ADB-R-119 ADB-R-120 ADB-R-121 ADB-R-125
#[tokio::test]
async fn endpoints_are_hosts_in_networks_that_the_step_type_reaches() {
    let app = TestApp::start(Db::sqlite()).await;
    let operator = operator(&app).await;
    let rule = operator.post(RULES, &form("results@northgate.example")).await.ok();
    let good = || json!({ "routingRuleId": rule["id"], "ipAddress": "hl7.example", "port": "2575", "oid": "1.2.840" });
    for (field, value) in [
        ("ipAddress", ""),
        ("ipAddress", "user@host"),
        ("ipAddress", "10.0.0.7"),
        ("ipAddress", "169.254.169.254"),
        ("port", "123456"),
        ("port", "70000"),
        ("port", "0"),
        ("oid", "Northgate"),
    ] {
        wrong(&operator.post(ENDPOINTS, &with(good(), field, value)).await.problem(422), field);
    }
    for (field, text) in [("ipAddress", "h".repeat(256)), ("oid", format!("1.{}", "2".repeat(254)))] {
        wrong(&operator.post(ENDPOINTS, &with(good(), field, text)).await.problem(422), field);
    }
    let nowhere = with(good(), "routingRuleId", uuid::Uuid::now_v7().to_string());
    wrong(&operator.post(ENDPOINTS, &nowhere).await.problem(422), "routingRuleId");
    let first = operator.post(ENDPOINTS, &good()).await.ok();
    let second = operator.post(ENDPOINTS, &with(good(), "ipAddress", "backup.example/provide")).await.ok();
    assert_eq!((&first["position"], &second["position"]), (&json!(1), &json!(2)));
    let saved = operator.put(&path(ENDPOINTS, &first), &with(first.clone(), "port", "")).await.ok();
    assert_eq!((&saved["port"], &saved["version"]), (&json!(""), &json!(2)));
    operator.put(&path(ENDPOINTS, &first), &first).await.problem(409);
    let over_vpn = with(current(&operator, &rule).await, "stepType", "SendAsHL7OverVpnStep");
    operator.put(&path(RULES, &rule), &over_vpn).await.ok();
    wrong(&operator.post(ENDPOINTS, &with(good(), "ipAddress", "8.8.8.8")).await.problem(422), "ipAddress");
    operator.delete(&path(ENDPOINTS, &first)).await.ok();
    operator.delete(&path(ENDPOINTS, &first)).await.problem(404);
    app.finish().await;
}

/// ADB-C-020 ADB-C-021 ADB-C-022 ADB-R-133 ADB-R-137 ADB-R-142
#[tokio::test]
async fn senders_are_organizations_that_do_not_own_the_address() {
    let app = TestApp::start(Db::sqlite()).await;
    let operator = operator(&app).await;
    let (larkfield, northgate) = (app.practice("larkfield").await, app.practice("northgate").await);
    let rule = operator.post(RULES, &form(&northgate.address)).await.ok();
    let sender = |organization: uuid::Uuid| json!({ "routingRuleId": rule["id"], "organizationId": organization, "organizationOid": "1.2.840.7" });
    wrong(&operator.post(SENDERS, &sender(northgate.organization.id)).await.problem(422), "organizationId");
    wrong(&operator.post(SENDERS, &sender(uuid::Uuid::now_v7())).await.problem(422), "organizationId");
    let good = sender(larkfield.organization.id);
    wrong(
        &operator.post(SENDERS, &with(good.clone(), "organizationId", Value::Null)).await.problem(422),
        "organizationId",
    );
    wrong(
        &operator.post(SENDERS, &with(good.clone(), "organizationOid", "")).await.problem(422),
        "organizationOid",
    );
    let kept = operator.post(SENDERS, &good).await.ok();
    wrong(&operator.post(SENDERS, &good).await.problem(422), "organizationId");
    let changed = with(kept.clone(), "facilityTypeCodeId", "HOSP");
    assert_eq!(operator.put(&path(SENDERS, &kept), &changed).await.ok()["facilityTypeCodeId"], "HOSP");
    let own = async || with(current(&operator, &rule).await, "address", larkfield.address.as_str());
    wrong(&operator.put(&path(RULES, &rule), &own().await).await.problem(422), "address");
    operator.delete(&path(SENDERS, &kept)).await.ok();
    operator.put(&path(RULES, &rule), &own().await).await.ok();
    app.finish().await;
}

/// The current state of a rule, which also changes with its endpoints and senders.
async fn current(operator: &Client, rule: &Value) -> Value {
    operator.get(&path(RULES, rule)).await.ok()
}

/// ADB-C-014 ADB-C-016
#[tokio::test]
async fn a_rule_is_saved_with_its_endpoints_and_senders_or_not_at_all() {
    let app = TestApp::start(Db::sqlite()).await;
    let operator = operator(&app).await;
    let (larkfield, northgate) = (app.practice("larkfield").await, app.practice("northgate").await);
    let endpoint = |host: &str| json!({ "ipAddress": host, "port": "2575" });
    let sender = |id: uuid::Uuid| json!({ "organizationId": id, "organizationOid": "1.2.840.7" });
    let whole = || {
        let rule = with(
            form(&northgate.address),
            "endpoints",
            json!([endpoint("one.example"), endpoint("two.example")]),
        );
        with(rule, "senders", json!([sender(larkfield.organization.id)]))
    };
    for (list, value, field) in [
        ("endpoints", json!([endpoint("one.example"), endpoint("10.0.0.7")]), "endpoints[1].ipAddress"),
        ("endpoints", json!([with(endpoint("one.example"), "port", "0")]), "endpoints[0].port"),
        ("endpoints", json!([with(endpoint("one.example"), "oid", "Northgate")]), "endpoints[0].oid"),
        (
            "endpoints",
            json!([with(endpoint("one.example"), "id", uuid::Uuid::now_v7().to_string())]),
            "endpoints[0].id",
        ),
        ("endpoints", json!(vec![endpoint("one.example"); 11]), "endpoints"),
        ("senders", json!([sender(uuid::Uuid::now_v7())]), "senders[0].organizationId"),
        ("senders", json!([sender(northgate.organization.id)]), "senders[0].organizationId"),
        ("senders", json!(vec![sender(larkfield.organization.id); 2]), "senders[1].organizationId"),
        (
            "senders",
            json!([with(sender(larkfield.organization.id), "organizationOid", "")]),
            "senders[0].organizationOid",
        ),
    ] {
        wrong(&operator.post(RULES, &with(whole(), list, value)).await.problem(422), field);
    }
    assert_eq!(operator.get(RULES).await.ok()["totalRulesCount"], 0, "nothing of them was kept");

    let made = operator.post(RULES, &whole()).await.ok();
    assert_eq!(made["endpoints"][1]["ipAddress"], "two.example");
    assert_eq!(made["senders"][0]["organizationId"], json!(larkfield.organization.id));
    let at = path(RULES, &made);
    let mut alone = made.clone();
    for list in ["endpoints", "senders"] {
        alone.as_object_mut().expect("a rule").remove(list);
    }
    let saved = operator.put(&at, &alone).await.ok();
    assert_eq!(
        (&saved["endpoints"], &saved["senders"]),
        (&made["endpoints"], &made["senders"]),
        "absent is unchanged"
    );

    let second = with(made["endpoints"][1].clone(), "port", "");
    let next =
        with(with(saved, "endpoints", json!([second, endpoint("three.example")])), "senders", json!([]));
    let next = operator.put(&at, &next).await.ok();
    assert_eq!((&next["senders"], &next["version"]), (&json!([]), &json!(2)));
    assert_eq!(next["endpoints"][0]["id"], made["endpoints"][1]["id"]);
    let shown = |at: usize, field: &str| next["endpoints"][at][field].clone();
    assert_eq!(
        (shown(0, "port"), shown(0, "position"), shown(0, "version")),
        (json!(""), json!(1), json!(2))
    );
    assert_eq!((shown(1, "ipAddress"), shown(1, "position")), (json!("three.example"), json!(2)));
    let outdated = with(next.clone(), "endpoints", json!([made["endpoints"][1]]));
    operator.put(&at, &outdated).await.problem(409);
    let vpn = with(next, "stepType", "SendAsHL7OverVpnStep");
    let outside = with(vpn, "endpoints", json!([endpoint("8.8.8.8")]));
    wrong(&operator.put(&at, &outside).await.problem(422), "endpoints[0].ipAddress");
    app.finish().await;
}
