//! The Release list, the patients of messages, and the preview of fax pages.

use crate::{
    fax::{LARKFIELD, SUMMIT, draft, fax, only_fax, two},
    support::*,
};
use chrono::Duration;
use platform::Role;
use serde_json::{Value, json};
use testkit::{Client, Db, TestApp, document};

testkit::on_both_databases! {
    the_list_holds_a_span_of_time_in_the_order_that_was_asked_for,
    patients_are_found_by_the_beginnings_of_their_names,
}

async fn subjects(client: &Client, query: &str) -> Vec<String> {
    let list = client.get(&format!("/api/messages?{query}")).await.ok();
    let items = list["items"].as_array().expect("items");
    assert_eq!(list["totalCount"], items.len());
    items.iter().map(|m| text(m, "subject").to_owned()).collect()
}

/// Words that may name a patient are sent in the body, with the same result as in the query.
#[tokio::test]
async fn what_is_typed_is_searched_for_without_standing_in_the_address() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let client = &larkfield.client;
    for subject in ["Knee", "Shoulder"] {
        client.draft(document(&larkfield.address, &[&summit.address], subject)).await;
    }
    let search = async |path: &str, body: Value| client.post(path, &body).await.ok();
    let found = search("/api/messages/_search", json!({ "filter": "knee", "isDraft": true })).await;
    assert_eq!((found["totalCount"].as_u64(), text(&found["items"][0], "subject")), (Some(1), "Knee"));
    let first = search("/api/messages/_search", json!({ "orderDir": "asc", "pageSize": 1 })).await;
    assert_eq!(text(&first["items"][0], "subject"), "Knee");
    for refused in [json!({ "userId": larkfield.user.id }), json!({ "orderDir": "up" })] {
        assert!(client.post("/api/messages/_search", &refused).await.status.is_client_error(), "{refused}");
    }
    assert_eq!(summit.client.post("/api/messages/_search", &json!({})).await.ok()["totalCount"], 0);

    client.put("/api/directaddresscache", &json!({ "addresses": [summit.address], "version": client.get("/api/directaddresscache").await.ok()["version"] })).await.ok();
    let contacts = search("/api/contacts/_search", json!({ "search": "SUMMIT", "pageSize": 5 })).await;
    assert_eq!(text(&contacts["items"][0], "value"), summit.address);
    let nobody = search("/api/contacts/_search", json!({ "search": "zzqx" })).await;
    assert_eq!(nobody["items"], json!([]));
    let checked = search("/api/directory/validate", json!({ "addresses": [summit.address, "nobody"] })).await;
    let valid: Vec<_> =
        checked["items"].as_array().expect("items").iter().map(|i| i["isValid"] == true).collect();
    assert_eq!(valid, [true, false]);
    app.finish().await;
}

async fn the_list_holds_a_span_of_time_in_the_order_that_was_asked_for(db: Db) {
    let app = TestApp::start(db).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let form = |subject: &str| document(&larkfield.address, &[summit.address.as_str()], subject);
    larkfield.client.draft(form("First")).await;
    // Yesterday's sessions have expired.
    app.advance(Duration::days(1));
    let client = app.browser_of(&larkfield.user).await;
    client.send_document(&larkfield.address, &[&summit.address], "Second").await;
    app.drain().await;
    let day = app.clock.now().date_naive();
    app.advance(Duration::days(1));
    let client = &app.browser_of(&larkfield.user).await;
    client.draft(form("Third")).await;

    assert_eq!(subjects(client, "").await, ["Third", "Second", "First"]);
    assert_eq!(subjects(client, "orderDir=asc").await, ["First", "Second", "Third"]);
    assert_eq!(subjects(client, &format!("startDate={day}&endDate={day}")).await, ["Second"]);
    assert_eq!(subjects(client, &format!("endDate={day}&orderDir=asc")).await, ["First", "Second"]);
    assert_eq!(subjects(client, &format!("filter=first&startDate={day}")).await, Vec::<String>::new());
    assert_eq!(subjects(client, &format!("filter=third&startDate={day}")).await, ["Third"]);
    for direction in ["asc", "desc"] {
        let list = client.get(&format!("/api/messages?orderBy=status&orderDir={direction}")).await.ok();
        let items: Vec<(&str, &str)> = list["items"]
            .as_array()
            .expect("items")
            .iter()
            .map(|m| (text(m, "status"), text(m, "subject")))
            .collect();
        let mut statuses: Vec<_> = items.iter().map(|(status, _)| *status).collect();
        statuses.dedup();
        let newest_first = ["Third", "Second", "First"];
        let expected: Vec<_> = statuses
            .iter()
            .flat_map(|s| newest_first.iter().filter(|n| items.contains(&(s, n))).map(|n| (*s, *n)))
            .collect();
        assert_eq!(items, expected, "each status once, and within it the newest first");
    }
    let of_person = format!("/api/messages?userId={}", larkfield.user.id);
    client.get(&of_person).await.problem(400);
    for refused in ["orderBy=status&filter=third", "orderBy=subject", "orderDir=up"] {
        client.get(&format!("/api/messages?{refused}")).await.problem(422);
    }

    for (words, place) in [
        ("3/14/1961", "patient ID or birth date"),
        ("1961-03-14", "patient ID or birth date"),
        ("03/14/61", "patient ID or birth date"),
        ("14%20March%201961", "patient ID or birth date"),
        ("marysol", "patient"),
        ("thi", "subject"),
    ] {
        let list = client.get(&format!("/api/messages?filter={words}&orderDir=desc")).await.ok();
        assert_eq!(list["items"][0]["subject"], "Third", "{words}: {list}");
        assert_eq!(list["items"][0]["foundIn"], json!([place]), "{words}");
    }
    assert_eq!(subjects(client, "filter=3/15/1961").await, Vec::<String>::new());

    let list = client.get("/api/messages").await.ok();
    assert_eq!(list["items"][0]["foundIn"], json!([]), "nothing was looked for");
    let names: Vec<&Value> = list["items"].as_array().expect("items").iter().map(|m| &m["toNames"]).collect();
    let name = names[0][0].as_str().expect("a name");
    assert!(name.to_lowercase().contains("summit"), "{list}");
    assert!(names.iter().all(|n| **n == json!([name])), "drafts and sent messages alike: {list}");
    app.finish().await;
}

/// MSG-R-099, MSG-R-307
async fn patients_are_found_by_the_beginnings_of_their_names(db: Db) {
    let app = TestApp::start(db).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let path = "/api/patients/_search";
    let ask = async |name: &str, born: Value| {
        let body = json!({ "name": name, "birthDate": born });
        larkfield.client.post(path, &body).await.ok()["items"].clone()
    };
    for (subject, telephone) in [("Before", "5550100164"), ("After", "5550100199")] {
        let mut form = document(&larkfield.address, &[summit.address.as_str()], subject);
        form["patient"] = json!({
            "firstName": "Bridget", "lastName": "Halloran", "birthDate": "1979-07-02", "gender": "F",
            "telephone": telephone,
        });
        let draft = larkfield.client.draft(form).await;
        larkfield.client.upload(&draft, "Note.txt", b"A short note.\n".to_vec(), meta()).await;
        larkfield.client.post(&format!("/api/messages/{draft}/send"), &json!({})).await.ok();
        app.advance(Duration::minutes(1));
    }
    let found = ask("hall BRI", Value::Null).await;
    assert_eq!(found.as_array().map(Vec::len), Some(1), "each patient stands once");
    assert_eq!(
        (&found[0]["messageCount"], &found[0]["patient"]["telephone"]),
        (&json!(2), &json!("5550100199"))
    );
    assert_eq!(ask("halloran", json!("1979-07-02")).await.as_array().map(Vec::len), Some(1));
    assert_eq!(ask("halloran", json!("1979-07-03")).await, json!([]));
    assert_eq!(ask("before", Value::Null).await, json!([]), "the subject names nobody");
    for (facility, count) in [(" Summit", 1), ("Bayline", 0)] {
        let body = json!({ "name": "halloran", "facility": facility });
        let found = larkfield.client.post(path, &body).await.ok();
        assert_eq!(found["items"].as_array().map(Vec::len), Some(count), "{facility}");
    }
    let problem = larkfield.client.post(path, &json!({ "name": "h" })).await.problem(422);
    assert_eq!(
        problem["modelState"]["name"][0],
        "Enter at least 2 letters of a name, a birth date or a number."
    );
    let theirs = summit.client.post(path, &json!({ "name": "halloran" })).await.ok();
    assert_eq!(theirs["items"], json!([]), "another organization's patients");
    app.finish().await;
}

#[tokio::test]
async fn a_fax_has_one_sheet_behind_its_cover_and_its_sender_sees_the_pages_before_they_go() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit, _) = two(&app).await;
    let id = draft(&larkfield, LARKFIELD, &[SUMMIT], "Visit note").await;
    let path = format!("/api/messages/{id}/fax/pages");
    let answer = larkfield.client.get(&path).await;
    assert_eq!((answer.status.as_u16(), answer.header("content-type").as_str()), (200, "application/pdf"));
    summit.client.get(&path).await.problem(404);

    let sent = fax(&larkfield, SUMMIT, "Visit note").await;
    app.drain().await;
    let found = only_fax(&larkfield, &sent).await;
    pass(&app, Duration::hours(1)).await;
    let larkfield_again = app.browser_of(&larkfield.user).await;
    let note = documents::pdf::page_count(&note_pdf()).expect("a PDF");
    assert_eq!(found["pages"], 2 + note, "the cover, one sheet, and the note");

    let by_mail = document(&larkfield.address, &[summit.address.as_str()], "By mail");
    let by_mail = larkfield_again.draft(by_mail).await;
    let problem = larkfield_again.get(&format!("/api/messages/{by_mail}/fax/pages")).await.problem(409);
    assert_eq!(text(&problem, "message"), "This message has no fax recipient.");
    let colleague = app.signed_in(Role::User, &larkfield.organization).await;
    let problem = colleague.get(&path).await.problem(409);
    assert!(text(&problem, "message").starts_with("You have no fax number to send from."));
    app.finish().await;
}
