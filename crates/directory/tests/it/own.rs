//! Entries of the installation's own people and organizations.

use crate::search::found;
use platform::{Role, session::ROLE_USER};
use sea_orm::{ActiveModelTrait, ActiveValue::Set, EntityTrait};
use serde_json::json;
use store::entities::{app_user, directory_pair, directory_word, organization};
use testkit::{Db, TestApp};

testkit::on_both_databases! {
    activated_organizations_and_people_with_an_address_are_listed,
    people_who_leave_are_removed,
}

async fn activated_organizations_and_people_with_an_address_are_listed(db: Db) {
    let app = TestApp::start(db).await;
    let (larkfield, summit) = (app.organization("larkfield").await, app.organization("summit").await);
    let user = app.user(Role::User, &larkfield).await;
    app.user(Role::User, &larkfield).await;
    let (desk, intake) = (app.source(&larkfield, "desk").await, app.source(&larkfield, "intake").await);
    app.link(&user, &intake).await;
    app.link(&user, &desk).await;
    app.join(user.id, &summit, ROLE_USER).await;
    let client = app.browser_of(&user).await;
    directory::own::refresh(&app).await.expect("the directory is up to date");
    directory::own::refresh(&app).await.expect("it can be done again");
    let (people, practices) = found(&client, json!({ "state": "OH" })).await;
    assert_eq!(people, ["Nandakumar"], "once, and nobody without an address");
    assert_eq!(practices, ["larkfield practice", "summit practice"]);
    let answer = client.post("/api/directory/search", &json!({ "organizationName": "larkfield" })).await.ok();
    let person = &answer["providers"][0];
    assert_eq!(person["directAddress"], desk.address.min(intake.address.clone()));
    assert_eq!(
        (&person["clinicName"], &person["phonePrimary"]),
        (&json!("larkfield practice"), &json!("5550100110"))
    );
    app.finish().await;
}

async fn people_who_leave_are_removed(db: Db) {
    let app = TestApp::start(db).await;
    let (larkfield, summit) = (app.organization("larkfield").await, app.organization("summit").await);
    let (user, other) = (app.user(Role::User, &larkfield).await, app.user(Role::User, &summit).await);
    let (desk, front) = (app.source(&larkfield, "desk").await, app.source(&summit, "front").await);
    app.link(&user, &desk).await;
    app.link(&other, &front).await;
    let client = app.browser_of(&other).await;
    directory::own::refresh(&app).await.expect("the directory is up to date");
    assert_eq!(found(&client, json!({ "state": "OH" })).await.0.len(), 2);
    let change = app_user::ActiveModel { id: Set(user.id), is_disabled: Set(true), ..Default::default() };
    change.update(app.store.db()).await.expect("a change");
    directory::own::refresh(&app).await.expect("the directory is up to date");
    let (people, practices) = found(&client, json!({ "state": "OH" })).await;
    assert_eq!((people.len(), practices.len()), (1, 2));
    let change =
        organization::ActiveModel { id: Set(larkfield.id), is_activated: Set(false), ..Default::default() };
    change.update(app.store.db()).await.expect("a change");
    directory::own::refresh(&app).await.expect("the directory is up to date");
    assert_eq!(found(&client, json!({ "state": "OH" })).await.1, ["summit practice"]);
    let words = directory_word::Entity::find().all(app.store.db()).await.expect("words");
    assert!(words.iter().all(|word| word.word != "larkfield"), "nothing is left of the words");
    let pairs = directory_pair::Entity::find().all(app.store.db()).await.expect("pairs");
    assert!(pairs.iter().all(|pair| !pair.pair.contains("larkfield")), "nor of them two by two");
    app.finish().await;
}
