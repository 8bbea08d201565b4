//! Reports as CSV (RFC 4180).

use crate::{App, Result, download};
use axum::{
    body::Body,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use chrono::{DateTime, SecondsFormat, Utc};
use futures::{Stream, stream};
use std::io;

/// A report with `N` columns that is read in pieces, so that neither memory nor transaction time grows with it.
pub trait Report<const N: usize>: Send + 'static {
    const COLUMNS: [&'static str; N];

    /// The lines of the next piece, possibly empty; `None` after the last.
    fn next(&mut self, app: &App) -> impl Future<Output = Result<Option<Vec<[String; N]>>>> + Send;
}

/// A report with its column names, as a file with a name.
pub fn download<const N: usize>(app: App, file_name: &str, report: impl Report<N>) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/csv; charset=utf-8")),
        (header::CONTENT_DISPOSITION, download::attachment(file_name)),
    ];
    (headers, Body::from_stream(pieces(app, report))).into_response()
}

/// The column names of a report and its pieces, as parts of a file.
pub fn pieces<const N: usize, R: Report<N>>(
    app: App,
    report: R,
) -> impl Stream<Item = Result<Vec<u8>, io::Error>> + Send + use<N, R> {
    let heads = Some(R::COLUMNS.map(str::to_owned));
    stream::try_unfold((app, report, heads), |(app, mut report, heads)| async move {
        if let Some(heads) = heads {
            return Ok(Some((lines(&[heads])?, (app, report, None))));
        }
        let piece = report.next(&app).await.map_err(|e| io::Error::other(format!("{e:?}")))?;
        let Some(piece) = piece else { return Ok(None) };
        Ok(Some((lines(&piece)?, (app, report, None))))
    })
}

/// A time as a cell: RFC 3339 in UTC, with seconds.
pub fn time(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// Characters that spreadsheets take for the beginning of a formula or a command (OWASP, CSV injection), including
/// the full-width forms that some accept.
const FORMULA_STARTS: [char; 12] =
    ['=', '+', '-', '@', '|', '\t', '\r', '\n', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];

/// Separators of other locales, at which spreadsheets end a cell even within quotes.
const OTHER_SEPARATOR: char = ';';

/// A text that spreadsheets do not take for a formula, even if they split it into several cells.
pub fn inert(text: &str) -> String {
    let cell = |cell: &str| {
        let begins = cell.trim_start_matches([' ', '"']).starts_with(FORMULA_STARTS);
        if begins { format!("'{cell}") } else { cell.to_owned() }
    };
    text.split(OTHER_SEPARATOR).map(cell).collect::<Vec<_>>().join(";")
}

/// The original text of a result of [`inert`].
pub fn plain(text: String) -> String {
    let cell = |cell: &str| {
        let inner = cell.strip_prefix('\'');
        let begins = |inner: &&str| inner.trim_start_matches([' ', '"']).starts_with(FORMULA_STARTS);
        inner.filter(begins).unwrap_or(cell).to_owned()
    };
    text.split(OTHER_SEPARATOR).map(cell).collect::<Vec<_>>().join(";")
}

/// The lines as a piece of a file.
fn lines<const N: usize>(lines: &[[String; N]]) -> Result<Vec<u8>, io::Error> {
    let mut csv = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    for line in lines {
        csv.write_record(line)?;
    }
    csv.into_inner().map_err(|e| e.into_error())
}

#[cfg(test)]
mod tests {
    use super::{inert, plain};

    #[test]
    fn a_cell_begins_no_formula() {
        for text in ["=1+1", "+1", "-1", "@SUM(A1)", "|cmd", "\t=1", "\u{ff1d}1+1", "\u{ff0b}1", "\u{ff20}A1"]
        {
            assert_eq!(inert(text), format!("'{text}"));
            assert_eq!(plain(inert(text)), text);
        }
        for (text, kept) in [("Dana;=1+1", "Dana;'=1+1"), ("Dana;\"=1", "Dana;'\"=1"), ("; @A1", ";' @A1")] {
            assert_eq!((inert(text).as_str(), plain(kept.into()).as_str()), (kept, text));
        }
        assert_eq!(plain("'t Hooft".into()), "'t Hooft");
        assert_eq!(inert("Dana | Reyes = 1"), "Dana | Reyes = 1");
    }
}
