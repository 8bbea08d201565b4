//! Routing rules: which recipients' messages go to an interface of theirs instead of their Direct mailbox, its endpoints,
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

/// Where endpoints of a rule may lie.
fn guard(app: &App, step: RoutingStep) -> fetch::AddressGuard {
    let networks = app.config.routing.vpn_networks.iter().map(|network| network.prefix());
    exchange::networks::guard(step.is_over_vpn(), networks, app.config.mode == Mode::Demo)
}
