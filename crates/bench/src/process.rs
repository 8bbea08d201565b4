//! The `carepost` program as a separate process.

use anyhow::{Context, Result, bail};
use std::{
    fs,
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};
use testports::free_port;

/// Time limit for the first answer of a node.
const STARTUP_TIMEOUT: Duration = Duration::from_secs(120);

/// The Direct domain of nodes in production, which refuse the default.
pub const DIRECT_HOST: &str = "bench.example";

/// A node that is killed when it is dropped.
pub struct Process {
    child: Child,
    pub url: String,
    pub smtp_port: u16,
}

/// Data folder and database of a node.
pub struct Place<'a> {
    pub folder: &'a Path,
    /// A SQLite file in the folder when absent.
    pub database: Option<&'a str>,
    /// Created in the folder when absent.
    pub master_key: Option<&'a str>,
}

/// Starts the program built beside this one.
pub fn spawn(place: &Place<'_>) -> Result<Process> {
    let program = std::env::current_exe()?.with_file_name("carepost");
    if !program.is_file() {
        bail!("{} is not there: build the package server in the same profile", program.display());
    }
    let (http, smtp) = (free_port(), free_port());
    let url = format!("http://127.0.0.1:{http}");
    let mut command = Command::new(program);
    command
        .env_clear()
        .env("CAREPOST_DATA_DIR", place.folder)
        .env("CAREPOST_HTTP__LISTEN", format!("127.0.0.1:{http}"))
        .env("CAREPOST_HTTP__PUBLIC_URL", &url)
        .env("CAREPOST_SMTP__LISTEN", format!("127.0.0.1:{smtp}"))
        .env("CAREPOST_LOG__FILTER", "error")
        .arg("serve")
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    if let Some(database) = place.database {
        command.env("CAREPOST_DATABASE__URL", database);
    }
    if let Some(key) = place.master_key {
        // A prepared database needs no sample data.
        // No e-mail server sends second-factor codes here.
        let single = ("CAREPOST_SESSION__REQUIRE_SECOND_FACTOR", "false");
        command
            .env("CAREPOST_KEYS__MASTER_KEY", key)
            .env("CAREPOST_MODE", "production")
            // Clients use the port itself; production refuses a public address without TLS.
            .env("CAREPOST_HTTP__PUBLIC_URL", "https://carepost.example")
            .env("CAREPOST_DIRECT__HOST", DIRECT_HOST)
            .env(single.0, single.1);
    }
    Ok(Process { child: command.spawn().context("carepost does not start")?, url, smtp_port: smtp })
}

impl Process {
    /// Waits for the first answer.
    pub async fn answers(&mut self) -> Result<()> {
        let end = Instant::now() + STARTUP_TIMEOUT;
        let http = reqwest::Client::new();
        while Instant::now() < end {
            if let Some(status) = self.child.try_wait()? {
                bail!("carepost ended by itself: {status}");
            }
            let answer = http.get(format!("{}/api/branding", self.url)).send().await;
            if answer.is_ok_and(|answer| answer.status().is_success()) {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        bail!("carepost did not answer within {STARTUP_TIMEOUT:?}")
    }

    /// Resident memory in bytes of the process and, apart from it, of the processes that convert files for it.
    pub fn resident(&self) -> (u64, u64) {
        let own = self.child.id();
        (resident(own), children(own).into_iter().map(resident).sum())
    }

    /// The peak resident memory of the process, in bytes.
    pub fn peak(&self) -> u64 {
        peak_of(self.child.id())
    }

    /// Asks it to stop and waits.
    pub fn stop(mut self) -> Result<()> {
        let pid = self.child.id().to_string();
        Command::new("kill").args(["-TERM", &pid]).status()?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The peak resident memory of a process, in bytes; 0 when it is gone.
pub fn peak_of(pid: u32) -> u64 {
    kibibytes(pid, "VmHWM:") << 10
}

fn resident(pid: u32) -> u64 {
    kibibytes(pid, "VmRSS:") << 10
}

fn kibibytes(pid: u32, name: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// The running child processes of a process.
pub fn children(of: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{of}/task")).into_iter().flatten().flatten();
    tasks
        .filter_map(|task| fs::read_to_string(task.path().join("children")).ok())
        .flat_map(|text| text.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
        .collect()
}
