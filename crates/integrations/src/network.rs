//! HTTP to EHRs: permitted networks, time limit, and the organizations' shares.

use admission::{Pool, Room};
use fetch::{AddressGuard, FetchError, HttpFetcher};
use platform::{App, config::Mode};
use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    sync::{Arc, LazyLock, OnceLock},
    time::Duration,
};
use url::{Host, Url};
use uuid::Uuid;

/// Calls to EHRs at the same time.
const ROOM: Room = Room { total: 64, per_party: 16, waiting_per_party: 200, waiting: 2_000 };

static POOL: LazyLock<Arc<Pool>> = LazyLock::new(|| Pool::new("EHRs", ROOM));

/// The permitted addresses: public ones, and the private networks of the configuration.
pub fn guard(app: &App) -> AddressGuard {
    let allowed = app.config.integrations.allowed_networks.iter().map(|network| network.prefix());
    // The sample EHR of a demonstration is on the same machine.
    let own = [(Ipv4Addr::LOCALHOST.into(), 8), (IpAddr::V6(Ipv6Addr::LOCALHOST), 128)];
    let own = own.into_iter().filter(|_| app.config.mode == Mode::Demo);
    allowed
        .chain(own)
        .fold(AddressGuard::public_only(), |guard, (address, bits)| guard.allowing(address, bits))
}

/// Whether a literal address is refused. A name is checked when it is called.
pub fn is_refused(guard: &AddressGuard, url: &str) -> bool {
    let Ok(url) = Url::parse(url) else { return true };
    match url.host() {
        Some(Host::Ipv4(address)) => !guard.permits(address.into()),
        Some(Host::Ipv6(address)) => !guard.permits(address.into()),
        Some(Host::Domain(name)) => {
            let is_here = name == "localhost" || name.ends_with(".localhost");
            is_here && !guard.permits(Ipv4Addr::LOCALHOST.into())
        }
        None => true,
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

/// The EHR as the partner of a step: connections to one host share its workers.
pub fn host_of(url: &str) -> String {
    let url = Url::parse(url).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
    let port = url.as_ref().and_then(Url::port_or_known_default).unwrap_or_default();
    format!("{host}:{port}")
}
