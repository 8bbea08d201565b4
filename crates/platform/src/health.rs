//! State of this node: connections, storage, and problems of its audit trail.

use crate::{Config, Error, Result, config::Network};
use admission::{Buckets, Gate, GateState, Limits, Pass, Pool, PoolState, Rate, Refusal, Room, Shares};
use chrono::TimeDelta;
use std::{
    net::IpAddr,
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicI64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};
use uuid::Uuid;

/// Maximum number of hub connections of one session: windows, each with a few.
const HUBS_OF_A_SESSION: usize = 30;
/// Maximum number of concurrent requests to outside web servers: revocation lists, issuers, policies, sign-in
/// providers.
const FETCHES: Room = Room { total: 64, per_party: 8, waiting_per_party: 64, waiting: 1_000 };
/// Maximum number of concurrent DNS queries, counted by domain.
const QUESTIONS: Room = Room { total: 128, per_party: 16, waiting_per_party: 128, waiting: 2_000 };
/// Maximum number of uploaded archives and structured files in memory while their type is detected.
const WHOLE_FILES: Room = Room { total: 4, per_party: 2, waiting_per_party: 64, waiting: 1_000 };
/// Maximum number of requests with documents in memory, counted by connection.
const PROVIDED: Room = Room { total: 16, per_party: 4, waiting_per_party: 32, waiting: 500 };
/// Maximum number of stored refusals of interfaces; further ones are only logged.
const REFUSALS: Rate = Rate { burst: 200.0, per_second: 20.0 };
/// Interval of the check for free space.
const LOOKED_AT_FOR: Duration = Duration::from_secs(1);

/// Connections to a listener.
pub struct Door {
    pub gate: Arc<Gate>,
    /// Proxies, relays and other nodes, which only count in the total.
    uncounted: Vec<Network>,
}

impl Door {
    /// Admits a connection, or returns the reason for its refusal.
    pub fn enter(&self, address: IpAddr) -> Result<Pass, Refusal> {
        if self.is_uncounted(address) { self.gate.enter_uncounted() } else { self.gate.enter(address) }
    }

    pub fn is_uncounted(&self, address: IpAddr) -> bool {
        self.uncounted.iter().any(|network| network.contains(address))
    }
}

pub struct Health {
    pub http: Door,
    pub smtp: Door,
    pub mllp: Door,
    pub interface_refusals: Buckets<()>,
    pub hubs: Arc<Shares<Uuid>>,
    pub fetches: Arc<Pool>,
    pub questions: Arc<Pool>,
    pub whole_files: Arc<Pool>,
    pub provided: Arc<Pool>,
    pub disk: Disk,
    audit: Mutex<Vec<String>>,
    clock_ahead_ms: AtomicI64,
}

impl Health {
    pub fn new(config: &Config) -> Self {
        let door = |name, limits, uncounted: &[Network]| Door {
            gate: Gate::new(name, limits),
            uncounted: uncounted.to_vec(),
        };
        let http = &config.http;
        let http_limits = Limits {
            total: http.connections,
            reserve: http.connections / 4,
            per_address: http.connections_per_address,
            per_network: http.connections_per_address.saturating_mul(4),
            per_known_address: http.connections / 2,
        };
        let smtp = &config.smtp;
        let smtp_limits = Limits {
            total: smtp.connections,
            reserve: smtp.connections / 4,
            per_address: smtp.connections_per_address,
            per_network: smtp.connections_per_address.saturating_mul(2),
            per_known_address: smtp.connections / 4,
        };
        let interfaces = &config.interfaces;
        let mllp_limits = Limits {
            total: interfaces.connections,
            reserve: interfaces.connections / 4,
            per_address: interfaces.connections_per_address,
            per_network: interfaces.connections_per_address.saturating_mul(2),
            per_known_address: interfaces.connections / 2,
        };
        Self {
            http: door("HTTP", http_limits, &http.trusted_proxies),
            smtp: door("SMTP", smtp_limits, &smtp.own_networks),
            mllp: door("MLLP", mllp_limits, &[]),
            interface_refusals: Buckets::new(REFUSALS),
            hubs: Shares::new(HUBS_OF_A_SESSION),
            fetches: Pool::new("Requests to outside servers", FETCHES),
            questions: Pool::new("DNS queries", QUESTIONS),
            whole_files: Pool::new("Type checks of uploads", WHOLE_FILES),
            provided: Pool::new("Documents provided by systems", PROVIDED),
            disk: Disk::new(config),
            audit: Mutex::default(),
            clock_ahead_ms: AtomicI64::default(),
        }
    }

    /// The listeners, for operators.
    pub fn gates(&self) -> Vec<GateState> {
        vec![self.http.gate.report(), self.smtp.gate.report(), self.mllp.gate.report()]
    }

    /// The pools of this node, for operators.
    pub fn pools(&self) -> [PoolState; 4] {
        [&self.fetches, &self.questions, &self.whole_files, &self.provided].map(|pool| pool.report())
    }

    /// Difference of this node's clock and the database's at the last comparison; positive if the node is ahead.
    pub fn clock_ahead(&self) -> TimeDelta {
        TimeDelta::milliseconds(self.clock_ahead_ms.load(Relaxed))
    }

    pub(crate) fn note_clock(&self, ahead: TimeDelta) {
        self.clock_ahead_ms.store(ahead.num_milliseconds(), Relaxed);
    }

    /// Problems of the audit trail, in plain words.
    pub fn audit_findings(&self) -> Vec<String> {
        self.audit.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Stores the findings about the audit trail, and logs new ones.
    pub fn note_audit(&self, findings: Vec<String>) {
        let mut known = self.audit.lock().unwrap_or_else(PoisonError::into_inner);
        for finding in findings.iter().filter(|finding| !known.contains(finding)) {
            tracing::error!(finding, "the audit trail has a problem");
        }
        *known = findings;
    }
}

/// The disks of database and documents. Below a minimum of free space, nothing is accepted, so that running work can
/// finish and people can still read.
pub struct Disk {
    folders: Vec<PathBuf>,
    floor: u64,
    seen: Mutex<Option<(Instant, Option<u64>)>>,
    was_full: AtomicBool,
}

impl Disk {
    fn new(config: &Config) -> Self {
        let mut folders = Vec::new();
        if config.blobs.s3.is_none() {
            folders.push(config.blob_dir());
        }
        if config.database.url.is_none() {
            folders.push(config.data_dir.clone());
        }
        Self {
            folders,
            floor: config.blobs.keep_free_bytes,
            seen: Mutex::default(),
            was_full: AtomicBool::default(),
        }
    }

    pub fn floor(&self) -> u64 {
        self.floor
    }

    /// Free bytes of the fullest disk; `None` if storage is elsewhere.
    pub fn free(&self) -> Option<u64> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, free)) = *seen
            && at.elapsed() < LOOKED_AT_FOR
        {
            return free;
        }
        let of = |folder: &PathBuf| {
            let disk = rustix::fs::statvfs(folder).ok()?;
            Some(disk.f_bavail.saturating_mul(disk.f_frsize))
        };
        let free = self.folders.iter().filter_map(of).min();
        *seen = Some((Instant::now(), free));
        free
    }

    /// Whether there is too little space to accept anything. The log has the beginning and end of such times.
    pub fn is_full(&self) -> bool {
        let is_full = self.free().is_some_and(|free| free < self.floor);
        match (self.was_full.swap(is_full, Relaxed), is_full) {
            (false, true) => tracing::error!(floor = self.floor, "the disk is full: nothing is accepted"),
            (true, false) => tracing::info!("the disk has enough free space again"),
            _ => {}
        }
        is_full
    }

    /// Refuses if there is too little space to accept anything.
    pub fn room(&self) -> Result<()> {
        if self.is_full() { Err(Error::Full) } else { Ok(()) }
    }
}
