//! The test application: the product on free ports and a clock of the test.
//!
//! ```ignore
//! #[tokio::test]
//! async fn a_user_who_signed_in_sees_their_profile() {
//!     let app = TestApp::start(Db::sqlite()).await;
//!     let larkfield = app.organization("larkfield").await;
//!     let client = app.signed_in(Role::User, &larkfield).await;
//!     client.get("/api/users/profiledata").await.ok();
//!     app.finish().await;
//! }
//! ```
//!
//! Tests that depend on the database run on both, see [`on_both_databases!`].

mod app;
mod authority;
mod certificate;
mod clamd;
mod client;
mod converter;
mod fixtures;
pub mod history;
pub mod load;
mod socket;

pub use app::{Options, TestApp};
pub use certificate::{SelfSigned, self_signed};
pub use clamd::{Clamd, eicar};
pub use client::{Answer, Client, document};
pub use fixtures::{Organization, PASSWORD, Practice, Source, User};
pub use platform::Role;
pub use socket::Socket;
pub use testdb::{Db, on_both_databases, skipped};
