//! The figures in OpenMetrics format. `docs/monitoring.md` lists the names.

use super::{Requests, STARTED};
use admission::{GateState, PoolState};
use console::traffic::Figures;
use platform::App;
use prometheus_client::{
    encoding::{EncodeLabelSet, text::encode},
    metrics::{family::Family, gauge::Gauge},
    registry::Registry,
};
use std::{fmt::Debug, hash::Hash};

/// Figures of the node that is asked.
pub struct OfNode {
    gates: Vec<GateState>,
    pools: Vec<PoolState>,
    disk_free: Option<u64>,
    disk_floor: u64,
    audit_findings: usize,
    resident_bytes: Option<u64>,
}

impl OfNode {
    pub fn of(app: &App) -> Self {
        let health = &app.health;
        Self {
            gates: health.gates(),
            pools: app.pools(),
            disk_free: health.disk.free(),
            disk_floor: health.disk.floor(),
            audit_findings: health.audit_findings().len(),
            resident_bytes: resident_bytes(),
        }
    }
}

fn resident_bytes() -> Option<u64> {
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    let resident: u64 = pages.split_whitespace().nth(1)?.parse().ok()?;
    Some(resident * rustix::param::page_size() as u64)
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Lane {
    lane: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Workflow {
    line: String,
    status: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Alert {
    alert: String,
    status: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Named {
    name: &'static str,
}

type Row<L> = (L, u64);

fn gauge(registry: &mut Registry, name: &str, help: &str, value: u64) {
    let gauge: Gauge = Gauge::default();
    gauge.set(whole(value));
    registry.register(name, help, gauge);
}

fn gauges<L>(registry: &mut Registry, name: &str, help: &str, rows: impl IntoIterator<Item = Row<L>>)
where
    L: Clone + Debug + Hash + Eq + EncodeLabelSet + Send + Sync + 'static,
{
    let family = Family::<L, Gauge>::default();
    for (labels, value) in rows {
        family.get_or_create(&labels).set(whole(value));
    }
    registry.register(name, help, family);
}

fn whole(value: u64) -> i64 {
    value.try_into().unwrap_or(i64::MAX)
}

/// The available figures: without [`Figures`], only those of the node.
pub fn text(is_database_up: bool, shared: Option<&Figures>, node: &OfNode, requests: &Requests) -> String {
    let mut registry = Registry::default();
    let help = "Whether the database answers this node";
    gauge(&mut registry, "carepost_database_up", help, is_database_up.into());
    if let Some(shared) = shared {
        of_the_installation(&mut registry, shared);
    }
    of_the_node(&mut registry, node);
    requests.register(&mut registry);
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = encode(&mut text, &registry);
    text
}

fn of_the_installation(registry: &mut Registry, figures: &Figures) {
    let lane = |lane: &workflow::LaneState| Lane { lane: lane.lane.to_string() };
    let count = |n: i64| u64::try_from(n).unwrap_or_default();
    let lanes = &figures.lanes;
    let of_lanes =
        |value: fn(&workflow::LaneState) -> i64| lanes.iter().map(move |l| (lane(l), count(value(l))));
    gauges(registry, "carepost_steps_waiting", "Steps that are due, by lane", of_lanes(|l| l.waiting));
    gauges(registry, "carepost_steps_busy", "Steps that a worker runs, by lane", of_lanes(|l| l.busy));
    let ages = lanes.iter().map(|l| {
        let age = l.oldest.map_or(0, |oldest| (figures.at - oldest).num_seconds());
        (lane(l), count(age))
    });
    gauges(
        registry,
        "carepost_steps_oldest_seconds",
        "How long the oldest due step has waited, by lane",
        ages,
    );
    let workflows = figures
        .workflows
        .iter()
        .map(|w| (Workflow { line: w.line.clone(), status: w.status.name() }, count(w.count)));
    let help = "Workflows that began within the last hour, by channel and state";
    gauges(registry, "carepost_workflows_last_hour", help, workflows);
    gauge(
        registry,
        "carepost_nodes_at_work",
        "Nodes seen within the last minute",
        figures.nodes_at_work as u64,
    );
    gauge(registry, "carepost_nodes_silent", "Nodes that stopped answering", figures.nodes_silent as u64);
    let alerts = figures
        .alerts
        .iter()
        .map(|(alert, status)| (Alert { alert: alert.clone(), status: status.to_string() }, 1));
    gauges(registry, "carepost_alert", "System alerts of the console", alerts);
}

fn of_the_node(registry: &mut Registry, node: &OfNode) {
    let of_gates =
        |value: fn(&GateState) -> u64| node.gates.iter().map(move |g| (Named { name: g.name }, value(g)));
    let of_pools =
        |value: fn(&PoolState) -> u64| node.pools.iter().map(move |p| (Named { name: p.name }, value(p)));
    gauges(registry, "carepost_connections", "Open connections, by listener", of_gates(|g| g.open as u64));
    let help = "Connections refused since the node started, by listener";
    gauges(registry, "carepost_connections_refused", help, of_gates(|g| g.refused));
    gauges(registry, "carepost_pool_used", "Used places, by pool", of_pools(|p| p.used));
    gauges(registry, "carepost_pool_places", "Total places, by pool", of_pools(|p| p.total));
    gauges(
        registry,
        "carepost_pool_waiting",
        "Work that waits for a place, by pool",
        of_pools(|p| p.waiting as u64),
    );
    let help = "Work refused since the node started, by pool";
    gauges(registry, "carepost_pool_refused", help, of_pools(|p| p.refused));
    if let Some(free) = node.disk_free {
        gauge(registry, "carepost_disk_free_bytes", "Free bytes of the fullest disk", free);
    }
    let help = "Minimum of free disk bytes; below it, nothing is accepted";
    gauge(registry, "carepost_disk_floor_bytes", help, node.disk_floor);
    let help = "Findings in the audit trail";
    gauge(registry, "carepost_audit_findings", help, node.audit_findings as u64);
    if let Some(bytes) = node.resident_bytes {
        gauge(registry, "process_resident_memory_bytes", "Memory of the process", bytes);
    }
    let help = "Start of the process";
    gauge(registry, "process_start_time_seconds", help, u64::try_from(*STARTED).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_the_database_a_node_says_what_it_knows() {
        let node = OfNode {
            gates: Vec::new(),
            pools: Vec::new(),
            disk_free: Some(7),
            disk_floor: 1,
            audit_findings: 0,
            resident_bytes: None,
        };
        let text = text(false, None, &node, &Requests::default());
        assert!(text.contains("carepost_database_up 0\n") && text.contains("carepost_disk_free_bytes 7\n"));
        assert!(!text.contains("carepost_steps_waiting"), "{text}");
    }
}
