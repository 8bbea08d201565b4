//! Templates, created once for each build of a test program and copied by all its tests.
//!
//! Their names contain the program's path and modification time, so that none is ever stale. Under nextest each test
//! is a separate process: the first that needs a template creates it while it holds a lock file, and puts it in place
//! by a rename.

use crate::{apart, run, try_to_run, url_of, url_of_file};
use futures::future::BoxFuture;
use sqlx::{Connection, SqliteConnection};
use std::{
    fs::{self, File},
    hash::{DefaultHasher, Hash, Hasher},
    io,
    path::{Path, PathBuf},
    time::SystemTime,
};
use url::Url;

/// PostgreSQL's code for a database that does not exist.
const NO_SUCH_DATABASE: &str = "3D000";

/// Initial contents of a database.
pub struct Template {
    /// Unique name among the templates of a test program.
    pub name: &'static str,
    /// Fills the empty database at a URL.
    pub fill: fn(String) -> BoxFuture<'static, ()>,
}

impl Template {
    pub(crate) async fn copy_to_file(&self, file: &Path) {
        let (family, version) = self.names();
        let template = kept_folder().join(format!("{family}-{version}.db"));
        if !template.exists() {
            let fill = self.fill;
            once(&family, || {
                if !template.exists() {
                    remove_older(&family);
                    make_file(&template, fill);
                }
            });
        }
        fs::copy(&template, file).expect("the template is copied");
    }

    pub(crate) async fn copy_to_postgres(&self, server: &Url, name: &str) {
        let (family, version) = self.names();
        let template = format!("{family}_{version}");
        let copy = || try_to_run(server, format!("CREATE DATABASE {name} TEMPLATE {template}"));
        match copy().await {
            Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some(NO_SUCH_DATABASE) => {}
            done => return done.expect("the template is copied"),
        }
        let (server, fill) = (server.clone(), self.fill);
        once(&family, || apart(make_database(server, family.clone(), template.clone(), fill)));
        copy().await.expect("the template is copied");
    }

    /// Common name of all versions of this template, and the name of the current one.
    fn names(&self) -> (String, String) {
        let program = program();
        let changed =
            fs::metadata(&program).and_then(|file| file.modified()).expect("when this program was built");
        let version = changed.duration_since(SystemTime::UNIX_EPOCH).expect("a time after 1970").as_nanos();
        (format!("carepost_template_{}_{:016x}", self.name, hash(&program)), format!("{version:x}"))
    }
}

/// A file kept by tests beside their programs, created if it is missing. Two tests that create it simultaneously each
/// use their own, and one of them stays.
pub fn kept(name: &str, make: impl FnOnce() -> Vec<u8>) -> Vec<u8> {
    let file = kept_folder().join(name);
    if let Ok(known) = fs::read(&file) {
        return known;
    }
    let made = make();
    let new = tempfile::NamedTempFile::new_in(kept_folder()).expect("a file");
    fs::write(&new, &made).expect("the file is written");
    new.persist(&file).expect("the file is kept");
    made
}

fn make_file(template: &Path, fill: fn(String) -> BoxFuture<'static, ()>) {
    let folder = tempfile::tempdir_in(kept_folder()).expect("a folder");
    let file = folder.path().join("new.db");
    let new = file.clone();
    apart(async move {
        fill(url_of_file(&new)).await;
        // A copy of only the file must be complete.
        let mut connection = SqliteConnection::connect(&url_of_file(&new)).await.expect("the template opens");
        let (busy, ..): (i64, i64, i64) = sqlx::query_as("PRAGMA wal_checkpoint(TRUNCATE)")
            .fetch_one(&mut connection)
            .await
            .expect("a checkpoint");
        assert_eq!(busy, 0, "somebody still uses the template");
        connection.close().await.expect("the template is closed");
    });
    fs::rename(&file, template).expect("the template is kept");
}

async fn make_database(
    server: Url,
    family: String,
    template: String,
    fill: fn(String) -> BoxFuture<'static, ()>,
) {
    let there = databases_like(&server, &family).await;
    if there.contains(&template) {
        return;
    }
    for older in there {
        run(&server, format!("DROP DATABASE {older} WITH (FORCE)")).await;
    }
    let new = format!("{family}_new");
    run(&server, format!("CREATE DATABASE {new}")).await;
    let filled = url_of(&server, &new);
    // Ending the runtime ends everything that still uses the database: a template may have no connections.
    tokio::task::spawn_blocking(move || apart(fill(filled))).await.expect("the template is filled");
    run(&server, format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{new}'"))
        .await;
    run(&server, format!("ALTER DATABASE {new} RENAME TO {template}")).await;
}

async fn databases_like(server: &Url, family: &str) -> Vec<String> {
    let mut connection = sqlx::PgConnection::connect(server.as_str()).await.expect("the server answers");
    sqlx::query_scalar("SELECT datname::text FROM pg_database WHERE starts_with(datname, $1)")
        .bind(family)
        .fetch_all(&mut connection)
        .await
        .expect("databases are listed")
}

/// Runs while no other process of these tests does the same.
fn once(what: &str, work: impl FnOnce()) {
    let lock = File::create(kept_folder().join(format!("{what}.lock"))).expect("a lock file");
    lock.lock().expect("a lock");
    work();
}

fn remove_older(family: &str) {
    let files = fs::read_dir(kept_folder()).expect("the folder").flatten().map(|entry| entry.path());
    let is_older = |file: &PathBuf| {
        file.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&format!("{family}-")))
    };
    for file in files.filter(is_older) {
        match fs::remove_file(file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => panic!("an old template stays: {error}"),
            _ => {}
        }
    }
}

fn kept_folder() -> PathBuf {
    let folder = program().with_file_name("test-data");
    fs::create_dir_all(&folder).expect("a folder beside the test programs");
    folder
}

fn program() -> PathBuf {
    std::env::current_exe().expect("the path of this program")
}

fn hash(path: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    hasher.finish()
}
