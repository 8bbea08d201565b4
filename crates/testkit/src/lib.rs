//! The test application: the product as it runs, on free ports and a clock of the test's own.
//!
//! A test is written once, as a function of a [`Db`], and [`on_both_databases!`] makes a SQLite and a PostgreSQL test
//! of it:
//!
//! ```ignore
//! testkit::on_both_databases! { a_user_who_signed_in_sees_their_profile }
//!
//! async fn a_user_who_signed_in_sees_their_profile(db: Db) {
//!     let app = TestApp::start(db).await;
//!     let larkfield = app.organization("larkfield").await;
//!     let client = app.signed_in(Role::User, &larkfield).await;
//!     client.get("/api/users/profiledata").await.ok();
//!     app.finish().await;
//! }
//! ```

mod app;
mod authority;
mod client;
mod converter;
mod db;
mod fixtures;
mod socket;

pub use app::{Options, TestApp};
pub use client::{Answer, Client, document};
pub use db::Db;
pub use fixtures::{Organization, PASSWORD, Practice, Source, User};
pub use platform::Role;
pub use socket::Socket;

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
                    match $crate::Db::postgres().await {
                        Some(db) => super::$test(db).await,
                        None => eprintln!("skipped: CAREPOST_TEST_POSTGRES names no server (script/test starts one)"),
                    }
                }
            )+
        }
    };
}
