//! Part `noisy`: waiting times of a quiet organization, alone and beside each kind of noise. The clients of both have
//! separate runtimes, like browsers and partners; only the processors are shared.

mod noise;
mod quiet;

use crate::table::Table;
use anyhow::{Context, Result};
use noise::Noise;
use quiet::Times;
use serde_json::json;
use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};
use testkit::{Client, Db, Options, Practice, Role, TestApp, load};
use tokio::{net::UdpSocket, runtime};
use tokio_util::sync::CancellationToken;

/// Messages in the Intake of the noisy organization, and in that of the quiet one.
const MESSAGES: usize = 20_000;
/// Session length of the clients in seconds: longer than all rounds together.
const SIGNED_IN: u32 = 4 * 3600;
/// Allowed factor for the waiting times of the quiet organization.
const TIMES: f64 = 2.0;

/// Participants.
pub struct Scene {
    pub quiet: Practice,
    /// Recipient of the quiet organization's messages.
    pub reader: Practice,
    pub noisy: Practice,
    /// Recipient of the noisy organization's messages.
    pub flooded: Practice,
    pub stranger: Client,
    pub smtp: SocketAddr,
    /// Address for XDR.
    pub services: String,
    /// Number of actions of the noise.
    pub done: AtomicU64,
}

pub async fn measure(table: &mut Table) -> Result<()> {
    // A DNS server that never answers.
    let dns = UdpSocket::bind("127.0.0.1:0").await?;
    let nameserver = dns.local_addr()?;
    let configure = move |config: &mut platform::Config| {
        config.dns.nameserver = Some(nameserver);
        config.session.access_token_seconds = SIGNED_IN;
    };
    let options = Options { live: true, configure: Some(Box::new(configure)), ..Options::default() };
    let app = Arc::new(TestApp::start_with(Db::sqlite(), options).await);
    let scene = Arc::new(scene(&app).await?);
    let alone = quiet::round(&app, &scene).await?;
    for (what, time) in alone.named() {
        table.note(format!("{what} of a quiet organization alone, 99 of 100 within"), milliseconds(time));
    }
    for noise in Noise::ALL {
        let (beside, rate) = beside(&app, &scene, noise).await?;
        println!("{noise}: {rate:.0} a second");
        for ((what, alone), (_, beside)) in alone.named().into_iter().zip(beside.named()) {
            let label = format!("{what} beside {noise}, times alone");
            let remark = format!(" ({})", milliseconds(beside));
            table.held_against(label, beside / alone, TIMES, "×", &remark);
        }
    }
    Ok(())
}

fn milliseconds(seconds: f64) -> String {
    format!("{:.0} ms", seconds * 1e3)
}

async fn scene(app: &TestApp) -> Result<Scene> {
    let (quiet, reader) = (app.practice("larkfield").await, app.practice("summit").await);
    let (noisy, flooded) = (app.practice("harbor").await, app.practice("ridgeway").await);
    load::fill(app, &quiet, MESSAGES).await?;
    load::fill(app, &noisy, MESSAGES).await?;
    load::settle(app).await?;
    let operator = app.signed_in(Role::SysAdmin, &quiet.organization).await;
    let connection = json!({
        "name": "Northgate", "kind": "Xdr", "networks": ["127.0.0.0/8"], "organizationId": noisy.organization.id,
    });
    operator.post("/api/admin/inboundconnections", &connection).await.ok();
    let (stranger, services) = (app.client(), app.url("/services/provide"));
    let smtp = app.smtp_addr();
    Ok(Scene { quiet, reader, noisy, flooded, stranger, smtp, services, done: AtomicU64::new(0) })
}

/// Waiting times of the quiet organization beside the noise, and actions of the noise per second.
async fn beside(app: &Arc<TestApp>, scene: &Arc<Scene>, noise: Noise) -> Result<(Times, f64)> {
    let stop = CancellationToken::new();
    let (of_noise, made, before) = (stop.clone(), scene.clone(), scene.done.load(Relaxed));
    let noisy = std::thread::spawn(move || {
        let own = runtime::Builder::new_current_thread().enable_all().build()?;
        own.block_on(noise.make(made, of_noise));
        std::io::Result::Ok(())
    });
    let begun = std::time::Instant::now();
    let times = quiet::round(app, scene).await;
    let rate = (scene.done.load(Relaxed) - before) as f64 / begun.elapsed().as_secs_f64();
    stop.cancel();
    tokio::task::spawn_blocking(move || noisy.join()).await?.ok().context("the noise ends")??;
    quiet::until_settled(app).await?;
    Ok((times?, rate))
}
