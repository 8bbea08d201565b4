//! Addresses of a forward that are not found, and the fax numbers of their owners.

use crate::{
    fax::{LARKFIELD, SUMMIT, two},
    partner::{PAT, Partner},
};
use sea_orm::{ActiveValue::Set, EntityTrait};
use serde_json::{Value, json};
use store::entities::directory_entry;
use testkit::{Db, Role, TestApp};
use uuid::Uuid;

const PATH: &str = "/api/directory/lookup";
/// Its domain publishes nothing.
const LOST: &str = "records@direct.nobody.example";

async fn list(app: &TestApp, address: &str, fax: &str) {
    let text = |text: &str| Set(text.to_owned());
    let entry = directory_entry::ActiveModel {
        id: Set(Uuid::now_v7()),
        kind: Set(1),
        source: text("county"),
        source_key: text(address),
        first_name: text(""),
        middle_name: text(""),
        last_name: text(""),
        organization_name: text("Northgate Regional Hospital"),
        clinic_name: text(""),
        direct_address: text(address),
        phone: text(""),
        fax: text(fax),
        address_line: text(""),
        city: text(""),
        state: text("OH"),
        zip: text(""),
        last_key: text("northgate regional hospital"),
        first_key: text(""),
        city_key: text(""),
        words: text(" northgate regional hospital"),
        digest: Set(0),
        import_id: Set(None),
    };
    directory_entry::Entity::insert(entry).exec_without_returning(app.store.db()).await.expect("an entry");
}

#[tokio::test]
async fn an_address_without_a_certificate_falls_back_to_the_fax_number_of_the_directory() {
    let partner = Partner::start().await;
    let app = partner.app(Db::sqlite()).await;
    let (larkfield, summit, _) = two(&app).await;
    partner.trusted_by(&app, &larkfield).await;
    for address in [&LOST.to_uppercase(), PAT, &summit.address] {
        list(&app, address, "7405550120").await;
    }
    let addresses = [LOST, PAT, &summit.address, "other@direct.nobody.example", "no address"];
    let answer = larkfield.client.post(PATH, &json!({ "addresses": addresses })).await.ok();
    let expected = [
        (LOST, false, json!(SUMMIT)),
        (PAT, true, Value::Null),
        (&summit.address, true, Value::Null),
        ("other@direct.nobody.example", false, Value::Null),
        ("no address", false, Value::Null),
    ];
    let expected = expected.map(|(address, is_found, fax_number)| {
        json!({ "address": address, "isFound": is_found, "faxNumber": fax_number })
    });
    assert_eq!(answer["items"], json!(expected));
    app.finish().await;
}

#[tokio::test]
async fn whoever_cannot_fax_is_given_no_number() {
    let app = TestApp::start(Db::sqlite()).await;
    let summit = app.practice("summit").await;
    app.fax_number(&summit.organization, LARKFIELD).await;
    list(&app, LOST, "7405550120").await;
    let answer = summit.client.post(PATH, &json!({ "addresses": [LOST] })).await.ok();
    let expected = json!({ "address": LOST, "isFound": false, "faxNumber": null });
    assert_eq!(answer["items"], json!([expected]));
    app.finish().await;
}

#[tokio::test]
async fn only_members_look_addresses_up() {
    let app = TestApp::start(Db::sqlite()).await;
    let organization = app.organization("larkfield").await;
    let network = app.signed_in(Role::Reporting, &organization).await;
    network.post(PATH, &json!({ "addresses": [LOST] })).await.problem(403);
    app.client().post(PATH, &json!({ "addresses": [LOST] })).await.problem(401);
    app.finish().await;
}
