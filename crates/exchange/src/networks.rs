//! Permitted networks of endpoints.

use fetch::AddressGuard;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The guard for endpoints: over a VPN only the configured networks, otherwise only public addresses. Demonstrations
/// may also use programs on the same machine.
pub fn guard(
    is_over_vpn: bool,
    vpn_networks: impl IntoIterator<Item = (IpAddr, u8)>,
    is_demo: bool,
) -> AddressGuard {
    let own = [(Ipv4Addr::LOCALHOST.into(), 8), (IpAddr::V6(Ipv6Addr::LOCALHOST), 128)];
    let own = own.into_iter().filter(|_| is_demo);
    let allowing = |guard: AddressGuard, (network, bits): (IpAddr, u8)| guard.allowing(network, bits);
    let guard = if is_over_vpn {
        vpn_networks.into_iter().fold(AddressGuard::closed(), allowing)
    } else {
        AddressGuard::public_only()
    };
    own.fold(guard, allowing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vpn_leads_into_its_networks_and_nothing_else_does() {
        let vpn = || [("10.2.0.0".parse().unwrap(), 16)];
        let permits =
            |over_vpn, address: &str| guard(over_vpn, vpn(), false).permits(address.parse().unwrap());
        assert!(permits(true, "10.2.7.7") && !permits(true, "10.3.7.7") && !permits(true, "8.8.8.8"));
        assert!(permits(false, "8.8.8.8") && !permits(false, "10.2.7.7") && !permits(false, "127.0.0.1"));
        assert!(guard(true, vpn(), true).permits(Ipv4Addr::LOCALHOST.into()));
    }
}
