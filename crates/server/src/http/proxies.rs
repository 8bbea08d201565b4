//! Source of requests behind a proxy. Anybody can send `X-Forwarded-For`, so it is read from its end and only as far
//! as trusted proxies wrote it.

use axum::{
    extract::{ConnectInfo, Request},
    http::HeaderMap,
};
use platform::{config::Network, http::HostName};
use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

/// The networks of trusted proxies.
#[derive(Clone)]
pub struct TrustedProxies(Arc<[Network]>);

impl TrustedProxies {
    pub fn new(networks: &[Network]) -> Self {
        Self(networks.into())
    }

    /// Replaces the proxy's address and host with the caller's address and the requested host, for all later readers.
    pub fn name_caller(&self, mut request: Request) -> Request {
        let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|peer| peer.0);
        if let Some(peer) = peer {
            let caller = SocketAddr::new(self.caller(peer.ip(), request.headers()), peer.port());
            if let Some(host) = self.host(peer.ip(), request.headers()) {
                request.extensions_mut().insert(host);
            }
            request.extensions_mut().insert(ConnectInfo(caller));
        }
        request
    }

    /// The last value of a trusted proxy's header, which that proxy wrote itself.
    fn host(&self, peer: IpAddr, headers: &HeaderMap) -> Option<HostName> {
        let forwarded = headers.get_all("x-forwarded-host").iter().next_back()?.to_str().ok()?;
        let host = forwarded.rsplit(',').next().map(HostName::of_authority)?;
        (self.trusts(peer) && !host.0.is_empty()).then_some(host)
    }

    fn caller(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let texts: Vec<_> = headers.get_all("x-forwarded-for").iter().map(|v| v.to_str()).collect();
        let hops = texts.iter().rev().flat_map(|text| text.as_deref().unwrap_or_default().rsplit(','));
        let mut caller = peer;
        for hop in hops {
            match hop.trim().parse::<IpAddr>() {
                Ok(before) if self.trusts(caller) => caller = before.to_canonical(),
                _ => break,
            }
        }
        caller
    }

    fn trusts(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(address))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(trusted: &[&str], peer: &str, forwarded: &[&'static str]) -> String {
        let networks: Vec<_> =
            trusted.iter().map(|n| Network::try_from((*n).to_owned()).expect("a network")).collect();
        let mut headers = HeaderMap::new();
        for text in forwarded {
            headers.append("x-forwarded-for", text.parse().expect("a header"));
        }
        TrustedProxies::new(&networks).caller(peer.parse().expect("an address"), &headers).to_string()
    }

    #[test]
    fn what_strangers_claim_is_not_believed() {
        assert_eq!(caller(&[], "192.0.2.7", &["198.51.100.1"]), "192.0.2.7");
        assert_eq!(caller(&["10.0.0.0/8"], "192.0.2.7", &["198.51.100.1"]), "192.0.2.7");
    }

    #[test]
    fn a_trusted_proxy_names_the_caller_and_what_the_caller_claimed_is_passed_over() {
        assert_eq!(caller(&["10.0.0.0/8"], "10.0.0.1", &["203.0.113.9, 198.51.100.1"]), "198.51.100.1");
        assert_eq!(
            caller(&["10.0.0.0/8"], "10.0.0.1", &["203.0.113.9", "198.51.100.1, 10.0.0.2"]),
            "198.51.100.1"
        );
        assert_eq!(caller(&["10.0.0.1", "::1"], "::1", &["2001:db8::5"]), "2001:db8::5");
        assert_eq!(caller(&["10.0.0.1"], "::ffff:10.0.0.1", &["198.51.100.1"]), "198.51.100.1");
    }

    #[test]
    fn the_host_that_a_browser_asked_for_is_taken_from_trusted_proxies_alone() {
        let networks = [Network::try_from("10.0.0.0/8".to_owned()).expect("a network")];
        let mut headers = HeaderMap::new();
        headers.append(
            "x-forwarded-host",
            "claimed.example, Mail.Harborline.example:8443".parse().expect("a header"),
        );
        let host = |peer: &str| {
            let peer = peer.parse().expect("an address");
            TrustedProxies::new(&networks).host(peer, &headers).map(|host| host.0)
        };
        assert_eq!(host("10.0.0.1").as_deref(), Some("mail.harborline.example"));
        assert_eq!(host("192.0.2.7"), None);
    }

    #[test]
    fn what_is_no_address_ends_the_chain() {
        assert_eq!(caller(&["10.0.0.1"], "10.0.0.1", &["198.51.100.1, unknown"]), "10.0.0.1");
        assert_eq!(caller(&["10.0.0.1"], "10.0.0.1", &[]), "10.0.0.1");
    }
}
