//! The source address of a request.

use axum::{Extension, extract::ConnectInfo};
use std::net::SocketAddr;

/// Source address of a request.
pub type Peer = Option<Extension<ConnectInfo<SocketAddr>>>;

/// As text; empty if unknown.
pub fn ip(peer: &Peer) -> String {
    peer.as_ref().map(|Extension(ConnectInfo(a))| a.ip().to_string()).unwrap_or_default()
}
