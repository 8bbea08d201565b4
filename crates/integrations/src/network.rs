//! HTTP to EHRs: permitted networks, time limit, and the organizations' shares.

use admission::{Party, Place, Pool, Room};
use fetch::{AddressGuard, FetchError, HttpFetcher};
use platform::{App, config::Mode};
use std::{
    sync::{Arc, LazyLock, OnceLock},
    time::Duration,
};
use uuid::Uuid;

/// Calls to EHRs at the same time.
const ROOM: Room = Room { total: 64, per_party: 16, waiting_per_party: 200, waiting: 2_000 };

/// Longest wait for a place.
const WAIT: Duration = Duration::from_secs(10);

static POOL: LazyLock<Arc<Pool>> = LazyLock::new(|| Pool::new("EHRs", ROOM));

/// The permitted addresses: public ones, and the private networks of the configuration.
pub fn guard(app: &App) -> AddressGuard {
    with_own_networks(app, AddressGuard::public_only())
}

/// The addresses to which something may be sent without encryption: private networks of the configuration alone.
pub fn private_guard(app: &App) -> AddressGuard {
    with_own_networks(app, AddressGuard::closed())
}

fn with_own_networks(app: &App, guard: AddressGuard) -> AddressGuard {
    let networks = app.config.integrations.allowed_networks.iter().map(|network| network.prefix());
    let guard = guard.allowing_all(networks);
    // The sample EHR of a demonstration is on the same machine.
    if app.config.mode == Mode::Demo { guard.allowing_this_machine() } else { guard }
}

/// The networks that may be called: any that is permitted, and without encryption only private ones.
pub struct Guards {
    pub all: AddressGuard,
    pub private: AddressGuard,
    /// Whether messages may be exchanged as files.
    pub has_folder: bool,
}

/// The networks that may be called.
pub fn guards(app: &App) -> Guards {
    Guards {
        all: guard(app),
        private: private_guard(app),
        has_folder: app.config.integrations.folder.is_some(),
    }
}

/// Waits for a place in the organization's share of calls, at most as long as for an answer.
pub async fn enter(organization_id: Uuid) -> Result<Place, FetchError> {
    let entering = POOL.enter(Party::from(organization_id), 1);
    match tokio::time::timeout(WAIT, entering).await {
        Ok(Ok(place)) => Ok(place),
        _ => Err(FetchError::Busy),
    }
}

/// The client for an organization's calls, in its share.
pub fn client(app: &App, organization_id: Uuid) -> Result<HttpFetcher, FetchError> {
    // One for all organizations, since it keeps connections open.
    static CLIENT: OnceLock<HttpFetcher> = OnceLock::new();
    let client = match CLIENT.get() {
        Some(client) => client.clone(),
        None => {
            let limit = Duration::from_secs(app.config.integrations.timeout_seconds.into());
            let made = HttpFetcher::answering_within(guard(app), limit)?;
            CLIENT.get_or_init(|| made).clone()
        }
    };
    Ok(client.within(POOL.clone()).on_behalf_of(organization_id))
}
