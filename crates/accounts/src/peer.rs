//! Where a request comes from.

use axum::{Extension, extract::ConnectInfo};
use std::net::SocketAddr;

/// The address that a request comes from.
pub type Peer = Option<Extension<ConnectInfo<SocketAddr>>>;

/// As text; empty where none is known.
pub fn ip(peer: &Peer) -> String {
    peer.as_ref().map(|Extension(ConnectInfo(a))| a.ip().to_string()).unwrap_or_default()
}
