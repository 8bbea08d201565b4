//! Ports for programs started by tests.

use std::net::{TcpListener, UdpSocket};

/// A free port of 127.0.0.1, for TCP and UDP, for a program that takes a while to start or for an unreachable peer.
/// It is outside the range from which the system picks for connections and for port 0, so that no other test gets it
/// in between.
///
/// # Panics
/// If no port is free.
pub fn free_port() -> u16 {
    for _ in 0..1000 {
        let port = rand::random_range(10_000..32_000);
        if TcpListener::bind(("127.0.0.1", port)).is_ok() && UdpSocket::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
    panic!("no port is free");
}
