//! Which events there are, and which addresses may be called.

use fetch::AddressGuard;
use platform::{App, config::Mode};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use store::entities::message_event::EventType;
use url::{Host, Url};

/// What the test button sends.
pub const TEST: &str = "webhook.test";

/// The events of messages, by the name under which they are sent.
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

/// The name under which an event is sent.
pub fn name_of(kind: EventType) -> &'static str {
    EVENTS.iter().find(|(_, event)| *event == kind).map_or("message.changed", |(name, _)| name)
}

/// Which addresses may be called: public ones, and the private networks of the configuration.
pub fn guard(app: &App) -> AddressGuard {
    let allowed = app.config.webhooks.allowed_networks.iter().map(|network| network.prefix());
    // Demonstrations show deliveries to a program on the same machine.
    let own = [(Ipv4Addr::LOCALHOST.into(), 8), (IpAddr::V6(Ipv6Addr::LOCALHOST), 128)];
    let own = own.into_iter().filter(|_| app.config.mode == Mode::Demo);
    allowed
        .chain(own)
        .fold(AddressGuard::public_only(), |guard, (address, bits)| guard.allowing(address, bits))
}

/// Whether an address can be refused as it is written. What a name stands for is only known when it is called.
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

/// The endpoint as the outside party of a step: webhooks to one host share its workers.
pub fn host_of(url: &str) -> String {
    let url = Url::parse(url).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
    let port = url.as_ref().and_then(Url::port_or_known_default).unwrap_or_default();
    format!("{host}:{port}")
}
