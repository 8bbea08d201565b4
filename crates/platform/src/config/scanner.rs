//! Address of the malware scanner.

use std::{fmt, path::PathBuf, str::FromStr};

/// Address of the daemon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScannerAddress {
    Unix(PathBuf),
    /// Host and port.
    Tcp(String),
}

impl FromStr for ScannerAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let path = text.strip_prefix("unix:").unwrap_or(text);
        if path.starts_with('/') {
            return Ok(Self::Unix(path.into()));
        }
        match text.rsplit_once(':') {
            Some((host, port)) if !host.is_empty() && port.parse::<u16>().is_ok_and(|port| port > 0) => {
                Ok(Self::Tcp(text.into()))
            }
            _ => Err(format!("{text:?} is neither the path of a socket nor host:port")),
        }
    }
}

impl fmt::Display for ScannerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => write!(f, "{}", path.display()),
            Self::Tcp(host) => f.write_str(host),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_path_or_a_host_with_a_port() {
        let unix = ScannerAddress::Unix("/run/clamav/clamd.ctl".into());
        assert_eq!("/run/clamav/clamd.ctl".parse(), Ok(unix.clone()));
        assert_eq!("unix:/run/clamav/clamd.ctl".parse(), Ok(unix));
        assert_eq!("[::1]:3310".parse(), Ok(ScannerAddress::Tcp("[::1]:3310".into())));
        for wrong in ["", "clamd", "clamd:", ":3310", "clamd:0", "run/clamd.ctl"] {
            assert!(wrong.parse::<ScannerAddress>().is_err(), "{wrong}");
        }
    }
}
