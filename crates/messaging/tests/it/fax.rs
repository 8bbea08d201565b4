//! Messages sent by fax, and the progress of their calls.

use crate::{
    faults::{Harm, POINTS},
    support::*,
};
use chrono::Duration;
use messaging::fax::arrivals;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use serde_json::{Value, json};
use store::entities::{document_source, fax_attempt, fax_job, fax_number};
use testkit::{Db, Options, Practice, Role, Source, TestApp, document};
use workflow::probe::Verdict;

testkit::on_both_databases! {
    wherever_a_worker_dies_a_fax_arrives_once,
    whichever_step_runs_twice_a_fax_arrives_once,
    a_fax_that_is_given_up_while_it_is_handed_over_frees_its_line,
}

pub const LARKFIELD: &str = "+17405550110";
pub const SUMMIT: &str = "+17405550120";
/// A number that is always busy.
pub const BUSY: &str = "+17405550197";

/// Two practices with a fax number each.
pub async fn two(app: &TestApp) -> (Practice, Practice, Source) {
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let own = app.fax_number(&larkfield.organization, LARKFIELD).await;
    app.link(&larkfield.user, &own).await;
    let theirs = app.fax_number(&summit.organization, SUMMIT).await;
    app.link(&summit.user, &theirs).await;
    (larkfield, summit, own)
}

pub async fn draft(practice: &Practice, from: &str, to: &[&str], subject: &str) -> String {
    let draft = practice.client.draft(document(from, to, subject)).await;
    practice.client.upload(&draft, "Note.pdf", note_pdf(), meta()).await;
    draft
}

pub fn confirming(numbers: &[&str]) -> Value {
    json!({ "confirmedFaxNumbers": numbers })
}

/// Sends a fax and returns the id of its message.
pub async fn fax(practice: &Practice, to: &str, subject: &str) -> String {
    let draft = draft(practice, LARKFIELD, &[to], subject).await;
    practice.client.post(&format!("/api/messages/{draft}/send"), &confirming(&[to])).await.ok();
    draft
}

/// Time passes, and providers are polled for received faxes.
pub async fn pass_with_arrivals(app: &TestApp, time: Duration) {
    pass(app, time).await;
    arrivals::poll(app).await.expect("providers are asked");
    app.drain().await;
}

/// The only fax of a message.
pub async fn only_fax(practice: &Practice, message: &str) -> Value {
    let all = practice.client.get(&format!("/api/messages/{message}/fax")).await.ok();
    assert_eq!(all["items"].as_array().map(Vec::len), Some(1), "{all}");
    all["items"][0].clone()
}

pub fn outcomes(fax: &Value) -> Vec<&str> {
    fax["attempts"].as_array().expect("attempts").iter().map(|a| text(a, "outcome")).collect()
}

#[tokio::test]
async fn a_practice_faxes_a_document_to_another_practice() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit, _) = two(&app).await;
    let sent = fax(&larkfield, "(740) 555-0120", "Visit note").await;
    app.drain().await;
    let before = only_fax(&larkfield, &sent).await;
    assert_eq!((text(&before, "toNumber"), text(&before, "fromNumber")), ("740-555-0120", "740-555-0110"));
    assert_eq!(message(&larkfield.client, &sent).await["status"], "Pending");

    pass_with_arrivals(&app, Duration::minutes(5)).await;
    let view = message(&larkfield.client, &sent).await;
    assert_eq!((&view["status"], &view["deliveries"][0]["state"]), (&json!("Sent"), &json!("Delivered")));
    assert_eq!(view["deliveries"][0]["kind"], "Fax");
    let fax = only_fax(&larkfield, &sent).await;
    assert_eq!((text(&fax, "now"), outcomes(&fax)), ("Delivered", vec!["Delivered"]));
    assert_eq!(fax["attempts"][0]["confirmedPages"], fax["pages"]);
    assert_eq!(events(&app, sent.parse().expect("an id")).await, ["Delivered"]);

    let list = intake(&summit.client, json!({})).await;
    let id = only(&list);
    assert_eq!(list["items"][0]["sourceType"], "Fax");
    assert_eq!(list["items"][0]["properties"]["faxPageCount"], fax["pages"]);
    let arrived = message(&summit.client, &id).await;
    let came = &arrived["fax"];
    assert_eq!((text(came, "caller"), text(came, "called")), ("740-555-0110", "740-555-0120"));
    assert_eq!((&came["resolution"], &came["partial"]), (&json!("Fine"), &Value::Null));
    assert!(!text(came, "senderId").is_empty());
    assert_eq!(came["pages"], fax["pages"]);
    assert_eq!(arrived["attachments"][0]["pageCount"], fax["pages"]);
    assert_eq!(arrived["attachments"][0]["mimeType"], "application/pdf");
    assert!(text(&arrived, "subject").starts_with("Fax from 740-555-0110"));
    app.finish().await;
}

#[tokio::test]
async fn a_message_goes_to_direct_and_fax_recipients_together() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit, _) = two(&app).await;
    let own = larkfield.client.get("/api/documentsources/release").await.ok();
    assert_eq!(own["items"][0]["fullAddress"], larkfield.address.as_str(), "Direct addresses come first");
    let bayline = app.practice("bayline").await;
    let to = [bayline.address.as_str(), SUMMIT];
    let sent = draft(&larkfield, &larkfield.address, &to, "Both ways").await;
    larkfield.client.post(&format!("/api/messages/{sent}/send"), &confirming(&[SUMMIT])).await.ok();
    pass_with_arrivals(&app, Duration::minutes(5)).await;
    assert_eq!(state(&larkfield.client, &sent, &bayline.address).await, "Delivered");
    assert_eq!(state(&larkfield.client, &sent, SUMMIT).await, "Delivered");
    let by_mail = only_message(&bayline.client).await;
    assert_eq!(strings(&by_mail["toAddresses"]), [bayline.address.as_str()], "mail names no fax numbers");
    assert_eq!(only_message(&summit.client).await["sourceType"], "Fax");

    let wrong = draft(&larkfield, LARKFIELD, &to, "From a number").await;
    let answer = larkfield.client.post(&format!("/api/messages/{wrong}/send"), &json!({})).await;
    let problem = answer.problem(422);
    assert_eq!(
        problem["modelState"]["fromAddress"][0],
        "Choose a Direct address as the sender, because not all recipients are fax numbers."
    );
    app.finish().await;
}

#[tokio::test]
async fn a_number_that_nobody_here_has_faxed_to_has_to_be_confirmed_once() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, _, _) = two(&app).await;
    let first = draft(&larkfield, LARKFIELD, &[SUMMIT], "First").await;
    let path = format!("/api/messages/{first}/send");
    let problem = larkfield.client.post(&path, &json!({})).await.problem(422);
    assert_eq!(
        problem["modelState"]["confirmedFaxNumbers"][0],
        "740-555-0120: This is the first fax to this number. Please check and confirm it."
    );
    let other = larkfield.client.post(&path, &confirming(&["+17405550121"])).await.problem(422);
    assert!(other["modelState"]["confirmedFaxNumbers"].is_array(), "another number is not this one");
    let check = |to: &'static str| format!("/api/directory/validate?addresses={to}");
    let known = larkfield.client.get(&check("7405550120")).await.ok();
    assert_eq!((&known["items"][0]["isNew"], &known["items"][0]["kind"]), (&json!(true), &json!("Fax")));
    assert_eq!(known["items"][0]["displayAddress"], "740-555-0120");
    larkfield.client.post(&path, &confirming(&["740-555-0120"])).await.ok();
    let known = larkfield.client.get(&check("7405550120")).await.ok();
    assert_eq!(known["items"][0]["isNew"], false);
    let second = draft(&larkfield, LARKFIELD, &[SUMMIT], "Second").await;
    larkfield.client.post(&format!("/api/messages/{second}/send"), &json!({})).await.ok();
    pass(&app, Duration::minutes(5)).await;
    app.finish().await;
}

#[tokio::test]
async fn hostile_numbers_are_refused_with_a_reason() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, _, _) = two(&app).await;
    for (number, reason) in [
        ("911", "Emergency numbers cannot be faxed to."),
        ("411", "Short codes and service numbers cannot be faxed to."),
        ("1-900-555-0100", "Premium-rate numbers cannot be faxed to."),
        ("555-0100", "Enter the fax number with its area code."),
        ("7405550120\r\nJKILL 4", "A fax number has digits only."),
        ("00000000000000000000", "This is not a valid fax number."),
    ] {
        let draft = draft(&larkfield, LARKFIELD, &[number], "Hostile").await;
        let path = format!("/api/messages/{draft}/send");
        let problem = larkfield.client.post(&path, &confirming(&[number])).await.problem(422);
        let said = problem["modelState"]["toAddress"][0].as_str().unwrap_or_default().to_owned();
        assert!(said.ends_with(reason), "{number:?}: {said}");
    }
    app.finish().await;
}

#[tokio::test]
async fn nobody_faxes_from_a_number_that_is_not_theirs() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit, _) = two(&app).await;
    // A number of another tenant, as the only sender and beside a Direct sender.
    let foreign = draft(&larkfield, SUMMIT, &["+17405550130"], "Foreign").await;
    let path = format!("/api/messages/{foreign}/send");
    let problem = larkfield.client.post(&path, &confirming(&["+17405550130"])).await.problem(422);
    assert_eq!(problem["modelState"]["fromAddress"][0], "You cannot send from this fax number.");
    let beside = draft(&larkfield, &larkfield.address, &["+17405550130"], "Beside").await;
    let form = json!({ "fromFaxNumber": SUMMIT, "confirmedFaxNumbers": ["+17405550130"] });
    let problem = larkfield.client.post(&format!("/api/messages/{beside}/send"), &form).await.problem(422);
    assert_eq!(problem["modelState"]["fromFaxNumber"][0], "You cannot send from this fax number.");
    // A colleague to whom the number is not linked.
    let user = app.user(Role::User, &larkfield.organization).await;
    let records = document_source::Entity::find()
        .filter(document_source::Column::AddressKey.eq(larkfield.address.as_str()))
        .one(app.store.db())
        .await
        .expect("sources")
        .expect("a source");
    let records =
        Source { id: records.id, address: records.address, organization_id: records.organization_id };
    app.link(&user, &records).await;
    let client = app.browser_of(&user).await;
    let colleague = Practice { organization: summit.organization, address: records.address, user, client };
    let without = draft(&colleague, &colleague.address, &[SUMMIT], "Without").await;
    let path = format!("/api/messages/{without}/send");
    let problem = colleague.client.post(&path, &confirming(&[SUMMIT])).await.problem(422);
    let said = problem["modelState"]["fromFaxNumber"][0].as_str().unwrap_or_default();
    assert!(said.starts_with("You have no fax number to send from."), "{said}");
    app.finish().await;
}

#[tokio::test]
async fn only_activated_numbers_send() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, _, own) = two(&app).await;
    for status in [0_i16, 2, 3, 5] {
        set_status(&app, &own, status).await;
        let draft = draft(&larkfield, LARKFIELD, &[SUMMIT], "Not yet").await;
        let path = format!("/api/messages/{draft}/send");
        let problem = larkfield.client.post(&path, &confirming(&[SUMMIT])).await.problem(422);
        assert_eq!(
            problem["modelState"]["fromAddress"][0], "You cannot send from this fax number.",
            "{status}"
        );
    }
    // A number disabled while a fax waits sends nothing either.
    set_status(&app, &own, 1).await;
    let sent = fax(&larkfield, SUMMIT, "Too late").await;
    set_status(&app, &own, 5).await;
    pass(&app, Duration::minutes(5)).await;
    let fax = only_fax(&larkfield, &sent).await;
    assert_eq!(text(&fax, "now"), "The fax number to send from is not active.");
    assert!(outcomes(&fax).is_empty());
    app.finish().await;
}

async fn set_status(app: &TestApp, source: &Source, status: i16) {
    document_source::Entity::update_many()
        .col_expr(document_source::Column::Status, sea_orm::sea_query::Expr::value(status))
        .filter(document_source::Column::Id.eq(source.id))
        .exec(app.store.db())
        .await
        .expect("a status");
}

#[tokio::test]
async fn a_file_without_pages_is_refused_before_it_is_sent() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, _, _) = two(&app).await;
    let draft = larkfield.client.draft(document(LARKFIELD, &[SUMMIT], "Archive")).await;
    larkfield.client.upload(&draft, "Letters.zip", archive(), meta()).await;
    let path = format!("/api/messages/{draft}/send");
    let answer = larkfield.client.post(&path, &confirming(&[SUMMIT])).await;
    let problem = answer.problem(422);
    assert_eq!(problem["modelState"]["attachments"][0], "Letters.zip: Files of this type cannot be faxed.");
    app.finish().await;
}

#[tokio::test]
async fn characters_that_no_font_has_are_named_with_their_field_before_a_fax_is_sent() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit, _) = two(&app).await;
    let draft = draft(&larkfield, LARKFIELD, &[SUMMIT], "Łukasz \u{F8FFE}").await;
    let path = format!("/api/messages/{draft}/send");
    let mut request = confirming(&[SUMMIT]);
    request["properties"] = json!({ "includeMessageBody": true, "includeAttachmentDescriptions": true });
    request["body"] = json!("Take \u{F8FFE} and \u{F8FFD} twice");
    let wrong = larkfield.client.post(&path, &request).await.problem(422)["modelState"].clone();
    assert_eq!(wrong["subject"], json!(["Subject: a fax cannot show \u{F8FFE} (U+F8FFE)."]));
    let body = "Message: a fax cannot show \u{F8FFD} (U+F8FFD), \u{F8FFE} (U+F8FFE).";
    assert_eq!(wrong["body"], json!([body]));
    assert_eq!(message(&larkfield.client, &draft).await["isDraft"], true);
    request["subject"] = json!("Łukasz");
    request["body"] = json!("Ολυμπία, twice");
    larkfield.client.post(&path, &request).await.ok();
    // Other recipients can read these characters.
    larkfield.client.send_document(&larkfield.address, &[&summit.address], "Łukasz \u{F8FFE}").await;
    app.drain().await;
    pass_with_arrivals(&app, Duration::minutes(1)).await;
    app.finish().await;
}

#[tokio::test]
async fn a_pdf_with_a_password_fails_with_a_reason_that_names_no_file() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, _, _) = two(&app).await;
    let draft = larkfield.client.draft(document(LARKFIELD, &[SUMMIT], "Locked")).await;
    larkfield.client.upload(&draft, "Marisol Tenney.pdf", encrypted_pdf(), meta()).await;
    let path = format!("/api/messages/{draft}/send");
    larkfield.client.post(&path, &confirming(&[SUMMIT])).await.ok();
    app.drain().await;
    let fax = only_fax(&larkfield, &draft).await;
    assert!(text(&fax, "now").contains("protected by a password"), "{fax}");
    assert!(!text(&fax, "now").contains("Marisol"));
    assert_eq!(message(&larkfield.client, &draft).await["status"], "Failed");
    app.finish().await;
}

fn encrypted_pdf() -> Vec<u8> {
    let mut pdf = b"%PDF-1.6\n".to_vec();
    let objects = [
        "1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n",
        "2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n",
        "3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] >>\nendobj\n",
        "4 0 obj\n<< /Filter /Standard /V 1 /R 2 /Length 40 /P -4 /O <0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef> /U <fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210> >>\nendobj\n",
    ];
    let mut places = Vec::new();
    for object in objects {
        places.push(pdf.len());
        pdf.extend(object.as_bytes());
    }
    let start = pdf.len();
    pdf.extend(b"xref\n0 5\n0000000000 65535 f \n");
    places.iter().for_each(|at| pdf.extend(format!("{at:010} 00000 n \n").as_bytes()));
    let id = "<00112233445566778899aabbccddeeff>";
    let trailer = format!(
        "trailer\n<< /Size 5 /Root 1 0 R /Encrypt 4 0 R /ID [{id} {id}] >>\nstartxref\n{start}\n%%EOF\n"
    );
    pdf.extend(trailer.as_bytes());
    pdf
}

#[tokio::test]
async fn a_busy_number_is_called_again_after_3_6_and_12_minutes_and_then_given_up() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, _, _) = two(&app).await;
    let sent = fax(&larkfield, BUSY, "Busy").await;
    pass(&app, Duration::minutes(1)).await;
    let waiting = only_fax(&larkfield, &sent).await;
    assert_eq!((outcomes(&waiting), text(&waiting, "now")), (vec!["Busy"], "The recipient's line is busy."));
    assert!(waiting["nextAt"].is_string() && waiting["canSendAgain"] == false);
    assert_eq!(message(&larkfield.client, &sent).await["status"], "Pending");
    pass(&app, Duration::minutes(30)).await;
    larkfield.client.enter(&larkfield.user).await;
    let fax = only_fax(&larkfield, &sent).await;
    assert_eq!(outcomes(&fax), ["Busy"; 4]);
    let starts: Vec<chrono::DateTime<chrono::Utc>> = fax["attempts"]
        .as_array()
        .expect("attempts")
        .iter()
        .map(|a| text(a, "startedAt").parse().expect("a time"))
        .collect();
    let pauses: Vec<i64> = starts.windows(2).map(|pair| (pair[1] - pair[0]).num_minutes()).collect();
    assert_eq!(pauses, [3, 6, 12]);
    assert_eq!(message(&larkfield.client, &sent).await["status"], "Failed");
    assert!(
        text(&delivery(&larkfield.client, &sent, BUSY).await, "reason")
            .starts_with("The recipient's line is busy.")
    );
    app.finish().await;
}

#[tokio::test]
async fn a_fax_that_failed_is_sent_again_when_a_person_decides_so() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit, _) = two(&app).await;
    let sent = fax(&larkfield, BUSY, "Busy").await;
    pass(&app, Duration::minutes(40)).await;
    larkfield.client.enter(&larkfield.user).await;
    summit.client.enter(&summit.user).await;
    let failed = only_fax(&larkfield, &sent).await;
    assert_eq!(failed["canSendAgain"], true);
    let again = format!("/api/messages/{sent}/fax/{}/again", text(&failed, "deliveryId"));
    summit.client.post(&again, &json!({})).await.problem(404);
    let colleague = app.signed_in(Role::User, &larkfield.organization).await;
    colleague.post(&again, &json!({})).await.problem(409);
    larkfield.client.post(&again, &json!({})).await.ok();
    assert_eq!(message(&larkfield.client, &sent).await["status"], "Pending");
    larkfield.client.post(&again, &json!({})).await.problem(409);
    pass(&app, Duration::minutes(40)).await;
    larkfield.client.enter(&larkfield.user).await;
    assert_eq!(outcomes(&only_fax(&larkfield, &sent).await), ["Busy"; 8]);
    let acts = audit_of(&app, sent.parse().expect("an id")).await;
    assert!(acts.iter().any(|a| a.event_type == "Sent" && a.detail.contains("again")));
    app.finish().await;
}

async fn wherever_a_worker_dies_a_fax_arrives_once(db: Db) {
    sweep(db, Verdict::Crash).await;
}

async fn whichever_step_runs_twice_a_fax_arrives_once(db: Db) {
    sweep(db, Verdict::RunTwice).await;
}

/// The steps of a fax, and the run of each that is interrupted.
const STEPS: [(&str, usize); 4] = [("RenderFax", 0), ("SubmitFax", 0), ("FollowFax", 1), ("OpenFax", 0)];

async fn sweep(db: Db, verdict: Verdict) {
    let harm = Harm::new(verdict);
    let app = TestApp::start_with(db, Options { probe: Some(harm.clone()), ..Options::default() }).await;
    let (larkfield, summit, _) = two(&app).await;
    let mut expected = 0;
    for (step, nth) in STEPS {
        for point in POINTS {
            harm.arm(step, point, nth);
            larkfield.client.enter(&larkfield.user).await;
            let sent = fax(&larkfield, SUMMIT, "Harmed").await;
            expected += 1;
            pass_with_arrivals(&app, Duration::minutes(6)).await;
            pass(&app, Duration::minutes(3)).await;
            assert!(harm.was_done(), "{step} came to {point:?}");
            larkfield.client.enter(&larkfield.user).await;
            summit.client.enter(&summit.user).await;
            let fax = only_fax(&larkfield, &sent).await;
            assert_eq!(
                (text(&fax, "now"), outcomes(&fax)),
                ("Delivered", vec!["Delivered"]),
                "{step} {point:?}"
            );
            let list = intake(&summit.client, json!({ "pageSize": 100 })).await;
            let came = list["items"].as_array().map_or(0, Vec::len);
            assert_eq!(came, expected, "{step} {point:?}: it arrives once");
            assert_eq!(events(&app, sent.parse().expect("an id")).await, ["Delivered"], "{step} {point:?}");
        }
    }
    let open = fax_attempt::Entity::find().filter(fax_attempt::Column::EndedAt.is_null());
    assert_eq!(open.all(app.store.db()).await.expect("attempts"), [], "no line is left in use");
    app.finish().await;
}

async fn a_fax_that_is_given_up_while_it_is_handed_over_frees_its_line(db: Db) {
    let harm = Harm::new(Verdict::Crash);
    let app = TestApp::start_with(db, Options { probe: Some(harm.clone()), ..Options::default() }).await;
    let (larkfield, _, own) = two(&app).await;
    harm.arm("SubmitFax", POINTS[1], 0);
    let sent = fax(&larkfield, SUMMIT, "Given up").await;
    app.drain().await;
    assert!(harm.was_done());
    fax_number::Entity::delete_by_id(own.id).exec(app.store.db()).await.expect("a number");
    pass(&app, Duration::minutes(6)).await;
    larkfield.client.enter(&larkfield.user).await;
    let fax = only_fax(&larkfield, &sent).await;
    assert!(text(&fax, "now").ends_with("The fax account no longer exists."), "{fax}");
    assert_eq!(outcomes(&fax), ["Uncertain"]);
    let calls = fax_attempt::Entity::find().all(app.store.db()).await.expect("attempts");
    assert!(calls.iter().all(|call| call.ended_at.is_some()), "no line is left in use");
    app.finish().await;
}

#[tokio::test]
async fn another_tenant_sees_nothing_of_a_fax() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit, _) = two(&app).await;
    let sent = fax(&larkfield, BUSY, "Ours").await;
    pass(&app, Duration::minutes(1)).await;
    summit.client.get(&format!("/api/messages/{sent}/fax")).await.problem(404);
    let delivery = text(&only_fax(&larkfield, &sent).await, "deliveryId").to_owned();
    let other = fax_job::Entity::find().all(app.store.db()).await.expect("jobs");
    assert_eq!(other.len(), 1);
    let mine = draft(&summit, SUMMIT, &[LARKFIELD], "Mine").await;
    summit.client.post(&format!("/api/messages/{mine}/fax/{delivery}/again"), &json!({})).await.problem(404);
    pass(&app, Duration::minutes(40)).await;
    app.finish().await;
}
