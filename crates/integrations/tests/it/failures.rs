//! Documents that are not in a chart, in the list of what is not out yet.

use crate::{
    charts::{chosen, file, filings, path},
    world::{World, text},
};
use chrono::Duration;
use serde_json::{Value, json};

const LIST: &str = "/api/failedmessages/charts";

async fn listed(world: &World, rest: &str) -> Vec<Value> {
    let list = world.larkfield.client.get(&format!("{LIST}{rest}")).await.ok();
    list["items"].as_array().expect("items").clone()
}

#[tokio::test]
async fn a_message_whose_document_failed_is_open_again_until_it_is_filed() {
    let world = World::connected().await;
    let message = chosen(&world).await;
    file(&world, &message).await;
    assert!(listed(&world, "").await.is_empty(), "it has only just left");
    world.server.fail(400, 1_000);
    world.app.drain().await;
    assert_eq!(world.message(text(&message, "id")).await["isProcessed"], false, "it must not look done");
    let failed = listed(&world, "?view=failed").await.remove(0);
    assert_eq!(
        (&failed["state"], &failed["messageId"], &failed["fileName"]),
        (&json!("Failed"), &message["id"], &json!("Visit.pdf"))
    );
    assert!(!text(&failed, "explanation").is_empty());
    assert!(listed(&world, "?view=waiting").await.is_empty());
    let stranger = world.app.practice("summit").await;
    assert_eq!(stranger.client.get(LIST).await.ok()["totalCount"], 0);
    let acknowledge = format!("{LIST}/{}/acknowledge", text(&failed, "id"));
    stranger.client.put(&acknowledge, &json!({})).await.problem(404);

    let staff = &world.larkfield.client;
    for _ in 0..2 {
        assert_eq!(staff.put(&acknowledge, &json!({})).await.status, 204);
    }
    assert!(listed(&world, "").await.is_empty());
    let retry = path(&message, &format!("/{}/retry", text(&failed, "id")));
    staff.post(&retry, &json!({})).await.ok();
    world.app.drain().await;
    assert_eq!(listed(&world, "").await.len(), 1, "it failed once more");

    world.server.fail(0, 0);
    staff.post(&retry, &json!({})).await.ok();
    world.app.drain().await;
    assert!(listed(&world, "").await.is_empty());
    assert_eq!(filings(&world, &message).await[0]["state"], "Filed");
    assert_eq!(world.message(text(&message, "id")).await["isProcessed"], true, "as it was meant");
    staff.put(&acknowledge, &json!({})).await.problem(409);
    world.app.finish().await;
}

#[tokio::test]
async fn a_document_that_waits_for_long_is_listed_with_what_it_waits_for() {
    let world = World::connected().await;
    let message = chosen(&world).await;
    file(&world, &message).await;
    world.server.fail(503, 1_000);
    world.later(Duration::minutes(9)).await;
    assert!(listed(&world, "").await.is_empty());
    world.later(Duration::minutes(2)).await;
    world.larkfield.client.enter(&world.larkfield.user).await;
    let waiting = listed(&world, "?view=waiting").await.remove(0);
    assert_eq!((&waiting["state"], &waiting["messageId"]), (&json!("Waiting"), &message["id"]));
    assert!(listed(&world, "?view=failed").await.is_empty());
    let acknowledge = format!("{LIST}/{}/acknowledge", text(&waiting, "id"));
    world.larkfield.client.put(&acknowledge, &json!({})).await.problem(409);
    world.server.fail(0, 0);
    for _ in 0..8 {
        world.later(Duration::minutes(30)).await;
    }
    world.larkfield.client.enter(&world.larkfield.user).await;
    assert!(listed(&world, "").await.is_empty());
    assert_eq!(filings(&world, &message).await[0]["state"], "Filed");
    world.app.finish().await;
}
