//! Bundles: the entries of a page, and the address of the next one.

use crate::connection::{Answer, Connection};
use crate::json::{inner, list, text};
use crate::problem::Problem;
use crate::read::resource_type;
use chrono::NaiveDate;
use serde_json::Value;
use url::Url;

/// Pages read of one list.
pub const PAGES_MAX: usize = 10;
/// Entries read of one list.
pub const ENTRIES_MAX: usize = 500;

/// One page of a list.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Page {
    /// The matches: without what was only included, and without remarks of the server.
    pub entries: Vec<Value>,
    /// Address of the next page, as it is written.
    pub next: Option<String>,
    /// The number of matches that the server claims.
    pub total: Option<u64>,
}

/// All pages of a list.
pub(crate) struct List {
    pub(crate) entries: Vec<Value>,
    pub(crate) is_cut: bool,
    pub(crate) total: Option<u64>,
    pub(crate) warnings: Vec<String>,
    pub(crate) today: NaiveDate,
}

/// The page in an answer; `None` if it is no bundle of a search or operation.
pub fn page(mut bundle: Value) -> Option<Page> {
    if resource_type(&bundle) != Some("Bundle") {
        return None;
    }
    let next = list(&bundle, "link").find(|link| text(link, "relation") == Some("next"));
    let next = next.and_then(|link| text(link, "url")).map(str::to_owned);
    let total = bundle.get("total").and_then(Value::as_u64);
    let entries = match bundle.get_mut("entry").map(Value::take) {
        Some(Value::Array(entries)) => entries,
        _ => Vec::new(),
    };
    let entries = entries
        .into_iter()
        .filter(is_match)
        .filter_map(|mut entry| entry.get_mut("resource").map(Value::take).filter(Value::is_object));
    Some(Page { entries: entries.collect(), next, total })
}

fn is_match(entry: &Value) -> bool {
    let is_outcome = resource_type(inner(entry, "resource")) == Some("OperationOutcome");
    matches!(text(inner(entry, "search"), "mode"), Some("match") | None) && !is_outcome
}

/// The next page's address, if it is below the base address: the token goes nowhere else.
pub fn next_below(base: &Url, next: &str) -> Option<Url> {
    let url = base.join(next).ok()?;
    let is_below = url.origin() == base.origin() && url.path().starts_with(base.path().trim_end_matches('/'));
    let rest = url.path().get(base.path().len() - 1..).unwrap_or_default();
    let has_user = !url.username().is_empty() || url.password().is_some();
    (is_below && (rest.is_empty() || rest.starts_with('/')) && !has_user).then_some(url)
}

/// Reads the pages of a list, beginning with this answer.
pub(crate) async fn read(connection: &Connection, first: Answer) -> Result<List, Problem> {
    let today = first.today();
    let mut page = page_of(first)?;
    let mut found =
        List { entries: Vec::new(), is_cut: false, total: page.total, warnings: Vec::new(), today };
    let mut visited: Vec<Url> = Vec::new();
    loop {
        found.entries.append(&mut page.entries);
        if found.entries.len() > ENTRIES_MAX {
            found.entries.truncate(ENTRIES_MAX);
            found.is_cut = true;
            break;
        }
        let Some(next) = page.next else { break };
        if visited.len() + 1 == PAGES_MAX || found.entries.len() == ENTRIES_MAX {
            found.is_cut = true;
            break;
        }
        let Some(next) = next_below(connection.base(), &next) else {
            found.is_cut = true;
            found.warnings.push("The list continues at another address, which was not read.".into());
            break;
        };
        if visited.contains(&next) {
            return Err(Problem::TooManyPages);
        }
        page = page_of(connection.get(&next).await?)?;
        visited.push(next);
    }
    Ok(found)
}

fn page_of(answer: Answer) -> Result<Page, Problem> {
    page(answer.body).ok_or(Problem::Unreadable)
}
