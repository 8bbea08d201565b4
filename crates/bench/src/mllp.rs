//! Part `mllp`: messages received by HL7 v2 over MLLP. Each is acknowledged once it is durable, and each connection
//! waits for that before it sends the next. Senders are this program and python-hl7.

use crate::{load::databases, table::Table};
use anyhow::{Context, Result, ensure};
use exchange::mllp::{self, Frames};
use futures::future::try_join_all;
use serde_json::json;
use std::{
    net::SocketAddr,
    path::PathBuf,
    process::{Command, Stdio},
    time::Instant,
};
use testkit::{Db, Options, Practice, Role, TestApp};
use tokio::net::TcpStream;

pub const TARGET: f64 = 1_000.0;
/// Simultaneous connections, and messages of each.
pub const CONNECTIONS: usize = 32;
pub const MESSAGES: usize = 125;
/// Buffer for an acknowledgement.
const ACK: usize = 1 << 16;

/// A client with python-hl7, with a thread for each connection. Prints the number of accepted messages and the
/// seconds.
const SCRIPT: &str = r#"
import sys, threading, time
from hl7.client import MLLPClient
port, connections, each = map(int, sys.argv[1:4])
accepted = [0] * connections
def send(number):
    with MLLPClient('127.0.0.1', port) as client:
        for count in range(each):
            answer = client.send_message(sys.argv[4].replace('@', f'P{number}-{count}'))
            accepted[number] += b'MSA|AA|' in answer
threads = [threading.Thread(target=send, args=(number,)) for number in range(connections)]
begun = time.monotonic()
for thread in threads: thread.start()
for thread in threads: thread.join()
print(sum(accepted), time.monotonic() - begun)
"#;

pub async fn measure(table: &mut Table) -> Result<()> {
    for (name, db) in databases() {
        on(db, name, table).await?;
    }
    Ok(())
}

/// The application with its listener, and a connection from this machine.
pub async fn listening(db: Db) -> Result<(TestApp, Practice, SocketAddr)> {
    let configure = |config: &mut platform::Config| {
        config.interfaces.mllp_listen = Some(([127, 0, 0, 1], 0).into());
        config.interfaces.connections_per_address = 2 * CONNECTIONS;
    };
    let app =
        TestApp::start_with(db, Options { configure: Some(Box::new(configure)), ..Options::default() }).await;
    let practice = app.practice("larkfield").await;
    let operator = app.signed_in(Role::SysAdmin, &practice.organization).await;
    let form = json!({
        "name": "North", "kind": "Mllp", "networks": ["127.0.0.0/8"], "organizationId": practice.organization.id,
    });
    operator.post("/api/admin/inboundconnections", &form).await.ok();
    let address = app.node.mllp_addr.context("MLLP is spoken")?;
    Ok((app, practice, address))
}

async fn on(db: Db, name: &str, table: &mut Table) -> Result<()> {
    let (app, _, address) = listening(db).await?;
    let what =
        |sender: &str| format!("{name}, HL7 messages made durable, {CONNECTIONS} connections of {sender}");
    table.at_least(what("this program"), by_this_program(address, message).await?, TARGET, "a second");
    let mut sent = CONNECTIONS * MESSAGES;
    match python() {
        Some(python) => {
            table.at_least(what("python-hl7"), by_python(python, address).await?, TARGET, "a second");
            sent *= 2;
        }
        None => println!("python3 with the package hl7 is not there: its messages are left out"),
    }
    let begun = Instant::now();
    app.drain().await;
    let rate = sent as f64 / begun.elapsed().as_secs_f64();
    table.note(format!("{name}, HL7 messages put into the Intake"), format!("{rate:.0} a second"));
    app.finish().await;
    Ok(())
}

/// The message with a control id in place of `@`.
fn message(control_id: &str) -> String {
    let text = "MSH|^~\\&|LAB|NORTH|CAREPOST|LARK|20261120083000||MDM^T02^MDM_T02|@|P|2.5.1\r\
        EVN|T02|20261120083000\rPID|1||4711^^^&1.2.840.7.1&ISO||Tenney^Marisol||19610402|F\r\
        TXA|1|CN^Consultation note|TX|20261119\rOBX|1|TX|||The patient was seen today||||||F\r";
    text.replace('@', control_id)
}

/// Messages per second, made of their control ids.
pub async fn by_this_program(address: SocketAddr, message: fn(&str) -> String) -> Result<f64> {
    let begun = Instant::now();
    let connections = (0..CONNECTIONS).map(|number| tokio::spawn(send(address, number, message)));
    for sent in try_join_all(connections).await? {
        sent?;
    }
    Ok((CONNECTIONS * MESSAGES) as f64 / begun.elapsed().as_secs_f64())
}

async fn send(address: SocketAddr, number: usize, message: fn(&str) -> String) -> Result<()> {
    let (mut stream, mut frames) = (TcpStream::connect(address).await?, Frames::default());
    stream.set_nodelay(true)?;
    for count in 0..MESSAGES {
        mllp::write(&mut stream, message(&format!("R{number}-{count}")).as_bytes()).await?;
        let answer = frames.read(&mut stream, ACK).await?;
        let answer = String::from_utf8_lossy(&answer);
        ensure!(answer.contains("MSA|AA|"), "a message was not accepted: {answer}");
    }
    Ok(())
}

/// Messages per second.
async fn by_python(python: PathBuf, address: SocketAddr) -> Result<f64> {
    let numbers = [usize::from(address.port()), CONNECTIONS, MESSAGES].map(|number| number.to_string());
    let ran = tokio::task::spawn_blocking(move || {
        Command::new(python).args(["-c", SCRIPT]).args(numbers).arg(message("@")).output()
    });
    let ran = ran.await??;
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    let (accepted, seconds) = said
        .trim()
        .split_once(' ')
        .with_context(|| format!("python-hl7 failed: {}", String::from_utf8_lossy(&ran.stderr)))?;
    ensure!(accepted == (CONNECTIONS * MESSAGES).to_string(), "{accepted} messages were accepted");
    Ok((CONNECTIONS * MESSAGES) as f64 / seconds.parse::<f64>()?)
}

/// The interpreter with python-hl7: that of the machine, or the one made by `script/bench`.
fn python() -> Option<PathBuf> {
    let built = std::env::current_exe().ok()?;
    let own = built.parent()?.parent()?.join("peers/bin/python3");
    [PathBuf::from("python3"), own].into_iter().find(|python| {
        let tried = Command::new(python).args(["-c", "import hl7"]).stderr(Stdio::null()).status();
        tried.is_ok_and(|status| status.success())
    })
}
