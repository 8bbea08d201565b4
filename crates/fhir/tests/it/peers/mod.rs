//! Servers of others: programs in `tests/peers`, with packages from the npm registry.

mod ehr;
mod sign_in;

use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A running peer, which ends with this value.
struct Peer {
    process: Child,
    /// Base address of the EHR.
    base: String,
}

impl Peer {
    /// Starts a program and waits until it serves what it is given; `None` where the peers are not installed.
    async fn start(program: &'static str, given: Value) -> Option<Self> {
        let packages = crate::target().join("peers/node");
        if !is_installed(&packages) {
            crate::skipped("node, or the packages of crates/fhir/tests/peers, are missing");
            return None;
        }
        let started = tokio::task::spawn_blocking(move || {
            let mut process = Command::new("node")
                // Imports of a program without a file are looked for here.
                .current_dir(packages)
                .args(["--input-type=module", "--eval", program])
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            writeln!(process.stdin.as_mut().unwrap(), "{given}").unwrap();
            let mut base = String::new();
            BufReader::new(process.stdout.as_mut().unwrap()).read_line(&mut base).unwrap();
            Self { process, base: base.trim().to_owned() }
        });
        let peer = started.await.unwrap();
        assert!(peer.base.starts_with("http://127.0.0.1:"), "the peer did not start");
        Some(peer)
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Whether the packages are those of the lock file.
fn is_installed(packages: &Path) -> bool {
    let lock = std::fs::read(packages.join("package-lock.json"));
    lock.is_ok_and(|lock| lock == include_bytes!("../../peers/package-lock.json"))
        // Written when all is installed.
        && packages.join("node_modules/.package-lock.json").is_file()
        && Command::new("node").arg("--version").stdout(Stdio::null()).status().is_ok()
}
