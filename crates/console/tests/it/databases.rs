//! Runs one story on both databases.

use crate::world::World;
use futures::FutureExt;
use sea_orm::{ConnectionTrait, Database};
use std::{
    env,
    panic::{AssertUnwindSafe, resume_unwind},
};
use uuid::Uuid;

/// Address of a PostgreSQL server on which databases may be created.
const SERVER: &str = "CAREPOST_TEST_POSTGRES";

/// Runs the test on a new SQLite file, and on a new PostgreSQL database when `CAREPOST_TEST_POSTGRES` names a server.
pub async fn on_both(test: impl AsyncFn(World)) {
    let folder = tempfile::tempdir().unwrap();
    let file = format!("sqlite:{}", folder.path().join("test.db").display());
    test(World::new(&file, folder.path()).await).await;
    let Ok(server) = env::var(SERVER) else {
        eprintln!("not tested on PostgreSQL: {SERVER} is not set");
        return;
    };
    let admin = Database::connect(&server).await.unwrap();
    let name = format!("carepost_test_{}", Uuid::new_v4().simple());
    admin.execute_unprepared(&format!("CREATE DATABASE {name}")).await.unwrap();
    let story = async { test(World::new(&address_of(&server, &name), folder.path()).await).await };
    let result = AssertUnwindSafe(story).catch_unwind().await;
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
