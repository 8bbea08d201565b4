//! A database for one test.

use sqlx::{AssertSqlSafe, Connection, PgConnection};
use std::sync::Arc;
use tempfile::TempDir;
use url::Url;
use uuid::Uuid;

/// A fresh database and a folder, both gone when the last clone is dropped.
#[derive(Clone)]
pub struct Db(Arc<Inner>);

struct Inner {
    folder: TempDir,
    postgres: Option<Postgres>,
}

struct Postgres {
    server: Url,
    name: String,
}

impl Db {
    pub fn sqlite() -> Self {
        Self(Arc::new(Inner { folder: folder(), postgres: None }))
    }

    /// A new database on the server that `CAREPOST_TEST_POSTGRES` names; `None` when it names none.
    pub async fn postgres() -> Option<Self> {
        let server = std::env::var("CAREPOST_TEST_POSTGRES").ok().filter(|url| !url.is_empty())?;
        let server = Url::parse(&server).expect("CAREPOST_TEST_POSTGRES is the URL of a server");
        let name = format!("carepost_test_{}", Uuid::new_v4().simple());
        run(&server, format!("CREATE DATABASE {name}")).await;
        Some(Self(Arc::new(Inner { folder: folder(), postgres: Some(Postgres { server, name }) })))
    }

    pub fn is_postgres(&self) -> bool {
        self.0.postgres.is_some()
    }

    pub fn url(&self) -> String {
        match &self.0.postgres {
            Some(postgres) => {
                let mut url = postgres.server.clone();
                url.set_path(&postgres.name);
                url.into()
            }
            None => format!("sqlite://{}", self.folder().join("carepost.db").display()),
        }
    }

    /// Where the test may keep files.
    pub fn folder(&self) -> &std::path::Path {
        self.0.folder.path()
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let Some(Postgres { server, name }) = self.postgres.take() else { return };
        // Dropping cannot wait, and the test's own runtime may be ending.
        let dropped = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime").block_on(run(&server, format!("DROP DATABASE {name} WITH (FORCE)")));
        });
        let _ = dropped.join();
    }
}

fn folder() -> TempDir {
    tempfile::Builder::new().prefix("carepost-test-").tempdir().expect("a temporary folder")
}

/// Runs a statement whose only variable part is a name made above.
async fn run(server: &Url, statement: String) {
    let mut connection = PgConnection::connect(server.as_str()).await.expect("the PostgreSQL server answers");
    sqlx::query(AssertSqlSafe(statement)).execute(&mut connection).await.expect("the statement runs");
}
