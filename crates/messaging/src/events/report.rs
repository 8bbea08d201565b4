//! Events of messages as a PDF report.

use super::queries::EventsReport;
use crate::pdf_report;
use axum::response::Response;
use chrono::{DateTime, Utc};
use platform::{App, Member, Result};

const COLUMNS: [(&str, f32); 6] =
    [("Time (UTC)", 2.2), ("Event", 1.1), ("Way", 1.5), ("From", 2.6), ("To", 2.6), ("User", 1.6)];

/// The newest events of a report, as PDF.
pub async fn pdf(
    app: &App,
    member: &Member,
    report: EventsReport,
    start: DateTime<Utc>,
    end: DateTime<Utc>,
) -> Result<Response> {
    let (lines, has_more) = pdf_report::lines(app, report).await?;
    let mut about = vec![format!("From {} to {}", pdf_report::time(start), pdf_report::time(end))];
    if has_more {
        about
            .push("Only the newest 2,000 events are listed. Choose an earlier period for older ones.".into());
    }
    let rows = lines.into_iter().map(row).collect();
    pdf_report::download(app, member, "Activity report", about, COLUMNS, rows).await
}

fn row([time, event, direction, source, from, to, user, _]: [String; 8]) -> [String; 6] {
    let way = if source.is_empty() { direction } else { source };
    [time, event, way, from, to, user]
}
