//! The events, and the permitted addresses.

use fetch::AddressGuard;
use platform::{App, config::Mode};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use store::entities::message_event::EventType;
use url::{Host, Url};

/// Event of the test button.
pub const TEST: &str = "webhook.test";

/// The events of messages with their names.
const EVENTS: [(&str, EventType); 10] = [
    ("message.received", EventType::Received),
    ("message.processed", EventType::Processed),
    ("message.exported", EventType::Exported),
    ("message.delivered", EventType::Delivered),
    ("message.failed", EventType::Failed),
    ("message.bounced", EventType::Bounced),
    ("message.uncertain", EventType::Uncertain),
    ("message.forwarded", EventType::Forwarded),
    ("message.replied", EventType::Replied),
    ("message.deleted", EventType::Deleted),
];

pub const NOT_PUBLIC: &str =
    "This address is in a private network, to which this installation sends no events.";

pub fn event_names() -> impl Iterator<Item = &'static str> {
    EVENTS.into_iter().map(|(name, _)| name)
}

/// Name of an event.
pub fn name_of(kind: EventType) -> &'static str {
    EVENTS.iter().find(|(_, event)| *event == kind).map_or("message.changed", |(name, _)| name)
}

/// The permitted addresses: public ones, and the private networks of the configuration.
pub fn guard(app: &App) -> AddressGuard {
    let allowed = app.config.webhooks.allowed_networks.iter().map(|network| network.prefix());
    // Demonstrations may call a program on the same machine.
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

/// The endpoint as the partner of a step: webhooks to one host share its workers.
pub fn host_of(url: &str) -> String {
    let url = Url::parse(url).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
    let port = url.as_ref().and_then(Url::port_or_known_default).unwrap_or_default();
    format!("{host}:{port}")
}
