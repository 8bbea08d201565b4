//! Exhaustion of resources by strangers, and a full disk.

use admission::Party;
use futures::future::join_all;
use platform::{Config, Role};
use reqwest::Method;
use sea_orm::{EntityTrait, sea_query::Expr};
use serde_json::json;
use std::{net::IpAddr, time::Duration};
use store::entities::{certificate_authority, direct_certificate, organization};
use testkit::{Db, Options, Practice, TestApp, document};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpSocket, TcpStream},
    time::timeout,
};

const HEALTH: &str = "/api/admin/health";

async fn start(configure: impl Fn(&mut Config) + Send + 'static) -> TestApp {
    let options = Options { configure: Some(Box::new(configure)), ..Options::default() };
    TestApp::start_with(Db::sqlite(), options).await
}

/// A connection from another local address.
async fn connect_from(source: [u8; 4], port: u16) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind((IpAddr::from(source), 0).into()).expect("an address of this machine");
    socket.connect(([127, 0, 0, 1], port).into()).await.expect("a connection")
}

async fn is_closed(stream: &mut TcpStream) -> bool {
    let mut byte = [0];
    matches!(timeout(Duration::from_millis(500), stream.read(&mut byte)).await, Ok(Ok(0) | Err(_)))
}

#[tokio::test]
async fn whoever_holds_many_connections_keeps_nobody_else_out() {
    let app = start(|config| {
        (config.http.connections, config.http.connections_per_address) = (40, 5);
    })
    .await;
    let port = app.node.http_addr.expect("a listener").port();
    let larkfield = app.organization("larkfield").await;
    let operator = app.signed_in(Role::SysAdmin, &larkfield).await;

    let mut held = Vec::new();
    for _ in 0..7 {
        let mut stream = connect_from([127, 1, 0, 1], port).await;
        let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: half").await;
        held.push(stream);
    }
    let closed = join_all(held.iter_mut().map(is_closed)).await;
    assert_eq!(closed.iter().filter(|closed| **closed).count(), 2, "an address has its share");

    for network in 2..40 {
        held.push(connect_from([127, network, 0, 1], port).await);
    }
    let mut stranger = connect_from([127, 99, 0, 1], port).await;
    assert!(is_closed(&mut stranger).await, "what is left is kept for known addresses");
    let health = operator.get(HEALTH).await.ok();
    let http = &health["listeners"][0];
    assert_eq!((&http["name"], &http["total"], &http["reserve"]), (&json!("HTTP"), &json!(40), &json!(10)));
    assert!(http["refused"].as_u64() >= Some(3), "{http}");
    assert_eq!(http["busiest"][0], json!({ "network": "127.1.0.0/24", "open": 5, "refused": 2 }));
    let again = app.signed_in(Role::User, &larkfield).await;
    again.get("/api/users/profiledata").await.ok();
    app.client().get(HEALTH).await.problem(401);
    again.get(HEALTH).await.problem(403);
    drop(held);
    app.finish().await;
}

#[tokio::test]
async fn operators_see_whose_work_waits() {
    let app = start(|_| {}).await;
    let larkfield = app.organization("larkfield").await;
    let operator = app.signed_in(Role::SysAdmin, &larkfield).await;
    let fetches = app.health.fetches.clone();
    let room = fetches.report().total;
    let held = fetches.enter(larkfield.id.into(), room).await.expect("nobody else fetches");
    let mut waiting = Box::pin(fetches.enter(Party::Host("crl.example".into()), 1));
    assert!(futures::poll!(&mut waiting).is_pending());

    let pools = operator.get(HEALTH).await.ok()["pools"].clone();
    let seen =
        pools.as_array().expect("pools").iter().find(|pool| pool["name"] == "Requests to outside servers");
    let seen = seen.expect("the pool");
    assert_eq!((&seen["used"], &seen["waiting"]), (&json!(room), &json!(1)));
    let outside = json!({ "name": "crl.example", "used": 0, "waiting": 1, "refused": 0 });
    assert_eq!(seen["busiest"][0], outside);
    let row =
        organization::Entity::find_by_id(larkfield.id).one(app.store.db()).await.expect("organizations");
    let own = row.expect("the organization").name;
    assert_eq!((&seen["busiest"][1]["name"], &seen["busiest"][1]["used"]), (&json!(own), &json!(room)));

    drop(held);
    drop(waiting.await.expect("its turn"));
    assert_eq!(fetches.report().used, 0);
    app.finish().await;
}

#[tokio::test]
async fn a_hub_counts_as_a_connection_until_it_closes() {
    let app = start(|_| {}).await;
    let larkfield = app.organization("larkfield").await;
    let client = app.signed_in(Role::User, &larkfield).await;
    let before = app.health.http.gate.report().open;
    let mut hub = client.hub("events").await;
    hub.expect("alive").await;
    assert_eq!(app.health.http.gate.report().open, before + 1);
    hub.close().await;
    app.finish().await;
}

#[tokio::test]
async fn a_revocation_list_is_signed_now_and_then_and_after_a_revocation() {
    let app = start(|_| {}).await;
    let larkfield = app.organization("larkfield").await;
    app.source(&larkfield, "records").await;
    let db = app.store.db();
    let authority = certificate_authority::Entity::find().one(db).await.expect("rows").expect("an authority");
    let path = format!("/crl/{}.crl", authority.id);
    let list = async || app.client().get(&path).await;
    let first = list().await;
    assert_eq!((first.status.as_u16(), first.header("content-type").as_str()), (200, "application/pkix-crl"));
    app.advance(chrono::Duration::minutes(10));
    assert_eq!(list().await.body, first.body, "whoever asks often costs no signatures");
    direct_certificate::Entity::update_many()
        .col_expr(direct_certificate::Column::RevokedAt, Expr::value(Some(app.clock.now())))
        .exec(db)
        .await
        .expect("a revocation");
    let revoked = list().await;
    assert_ne!(revoked.body, first.body);
    app.advance(chrono::Duration::hours(1));
    assert_ne!(list().await.body, revoked.body, "it is renewed long before its end");
    let unknown = format!("/crl/{}.crl", uuid::Uuid::now_v7());
    assert_eq!(app.client().get(&unknown).await.status, 404);
    app.finish().await;
}

/// Sends SMTP lines one after the other; returns the last reply.
async fn talk(port: u16, source: [u8; 4], lines: &[&str]) -> String {
    let mut stream = BufReader::new(connect_from(source, port).await);
    let mut reply = String::new();
    for line in std::iter::once(&"").chain(lines) {
        if !line.is_empty() {
            stream.write_all(format!("{line}\r\n").as_bytes()).await.expect("it listens");
        }
        loop {
            reply.clear();
            stream.read_line(&mut reply).await.expect("a reply");
            if reply.as_bytes().get(3) != Some(&b'-') {
                break;
            }
        }
    }
    reply
}

#[tokio::test]
async fn strangers_leave_only_so_much_mail_that_nobody_can_open() {
    let app = start(|config| {
        config.smtp.own_networks = Vec::new();
        (config.smtp.unopened_bytes_per_sender, config.smtp.unopened_bytes_per_recipient) = (50_000, 80_000);
    })
    .await;
    let larkfield = app.organization("larkfield").await;
    let source = app.source(&larkfield, "records").await;
    let port = app.node.smtp_addr.expect("a listener").port();
    let to = format!("RCPT TO:<{}>", source.address);
    let mail = format!("Subject: x\r\n\r\n{}\r\n.", "spam ".repeat(4000));
    let send = async |from: [u8; 4]| {
        let lines = ["EHLO c.example", "MAIL FROM:<a@c.example>", &to, "DATA", &mail];
        talk(port, from, &lines).await
    };
    let begin = async |from: [u8; 4], size: usize| {
        let from_line = format!("MAIL FROM:<a@c.example> SIZE={size}");
        talk(port, from, &["EHLO c.example", &from_line]).await
    };
    assert!(send([127, 2, 0, 1]).await.starts_with("250"));
    assert!(send([127, 2, 0, 2]).await.starts_with("250"));
    assert!(send([127, 2, 0, 3]).await.starts_with("452"), "the network has left enough");
    assert!(begin([127, 2, 0, 4], 20_000).await.starts_with("452"));
    assert!(begin([127, 3, 0, 1], 20_000).await.starts_with("250"), "others are not concerned");
    assert!(send([127, 3, 0, 1]).await.starts_with("250"));
    let reply =
        talk(port, [127, 4, 0, 1], &["EHLO c.example", "MAIL FROM:<a@c.example> SIZE=30000", &to]).await;
    assert!(reply.starts_with("452"), "the organization holds enough from strangers: {reply}");
    let txn = app.store.begin().await.expect("a transaction");
    let now = app.clock.now();
    messaging::direct::unknown_senders::note_opened(&txn, "127.4.0.9", now).await.expect("a note");
    txn.commit().await.expect("a commit");
    app.advance(chrono::Duration::minutes(1));
    let reply =
        talk(port, [127, 4, 0, 1], &["EHLO c.example", "MAIL FROM:<a@c.example> SIZE=30000", &to]).await;
    assert!(reply.starts_with("250"), "a network whose mail was opened is no stranger: {reply}");
    app.finish().await;
}

#[tokio::test]
async fn while_the_disk_is_full_people_sign_in_and_read_and_nothing_is_taken_in() {
    let app = start(|config| config.blobs.keep_free_bytes = 1 << 60).await;
    let larkfield = app.organization("larkfield").await;
    let client = app.signed_in(Role::User, &larkfield).await;
    client.post("/api/intake", &json!({ "startDate": "2020-01-01T00:00:00Z" })).await.ok();
    let problem = client.put("/api/messages", &json!({ "subject": "x" })).await.problem(507);
    assert_eq!(problem["message"], "The server cannot store anything at the moment. Please try again later.");
    let port = app.node.smtp_addr.expect("a listener").port();
    let reply = talk(port, [127, 0, 0, 1], &["EHLO c.example", "MAIL FROM:<a@c.example>"]).await;
    assert!(reply.starts_with("452 4.3.1"), "{reply}");
    let operator = app.signed_in(Role::SysAdmin, &larkfield).await;
    let disk = operator.get(HEALTH).await.ok()["disk"].clone();
    assert_eq!((&disk["isFull"], &disk["floorBytes"]), (&json!(true), &json!(1_u64 << 60)));
    app.finish().await;
}

#[tokio::test]
async fn a_hub_is_opened_by_pages_of_this_installation_only() {
    let app = start(|_| {}).await;
    let open = async |origin: &'static str| {
        let client = app.client();
        let request = client.request(Method::GET, "/api/hubs/events").header("connection", "upgrade");
        let request = request.header("upgrade", "websocket").header("sec-websocket-version", "13");
        let request = request.header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==");
        client.send(request.header("origin", origin)).await.status.as_u16()
    };
    assert_eq!(open("https://evil.example").await, 403);
    assert_eq!(open("http://127.0.0.1:8080").await, 101);
    app.finish().await;
}

/// While the converter works for one organization, which has more jobs waiting, the uploads of others
/// continue.
#[tokio::test]
async fn uploads_that_wait_for_the_converter_keep_no_others_waiting() {
    let app = start(|_| {}).await;
    let (noisy, quiet) = (app.practice("harbor").await, app.practice("larkfield").await);
    let pool = app.converter.pool();
    let half = pool.report().total / 2;
    let busy = pool.enter(noisy.organization.id.into(), half).await.expect("room");
    let upload = async |practice: &Practice| {
        let draft = practice.client.draft(document(&practice.address, &[], "Summary")).await;
        practice.client.upload(&draft, "Summary.xml", crate::isolation::summary_of_care(), json!({})).await
    };
    let noise = join_all((0..4).map(|_| upload(&noisy)));
    let beside = async {
        let file = timeout(Duration::from_secs(60), upload(&quiet)).await;
        assert!(!file.expect("it does not wait for the noisy one").is_empty());
        drop(busy);
    };
    tokio::join!(noise, beside);
    app.finish().await;
}

/// Repeated requests by strangers cost nothing but the transfer.
#[tokio::test]
async fn the_description_of_the_api_is_compressed_once_and_not_sent_again() {
    let app = start(|_| {}).await;
    let client = app.client();
    let asked = |name: &'static str, value: &str| {
        client.request(Method::GET, "/api/openapi.json").header(name, value)
    };
    let answer = client.send(asked("accept-encoding", "gzip")).await;
    assert_eq!((answer.status.as_u16(), answer.header("content-encoding").as_str()), (200, "gzip"));
    let tag = answer.header("etag");
    let again = client.send(asked("if-none-match", &tag)).await;
    assert_eq!((again.status.as_u16(), again.body.len()), (304, 0));
    app.finish().await;
}
