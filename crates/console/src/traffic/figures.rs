//! The figures of the dashboard, for monitoring software.

use super::{
    alerts,
    channels::{Line, with_status},
};
use crate::workflows::types::RunStatus;
use chrono::{DateTime, Duration, Utc};
use platform::{App, Result, nodes};
use store::entities::alert_acknowledgement::AlertStatus;
use workflow::{LaneState, lane_states};

/// Figures that are the same on every node.
pub struct Figures {
    pub at: DateTime<Utc>,
    pub lanes: Vec<LaneState>,
    /// Number of workflows that began within the last hour.
    pub workflows: Vec<Workflows>,
    pub nodes_at_work: usize,
    pub nodes_silent: usize,
    /// Alerts: subject and severity.
    pub alerts: Vec<(String, AlertStatus)>,
}

pub struct Workflows {
    /// For example `Direct outbound`.
    pub line: String,
    pub status: RunStatus,
    pub count: i64,
}

/// Reads all figures, with a few index queries.
pub async fn figures(app: &App) -> Result<Figures> {
    let (db, now) = (app.store.db(), app.clock.now());
    let nodes = nodes::all(app).await?;
    let nodes_at_work = nodes.iter().filter(|node| nodes::is_at_work(node, nodes::now(app))).count();
    let mut workflows = Vec::new();
    for line in Line::all() {
        for status in [RunStatus::Completed, RunStatus::Failed, RunStatus::Pending, RunStatus::Running] {
            let count = with_status(db, &line, status, now - Duration::hours(1)).await?;
            workflows.push(Workflows { line: line.name.clone(), status, count });
        }
    }
    let alerts = alerts::find(app).await?;
    Ok(Figures {
        at: now,
        lanes: lane_states(db, now).await?,
        workflows,
        nodes_at_work,
        nodes_silent: nodes.len() - nodes_at_work,
        alerts: alerts.into_iter().map(|alert| (alert.id, alert.status)).collect(),
    })
}
