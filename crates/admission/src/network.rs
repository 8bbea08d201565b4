//! Networks of the size of one customer of a provider.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
};

/// A /24 of IPv4 or a /64 of IPv6: the owner of one of its addresses can often choose others from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Network(IpAddr);

impl Network {
    pub fn of(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V4(v4) => Ipv4Addr::from_bits(v4.to_bits() & 0xffff_ff00).into(),
            IpAddr::V6(v6) => Ipv6Addr::from_bits(v6.to_bits() >> 64 << 64).into(),
        })
    }

    /// The key for counting attempts per customer: an IPv4 address, or a /64 of IPv6.
    pub fn of_customer(address: IpAddr) -> IpAddr {
        match address.to_canonical() {
            v4 @ IpAddr::V4(_) => v4,
            v6 @ IpAddr::V6(_) => Self::of(v6).0,
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.0, if self.0.is_ipv4() { 24 } else { 64 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_counted_together() {
        let of = |text: &str| Network::of(text.parse().expect("an address")).to_string();
        assert_eq!(of("192.0.2.7"), "192.0.2.0/24");
        assert_eq!(of("::ffff:192.0.2.9"), "192.0.2.0/24");
        assert_eq!(of("2001:db8:1:2:ffff::9"), "2001:db8:1:2::/64");
        assert_ne!(of("2001:db8:1:2::7"), of("2001:db8:1:3::7"));
    }
}
