//! Limit on connections being opened, by the host that is tried first: a host that accepts connections and then stays
//! silent delays a few messages to its own recipients, not all outgoing mail.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

/// Most connections being opened to one host.
const MAX_CONNECTING: usize = 3;

/// The hosts to which connections are being opened.
#[derive(Clone, Default)]
pub(super) struct ConnectLimit(Arc<Mutex<HashMap<String, Weak<Host>>>>);

struct Host {
    permits: Arc<Semaphore>,
    /// Time of the last permit.
    taken: Mutex<Instant>,
}

/// The right to open a connection.
pub(super) struct ConnectPermit {
    _permit: OwnedSemaphorePermit,
    /// Keeps the host in the map.
    _host: Arc<Host>,
}

impl ConnectLimit {
    /// A permit to open a connection. None if no permit was granted for the time `silence`: the host is silent then,
    /// and the open attempts suffice to notice when it answers again.
    pub(super) async fn permit(&self, host: &str, silence: Duration) -> Option<ConnectPermit> {
        let host = self.host(host);
        loop {
            let until = *locked(&host.taken) + silence;
            if let Ok(permit) = timeout_at(until, host.permits.clone().acquire_owned()).await {
                *locked(&host.taken) = Instant::now();
                return Some(ConnectPermit { _permit: permit.ok()?, _host: host });
            }
            if *locked(&host.taken) + silence <= Instant::now() {
                return None;
            }
        }
    }

    fn host(&self, name: &str) -> Arc<Host> {
        let mut hosts = locked(&self.0);
        if let Some(host) = hosts.get(name).and_then(Weak::upgrade) {
            return host;
        }
        hosts.retain(|_, host| host.strong_count() > 0);
        let permits = Arc::new(Semaphore::new(MAX_CONNECTING));
        let host = Arc::new(Host { permits, taken: Mutex::new(Instant::now()) });
        hosts.insert(name.to_owned(), Arc::downgrade(&host));
        host
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
