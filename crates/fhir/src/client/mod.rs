//! The client of one EHR.

mod documents;
mod facts;
mod patients;

pub use crate::connection::Access;

use crate::bundle::{self, List};
use crate::connection::Connection;
use crate::model::{Found, Offers};
use crate::problem::Problem;
use crate::read;
use fetch::HttpFetcher;
use serde_json::Value;
use std::sync::Arc;
use tokio::sync::OnceCell;

/// Entries asked for per page.
const PAGE: &str = "100";

/// The client of one EHR, with the access of one app or person. Clones share what was learned about the server.
#[derive(Debug, Clone)]
pub struct Client {
    connection: Connection,
    offers: Arc<OnceCell<Offers>>,
}

impl Client {
    /// A client of the server at this base address.
    pub fn new(http: HttpFetcher, base: &str, access: Access) -> Result<Self, Problem> {
        Ok(Self { connection: Connection::new(http, base, access)?, offers: Arc::default() })
    }

    /// What the EHR says that it offers. Read once.
    pub async fn offers(&self) -> Result<Offers, Problem> {
        self.offers.get_or_try_init(|| self.read_offers()).await.cloned()
    }

    /// Takes over what the EHR said earlier, so that it is not read again.
    pub fn know_offers(&self, offers: Offers) {
        // What was read meanwhile is newer.
        let _ = self.offers.set(offers);
    }

    async fn read_offers(&self) -> Result<Offers, Problem> {
        match self.connection.get(&self.connection.url(&["metadata"])).await {
            // Every FHIR server has this.
            Err(Problem::NotFound) => Err(Problem::Address),
            statement => read::offers(&statement?.body).ok_or(Problem::Unreadable),
        }
    }

    /// All pages of a search.
    async fn search(&self, kind: &str, parameters: &[(&str, String)]) -> Result<List, Problem> {
        let parameters = [parameters, &[("_count", PAGE.to_owned())]].concat();
        match self.connection.search(kind, &parameters).await {
            Err(Problem::NotFound) => Err(Problem::NotOffered),
            first => bundle::read(&self.connection, first?).await,
        }
    }

    /// Like [`Self::search`] with a sort order, or without it if the server refuses that.
    async fn search_sorted(
        &self,
        kind: &str,
        parameters: &[(&str, String)],
        order: &str,
    ) -> Result<List, Problem> {
        let sorted = [parameters, &[("_sort", order.to_owned())]].concat();
        match self.search(kind, &sorted).await {
            Err(Problem::Refused { status: 400 | 422, .. }) => self.search(kind, parameters).await,
            list => list,
        }
    }
}

/// What was read of a list; entries of the right type that cannot be read are counted.
fn found<T>(list: List, kinds: &[&str], reads: impl Fn(&Value) -> Option<T>) -> Found<T> {
    let List { entries, is_cut, total, mut warnings, .. } = list;
    let relevant =
        entries.iter().filter(|e| read::resource_type(e).is_some_and(|kind| kinds.contains(&kind)));
    let mut unreadable = 0;
    let mut items = Vec::new();
    for entry in relevant {
        match reads(entry) {
            Some(item) => items.push(item),
            None => {
                unreadable += usize::from(!read::is_id(crate::json::text(entry, "id").unwrap_or_default()))
            }
        }
    }
    if unreadable > 0 {
        warnings.push(left_out(unreadable, "cannot be read"));
    }
    Found { items, is_cut, total, warnings }
}

/// `2 entries do not match and are left out.`
fn left_out(count: usize, why: &str) -> String {
    match count {
        1 => format!("1 entry was left out: it {why}."),
        _ => format!("{count} entries were left out: they {}.", why.replacen("does", "do", 1)),
    }
}
