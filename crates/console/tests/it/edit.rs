use crate::world::{Person, World, id_of, with};
use console::organizations::rules::{LICENSER_NEEDED, SUB_DOMAIN_IN_USE, SUB_DOMAIN_REFUSED};
use platform::{Role, fields::DEFAULT_FIELD_ERROR};
use reqwest::StatusCode;
use sea_orm::{ActiveModelTrait, ActiveValue::Set, EntityTrait};
use serde_json::{Value, json};
use store::entities::document_source::{SourceKind, SourceStatus};
use store::entities::{document_source, organization_key};
use testkit::Db;
use uuid::Uuid;

testkit::on_both_databases! {
    a_save_changes_what_was_changed_and_says_so_in_the_audit_trail,
    of_two_saves_at_the_same_moment_one_wins,
    of_two_new_organizations_with_one_subdomain_one_wins,
}

async fn create(world: &World, change: Value) -> testkit::Answer {
    let form = with(world.form("Larkfield Family Medicine", "larkfield"), change);
    world.call("POST", "/api/organizations", form).await
}

async fn update(world: &World, organization: &Value, change: Value) -> testkit::Answer {
    let path = format!("/api/organizations/{}", id_of(organization));
    world.call("PUT", &path, with(organization.clone(), change)).await
}

#[tokio::test]
async fn a_new_organization_is_answered_where_it_is_found() {
    let world = World::new(Db::sqlite()).await;
    let answer =
        create(&world, json!({ "name": "  Larkfield Family Medicine ", "subDomain": "Larkfield" })).await;
    assert_eq!(answer.status, StatusCode::CREATED);
    let location = answer.header("location");
    let created = answer.ok();
    assert_eq!(location, format!("/api/organizations/{}", id_of(&created)));
    assert_eq!(world.get(&location).await, created);
    assert_eq!(created["name"], "Larkfield Family Medicine");
    assert_eq!(created["subDomain"], "larkfield");
    assert_eq!(created["primaryPhone"], "(503) 555-0142");
    assert_eq!(created["activationStatus"], "NotActivated");
    assert_eq!((&created["numberOfUsers"], &created["version"]), (&json!(0), &json!(1)));
    assert!(created["planId"].is_null());
    assert_eq!(created["createdBy"], created["modifiedBy"]);
}

/// ADA-C-004 ADA-C-005 ADA-C-006 ADA-S-006
#[tokio::test]
async fn an_organization_has_the_name_of_its_group_or_none() {
    let world = World::new(Db::sqlite()).await;
    let created = create(&world, json!({ "preferredGroupName": "  Northern Group " })).await.ok();
    assert_eq!(created["preferredGroupName"], "Northern Group");
    let path = format!("/api/organizations/{}", id_of(&created));
    assert_eq!(world.get(&path).await, created);
    let long = update(&world, &created, json!({ "preferredGroupName": "g".repeat(256) })).await;
    assert_eq!(long.texts("preferredGroupName").len(), 1);
    let saved = update(&world, &created, json!({ "preferredGroupName": "g".repeat(255) })).await.ok();
    assert_eq!(world.audited(id_of(&created)).await[1].1, r#"{"changed":["preferred_group_name"]}"#);
    let emptied = update(&world, &saved, json!({ "preferredGroupName": "" })).await.ok();
    assert_eq!(world.get(&path).await["preferredGroupName"], "");
    assert_eq!(emptied["version"], 3);
}

/// ADA-R-001
#[tokio::test]
async fn an_organization_has_a_subdomain_brand_type_specialty_reseller_and_plan() {
    let world = World::new(Db::sqlite()).await;
    let lists = &world.lists;
    let chosen = json!({
        "subDomain": "larkfield",
        "brandId": lists.brand,
        "organizationTypeId": lists.organization_type,
        "organizationSpecialtyId": lists.specialty,
        "resellerId": lists.licenser,
        "planId": lists.licensed_plan,
    });
    let created = create(&world, chosen.clone()).await.ok();
    for (field, value) in chosen.as_object().expect("fields") {
        assert_eq!(&created[field], value, "{field}");
    }
}

#[tokio::test]
async fn a_new_organization_has_its_data_key_and_an_audit_entry() {
    let world = World::new(Db::sqlite()).await;
    let id = world.organization_id("Larkfield Family Medicine", "larkfield").await;
    let key = organization_key::Entity::find_by_id(id).one(world.app.store.db()).await.unwrap();
    assert!(key.is_some());
    assert_eq!(world.audited(id).await, [("Created".into(), r#"{"activated":false}"#.into())]);
}

/// ADA-R-213
#[tokio::test]
async fn a_refused_form_names_every_wrong_field_and_stores_nothing() {
    let world = World::new(Db::sqlite()).await;
    let nobody = Uuid::now_v7();
    let lists = &world.lists;
    let texts = json!({ "name": "L!", "subDomain": "-", "street": "Orchard", "city": null, "brandId": null });
    let answer = create(&world, texts).await;
    for (field, text) in
        [("subDomain", SUB_DOMAIN_REFUSED), ("city", DEFAULT_FIELD_ERROR), ("brandId", DEFAULT_FIELD_ERROR)]
    {
        assert_eq!(answer.texts(field), [text], "{field}");
    }
    assert_eq!((answer.texts("name").len(), answer.texts("street").len()), (1, 1));

    let answer = create(&world, json!({ "street": "12 Main Street, P.O. Box 1" })).await;
    assert_eq!(answer.texts("street"), ["Street address cannot be a P.O. Box"]);

    let choices = json!({
        "subDomain": "admin",
        "brandId": nobody,
        "organizationTypeId": lists.specialty,
        "hispProviderId": nobody,
        "networkDbId": nobody,
        "resellerId": nobody,
        "planId": nobody,
    });
    let answer = create(&world, choices).await;
    assert_eq!(answer.texts("subDomain"), [SUB_DOMAIN_REFUSED]);
    for field in ["brandId", "organizationTypeId", "hispProviderId", "networkDbId", "resellerId", "planId"] {
        assert_eq!(answer.texts(field), [DEFAULT_FIELD_ERROR], "{field}");
    }
    assert_eq!(world.get("/api/organizations").await["totalCount"], 0);
    assert!(organization_key::Entity::find().one(world.app.store.db()).await.unwrap().is_none());
}

#[tokio::test]
async fn an_unknown_activation_status_is_an_error_of_its_field() {
    let world = World::new(Db::sqlite()).await;
    let answer = create(&world, json!({ "activationStatus": "Perhaps" })).await;
    assert_eq!(answer.texts("activationStatus"), [DEFAULT_FIELD_ERROR]);
}

async fn a_save_changes_what_was_changed_and_says_so_in_the_audit_trail(db: Db) {
    let world = World::new(db).await;
    let before = world.organization("Larkfield Family Medicine", "larkfield").await;
    let change = json!({ "city": "Salem", "phone": "503 555 0199", "enabledFeatures": ["IntakeCdaViewer"] });
    let after = update(&world, &before, change).await.ok();
    assert_eq!(after["city"], "Salem");
    assert_eq!(after["phone"], "(503) 555-0199");
    assert_eq!(after["enabledFeatures"], json!(["IntakeCdaViewer"]));
    assert_eq!(after["version"], 2);
    // A missing list remains unchanged.
    let mut without = after.clone();
    without.as_object_mut().unwrap().remove("enabledFeatures");
    let again = update(&world, &without, json!({ "allowedPurposeOfUseCodes": ["TREAT"] })).await.ok();
    assert_eq!(again["enabledFeatures"], json!(["IntakeCdaViewer"]));
    assert_eq!(again["allowedPurposeOfUseCodes"], json!(["TREAT"]));
    let audited = world.audited(id_of(&before)).await;
    assert_eq!(audited[1], ("Changed".into(), r#"{"changed":["city","phone","enabled_features"]}"#.into()));
    assert_eq!(audited[2], ("Changed".into(), r#"{"changed":["purposes_of_use"]}"#.into()));
}

#[tokio::test]
async fn a_stale_save_is_refused_and_one_without_a_version_too() {
    let world = World::new(Db::sqlite()).await;
    let read = world.organization("Larkfield Family Medicine", "larkfield").await;
    update(&world, &read, json!({ "city": "Salem" })).await.ok();
    let late = update(&world, &read, json!({ "city": "Eugene" })).await;
    assert_eq!(late.status, StatusCode::CONFLICT);
    assert_eq!(late.json()["message"], "Somebody else has changed this organization since you opened it.");
    assert_eq!(world.row(id_of(&read)).await.city, "Salem");
    let blind = update(&world, &read, json!({ "version": null })).await;
    assert_eq!(blind.texts("version"), [DEFAULT_FIELD_ERROR]);
    // A row action also makes an open form stale, since saving the form would undo the action.
    let read = world.get(&format!("/api/organizations/{}", id_of(&read))).await;
    let activate = format!("/api/organizations/{}/activate", id_of(&read));
    world.call("PUT", &activate, json!({ "activated": true })).await.ok();
    assert_eq!(update(&world, &read, json!({})).await.status, StatusCode::CONFLICT);
}

async fn of_two_saves_at_the_same_moment_one_wins(db: Db) {
    let world = World::new(db).await;
    let read = world.organization("Larkfield Family Medicine", "larkfield").await;
    let (a, b) = futures::join!(
        update(&world, &read, json!({ "city": "Salem" })),
        update(&world, &read, json!({ "city": "Eugene" })),
    );
    let mut statuses = [a.status, b.status];
    statuses.sort();
    assert_eq!(statuses, [StatusCode::OK, StatusCode::CONFLICT]);
}

/// ADA-R-211
#[tokio::test]
async fn a_subdomain_belongs_to_one_organization_even_after_it_is_deleted() {
    let world = World::new(Db::sqlite()).await;
    let id = world.organization_id("Larkfield Family Medicine", "larkfield").await;
    assert_eq!(create(&world, json!({ "name": "Second" })).await.texts("subDomain"), [SUB_DOMAIN_REFUSED]);
    world.call("DELETE", &format!("/api/organizations/{id}"), Value::Null).await.ok();
    assert_eq!(create(&world, json!({ "name": "Second" })).await.texts("subDomain"), [SUB_DOMAIN_REFUSED]);
}

async fn of_two_new_organizations_with_one_subdomain_one_wins(db: Db) {
    let world = World::new(db).await;
    let (a, b) = futures::join!(create(&world, json!({})), create(&world, json!({})));
    let mut statuses = [a.status, b.status];
    statuses.sort();
    assert_eq!(statuses, [StatusCode::CREATED, StatusCode::UNPROCESSABLE_ENTITY]);
}

#[tokio::test]
async fn a_subdomain_can_be_asked_about_before_saving() {
    let world = World::new(Db::sqlite()).await;
    let id = world.organization_id("Larkfield Family Medicine", "larkfield").await;
    for (query, exists) in [
        ("subdomain=larkfield".to_owned(), true),
        ("subdomain=LARKFIELD".into(), true),
        (format!("id={id}&subdomain=larkfield"), false),
        ("subdomain=elsewhere".into(), false),
        ("subdomain=%00".into(), false),
    ] {
        let answer = world.get(&format!("/api/organizations/subdomain/exists?{query}")).await;
        assert_eq!(answer, json!({ "exists": exists }), "{query}");
    }
    for (query, valid) in [
        ("subdomain=larkfield".to_owned(), false),
        (format!("organizationId={id}&subdomain=larkfield"), true),
        ("subdomain=elsewhere".into(), true),
        ("subdomain=Admin".into(), false),
        ("subdomain=else_where".into(), false),
        ("subdomain=".into(), false),
        ("subdomain=%00".into(), false),
    ] {
        let answer = world.get(&format!("/api/organizations/subdomain/isvalid?{query}")).await;
        let message = if valid { Value::Null } else { SUB_DOMAIN_REFUSED.into() };
        assert_eq!(answer, json!({ "isValid": valid, "message": message }), "{query}");
    }
}

#[tokio::test]
async fn the_subdomain_stays_while_direct_addresses_stand_under_it() {
    let world = World::new(Db::sqlite()).await;
    let organization = world.organization("Larkfield Family Medicine", "larkfield").await;
    let moved = update(&world, &organization, json!({ "subDomain": "larkfield-two" })).await.ok();
    assert_eq!(moved["subDomain"], "larkfield-two");
    let address = document_source::ActiveModel {
        id: Set(Uuid::now_v7()),
        organization_id: Set(id_of(&organization)),
        kind: Set(SourceKind::Direct),
        address: Set("records@larkfield-two.direct.carepost.example".into()),
        address_key: Set("records@larkfield-two.direct.carepost.example".into()),
        display_name: Set("Records".into()),
        status: Set(SourceStatus::Activated),
        created_at: Set(world.app.clock.now()),
        version: Set(1),
        limits_readers: Set(false),
    };
    address.insert(world.app.store.db()).await.unwrap();
    let refused = update(&world, &moved, json!({ "subDomain": "larkfield" })).await;
    assert_eq!(refused.texts("subDomain"), [SUB_DOMAIN_IN_USE]);
    update(&world, &moved, json!({ "city": "Salem" })).await.ok();
}

/// ADA-R-192
#[tokio::test]
async fn removing_the_licenser_falls_back_to_the_free_plan_up_to_three_users() {
    let world = World::new(Db::sqlite()).await;
    let lists = &world.lists;
    let licensed = json!({ "resellerId": lists.licenser, "planId": lists.licensed_plan });
    let organization = create(&world, licensed.clone()).await.ok();
    assert_eq!(organization["planId"], json!(lists.licensed_plan));
    world.people(id_of(&organization), 3).await;
    let without = json!({ "resellerId": null, "planId": lists.large_plan });
    let free = update(&world, &organization, without.clone()).await.ok();
    assert!(free["resellerId"].is_null() && free["planId"].is_null());
    assert_eq!(free["numberOfUsers"], 3);
    let again = update(&world, &free, licensed).await.ok();
    world.people(id_of(&organization), 1).await;
    assert_eq!(update(&world, &again, without).await.texts("resellerId"), [LICENSER_NEEDED]);
}

#[tokio::test]
async fn the_reseller_is_fixed_while_another_kind_of_plan_is_chosen() {
    let world = World::new(Db::sqlite()).await;
    let lists = &world.lists;
    let organization = create(&world, json!({ "planId": lists.small_plan })).await.ok();
    let refused = update(&world, &organization, json!({ "resellerId": lists.affiliate })).await;
    assert_eq!(refused.texts("resellerId"), [DEFAULT_FIELD_ERROR]);
}

#[tokio::test]
async fn a_users_id_is_answered_with_the_organizations_to_which_the_user_is_not_assigned() {
    let world = World::new(Db::sqlite()).await;
    let first = world.organization_id("Larkfield Family Medicine", "larkfield").await;
    let second = world.organization_id("Bayline Imaging", "bayline").await;
    let user = world.user(Person::Member(Role::User, first)).await;
    let path = format!("/api/organizations/{user}");
    let item = json!({ "id": second, "name": "Bayline Imaging", "subDomain": "bayline" });
    assert_eq!(world.get(&path).await, json!({ "items": [item] }));
    assert_eq!(world.get(&format!("{path}?search=lark")).await, json!({ "items": [] }));
    let nobody = world.call("GET", &format!("/api/organizations/{}", Uuid::now_v7()), Value::Null).await;
    assert_eq!(nobody.status, StatusCode::NOT_FOUND);
}
