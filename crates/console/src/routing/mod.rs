//! Routing rules: the recipients whose messages go to an interface instead of their Direct mailbox, its endpoints,
//! and the organizations whose messages may go there.

mod endpoints;
mod rules;
mod senders;

pub(crate) use rules::RuleRecord;

use platform::{App, api::Api, config::Mode};
use store::entities::routing_rule::RoutingStep;

pub fn api() -> Api {
    rules::api().merge(endpoints::api()).merge(senders::api())
}

/// Networks in which endpoints of a rule may be.
fn guard(app: &App, step: RoutingStep) -> fetch::AddressGuard {
    let networks = app.config.routing.vpn_networks.iter().map(|network| network.prefix());
    exchange::networks::guard(step.is_over_vpn(), networks, app.config.mode == Mode::Demo)
}
