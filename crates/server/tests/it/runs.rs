//! Workflows for operators: the list, the attempts, repeated steps; traffic of the channels; and messages as
//! OData.

use chrono::TimeDelta;
use platform::{Role, nodes};
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter};
use serde_json::{Value, json};
use store::entities::workflow_step;
use testkit::{Client, Db, Practice, TestApp};
use uuid::Uuid;

const LIST: &str = "/api/diagnostics/messaging/workflows";

testkit::on_both_databases! {
    a_failed_workflow_is_found_shows_its_attempts_and_goes_on_when_its_step_is_run_again,
    the_list_is_paged_and_filtered_by_status_type_and_channel,
    channels_count_what_went_through_them_by_day,
    the_statistics_show_the_nodes_and_the_last_hours,
    messages_are_read_as_odata_with_their_files_conversions_and_events,
}

struct World {
    app: TestApp,
    operator: Client,
    larkfield: Practice,
    summit: Practice,
}

impl World {
    async fn start(db: Db) -> Self {
        Self::of(TestApp::start(db).await, "larkfield", "summit").await
    }

    async fn of(app: TestApp, from: &str, to: &str) -> Self {
        let (larkfield, summit) = (app.practice(from).await, app.practice(to).await);
        let operator = app.signed_in(Role::SysAdmin, &larkfield.organization).await;
        Self { app, operator, larkfield, summit }
    }

    async fn send(&self, subject: &str) -> String {
        self.larkfield.client.send_document(&self.larkfield.address, &[&self.summit.address], subject).await
    }

    /// Sends a document with a step that fails permanently.
    async fn fail(&self, subject: &str) -> String {
        let sent = self.send(subject).await;
        // As if the worker had died during the last attempt.
        let worn = workflow_step::ActiveModel { attempt: Set(1_000), ..Default::default() };
        workflow_step::Entity::update_many()
            .set(worn)
            .filter(workflow_step::Column::Name.eq("Deliver"))
            .filter(workflow_step::Column::Status.eq(workflow::StepStatus::Pending))
            .exec(self.app.store.db())
            .await
            .expect("steps");
        self.app.drain().await;
        sent
    }

    async fn list(&self, query: &str) -> Value {
        self.operator.get(&format!("{LIST}?{query}")).await.ok()
    }

    async fn only(&self, query: &str) -> Value {
        let found = self.list(query).await;
        assert_eq!(found["totalCount"], 1, "{found}");
        found["items"][0].clone()
    }

    async fn odata(&self, path: &str) -> Value {
        self.operator.get(&format!("/odata/{path}")).await.ok()
    }
}

fn path(run: &Value) -> String {
    format!("/api/workflows/{}", run["id"].as_str().expect("an id"))
}

/// ADB-C-027 ADB-C-028 ADB-R-170 ADB-R-171 ADB-R-172 ADB-R-174 ADB-R-187 ADB-R-188 ADB-R-189
async fn a_failed_workflow_is_found_shows_its_attempts_and_goes_on_when_its_step_is_run_again(db: Db) {
    let w = World::start(db).await;
    let sent = w.fail("Lab results").await;
    let run = w.only("status=Failed&type=release&channel=Direct").await;
    assert_eq!(run["mailMessage"]["messageId"], sent.as_str());
    assert_eq!(run["mailMessage"]["sender"], w.larkfield.address.as_str());
    assert_eq!(run["mailMessage"]["attachmentEvents"][0]["mimeType"], "text/plain");
    assert_eq!((&run["name"], &run["channel"]), (&json!("Deliver"), &json!("Direct")));
    assert!(!run.to_string().contains("Lab results"), "a subject may name a patient");

    let shown = w.operator.get(&path(&run)).await.ok();
    let step = shown["steps"].as_array().expect("steps").iter().find(|step| step["stepName"] == "Deliver");
    let step = step.expect("the step").clone();
    assert_eq!(step["status"], "Failed");
    assert_eq!(step["attempts"][0]["outcome"], "Failed");
    assert_eq!(step["attempts"][0]["cause"], step["error"]);
    let other = format!("{}?type=MessageReceiveWorkflow", path(&run));
    w.operator.get(&other).await.problem(404);

    let form = |step: &Value| json!({ "type": "MessageSendWorkflow", "retryStep": step, "id": run["id"] });
    w.operator.put(&path(&run), &form(&json!("Fold"))).await.problem(422);
    let other = format!("/api/workflows/{}", Uuid::now_v7());
    let unknown = json!({ "type": "MessageSendWorkflow", "retryStep": "Deliver" });
    w.operator.put(&other, &unknown).await.problem(404);
    let again = w.operator.put(&path(&run), &form(&step["id"])).await.ok();
    assert_eq!(again["status"], "Running");
    w.app.drain().await;
    let shown = w.operator.get(&path(&run)).await.ok();
    let delivered = shown["steps"].as_array().expect("steps").iter().find(|s| s["id"] == step["id"]);
    let outcomes: Vec<_> = delivered.expect("it")["attempts"]
        .as_array()
        .expect("attempts")
        .iter()
        .map(|a| a["outcome"].clone())
        .collect();
    assert_eq!(outcomes, ["Failed", "Completed"]);
    let refused = w.operator.put(&path(&run), &form(&json!("Deliver"))).await.problem(409);
    assert_eq!(refused["message"], "The step has completed, so it cannot be run again.");
    let trail = store::entities::audit_entry::Entity::find()
        .filter(store::entities::audit_entry::Column::ObjectType.eq("workflow"))
        .all(w.app.store.db())
        .await
        .expect("entries");
    assert_eq!(trail.len(), 1, "only what was run again is in the trail");
    w.app.finish().await;
}

/// ADB-C-029 ADB-C-030 ADB-R-182 ADB-R-183 ADB-R-184 ADB-R-185 ADB-R-192 ADB-R-193 ADB-R-194
async fn the_list_is_paged_and_filtered_by_status_type_and_channel(db: Db) {
    let w = World::start(db).await;
    for n in 0..3 {
        w.send(&format!("Letter {n}")).await;
        w.app.drain().await;
    }
    let all = w.list("").await;
    let times: Vec<_> = all["items"]
        .as_array()
        .expect("runs")
        .iter()
        .map(|run| run["createdTime"].as_str().expect("a time"))
        .collect();
    assert!(times.is_sorted_by(|a, b| a >= b), "the newest first: {times:?}");
    let total = all["totalCount"].as_u64().expect("a number");
    let (sent, received) = (w.list("type=release").await, w.list("type=intake").await);
    assert_eq!(sent["totalCount"], 3);
    assert_eq!(received["totalCount"], total - 3);
    let runs = received["items"].as_array().expect("runs");
    let opened = runs.iter().find(|run| !run["mailMessage"].is_null()).expect("mail that is no notice");
    assert_eq!(opened["mailMessage"]["origin"], "Direct");
    assert_eq!(w.list("channel=Fax").await["totalCount"], 0);
    assert_eq!(w.list("status=Pending").await["totalCount"], 0);
    let second = w.list("type=release&pageNumber=2&pageSize=2").await;
    assert_eq!(second["items"], json!([sent["items"][2]]));
    let last = sent["items"][1]["id"].as_str().expect("an id");
    let behind = w.list(&format!("type=release&pageNumber=501&pageSize=20&cursor={last}")).await;
    assert_eq!((&behind["items"], &behind["totalCount"]), (&second["items"], &json!(3)));
    let gone = Uuid::now_v7();
    w.operator.get(&format!("{LIST}?cursor={gone}")).await.problem(400);
    w.operator.get(&format!("{LIST}?pageSize=101")).await.problem(400);
    w.operator.get(&format!("{LIST}?status=Odd")).await.problem(400);

    let search = json!({
        "paging": { "pageSize": 1 }, "sorting": { "oldestFirst": true }, "filters": { "type": "release" },
    });
    let found = w.operator.post(&format!("{LIST}/_search"), &search).await.ok();
    assert_eq!(found["messageHealthDataValuesCount"], 3);
    assert_eq!(found["messageHealthDataValues"], json!([sent["items"][2]]));
    let mut next = search.clone();
    next["paging"]["cursor"] = found["messageHealthDataValues"][0]["id"].clone();
    let found = w.operator.post(&format!("{LIST}/_search"), &next).await.ok();
    assert_eq!(found["messageHealthDataValues"], json!([sent["items"][1]]));

    let reporter = w.app.signed_in(Role::Reporting, &w.larkfield.organization).await;
    reporter.get(LIST).await.ok();
    reporter.get(&path(&sent["items"][0])).await.problem(403);
    w.larkfield.client.get(LIST).await.problem(403);
    w.app.finish().await;
}

/// ADB-C-031 ADB-C-032 ADB-R-196 ADB-R-197 ADB-R-207 ADB-R-208 ADB-R-209
async fn channels_count_what_went_through_them_by_day(db: Db) {
    let w = World::start(db).await;
    w.send("Yesterday").await;
    w.app.drain().await;
    w.app.advance(TimeDelta::days(1));
    // Yesterday's sessions have expired.
    let w = World::of(w.app, "meadow", "quarry").await;
    w.fail("Today").await;
    let counts = async || w.operator.get("/api/diagnostics/messaging/messageCounts").await.ok();
    let before = counts().await;
    let direct = &before["outboundMessages"][0];
    assert_eq!((&direct["name"], &direct["total"]), (&json!("Direct outbound"), &json!(2)));
    assert_eq!((&direct["failure"], &direct["state"]), (&json!(1), &json!("Error")));
    let days: Vec<_> =
        direct["dailyStats"].as_array().expect("days").iter().map(|day| day["value"].clone()).collect();
    assert_eq!(days, [0, 0, 0, 0, 0, 1, 1]);
    assert_eq!(before["inboundMessages"][0]["state"], "Ok");
    console::traffic::count(&w.app).await.expect("days are counted");
    assert_eq!(counts().await, before, "what was kept of a day is what was counted");

    let alerts = w.operator.get("/api/diagnostics/messaging/systemalerts").await.ok();
    let names: Vec<_> =
        alerts["items"].as_array().expect("alerts").iter().map(|a| a["name"].clone()).collect();
    assert!(names.contains(&json!("Direct outbound: failures above 5% in 24 hours")), "{names:?}");
    w.app.finish().await;
}

/// ADB-C-033 ADB-C-034 ADB-R-210 ADB-R-213 ADB-R-215
async fn the_statistics_show_the_nodes_and_the_last_hours(db: Db) {
    let w = World::start(db).await;
    nodes::say(&w.app, Uuid::now_v7(), "1.2.3", w.app.clock.now()).await.expect("a heartbeat");
    w.send("Referral").await;
    w.app.drain().await;
    let worker = async || w.operator.get("/api/diagnostics/worker").await.ok();
    let node = worker().await["nodes"][0].clone();
    assert_eq!((&node["version"], &node["isAtWork"]), (&json!("1.2.3"), &json!(true)));
    let stats = w.operator.get("/api/diagnostics/stats").await.ok();
    let sum = |list: &str, member: &str| {
        stats[list]
            .as_array()
            .expect("points")
            .iter()
            .map(|at| at[member].as_i64().expect("a number"))
            .sum::<i64>()
    };
    assert_eq!((sum("messages", "sent"), sum("messages", "failed")), (1, 0));
    assert!(sum("messages", "received") >= 1);
    assert_eq!(stats["messages"].as_array().expect("points").len(), 48);
    w.operator.get("/api/diagnostics/stats?hours=25").await.problem(422);

    w.app.advance(TimeDelta::minutes(2));
    assert_eq!(worker().await["nodes"][0]["isAtWork"], false, "nobody has seen it for two minutes");
    w.app.finish().await;
}

/// ADB-C-023 ADB-C-024 ADB-C-025 ADB-C-026 ADB-R-149 ADB-R-151 ADB-R-152 ADB-R-176 ADB-R-178 ADB-R-180 ADB-R-191
async fn messages_are_read_as_odata_with_their_files_conversions_and_events(db: Db) {
    let w = World::start(db).await;
    let first = w.send("Marlow, Jane").await;
    w.app.drain().await;
    w.send("Second").await;
    w.app.drain().await;
    let filter = "$filter=IsDraft%20eq%20false";
    let all = w.odata(&format!("mailmessages?{filter}&$orderby=MailMessageId%20desc&$count=true")).await;
    let rows = all["value"].as_array().expect("rows");
    let ids: Vec<_> = rows.iter().map(|row| row["MailMessageId"].as_i64().expect("a number")).collect();
    assert!(ids.is_sorted_by(|a, b| a > b), "{ids:?}");
    assert_eq!(all["@odata.count"], rows.len());
    assert!(!all.to_string().contains("Marlow"), "a subject may name a patient");
    let part = w.odata(&format!("mailmessages?{filter}&$top=1&$skip=1")).await;
    assert_eq!(part["value"], json!([rows[1]]));
    let below = w.odata(&format!("mailmessages?$filter=MailMessageId%20lt%20{}", ids[0])).await;
    assert_eq!(below["value"].as_array().map(Vec::len), Some(rows.len() - 1));

    let row = rows.iter().find(|row| row["MessageId"] == first.as_str()).expect("the message");
    let number = row["MailMessageId"].as_i64().expect("a number");
    let files = w.odata(&format!("mailmessages({number})/mailattachments")).await;
    let file = &files["value"][0];
    assert_eq!((&file["Name"], &file["PreviewAvailable"]), (&Value::Null, &json!(false)));
    let of_size = async |size: &Value, more: &str| {
        let path = format!(
            "mailmessages({number})/MailAttachments?$filter=Size%20eq%20{size}%20and%20MimeType%20eq%20'text/plain'{more}"
        );
        w.odata(&path).await["value"].as_array().map(Vec::len)
    };
    assert_eq!(of_size(&file["Size"], "&$top=1").await, Some(1));
    assert_eq!(of_size(&file["Size"], "&$skip=1").await, Some(0));
    assert_eq!(of_size(&json!(1_000_000), "").await, Some(0));
    for property in [
        "MessageId",
        "OrganizationId",
        "WorkflowId",
        "HispMessageId",
        "Sender",
        "MailTo",
        "Origin",
        "Status",
        "CreatedDate",
        "SystemReceivedDate",
    ] {
        let value = match &row[property] {
            Value::Null => continue,
            Value::String(text) if !matches!(property, "Sender" | "MailTo" | "Origin" | "HispMessageId") => {
                text.clone()
            }
            Value::String(text) => format!("'{text}'"),
            other => other.to_string(),
        };
        let is = async |operator: &str| {
            let path =
                format!("mailmessages?$filter=MailMessageId eq {number} and {property} {operator} {value}");
            w.odata(&path).await["value"].as_array().map(Vec::len)
        };
        assert_eq!((is("eq").await, is("ne").await), (Some(1), Some(0)), "{property}");
    }
    let conversions =
        format!("conversionperformance?$filter=MailAttachmentId%20eq%20{}", file["MailAttachmentId"]);
    assert_eq!(w.odata(&conversions).await["value"], json!([]), "nobody has asked for a preview");
    let events = w.odata(&format!("eventmessages?$filter=MailMessageId%20eq%20{number}&$count=true")).await;
    assert_eq!(events["value"][0]["MailMessageId"], number);

    for refused in [
        "mailmessages?$filter=Subject%20eq%20'x'",
        "mailmessages?$filter=Status%20eq%20'Sent'",
        "mailmessages(1)/MailAttachments?$filter=Name%20eq%20'x'",
        "mailmessages(1)/MailAttachments?$top=0",
        "mailmessages?$select=Sender",
        "mailmessages?$top=101",
        "mailmessages?$skip=10000",
        "mailmessages?$orderby=Sender",
        "eventmessages",
        "conversionperformance?$filter=MailMessageId%20eq%201",
    ] {
        w.operator.get(&format!("/odata/{refused}")).await.problem(400);
    }
    w.operator.get("/odata/messages").await.problem(404);

    let names = format!("/api/admin/messages/{first}/names");
    w.operator.post(&names, &json!({ "reason": "why" })).await.problem(422);
    let shown = w.operator.post(&names, &json!({ "reason": "Support case 20417" })).await.ok();
    assert_eq!(shown["subject"], "Marlow, Jane");
    let trail = store::entities::audit_entry::Entity::find().all(w.app.store.db()).await.expect("entries");
    let told = trail.iter().filter(|entry| entry.detail.to_string().contains("Support case 20417"));
    assert_eq!(told.count(), 1, "the organization finds the reason");
    w.app.finish().await;
}
