//! Reading the directory. One of the things asked for leads: its index is read in its order and the others are told
//! from the same index, so that a page and its count end early however many entries there are. Which one leads is
//! found by counting a little of each.

use super::rules::Criteria;
use crate::entry::Kind;
use platform::{
    Result,
    http::{COUNT_CAP, Page},
};
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DbErr, EntityTrait, ExprTrait, QueryFilter,
    sea_query::{Alias, Condition, Expr, IntoIden, Order, Query, SelectStatement},
};
use std::collections::HashMap;
use store::entities::{directory_entry, directory_word};
use uuid::Uuid;

/// Whoever has more than so many entries does not lead while another has fewer.
const PROBE: u64 = 5_000;
/// Totals are exact up to here: screens show 99+ above it.
const COUNTED: u64 = 100;
/// Follows every text that begins with the one before it, byte by byte.
const END: char = '\u{10FFFF}';

/// A page and the number of all entries. Who reads on is told of the next page, however far it is: the number is exact
/// up to [`COUNTED`], up to the end of the next page, and never above [`COUNT_CAP`], where pages end.
pub struct Found {
    pub entries: Vec<directory_entry::Model>,
    pub total: u64,
}

pub async fn search(db: &DatabaseConnection, criteria: &Criteria, kind: Kind, page: Page) -> Result<Found> {
    let Some(lead) = leader(db, criteria, kind).await? else {
        return Ok(Found { entries: Vec::new(), total: 0 });
    };
    let counted = (page.offset() + 2 * page.size).clamp(COUNTED, COUNT_CAP);
    // Page and number in one go: where few fit, both would look through all that the lead has.
    let ids = db.query_all(lead.fitting(criteria, kind).limit(counted)).await?;
    let on_page = ids.iter().skip(page.offset() as usize).take(page.size as usize);
    let on_page = on_page.map(|row| row.try_get_by_index::<Uuid>(0)).collect::<Result<Vec<_>, _>>()?;
    Ok(Found { entries: in_order(db, on_page).await?, total: ids.len() as u64 })
}

async fn in_order(db: &DatabaseConnection, ids: Vec<Uuid>) -> Result<Vec<directory_entry::Model>> {
    use sea_orm::ColumnTrait;
    let these = directory_entry::Column::Id.is_in(ids.iter().copied());
    let rows = directory_entry::Entity::find().filter(these).all(db).await?;
    let mut by_id: HashMap<Uuid, _> = rows.into_iter().map(|row| (row.id, row)).collect();
    Ok(ids.iter().filter_map(|id| by_id.remove(id)).collect())
}

async fn count(db: &DatabaseConnection, entries: &SelectStatement, limit: u64) -> Result<u64> {
    let some = entries.clone().limit(limit).to_owned();
    let number = Query::select().expr(Expr::cust("COUNT(*)")).from_subquery(some, "counted").to_owned();
    let row = db.query_one(&number).await?.ok_or_else(|| DbErr::RecordNotFound("a count".into()))?;
    Ok(row.try_get_by_index::<i64>(0)?.unsigned_abs())
}

async fn leader(db: &DatabaseConnection, criteria: &Criteria, kind: Kind) -> Result<Option<Lead>> {
    if !criteria.can_be(kind) {
        return Ok(None);
    }
    let mut candidates = Lead::candidates(criteria);
    if candidates.len() == 1 {
        return Ok(candidates.pop());
    }
    let mut fewest = None;
    for lead in candidates {
        let number = count(db, &lead.led(criteria, kind), PROBE).await?;
        if number == 0 {
            return Ok(None);
        }
        if fewest.as_ref().is_none_or(|(least, _)| number < *least) {
            fewest = Some((number, lead));
        }
    }
    Ok(fewest.map(|(_, lead)| lead))
}

/// What may lead.
#[derive(Clone, Debug)]
enum Lead {
    Zip,
    Last,
    /// Of a state.
    State,
    City,
    First,
    Word(String),
}

impl Lead {
    /// Whatever is asked for. Of two that are as frequent the first one leads.
    fn candidates(criteria: &Criteria) -> Vec<Self> {
        let mut leads = Vec::new();
        let mut add = |asked: bool, lead| asked.then(|| leads.push(lead));
        add(!criteria.zip.is_empty(), Self::Zip);
        add(!criteria.last.is_empty() && criteria.state.is_empty(), Self::Last);
        add(!criteria.state.is_empty(), Self::State);
        add(!criteria.city.is_empty(), Self::City);
        add(!criteria.first.is_empty(), Self::First);
        leads.extend(criteria.words.iter().cloned().map(Self::Word));
        leads
    }

    /// The entries of the lead alone, in its order.
    fn led(&self, criteria: &Criteria, kind: Kind) -> SelectStatement {
        let mut entries = Query::select();
        let (table, id): (_, &str) = match self {
            Self::Word(_) => (directory_word::Entity.into_iden(), "entry_id"),
            _ => (directory_entry::Entity.into_iden(), "id"),
        };
        entries.from_as(table, "lead").expr_as(of("lead", id), "id");
        entries.and_where(of("lead", "kind").eq(kind as i16));
        match self {
            Self::Zip => begins(&mut entries, "zip", &criteria.zip),
            Self::Last => begins(&mut entries, "last_key", &criteria.last),
            Self::State => {
                entries.and_where(of("lead", "state").eq(criteria.state.as_str()));
                begins(&mut entries, "last_key", &criteria.last);
            }
            Self::City => begins(&mut entries, "city_key", &criteria.city),
            Self::First => begins(&mut entries, "first_key", &criteria.first),
            Self::Word(word) => {
                begins(&mut entries, "word", word);
                entries.and_where(of("lead", "word_before").not_like(format!("{word}%")));
            }
        }
        for column in self.order() {
            entries.order_by_expr(of("lead", column), Order::Asc);
        }
        entries
    }

    /// The entries of the lead that have the rest too.
    fn fitting(&self, criteria: &Criteria, kind: Kind) -> SelectStatement {
        let mut entries = self.led(criteria, kind);
        let Self::Word(led_by) = self else {
            entries.cond_where(rest("lead", criteria));
            for word in &criteria.words {
                entries.and_where(has_word("lead", word));
            }
            return entries;
        };
        // A word's row knows names and state; for the rest its entry is asked.
        let names = Criteria { city: String::new(), zip: String::new(), ..criteria.clone() };
        entries.cond_where(rest("lead", &names));
        let others: Vec<&String> = criteria.words.iter().filter(|word| *word != led_by).collect();
        if !others.is_empty() || !criteria.city.is_empty() || !criteria.zip.is_empty() {
            let same = of("entry", "id").equals((Alias::new("lead"), Alias::new("entry_id")));
            entries.join_as(sea_orm::JoinType::InnerJoin, directory_entry::Entity, "entry", same);
            let place =
                Criteria { city: criteria.city.clone(), zip: criteria.zip.clone(), ..Criteria::default() };
            entries.cond_where(rest("entry", &place));
            for word in others {
                entries.and_where(has_word("entry", word));
            }
        }
        entries
    }

    /// The columns of its index.
    fn order(&self) -> &'static [&'static str] {
        match self {
            Self::Zip => &["zip", "last_key", "first_key", "id"],
            Self::Last | Self::State => &["last_key", "first_key", "id"],
            Self::City => &["city_key", "last_key", "first_key", "id"],
            Self::First => &["first_key", "last_key", "id"],
            Self::Word(_) => &["word", "last_key", "first_key", "entry_id"],
        }
    }
}

fn of(table: &'static str, column: &'static str) -> Expr {
    Expr::col((Alias::new(table), Alias::new(column)))
}

/// A range of an index.
fn begins(entries: &mut SelectStatement, column: &'static str, with: &str) {
    if !with.is_empty() {
        entries
            .and_where(of("lead", column).gte(with))
            .and_where(of("lead", column).lt(format!("{with}{END}")));
    }
}

/// Written so that no database takes it for the range of an index. The texts hold letters, digits and spaces only.
fn rest(table: &'static str, criteria: &Criteria) -> Condition {
    let beginnings = [
        ("last_key", &criteria.last),
        ("first_key", &criteria.first),
        ("city_key", &criteria.city),
        ("zip", &criteria.zip),
        ("state", &criteria.state),
    ];
    beginnings
        .into_iter()
        .filter(|(_, with)| !with.is_empty())
        .fold(Condition::all(), |all, (column, with)| all.add(of(table, column).like(format!("{with}%"))))
}

fn has_word(table: &'static str, word: &str) -> Expr {
    of(table, "words").like(format!("% {word}%"))
}
