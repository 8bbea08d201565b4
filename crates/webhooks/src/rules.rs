//! The events, and the permitted addresses.

use fetch::AddressGuard;
use platform::{App, config::Mode};
use store::entities::message_event::EventType;

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
    let networks = app.config.webhooks.allowed_networks.iter().map(|network| network.prefix());
    let guard = AddressGuard::public_only().allowing_all(networks);
    // Demonstrations may call a program on the same machine.
    if app.config.mode == Mode::Demo { guard.allowing_this_machine() } else { guard }
}
