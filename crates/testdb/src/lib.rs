//! Databases for tests, each a copy of a template that is created once.
//!
//! Most tests run only on SQLite: `Db::sqlite()`. A test that depends on the database (SQL beyond simple look-ups,
//! locks, search, the audit trail, hubs, workflows) is a function of a [`Db`], and [`on_both_databases!`] makes a
//! SQLite and a PostgreSQL test of it.

mod template;

use sqlx::{AssertSqlSafe, Connection, PgConnection};
use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};
use store::Store;
use tempfile::TempDir;
pub use template::{Template, kept};
use url::Url;
use uuid::Uuid;

/// Variable with the URL of the PostgreSQL server on which tests may create databases.
const SERVER: &str = "CAREPOST_TEST_POSTGRES";

/// A database and a folder for one test, both removed when the last clone is dropped.
#[derive(Clone)]
pub struct Db(Arc<Inner>);

struct Inner {
    folder: TempDir,
    postgres: Option<Postgres>,
    created: AtomicBool,
}

struct Postgres {
    server: Url,
    name: String,
}

impl Db {
    pub fn sqlite() -> Self {
        Self::new(None)
    }

    /// A database on the server in `CAREPOST_TEST_POSTGRES`. `None` if it is not set, which is a failure in CI.
    pub fn postgres() -> Option<Self> {
        let Some(server) = std::env::var(SERVER).ok().filter(|url| !url.is_empty()) else {
            skipped("CAREPOST_TEST_POSTGRES names no server (script/test starts one)");
            return None;
        };
        let server = Url::parse(&server).expect("CAREPOST_TEST_POSTGRES is the URL of a server");
        let name = format!("carepost_test_{}", Uuid::new_v4().simple());
        Some(Self::new(Some(Postgres { server, name })))
    }

    fn new(postgres: Option<Postgres>) -> Self {
        let folder = tempfile::Builder::new().prefix("carepost-test-").tempdir().expect("a temporary folder");
        Self(Arc::new(Inner { folder, postgres, created: AtomicBool::new(false) }))
    }

    /// Both kinds, as far as available.
    pub fn each() -> Vec<Self> {
        [Some(Self::sqlite()), Self::postgres()].into_iter().flatten().collect()
    }

    /// A second, independent database of the same kind.
    pub fn another(&self) -> Self {
        if self.is_postgres() { Self::postgres().expect("the server of the first") } else { Self::sqlite() }
    }

    /// Creates the database without tables.
    pub async fn empty(self) -> Self {
        if let Some(Postgres { server, name }) = &self.0.postgres {
            run(server, format!("CREATE DATABASE {name}")).await;
        }
        self.0.created.store(true, Ordering::Relaxed);
        self
    }

    /// Creates the database with all tables, and opens it.
    pub async fn migrated(&self) -> Store {
        self.copy_of(Template { name: "migrated", fill: |url| Box::pin(migrate(url)) }).await;
        Store::open(&self.url()).await.expect("the database opens")
    }

    /// Creates the database as a copy of a template, unless it was created before.
    pub async fn copy_of(&self, template: Template) {
        if self.0.created.swap(true, Ordering::Relaxed) {
            return;
        }
        match &self.0.postgres {
            Some(Postgres { server, name }) => template.copy_to_postgres(server, name).await,
            None => template.copy_to_file(&self.file()).await,
        }
    }

    pub fn is_postgres(&self) -> bool {
        self.0.postgres.is_some()
    }

    pub fn url(&self) -> String {
        match &self.0.postgres {
            Some(Postgres { server, name }) => url_of(server, name),
            None => url_of_file(&self.file()),
        }
    }

    /// Folder for the test's files.
    pub fn folder(&self) -> &Path {
        self.0.folder.path()
    }

    fn file(&self) -> PathBuf {
        self.folder().join("carepost.db")
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if let Some(Postgres { server, name }) = self.postgres.take()
            && *self.created.get_mut()
        {
            apart(async move { run(&server, format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await });
        }
    }
}

/// Runs each named function on SQLite and on PostgreSQL. Once per module.
#[macro_export]
macro_rules! on_both_databases {
    ($($test:ident),+ $(,)?) => {
        mod sqlite {
            $(
                #[tokio::test]
                async fn $test() {
                    super::$test($crate::Db::sqlite()).await;
                }
            )+
        }

        mod postgres {
            $(
                #[tokio::test]
                async fn $test() {
                    if let Some(db) = $crate::Db::postgres() {
                        super::$test(db).await;
                    }
                }
            )+
        }
    };
}

/// Reports why a test, or a part of it, is skipped. In CI, where everything is available, that is a failure.
#[track_caller]
pub fn skipped(why: &str) {
    assert!(std::env::var("CI").as_deref() != Ok("true"), "this must run in CI: {why}");
    eprintln!("skipped: {why}");
}

async fn migrate(url: String) {
    Store::open_and_migrate(&url).await.expect("the database is migrated");
}

fn url_of(server: &Url, name: &str) -> String {
    let mut url = server.clone();
    url.set_path(name);
    url.into()
}

fn url_of_file(file: &Path) -> String {
    format!("sqlite://{}", file.display())
}

/// Runs to completion on a separate thread and runtime, with everything it started: the caller's runtime may be
/// ending, or must not be blocked.
fn apart(work: impl Future<Output = ()> + Send + 'static) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    if let Err(panic) = std::thread::spawn(move || runtime.block_on(work)).join()
        && !std::thread::panicking()
    {
        std::panic::resume_unwind(panic);
    }
}

/// Runs a statement whose only variable parts are names generated here.
async fn run(server: &Url, statement: String) {
    try_to_run(server, statement).await.expect("the statement runs");
}

async fn try_to_run(server: &Url, statement: String) -> Result<(), sqlx::Error> {
    let mut connection = PgConnection::connect(server.as_str()).await?;
    sqlx::query(AssertSqlSafe(statement)).execute(&mut connection).await?;
    connection.close().await
}
