//! Settings of SQLite that no statement reaches.
#![allow(unsafe_code)] // FFI: two calls that change a setting and keep no pointer

use libsqlite3_sys::{
    SQLITE_CONFIG_MEMSTATUS, SQLITE_DBCONFIG_ENABLE_QPSG, SQLITE_OK, sqlite3_config, sqlite3_db_config,
};
use sqlx::{Error, SqliteConnection};
use std::{ffi::c_int, ptr, sync::Once};

/// Before the first connection of the process: SQLite does not count its memory. Counting takes one lock for all
/// connections at each allocation, and nobody asks for the figures.
pub fn set_up() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: it takes one int. Once SQLite is in use the call is refused and changes nothing.
        let answer = unsafe { sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0 as c_int) };
        if answer != SQLITE_OK {
            tracing::debug!(answer, "SQLite counts its memory");
        }
    });
}

/// Plans of this connection do not depend on bound values. Otherwise SQLite looks at the value of each `LIMIT ?` and
/// plans the statement anew at every run, even for the same value, which costs more than most of the runs.
pub async fn keep_plans(connection: &mut SqliteConnection) -> Result<(), Error> {
    let mut locked = connection.lock_handle().await?;
    let on: c_int = 1;
    // SAFETY: the handle is live and locked. The setting takes an int, and a pointer to an int or null.
    let answer = unsafe {
        let nobody_asks = ptr::null_mut::<c_int>();
        sqlite3_db_config(locked.as_raw_handle().as_ptr(), SQLITE_DBCONFIG_ENABLE_QPSG, on, nobody_asks)
    };
    if answer == SQLITE_OK { Ok(()) } else { Err(Error::Protocol("SQLite refuses stable plans".into())) }
}
