//! Sign-in requirements of an organization.

use crate::{audit::event, config::Network, fields::FieldErrors, settings::Settings};
use chrono::Duration;
use serde::{Deserialize, Serialize};
use std::net::IpAddr;

/// The security settings of an organization.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SecuritySettings {
    /// Minutes without activity until sign-out; the installation's if not set.
    pub idle_minutes: Option<u32>,
    /// Whether everybody needs a second step to sign in.
    pub require_second_factor: bool,
    /// Whether only `allowed_addresses` are admitted.
    pub require_whitelisted_ip: bool,
    pub allowed_addresses: Vec<Network>,
    /// Number of changes.
    pub version: i32,
}

impl Settings for SecuritySettings {
    const MEMBER: &'static str = "security";
    const EVENT: &'static str = event::SECURITY_CHANGED;

    fn version(&mut self) -> &mut i32 {
        &mut self.version
    }
}

impl SecuritySettings {
    /// Whether requests from an address are allowed.
    pub fn allows(&self, source_ip: &str) -> bool {
        !self.require_whitelisted_ip || is_among(&self.allowed_addresses, source_ip)
    }

    /// Time without activity after which a session ends.
    pub fn idle(&self, default_minutes: u32) -> Duration {
        Duration::minutes(self.idle_minutes.unwrap_or(default_minutes).into())
    }
}

/// Whether an address is in the list, or in one of its networks.
pub fn is_among(allowed: &[Network], source_ip: &str) -> bool {
    source_ip.parse::<IpAddr>().is_ok_and(|address| allowed.iter().any(|network| network.contains(address)))
}

/// Error above the maximum length of a list of allowed addresses.
pub const ADDRESSES_MAX: usize = 200;
pub const TOO_MANY_ADDRESSES: &str = "Please enter at most 200 addresses.";

/// Parses a list of addresses and networks, without duplicates. Errors are added to `field`.
pub fn read_addresses(texts: &[String], field: &str, errors: &mut FieldErrors) -> Vec<Network> {
    let mut networks: Vec<Network> = Vec::new();
    errors.require(texts.len() <= ADDRESSES_MAX, field, TOO_MANY_ADDRESSES);
    for (index, text) in texts.iter().take(ADDRESSES_MAX).enumerate() {
        match Network::try_from(text.trim().to_owned()) {
            Ok(network) if !networks.contains(&network) => networks.push(network),
            Ok(_) => {}
            // The error names the position, not the text, which may be anything.
            Err(_) => errors.add(field, format!("Entry {} is neither an address nor a network.", index + 1)),
        }
    }
    networks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(addresses: &[&str]) -> SecuritySettings {
        let network = |text: &&str| Network::try_from((*text).to_owned()).expect("a network");
        SecuritySettings {
            require_whitelisted_ip: true,
            allowed_addresses: addresses.iter().map(network).collect(),
            ..Default::default()
        }
    }

    #[test]
    fn without_a_list_every_address_may_come_in_and_with_an_empty_one_none() {
        assert!(SecuritySettings::default().allows("203.0.113.9"));
        assert!(!only(&[]).allows("203.0.113.9"));
    }

    #[test]
    fn an_address_is_allowed_by_itself_and_by_its_network_however_it_is_written() {
        let some = only(&["203.0.113.9", "10.0.0.0/8", "2001:db8::/32"]);
        for allowed in ["203.0.113.9", "::ffff:203.0.113.9", "10.200.3.4", "2001:db8:1::7"] {
            assert!(some.allows(allowed), "{allowed}");
        }
        for refused in ["203.0.113.10", "11.0.0.1", "2001:db9::1", "", "somewhere"] {
            assert!(!some.allows(refused), "{refused}");
        }
    }
}
