//! Connections that are being opened, by the host that is tried first: one that takes connections and then says nothing
//! holds back a few messages for its own recipients, and not all that is to be sent.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

/// Most connections that are being opened to one host.
const AT_ONCE: usize = 3;

/// The hosts to which anybody opens a connection, or waits to.
#[derive(Clone, Default)]
pub(super) struct Openings(Arc<Mutex<HashMap<String, Weak<Host>>>>);

struct Host {
    places: Arc<Semaphore>,
    /// When a place was taken last.
    taken: Mutex<Instant>,
}

/// The right to open a connection.
pub(super) struct Place {
    _permit: OwnedSemaphorePermit,
    /// Keeps the host known.
    _host: Arc<Host>,
}

impl Openings {
    /// A place to open a connection. None when nobody has got one for so long: then the host is silent, and those who
    /// have their places are enough to find out when it speaks again.
    pub(super) async fn place(&self, host: &str, silence: Duration) -> Option<Place> {
        let host = self.host(host);
        loop {
            let until = *locked(&host.taken) + silence;
            if let Ok(permit) = timeout_at(until, host.places.clone().acquire_owned()).await {
                *locked(&host.taken) = Instant::now();
                return Some(Place { _permit: permit.ok()?, _host: host });
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
        let places = Arc::new(Semaphore::new(AT_ONCE));
        let host = Arc::new(Host { places, taken: Mutex::new(Instant::now()) });
        hosts.insert(name.to_owned(), Arc::downgrade(&host));
        host
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
