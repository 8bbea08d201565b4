//! Reports as PDF, to be kept and printed.

use axum::{
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use chrono::{DateTime, Utc};
use documents::report::Report as Paper;
use platform::{
    App, Error, Member, Result,
    csv::{Report, plain},
    download as file,
};
use sea_orm::EntityTrait;
use store::entities::organization;

/// Maximum number of lines of a PDF; larger reports need a spreadsheet.
pub const SIZE: usize = 2_000;

/// The first lines of a report, up to the maximum of a PDF, and whether there are more. Text is not escaped as for
/// spreadsheets: a PDF has no formulas.
pub async fn lines<const N: usize>(
    app: &App,
    mut report: impl Report<N>,
) -> Result<(Vec<[String; N]>, bool)> {
    let mut lines = Vec::new();
    while lines.len() <= SIZE {
        let Some(piece) = report.next(app).await? else { break };
        lines.extend(piece.into_iter().map(|line| line.map(plain)));
    }
    let has_more = lines.len() > SIZE;
    lines.truncate(SIZE);
    Ok((lines, has_more))
}

/// A time, as shown below the title.
pub fn time(at: DateTime<Utc>) -> String {
    at.format("%m/%d/%Y %H:%M UTC").to_string()
}

/// A report as PDF: organization, subject, time of creation, and columns of given widths.
pub async fn download<const N: usize>(
    app: &App,
    member: &Member,
    title: &'static str,
    about: Vec<String>,
    columns: [(&str, f32); N],
    rows: Vec<[String; N]>,
) -> Result<Response> {
    let organization = organization::Entity::find_by_id(member.organization_id).one(app.store.db()).await?;
    let now = app.clock.now();
    let mut head = vec![organization.map(|o| o.name).unwrap_or_default(), format!("As of {}", time(now))];
    head.extend(about);
    let paper = Paper {
        title: title.into(),
        head,
        at: now.naive_utc(),
        columns: columns.iter().map(|(name, _)| (*name).to_owned()).collect(),
        shares: columns.iter().map(|(_, share)| *share).collect(),
        rows: rows.into_iter().map(Vec::from).collect(),
    };
    let drawn = tokio::task::spawn_blocking(move || paper.to_pdf()).await.map_err(Error::internal)?;
    let pdf = drawn.ok_or_else(|| Error::internal("the report could not be rendered"))?;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/pdf")),
        (header::CONTENT_DISPOSITION, file::attachment(&format!("{title}.pdf"))),
    ];
    Ok((headers, pdf).into_response())
}
