//! A node under test.

use crate::{Client, Db, authority, client::Answered};
use chrono::{DateTime, Duration, TimeZone, Utc};
use platform::{App, Config, audit};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use server::node::{Node, Overrides};
use std::{collections::BTreeSet, net::SocketAddr, ops::Deref, sync::Arc};
use store::{Clock, entities::workflow_step};
use testdb::Template;
use workflow::{StepStatus, probe::Probe};

/// Changes a configuration.
pub type Configure = Box<dyn Fn(&mut Config) + Send>;

/// Options of a test application.
#[derive(Default)]
pub struct Options {
    /// Whether workers run on the machine's clock, as in production. Otherwise the clock stands still and
    /// [`TestApp::drain`] runs due steps.
    pub live: bool,
    /// Injects faults into workflow steps.
    pub probe: Option<Arc<dyn Probe>>,
    /// Changes the configuration.
    pub configure: Option<Configure>,
}

/// The master key of every test application, so that all can start with a copy of the same database.
pub const MASTER_KEY: &str = "dGhlIG1hc3RlciBrZXkgb2YgYWxsIHRlc3RzIGhlcmU=";

/// The product on a fresh database. Derefs to its application context.
pub struct TestApp {
    pub node: Node,
    pub db: Db,
    settings: Config,
    answered: Answered,
}

impl Deref for TestApp {
    type Target = App;

    fn deref(&self) -> &App {
        &self.node.app
    }
}

/// Creates the initial database of test applications: all tables, and an authority.
async fn prepare(url: String) {
    let folder = tempfile::tempdir().expect("a folder");
    let config = Config { data_dir: folder.path().to_owned(), ..config(&url) };
    let app = server::node::open(config, Clock::manual(beginning())).await.expect("the storage opens");
    authority::install(&app).await;
}

fn config(database: &str) -> Config {
    let mut config = Config::default();
    config.http.listen = ([127, 0, 0, 1], 0).into();
    config.smtp.listen = ([127, 0, 0, 1], 0).into();
    config.database.url = Some(database.to_owned());
    config.keys.master_key = Some(MASTER_KEY.to_owned());
    config
}

/// Start time of tests, on their clock.
fn beginning() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, 20, 9, 0, 0).single().expect("a time")
}

impl TestApp {
    /// Starts on a clock that stands still.
    pub async fn start(db: Db) -> Self {
        Self::start_with(db, Options::default()).await
    }

    pub async fn start_with(db: Db, options: Options) -> Self {
        let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        db.copy_of(Template { name: "ready", fill: |url| Box::pin(prepare(url)) }).await;
        let mut config = config(&db.url());
        config.data_dir = db.folder().to_owned();
        // Unreachable addresses: no test contacts the outside.
        config.dns.nameserver = Some(([127, 0, 0, 1], 9).into());
        let nobody = "http://127.0.0.1:9".parse().ok();
        (config.fax.westfax_url, config.fax.efax_url) = (nobody.clone(), nobody);
        config.direct.allow_private_networks = true;
        config.webhooks.allowed_networks = vec!["127.0.0.0/8".to_owned().try_into().expect("a network")];
        config.integrations.allowed_networks = config.webhooks.allowed_networks.clone();
        // Reading scans takes seconds; tests about it turn it on.
        config.workers.reading = 0;
        if let Some(configure) = options.configure {
            configure(&mut config);
        }
        let clock = if options.live { Clock::system() } else { Clock::manual(beginning()) };
        let overrides = Overrides { clock, probe: options.probe, without_workers: !options.live };
        Self::run(db, config, overrides).await
    }

    async fn run(db: Db, config: Config, overrides: Overrides) -> Self {
        let node = Node::start(config.clone(), overrides).await.expect("the node starts");
        Self { node, db, settings: config, answered: Answered::default() }
    }

    /// A second node on the same database and blobs, with the clock of this one.
    pub async fn another_node(&self) -> Self {
        let overrides =
            Overrides { clock: self.clock.clone(), without_workers: true, ..Overrides::default() };
        Self::run(self.db.clone(), self.settings.clone(), overrides).await
    }

    /// Stops the node and starts it again on the same data, with the clock where it was.
    pub async fn restart(self) -> Self {
        self.restart_with(|_| {}).await
    }

    /// Like [`TestApp::restart`], with another configuration.
    pub async fn restart_with(self, configure: impl Fn(&mut Config)) -> Self {
        let clock = self.clock.clone();
        let Self { node, db, mut settings, .. } = self;
        node.stop().await;
        configure(&mut settings);
        Self::run(db, settings, Overrides { clock, without_workers: true, ..Overrides::default() }).await
    }

    pub fn http_addr(&self) -> SocketAddr {
        self.node.http_addr.expect("the node has the role web")
    }

    pub fn smtp_addr(&self) -> SocketAddr {
        self.node.smtp_addr.expect("the node has the role smtp")
    }

    /// The address of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.http_addr())
    }

    /// A browser that has not signed in.
    pub fn client(&self) -> Client {
        Client::noting(format!("http://{}", self.http_addr()), self.answered.clone())
    }

    /// Method and path of each successful call so far.
    pub fn answered(&self) -> BTreeSet<(String, String)> {
        self.answered.lock().expect("the calls").clone()
    }

    /// Moves the clock.
    pub fn advance(&self, by: Duration) {
        self.clock.advance(by);
    }

    /// Runs all due workflow steps, and those that become due. Returns the number of runs.
    pub async fn drain(&self) -> usize {
        self.node.runner.drain().await.expect("steps can be claimed")
    }

    /// Ends the test: no step may be left, now or later, and the audit trail must be intact.
    pub async fn finish(self) {
        self.drain().await;
        let open = [StepStatus::Pending, StepStatus::Running];
        let left: Vec<String> = workflow_step::Entity::find()
            .filter(workflow_step::Column::Status.is_in(open))
            .all(self.store.db())
            .await
            .expect("steps can be read")
            .into_iter()
            .map(|step| format!("{} at {}", step.name, step.run_at))
            .collect();
        assert!(left.is_empty(), "steps are left to do: {left:?}");
        let findings = audit::verify(self.store.db()).await.expect("the audit trail can be read");
        assert_eq!(findings, [], "the audit trail is not whole");
        self.node.stop().await;
    }
}
