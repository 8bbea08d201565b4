//! Idle connections, kept open for the next message to the same server: greeting and TLS cost more than a short message.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::dialogue::Dialogue;

/// Time for which an idle connection is kept; servers wait longer (RFC 5321 4.5.3.2.7).
const IDLE_TIME: Duration = Duration::from_secs(5);
/// Most idle connections to one server, below the 50 that servers commonly accept from one client.
const MAX_IDLE: usize = 40;

/// Name, which TLS verifies, and address.
type Server = (String, SocketAddr);

/// Connections, each with its closing time, the latest last.
type Connections = HashMap<Server, Vec<(Instant, Dialogue)>>;

/// Idle connections by server.
#[derive(Clone, Default)]
pub(super) struct IdleConnections(Arc<Mutex<Connections>>);

impl IdleConnections {
    fn connections(&self) -> MutexGuard<'_, Connections> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the most recently used connection.
    pub(super) fn take(&self, host: &str, address: SocketAddr) -> Option<Dialogue> {
        let server = (host.to_owned(), address);
        self.connections().get_mut(&server)?.pop().map(|(_, dialogue)| dialogue)
    }

    /// Stores a connection; it is closed unless it is taken in time.
    pub(super) fn keep(&self, host: &str, address: SocketAddr, dialogue: Dialogue) {
        let server = (host.to_owned(), address);
        let end = Instant::now() + IDLE_TIME;
        let mut connections = self.connections();
        let is_first = !connections.contains_key(&server);
        let of_server = connections.entry(server.clone()).or_default();
        of_server.push((end, dialogue));
        let surplus = (of_server.len() > MAX_IDLE).then(|| of_server.remove(0));
        drop(connections);
        if let Some((_, dialogue)) = surplus {
            tokio::spawn(dialogue.quit());
        }
        if is_first {
            tokio::spawn(self.clone().close_expired(server, end));
        }
    }

    /// Closes the connections to a server when they expire, until none is left.
    async fn close_expired(self, server: Server, mut end: Instant) {
        loop {
            sleep_until(end).await;
            let now = Instant::now();
            let expired = {
                let mut connections = self.connections();
                let Some(of_server) = connections.get_mut(&server) else { return };
                let over = of_server.iter().take_while(|(end, _)| *end <= now).count();
                let expired: Vec<_> = of_server.drain(..over).collect();
                match of_server.first() {
                    Some((next, _)) => end = *next,
                    None => {
                        connections.remove(&server);
                    }
                }
                expired
            };
            for (_, dialogue) in expired {
                dialogue.quit().await;
            }
            if end <= now {
                return;
            }
        }
    }
}
