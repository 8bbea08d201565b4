//! What a domain asks of those who send to it, as its web server says it.
#![no_main]

use direct::smtp::sts::StsPolicy;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Some(policy) = StsPolicy::parse(text) {
        assert!(!policy.servers.is_empty() && policy.max_age <= 31_557_600);
        for server in &policy.servers {
            let _ = policy.names(server);
        }
    }
});
