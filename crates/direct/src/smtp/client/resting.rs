//! Connections that wait for another message to the same server. Greeting and TLS cost more than a short message.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::dialogue::Dialogue;

/// How long a connection rests before it is closed; servers wait longer (RFC 5321 4.5.3.2.7).
const REST: Duration = Duration::from_secs(5);
/// Most connections that rest for one server, below what servers commonly take from one client at a time (50).
const MOST: usize = 40;

/// Name, since TLS judges by it, and address.
type Server = (String, SocketAddr);

/// Connections, each with the end of its rest, the latest last.
type Connections = HashMap<Server, Vec<(Instant, Dialogue)>>;

/// Resting connections by server.
#[derive(Clone, Default)]
pub(super) struct Resting(Arc<Mutex<Connections>>);

impl Resting {
    fn connections(&self) -> MutexGuard<'_, Connections> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The connection that rested shortest.
    pub(super) fn take(&self, host: &str, address: SocketAddr) -> Option<Dialogue> {
        let server = (host.to_owned(), address);
        self.connections().get_mut(&server)?.pop().map(|(_, dialogue)| dialogue)
    }

    /// Lets a connection rest; it is closed unless somebody takes it in time.
    pub(super) fn keep(&self, host: &str, address: SocketAddr, dialogue: Dialogue) {
        let server = (host.to_owned(), address);
        let end = Instant::now() + REST;
        let mut connections = self.connections();
        let is_first = !connections.contains_key(&server);
        let of_server = connections.entry(server.clone()).or_default();
        of_server.push((end, dialogue));
        let surplus = (of_server.len() > MOST).then(|| of_server.remove(0));
        drop(connections);
        if let Some((_, dialogue)) = surplus {
            tokio::spawn(dialogue.quit());
        }
        if is_first {
            tokio::spawn(self.clone().close_rested(server, end));
        }
    }

    /// Closes connections of a server at the end of their rest, until none is left.
    async fn close_rested(self, server: Server, mut end: Instant) {
        loop {
            sleep_until(end).await;
            let now = Instant::now();
            let rested = {
                let mut connections = self.connections();
                let Some(of_server) = connections.get_mut(&server) else { return };
                let over = of_server.iter().take_while(|(end, _)| *end <= now).count();
                let rested: Vec<_> = of_server.drain(..over).collect();
                match of_server.first() {
                    Some((next, _)) => end = *next,
                    None => {
                        connections.remove(&server);
                    }
                }
                rested
            };
            for (_, dialogue) in rested {
                dialogue.quit().await;
            }
            if end <= now {
                return;
            }
        }
    }
}
