//! Runs one test on both databases.

use futures::FutureExt;
use sea_orm::{ConnectionTrait, Database};
use std::{env, panic::AssertUnwindSafe, panic::resume_unwind};
use store::Store;
use uuid::Uuid;

/// Address of a PostgreSQL server on which databases may be created.
const SERVER: &str = "CAREPOST_TEST_POSTGRES";

/// Runs the test on a new SQLite file, and on a new PostgreSQL database when `CAREPOST_TEST_POSTGRES` names a server.
pub async fn with_databases<T: Future<Output = ()>>(test: impl Fn(Store) -> T) {
    with_empty_databases(async |url| test(Store::open_and_migrate(&url).await.unwrap()).await).await;
}

/// The same with the address of a database that has no tables yet.
pub async fn with_empty_databases(test: impl AsyncFn(String)) {
    let folder = tempfile::tempdir().unwrap();
    test(format!("sqlite:{}", folder.path().join("test.db").display())).await;
    let Ok(server) = env::var(SERVER) else {
        eprintln!("not tested on PostgreSQL: {SERVER} is not set");
        return;
    };
    let admin = Database::connect(&server).await.unwrap();
    let name = format!("carepost_test_{}", Uuid::new_v4().simple());
    admin.execute_unprepared(&format!("CREATE DATABASE {name}")).await.unwrap();
    let result = AssertUnwindSafe(test(address_of(&server, &name))).catch_unwind().await;
    admin.execute_unprepared(&format!("DROP DATABASE {name} WITH (FORCE)")).await.unwrap();
    if let Err(panic) = result {
        resume_unwind(panic);
    }
}

fn address_of(server: &str, database: &str) -> String {
    let (scheme, rest) = server.split_once("://").expect("an address such as postgres://user@host:5432");
    let host = rest.split('/').next().unwrap_or(rest);
    format!("{scheme}://{host}/{database}")
}
