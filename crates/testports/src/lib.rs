//! Ports for programs that tests start.

use std::net::{TcpListener, UdpSocket};

/// A port of 127.0.0.1 that nobody listens on, by TCP or UDP, for a program that takes a while to start or for a peer that
/// is gone. It lies outside the range from which the system picks for connections and for port 0, so that no other test
/// gets it in between.
///
/// # Panics
/// Where no port is free.
pub fn free_port() -> u16 {
    for _ in 0..1000 {
        let port = rand::random_range(10_000..32_000);
        if TcpListener::bind(("127.0.0.1", port)).is_ok() && UdpSocket::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
    panic!("no port is free");
}
