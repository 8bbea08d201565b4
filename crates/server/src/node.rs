//! A running node: assembles everything that `carepost serve` starts. Tests start the same with another clock and
//! free ports.

use crate::{
    areas, crash, demo, http, installation,
    monitoring::Requests,
    storage,
    tls::{self, ALPN_HTTP},
};
use anyhow::{Context, Result, anyhow};
use axum::Router;
use direct::{
    dns::DnsResponder,
    smtp::server::{Admit, ServerSettings, SmtpServer, TlsSlot},
};
use documents::worker::{Capacity, Converter};
use messaging::{
    direct::{DirectServices, DirectSettings, hosted::Hosted},
    interfaces::listener::{self, MllpServer},
};
use platform::{
    App, Config, Parts,
    audit::heads,
    bus::{Bus, Event},
    capture::{self, Capture},
    chores,
    config::{self, Mode, NodeRole},
    health::Health,
    malware::Scanner,
    nodes,
};
use std::{
    future::Future,
    io::ErrorKind,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::Arc,
    time::{Duration, Instant},
};
use store::{Clock, Store, keys::KeyRing};
use tokio::{net::TcpListener, sync::broadcast::error::RecvError, task::JoinSet, time::timeout};
use tokio_util::sync::CancellationToken;
use workflow::{Lane, Options, PerLane, Runner, Workers, probe::Probe};

/// The hidden subcommand that converts one hostile file.
pub const CONVERT: &str = "convert";
/// Time for listeners and running steps to finish when the node stops.
const STOP: Duration = Duration::from_secs(15);

/// Replacements for tests.
#[derive(Default)]
pub struct Overrides {
    pub clock: Clock,
    /// Injects faults into workflow steps.
    pub probe: Option<Arc<dyn Probe>>,
    /// Does not run due steps and chores, so that a test can run them at a chosen time.
    pub without_workers: bool,
}

/// A running node. Dropping it cancels everything at once; [`Node::stop`] lets running work finish.
pub struct Node {
    pub app: App,
    pub direct: DirectServices,
    pub runner: Runner,
    pub http_addr: Option<SocketAddr>,
    pub smtp_addr: Option<SocketAddr>,
    pub dns_addr: Option<SocketAddr>,
    pub metrics_addr: Option<SocketAddr>,
    pub mllp_addr: Option<SocketAddr>,
    pub xdr_addr: Option<SocketAddr>,
    requests: Requests,
    http_tls: Option<TlsSlot>,
    smtp_tls: TlsSlot,
    interface_tls: TlsSlot,
    keeps_audit_heads: bool,
    cancel: CancellationToken,
    tasks: JoinSet<()>,
}

impl Node {
    /// Opens the storage, binds the listeners of this node's roles and starts its work.
    pub async fn start(config: Config, overrides: Overrides) -> Result<Self> {
        let sockets = Sockets::bind(&config).await?;
        let app = open(config, overrides.clock).await?;
        accounts::onboarding::terms::queries::ensure(&app)
            .await
            .map_err(|error| anyhow!("the terms cannot be written: {error:?}"))?;
        if app.config.mode == Mode::Production {
            accounts::profile::features::begin(&app)
                .await
                .map_err(|error| anyhow!("the features cannot be switched on: {error:?}"))?;
        }
        let hosted_route = hosted_route(&app.config, sockets.smtp.as_ref()).await?;
        let direct = DirectServices::start(&app, DirectSettings { hosted_route })
            .await
            .map_err(|error| anyhow!("Direct messaging cannot start: {error:?}"))?;
        let runner = runner(&app, &direct, overrides.probe);
        let mut node = Self {
            http_addr: address(&sockets.http)?,
            smtp_addr: address(&sockets.smtp)?,
            dns_addr: None,
            metrics_addr: address(&sockets.metrics)?,
            mllp_addr: address(&sockets.mllp)?,
            xdr_addr: address(&sockets.xdr)?,
            requests: Requests::default(),
            http_tls: http_tls(&app.config)?.map(filled),
            smtp_tls: filled(smtp_tls(&app.config)?),
            interface_tls: interface_tls(&app.config)?.map(filled).unwrap_or_default(),
            keeps_audit_heads: false,
            cancel: CancellationToken::new(),
            tasks: JoinSet::new(),
            app,
            direct,
            runner,
        };
        if let Some(listener) = sockets.smtp {
            node.receive_mail(listener);
        }
        if let Some(listener) = sockets.mllp {
            node.receive_hl7(listener);
        }
        node.answer_dns().await?;
        if !overrides.without_workers {
            let said = nodes::say_forever(node.app.clone(), env!("CARGO_PKG_VERSION"), node.token());
            node.spawn("the heartbeat", said);
            if node.app.config.has_role(NodeRole::Worker) {
                crash::set_steps_aside(&node.app).await?;
                node.work();
            }
        }
        if let Some(listener) = sockets.http {
            node.answer_http(listener).await?;
        }
        if let Some(listener) = sockets.xdr {
            node.receive_documents(listener);
        }
        if let Some(listener) = sockets.metrics {
            node.answer_metrics(listener);
        }
        Ok(node)
    }

    async fn answer_http(&mut self, listener: TcpListener) -> Result<()> {
        let beside = self.sample_ehr().await?;
        let service = http::service(&self.app, &self.direct, beside, self.requests.clone());
        self.spawn("the capture of calls", capture::write_forever(self.app.clone(), self.token()));
        self.spawn(
            "the web server",
            http::serve(listener, self.http_tls.clone(), service, self.app.clone(), self.token()),
        );
        Ok(())
    }

    /// The routes of a demonstration's EHR.
    async fn sample_ehr(&mut self) -> Result<Router<App>> {
        let listen = self.http_addr.filter(|_| self.http_tls.is_none());
        let Some(ehr) = demo::ehr::open(&self.app.config, listen)? else { return Ok(Router::new()) };
        demo::ehr::connect(&self.app, &ehr).await?;
        demo::ehr::fetch_keys(&self.app, &ehr).await?;
        let keys = demo::ehr::fetch_keys_forever(self.app.clone(), ehr.clone(), self.token());
        self.spawn("the sample EHR", keys);
        Ok(demo::ehr::routes(&ehr))
    }

    fn answer_metrics(&mut self, listener: TcpListener) {
        let service = http::metrics_service(&self.app, self.requests.clone());
        self.spawn("the metrics", http::serve(listener, None, service, self.app.clone(), self.token()));
    }

    fn receive_mail(&mut self, listener: TcpListener) {
        let settings = ServerSettings {
            host_name: self.app.config.smtp.hostname.clone(),
            max_size: self.app.config.smtp.max_message_bytes,
            require_tls: self.app.config.smtp.require_tls,
            ..ServerSettings::default()
        };
        let sink = messaging::mail_sink(&self.app, &self.direct);
        let app = self.app.clone();
        let admit: Admit = Arc::new(move |peer| app.health.smtp.enter(peer).ok());
        let busy = self.app.health.smtp.gate.clone();
        let server = SmtpServer::new(settings, self.smtp_tls.clone(), sink).admitting(admit, busy);
        let cancel = self.token();
        self.spawn("the mail listener", async move {
            if let Err(error) = server.run(listener, cancel).await {
                tracing::error!(%error, "the mail listener failed");
            }
        });
    }

    fn receive_hl7(&mut self, listener: TcpListener) {
        let (app, tls) = (self.app.clone(), self.interface_tls.clone());
        let message = usize::try_from(app.config.interfaces.max_message_bytes).unwrap_or(usize::MAX);
        let memory = message.saturating_mul(8);
        let server = MllpServer {
            limits: listener::Limits { message, memory, ..listener::Limits::default() },
            tls: Arc::new(move || tls.get()),
            sink: messaging::message_sink(&app),
            admit: Arc::new(move |peer| app.health.mllp.enter(peer).ok()),
        };
        let cancel = self.token();
        self.spawn("the MLLP listener", server.run(listener, cancel));
    }

    fn receive_documents(&mut self, listener: TcpListener) {
        let service = http::interface_service(&self.app, &self.direct, self.requests.clone());
        let tls = Some(self.interface_tls.clone());
        let served = http::serve(listener, tls, service, self.app.clone(), self.token());
        self.spawn("the listener for documents", served);
    }

    async fn answer_dns(&mut self) -> Result<()> {
        let config = &self.app.config;
        let Some(listen) = config.dns.listen.filter(|_| config.has_role(NodeRole::Dns)) else {
            return Ok(());
        };
        let zones = Arc::new(Hosted::new(self.app.clone()));
        let responder = once_free(async || DnsResponder::bind(listen, zones.clone()).await)
            .await
            .with_context(|| format!("DNS cannot listen on {listen}"))?;
        self.dns_addr = Some(responder.local_addr()?);
        let cancel = self.token();
        self.spawn("the DNS responder", responder.run(cancel));
        Ok(())
    }

    fn work(&mut self) {
        let (runner, cancel) = (self.runner.clone(), self.token());
        self.spawn("the workers", async move { runner.run(cancel).await });
        self.spawn("the workers' bell", ring(self.app.bus.clone(), self.runner.clone(), self.token()));
        let chores = messaging::background(self.app.clone(), self.direct.clone(), self.token());
        self.spawn("the chores", chores);
        self.keeps_audit_heads = true;
        self.spawn("the heads of the audit trail", keep_audit_heads(self.app.clone(), self.token()));
        self.spawn("the chores of accounts", accounts::background(self.app.clone(), self.token()));
        self.spawn("the chores of the directory", directory::background(self.app.clone(), self.token()));
        self.spawn("the chores of webhooks", webhooks::background(self.app.clone(), self.token()));
        self.spawn("the chores of integrations", integrations::background(self.app.clone(), self.token()));
        self.spawn("the chores of the console", console::background(self.app.clone(), self.token()));
    }

    /// Runs a part of the node. If a part ends before the node is stopped, the node stops too.
    fn spawn(&mut self, part: &'static str, work: impl Future<Output = ()> + Send + 'static) {
        let cancel = self.token();
        self.tasks.spawn(async move {
            // Also after a panic.
            let _stop = cancel.clone().drop_guard();
            work.await;
            if !cancel.is_cancelled() {
                tracing::error!(part, "a part of the node ended unexpectedly; the node stops");
            }
        });
    }

    fn token(&self) -> CancellationToken {
        self.cancel.clone()
    }

    /// Ends when a part of the node failed.
    pub async fn failed(&self) {
        self.cancel.cancelled().await;
    }

    /// Reads the certificate files again; connections made from now on use them.
    pub fn reload_tls(&self) -> Result<()> {
        if let (Some(slot), Some(tls)) = (&self.http_tls, http_tls(&self.app.config)?) {
            slot.set(tls);
        }
        self.smtp_tls.set(smtp_tls(&self.app.config)?);
        if let Some(tls) = interface_tls(&self.app.config)? {
            self.interface_tls.set(tls);
        }
        Ok(())
    }

    /// Stops accepting work, lets running requests, mail and steps finish, and returns.
    pub async fn stop(mut self) {
        self.cancel.cancel();
        if timeout(STOP, async { while self.tasks.join_next().await.is_some() {} }).await.is_err() {
            tracing::warn!("parts of the node that did not finish in time were cancelled");
        }
        if self.keeps_audit_heads
            && let Err(error) = heads::keep(&self.app).await
        {
            tracing::error!(?error, "the heads of the audit trail could not be stored");
        }
    }
}

/// The application context on an opened and migrated storage.
pub async fn open(config: Config, clock: Clock) -> Result<App> {
    std::fs::create_dir_all(&config.data_dir)
        .with_context(|| format!("the data folder {} cannot be created", config.data_dir.display()))?;
    if let Some(list) = &config.session.breached_passwords {
        std::fs::File::open(list)
            .with_context(|| format!("session.breached_passwords: {} cannot be read", list.display()))?;
    }
    let store = Store::open_and_migrate(&config.database_url()).await?;
    installation::refuse_demo_data(&config, &store).await?;
    let master = installation::master_key(&config, &store).await?;
    let previous = installation::previous_master_key(&config, &store).await?;
    let keys = KeyRing::new(store.clone(), clock.clone(), master).with_previous(previous);
    installation::check_master_key(&store, &keys).await?;
    let converter = Converter::new(std::env::current_exe()?, [CONVERT]).with_spare();
    let batch = Capacity { processes: config.workers.conversion as u32, ..Capacity::default() };
    Ok(App::new(Parts {
        keys,
        audited: areas::audited(),
        blobs: storage::blobs(&config)?,
        bus: Bus::start(&store).await?,
        capture: Capture::default(),
        mail_converter: converter.clone().named("Conversion of mail"),
        batch_converter: converter.clone().with_capacity(batch).named("Conversion in the background"),
        converter,
        scanner: Scanner::configured(&config.malware),
        health: Health::new(&config),
        clock,
        store,
        config,
    }))
}

/// The listening sockets of a node, bound first so that a used port is reported at once.
struct Sockets {
    http: Option<TcpListener>,
    smtp: Option<TcpListener>,
    metrics: Option<TcpListener>,
    mllp: Option<TcpListener>,
    xdr: Option<TcpListener>,
}

impl Sockets {
    async fn bind(config: &Config) -> Result<Self> {
        Ok(Self {
            http: bind(config, NodeRole::Web, "HTTP", config.http.listen).await?,
            smtp: bind(config, NodeRole::Smtp, "SMTP", config.smtp.listen).await?,
            metrics: optional("The metrics", config.metrics.listen).await?,
            mllp: optional("MLLP", config.interfaces.mllp_listen).await?,
            xdr: optional("The listener for documents", config.interfaces.xdr_listen).await?,
        })
    }
}

async fn bind(config: &Config, role: NodeRole, what: &str, at: SocketAddr) -> Result<Option<TcpListener>> {
    if !config.has_role(role) {
        return Ok(None);
    }
    Ok(Some(listen(what, at).await?))
}

async fn optional(what: &str, at: Option<SocketAddr>) -> Result<Option<TcpListener>> {
    match at {
        Some(at) => listen(what, at).await.map(Some),
        None => Ok(None),
    }
}

async fn listen(what: &str, at: SocketAddr) -> Result<TcpListener> {
    once_free(async || TcpListener::bind(at).await)
        .await
        .with_context(|| format!("{what} cannot listen on {at}"))
}

/// Binds an address as soon as it is free. A killed process's address may be in use for a moment by a converter that
/// it was starting.
async fn once_free<T>(bind: impl AsyncFn() -> std::io::Result<T>) -> std::io::Result<T> {
    let since = Instant::now();
    loop {
        match bind().await {
            Err(error) if error.kind() == ErrorKind::AddrInUse && since.elapsed() < installation::HELD => {
                tokio::time::sleep(installation::LOOK).await;
            }
            taken => return taken,
        }
    }
}

fn address(listener: &Option<TcpListener>) -> std::io::Result<Option<SocketAddr>> {
    listener.as_ref().map(TcpListener::local_addr).transpose()
}

/// Destination of mail for domains of this installation: the configured listener, else this node's own.
async fn hosted_route(config: &Config, own: Option<&TcpListener>) -> Result<SocketAddr> {
    if let Some(route) = &config.smtp.hosted_route {
        let mut found = tokio::net::lookup_host(route)
            .await
            .with_context(|| format!("smtp.hosted_route {route} cannot be resolved"))?;
        return found.next().ok_or_else(|| anyhow!("smtp.hosted_route {route} has no address"));
    }
    match own {
        Some(listener) => Ok(reachable(listener.local_addr()?)),
        None if config.has_role(NodeRole::Worker) => Err(anyhow!(
            "a worker without the role smtp needs smtp.hosted_route: the host:port of a node that has it"
        )),
        None => Ok(config.smtp.listen),
    }
}

/// A listener on all addresses is reached over loopback.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    address
}

fn runner(app: &App, direct: &DirectServices, probe: Option<Arc<dyn Probe>>) -> Runner {
    let options = Options {
        workers: workers(&app.config.workers),
        poll: Duration::from_millis(app.config.workers.poll_milliseconds),
        lease: chrono::Duration::seconds(app.config.workers.lease_seconds.into()),
    };
    let registry = messaging::registry(app, direct)
        .merge(email::registry(app))
        .merge(console::registry(app))
        .merge(webhooks::registry(app));
    let runner = Runner::new(app.store.clone(), app.clock.clone(), registry, options)
        .on_node(&nodes::name(&app.config));
    match probe {
        Some(probe) => runner.with_probe(probe),
        None => runner,
    }
}

async fn keep_audit_heads(app: App, cancel: CancellationToken) {
    let keep = || async {
        // Logs the state even if nothing is sent.
        app.health.disk.is_full();
        app.health.note_audit(heads::keep(&app).await?);
        Ok(())
    };
    chores::every(heads::INTERVAL, Duration::ZERO, cancel, "the heads of the audit trail", keep).await;
}

fn workers(config: &config::Workers) -> Workers {
    let count = |lane| match lane {
        Lane::Receiving => config.receiving,
        Lane::Delivering => config.delivering,
        Lane::Notices => config.notices,
        Lane::Conversion => config.conversion,
        Lane::Reading => config.reading,
        Lane::Anonymous => config.anonymous,
        Lane::Webhooks => config.webhooks,
        Lane::Chores => config.chores,
    };
    Workers {
        count: PerLane::of_each(count),
        organization_percent: config.organization_percent,
        partner_percent: config.partner_percent,
    }
}

/// Wakes the workers on events about due steps.
async fn ring(bus: Bus, runner: Runner, cancel: CancellationToken) {
    let mut events = bus.subscribe();
    let bell = runner.notify();
    loop {
        let event = tokio::select! {
            event = events.recv() => event,
            () = cancel.cancelled() => return,
        };
        match event {
            Ok(Event::Work | Event::Missed) | Err(RecvError::Lagged(_)) => bell.notify_one(),
            Ok(_) => {}
            Err(RecvError::Closed) => return,
        }
    }
}

fn filled(tls: Arc<rustls::ServerConfig>) -> TlsSlot {
    let slot = TlsSlot::default();
    slot.set(tls);
    slot
}

fn http_tls(config: &Config) -> Result<Option<Arc<rustls::ServerConfig>>> {
    match (&config.http.tls_certificate_file, &config.http.tls_key_file) {
        (Some(certificate), Some(key)) => tls::from_files(certificate, key, ALPN_HTTP).map(Some),
        _ => Ok(None),
    }
}

/// For both kinds of interfaces, so that one certificate is enough.
fn interface_tls(config: &Config) -> Result<Option<Arc<rustls::ServerConfig>>> {
    match (&config.interfaces.tls_certificate_file, &config.interfaces.tls_key_file) {
        (Some(certificate), Some(key)) => tls::asking_clients(certificate, key, &[]).map(Some),
        _ => Ok(None),
    }
}

fn smtp_tls(config: &Config) -> Result<Arc<rustls::ServerConfig>> {
    match (&config.smtp.tls_certificate_file, &config.smtp.tls_key_file) {
        (Some(certificate), Some(key)) => tls::from_files(certificate, key, &[]),
        _ => tls::self_signed(&config.smtp.hostname),
    }
}
