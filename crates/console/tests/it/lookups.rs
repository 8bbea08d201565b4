use crate::world::{Person, World, network};
use console::lookups::API_CAPTURE_SETTING;
use platform::Role;
use reqwest::StatusCode;
use sea_orm::{ActiveModelTrait, ActiveValue::Set};
use serde_json::{Value, json};
use store::entities::{installation, organization};
use testkit::{Client, Db};
use uuid::Uuid;

/// ADA-C-040
#[tokio::test]
async fn the_form_finds_what_it_chooses_from() {
    let world = World::new(Db::sqlite()).await;
    let lists = &world.lists;
    for (path, id, name) in [
        ("/api/organizations/types", lists.organization_type, "Clinic"),
        ("/api/organizations/specialties", lists.specialty, "Family Medicine"),
    ] {
        let items = world.get(path).await["items"].as_array().unwrap().clone();
        assert!(items.contains(&json!({ "id": id, "name": name, "isRetired": false })), "{name}");
    }
    let brands = json!({ "data": [{ "id": lists.brand, "name": "Carepost" }] });
    assert_eq!(world.get("/api/admin/brands?pageSize=100").await, brands);
    assert_eq!(
        world.get("/api/organizations/resellers").await,
        json!({ "items": [
            {
                "id": lists.affiliate, "name": "Harbor Partners", "type": "Affiliate", "bypassTerms": false,
                "version": 1,
            },
            {
                "id": lists.licenser, "name": "Northwind Health IT", "type": "Licensing", "bypassTerms": false,
                "version": 1,
            },
        ] })
    );
}

async fn plans(world: &World, query: String) -> Vec<String> {
    let list = world.get(&format!("/api/organizations/plans{query}")).await;
    list["items"].as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap().to_owned()).collect()
}

/// ADA-C-041 ADA-R-173
#[tokio::test]
async fn plans_begin_with_free_and_follow_the_licensing_reseller() {
    let world = World::new(Db::sqlite()).await;
    let lists = &world.lists;
    assert_eq!(plans(&world, String::new()).await, ["Free", "Starter", "Enterprise"]);
    assert_eq!(
        plans(&world, format!("?resellerId={}", lists.affiliate)).await,
        ["Free", "Starter", "Enterprise"]
    );
    assert_eq!(plans(&world, format!("?resellerId={}", lists.licenser)).await, ["Free", "Northwind 50"]);
    let list = world.get("/api/organizations/plans").await;
    let free = json!({
        "id": null, "name": "Free", "allowedUsers": 3, "allowedUsersDescription": "Up to 3 users",
    });
    assert_eq!(list["items"][0], free);
    let unknown = format!("/api/organizations/plans?resellerId={}", Uuid::now_v7());
    assert_eq!(world.call("GET", &unknown, Value::Null).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn plans_without_room_for_the_present_users_are_hidden() {
    let world = World::new(Db::sqlite()).await;
    let id = world.organization_id("Larkfield Family Medicine", "larkfield").await;
    world.people(id, 4).await;
    assert_eq!(plans(&world, format!("?organizationId={id}")).await, ["Starter", "Enterprise"]);
    world.people(id, 2).await;
    assert_eq!(plans(&world, format!("?organizationId={id}")).await, ["Enterprise"]);
}

#[tokio::test]
async fn everybody_sees_their_own_networks_and_a_system_administrator_all() {
    let world = World::new(Db::sqlite()).await;
    let own = world.lists.network;
    network(world.app.store.db(), "Atlantic").await;
    let id = world.organization_id("Larkfield Family Medicine", "larkfield").await;
    let all = world.get("/api/networks?page=1&size=100").await;
    assert_eq!((&all["items"][0]["name"], &all["totalCount"]), (&json!("Atlantic"), &json!(2)));
    let (administrator, _) = world.sign_in(Person::NetworkAdmin(own)).await;
    let (member, _) = world.sign_in(Person::Member(Role::User, id)).await;
    let seen = async |client: &Client| world.call_as(client, "GET", "/api/networks", Value::Null).await.ok();
    let cascade = json!([{ "id": own, "name": "Cascade", "createDate": null, "version": 1 }]);
    assert_eq!(seen(&administrator).await["items"], cascade);
    assert_eq!(seen(&member).await["items"], json!([]));
    let joined = organization::ActiveModel { id: Set(id), network_id: Set(Some(own)), ..Default::default() };
    joined.update(world.app.store.db()).await.unwrap();
    assert_eq!(seen(&member).await["items"], cascade);
}

/// ADA-R-011
#[tokio::test]
async fn api_capture_is_started_only_where_it_is_offered() {
    let world = World::new(Db::sqlite()).await;
    let id = world.organization_id("Larkfield Family Medicine", "larkfield").await;
    let path = format!("/api/organizations/{id}/apicapture");
    assert_eq!(world.get("/api/apicaptureconfig").await, json!({ "apiCaptureEnabled": false }));
    let refused = world.call("PUT", &path, json!({ "enable": true })).await;
    assert_eq!(refused.status, StatusCode::CONFLICT);
    let offered =
        installation::ActiveModel { name: Set(API_CAPTURE_SETTING.into()), value: Set("true".into()) };
    offered.insert(world.app.store.db()).await.unwrap();
    assert_eq!(world.get("/api/apicaptureconfig").await, json!({ "apiCaptureEnabled": true }));
    world.call("PUT", &path, json!({ "enable": true })).await.ok();
    assert!(world.row(id).await.api_capture);
    world.call("PUT", &path, json!({ "enable": false })).await.ok();
    assert!(!world.row(id).await.api_capture);
    assert_eq!(world.audited(id).await[1], ("Changed".into(), r#"{"apiCapture":true}"#.into()));
}

#[tokio::test]
async fn a_sync_is_accepted_and_on_record() {
    let world = World::new(Db::sqlite()).await;
    let id = world.organization_id("Larkfield Family Medicine", "larkfield").await;
    let answer = world.call("POST", &format!("/api/organizations/{id}/sync"), Value::Null).await;
    assert_eq!(answer.status, StatusCode::ACCEPTED);
    assert_eq!(world.audited(id).await[1], ("Sent".into(), r#"{"to":"customer messaging"}"#.into()));
}

#[tokio::test]
async fn an_npi_is_looked_up_by_its_ten_digits() {
    let world = World::new(Db::sqlite()).await;
    let path = "/api/admin/organizations/npi?npiNumber=";
    let found = world.get(&format!("{path}1234567893")).await;
    let entry = &found["items"][0];
    assert_eq!(entry["number"], "1234567893");
    assert_eq!(entry["basic"]["organizationName"], "LARKFIELD FAMILY MEDICINE");
    assert_eq!(entry["basic"]["authorizedOfficialLastName"], "WHITLOCK");
    assert_eq!(entry["addresses"][0]["address_1"], "418 ORCHARD LANE");
    assert_eq!(entry["addresses"][0]["postalCode"], "972010418");
    assert_eq!(world.get(&format!("{path}2004893048")).await["items"][0]["addresses"], json!([]));
    assert_eq!(world.get(&format!("{path}9999999999")).await, json!({ "items": [] }));
    let short = world.call("GET", &format!("{path}123"), Value::Null).await;
    assert_eq!(short.texts("npiNumber").len(), 1);
}
