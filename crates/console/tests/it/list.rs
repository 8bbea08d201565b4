use crate::world::{World, id_of, with};
use reqwest::StatusCode;
use sea_orm::{ActiveModelTrait, ActiveValue::Set, EntityTrait, IntoActiveModel};
use serde_json::{Value, json};
use store::{
    entities::{organization, organization_name},
    organization_names,
};
use testkit::Db;
use uuid::Uuid;

testkit::on_both_databases! {
    the_list_is_sorted_by_name_either_way,
    the_search_finds_how_words_of_a_name_begin_whatever_their_case_and_order,
    frequent_words_are_found_and_counted_too,
    a_page_has_one_of_four_sizes_and_a_total,
}

async fn names(world: &World, query: &str) -> Vec<String> {
    let list = world.get(&format!("/api/organizations{query}")).await;
    let items = list["items"].as_array().unwrap();
    items.iter().map(|o| o["name"].as_str().unwrap().to_owned()).collect()
}

async fn three(world: &World) {
    for (name, sub_domain) in
        [("Larkfield Family Medicine", "larkfield"), ("Bayline Imaging", "bayline"), ("LARK & Sons", "lark")]
    {
        world.organization(name, sub_domain).await;
    }
}

/// ADA-R-004
async fn the_list_is_sorted_by_name_either_way(db: Db) {
    let world = World::new(db).await;
    three(&world).await;
    let up = names(&world, "").await;
    assert_eq!(up.first().unwrap(), "Bayline Imaging");
    let mut down = names(&world, "?sortDir=desc").await;
    down.reverse();
    assert_eq!(up, down);
}

/// ADA-S-002
async fn the_search_finds_how_words_of_a_name_begin_whatever_their_case_and_order(db: Db) {
    let world = World::new(db).await;
    three(&world).await;
    assert_eq!(names(&world, "?search=lark").await.len(), 2);
    assert_eq!(names(&world, "?search=LARKF").await, ["Larkfield Family Medicine"]);
    assert_eq!(names(&world, "?search=lark%20%26%20sons").await, ["LARK & Sons"]);
    assert_eq!(names(&world, "?search=family").await, ["Larkfield Family Medicine"]);
    assert_eq!(names(&world, "?search=medi%20LARK").await, ["Larkfield Family Medicine"]);
    assert!(names(&world, "?search=medi%20bayline").await.is_empty());
    assert!(names(&world, "?search=arkfield").await.is_empty(), "a word is found by how it begins");
    // Characters that a database could take for a pattern have no effect.
    for pattern in ["%25", "_ark", "%5C", "%25ark"] {
        assert!(names(&world, &format!("?search={pattern}")).await.is_empty(), "{pattern}");
    }
}

/// Index entries follow their organization: a new name replaces the old one, and a deleted organization has
/// none.
#[tokio::test]
async fn an_organization_is_found_by_its_present_name_alone() {
    let world = World::new(Db::sqlite()).await;
    let created = world.organization("Larkfield Family Medicine", "larkfield").await;
    let path = format!("/api/organizations/{}", id_of(&created));
    let renamed =
        with(world.form("Harborline Family Medicine", "larkfield"), json!({ "version": created["version"] }));
    world.call("PUT", &path, renamed).await.ok();
    assert!(names(&world, "?search=larkfield").await.is_empty());
    assert_eq!(names(&world, "?search=family%20harbor").await, ["Harborline Family Medicine"]);
    world.call("DELETE", &path, Value::Null).await;
    assert!(names(&world, "?search=family").await.is_empty());
}

async fn frequent_words_are_found_and_counted_too(db: Db) {
    let world = World::new(db).await;
    let first = world.row(world.organization_id("Alpha Clinic 0000", "alpha").await).await;
    let (store, mut rows, mut words) = (world.app.store.db(), Vec::new(), Vec::new());
    for n in 1..2_100 {
        let mut row = first.clone();
        row.id = Uuid::now_v7();
        row.name = format!("{} Clinic {n:04}", if n % 700 == 0 { "Rare" } else { "Alpha" });
        row.name_key = row.name.to_lowercase();
        row.sub_domain = format!("alpha-{n}");
        words.extend(organization_names::rows(row.id, &row.name_key));
        rows.push(row.into_active_model().reset_all());
    }
    for some in rows.chunks(100) {
        let some = organization::Entity::insert_many(some.to_vec());
        some.exec_without_returning(store).await.expect("organizations");
    }
    for some in words.chunks(1_000) {
        let some = organization_name::Entity::insert_many(some.to_vec());
        some.exec_without_returning(store).await.expect("names");
    }
    let found = async |search: &str| {
        let list = world.get(&format!("/api/organizations?search={search}")).await;
        (list["totalCount"].as_u64().expect("a total"), list["items"][0]["name"].clone())
    };
    assert_eq!(found("clinic").await, (2_100, json!("Alpha Clinic 0000")));
    assert_eq!(found("clinic%20alp").await, (2_098, json!("Alpha Clinic 0000")));
    assert_eq!(found("clinic%20rare").await, (2, json!("Rare Clinic 0700")));
    assert_eq!(found("clinic%201400").await, (1, json!("Rare Clinic 1400")));
}

/// ADA-R-069
async fn a_page_has_one_of_four_sizes_and_a_total(db: Db) {
    let world = World::new(db).await;
    for i in 0..12 {
        world.organization(&format!("Clinic {i:02}"), &format!("clinic-{i}")).await;
    }
    let second = world.get("/api/organizations?pageNumber=2").await;
    assert_eq!(second["items"].as_array().unwrap().len(), 2);
    assert_eq!((&second["totalCount"], &second["totalIsCapped"]), (&json!(12), &json!(false)));
    for (query, status) in [
        ("?pageSize=25", StatusCode::OK),
        ("?pageSize=100", StatusCode::OK),
        ("?pageSize=11", StatusCode::BAD_REQUEST),
        ("?pageSize=500", StatusCode::BAD_REQUEST),
        ("?pageNumber=0", StatusCode::BAD_REQUEST),
        ("?sortDir=sideways", StatusCode::BAD_REQUEST),
    ] {
        let answer = world.call("GET", &format!("/api/organizations{query}"), Value::Null).await;
        assert_eq!(answer.status, status, "{query}");
    }
}

#[tokio::test]
async fn a_row_names_network_reseller_and_tier() {
    let world = World::new(Db::sqlite()).await;
    let lists = &world.lists;
    let form = with(
        world.form("Larkfield Family Medicine", "larkfield"),
        json!({
            "networkDbId": lists.network,
            "resellerId": lists.licenser,
            "planId": lists.licensed_plan,
        }),
    );
    let id = id_of(&world.call("POST", "/api/organizations", form).await.ok());
    world.organization("Without Anything", "without").await;
    let list = world.get("/api/organizations").await;
    assert_eq!(
        list["items"][0],
        json!({
            "id": id,
            "orgId": id,
            "name": "Larkfield Family Medicine",
            "networkName": "Cascade",
            "subDomain": "larkfield",
            "resellerName": "Northwind Health IT",
            "tierCode": "NORTHWIND 50",
            "isActivated": false,
            "isEnabled": true,
            "loginType": "Password",
            "apiCapture": false,
            "isPendingCancellation": false,
        })
    );
    let second = &list["items"][1];
    assert_eq!(second["tierCode"], "Free");
    assert!(second["networkName"].is_null() && second["resellerName"].is_null());
}

async fn set(world: &World, id: Uuid, change: organization::ActiveModel) {
    organization::ActiveModel { id: Set(id), ..change }.update(world.app.store.db()).await.unwrap();
}

#[tokio::test]
async fn the_cancelling_filter_keeps_the_cancelled_and_those_that_will_be() {
    let world = World::new(Db::sqlite()).await;
    three(&world).await;
    let cancelled = world.organization_id("Gone Clinic", "gone").await;
    let soon = world.organization_id("Soon Clinic", "soon").await;
    set(&world, cancelled, organization::ActiveModel { is_cancelled: Set(true), ..Default::default() }).await;
    let pending = organization::ActiveModel { is_pending_cancellation: Set(true), ..Default::default() };
    set(&world, soon, pending).await;
    assert_eq!(names(&world, "?cancelling=true").await, ["Gone Clinic", "Soon Clinic"]);
    assert_eq!(names(&world, "?cancelling=false").await.len(), 5);
}

/// ADA-R-009 ADA-R-184
#[tokio::test]
async fn a_pending_cancellation_is_cleared_once() {
    let world = World::new(Db::sqlite()).await;
    let id = world.organization_id("Soon Clinic", "soon").await;
    let path = format!("/api/organizations/{id}/clearcancel");
    let pending = organization::ActiveModel { is_pending_cancellation: Set(true), ..Default::default() };
    set(&world, id, pending).await;
    assert_eq!(world.call("POST", &path, Value::Null).await.status, StatusCode::NO_CONTENT);
    assert!(!world.row(id).await.is_pending_cancellation);
    assert_eq!(world.call("POST", &path, Value::Null).await.status, StatusCode::CONFLICT);
}

#[tokio::test]
async fn a_deleted_organization_is_gone_from_every_answer() {
    let world = World::new(Db::sqlite()).await;
    three(&world).await;
    let id = world.organization_id("Gone Clinic", "gone").await;
    let path = format!("/api/organizations/{id}");
    assert_eq!(world.call("DELETE", &path, Value::Null).await.status, StatusCode::NO_CONTENT);
    assert_eq!(names(&world, "").await.len(), 3);
    for (method, path, body) in [
        ("GET", path.clone(), Value::Null),
        ("DELETE", path.clone(), Value::Null),
        ("PUT", path.clone(), with(world.form("Gone Clinic", "gone"), json!({ "version": 2 }))),
        ("PUT", format!("{path}/enable"), json!({ "enable": true })),
        ("PUT", format!("{path}/activate"), json!({ "activated": true })),
        ("PUT", format!("{path}/apicapture"), json!({ "enable": false })),
        ("POST", format!("{path}/clearcancel"), Value::Null),
        ("POST", format!("{path}/sync"), Value::Null),
    ] {
        let answer = world.call(method, &path, body).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{method} {path}");
    }
}
