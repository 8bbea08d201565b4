//! Searches the directory. One criterion drives each search: its index is read in order and the other criteria are
//! checked against the same index, so that a page and its count stop early however many entries there are. Counting up
//! to [`PROBE`] matches of each criterion finds the most selective one to drive. Where all are frequent, a rare pair of
//! words does.

use super::rules::Criteria;
use crate::entry::Kind;
use platform::{
    Result,
    http::{COUNT_CAP, Page},
};
use sea_orm::{
    ConnectionTrait, DbErr, EntityTrait, ExprTrait, QueryFilter, Statement,
    sea_query::{Alias, Asterisk, Condition, Expr, IntoIden, Order, Query, SelectStatement, UnionType},
};
use std::collections::HashMap;
use store::{
    Database,
    entities::{directory_entry, directory_pair, directory_word},
};
use uuid::Uuid;

/// Matches of a criterion that are counted to compare it with the others.
const PROBE: u64 = 5_000;
/// Totals are exact up to this number; screens show 99+ above it.
const COUNTED: u64 = 100;
/// Most cities that are searched one by one.
const MAX_CITIES: usize = 16;
/// Most words that the first word of a pair may be a prefix of.
const MAX_COMPLETIONS: usize = 64;
/// How many of the words are combined into pairs.
const PAIRED_WORDS: usize = 5;
/// Appended to a prefix it sorts after every text with that prefix.
const AFTER_ALL: char = '\u{10FFFF}';

/// A page and the total number of matches. The total is exact up to [`COUNTED`] and up to the end of the next page, and
/// never above [`COUNT_CAP`], where pages end.
pub struct Found {
    pub entries: Vec<directory_entry::Model>,
    pub total: u64,
}

pub async fn search(db: &Database, criteria: &Criteria, kind: Kind, page: Page) -> Result<Found> {
    let Some(lead) = choose_lead(db, criteria, kind).await? else {
        return Ok(Found { entries: Vec::new(), total: 0 });
    };
    let counted = (page.offset() + 2 * page.size).clamp(COUNTED, COUNT_CAP);
    // Page and total in one query: where few entries match, each would scan the whole lead.
    let matching = match lead {
        Lead::Ranges(ranges) => first_of(&ranges, counted, |range| range.matching(criteria, kind)),
        Lead::Pairs(pairs) => with_pairs(&pairs, criteria, kind).limit(counted).to_owned(),
    };
    let ids = db.query_all(&matching).await?;
    let on_page = ids.iter().skip(page.offset() as usize).take(page.size as usize);
    let on_page = on_page.map(|row| row.try_get_by_index::<Uuid>(0)).collect::<Result<Vec<_>, _>>()?;
    Ok(Found { entries: in_order(db, on_page).await?, total: ids.len() as u64 })
}

async fn in_order(db: &Database, ids: Vec<Uuid>) -> Result<Vec<directory_entry::Model>> {
    use sea_orm::ColumnTrait;
    let these = directory_entry::Column::Id.is_in(ids.iter().copied());
    let rows = directory_entry::Entity::find().filter(these).all(db).await?;
    let mut by_id: HashMap<Uuid, _> = rows.into_iter().map(|row| (row.id, row)).collect();
    Ok(ids.iter().filter_map(|id| by_id.remove(id)).collect())
}

async fn count(db: &Database, entries: SelectStatement) -> Result<u64> {
    let row =
        db.query_one(&count_of(entries)).await?.ok_or_else(|| DbErr::RecordNotFound("a count".into()))?;
    Ok(row.try_get_by_index::<i64>(0)?.unsigned_abs())
}

fn count_of(entries: SelectStatement) -> SelectStatement {
    Query::select().expr(Expr::cust("COUNT(*)")).from_subquery(entries, "counted").to_owned()
}

/// What drives a search.
enum Lead {
    /// Ranges of one index, read one after the other.
    Ranges(Vec<Range>),
    /// Pairs of words that fewer than [`PROBE`] entries contain.
    Pairs(Vec<Pair>),
}

/// Chooses the most selective criterion; None when nothing can match.
async fn choose_lead(db: &Database, criteria: &Criteria, kind: Kind) -> Result<Option<Lead>> {
    if !criteria.can_be(kind) {
        return Ok(None);
    }
    let cities = few_cities(db, criteria, kind).await?;
    if cities.as_ref().is_some_and(Vec::is_empty) {
        return Ok(None);
    }
    let mut candidates = candidates(criteria, cities.as_deref());
    if candidates.len() == 1 {
        return Ok(candidates.pop().map(Lead::Ranges));
    }
    let mut fewest = None;
    for lead in candidates {
        let number = count(db, any_of(&lead, PROBE, |range| range.unfiltered(criteria, kind))).await?;
        if number == 0 {
            return Ok(None);
        }
        if fewest.as_ref().is_none_or(|(least, _)| number < *least) {
            fewest = Some((number, lead));
        }
    }
    match fewest {
        Some((PROBE, lead)) => rare_pair_or(db, criteria, kind, lead).await,
        fewest => Ok(fewest.map(|(_, lead)| Lead::Ranges(lead))),
    }
}

/// Every criterion is frequent. If hardly any entry contains some two of the words together, that pair drives, since
/// `lead` would be scanned in vain; else `lead` does.
async fn rare_pair_or(
    db: &Database,
    criteria: &Criteria,
    kind: Kind,
    lead: Vec<Range>,
) -> Result<Option<Lead>> {
    let words = &criteria.words[..criteria.words.len().min(PAIRED_WORDS)];
    for (at, one) in words.iter().enumerate() {
        let first = completions(db, "word", one, kind, MAX_COMPLETIONS).await?;
        let Some(first) = first.filter(|first| !first.is_empty()) else { continue };
        // With a common prefix, both could match the same word of a name.
        for other in words[at + 1..].iter().filter(|other| !other.starts_with(one)) {
            let pairs: Vec<_> = first.iter().map(|first| Pair(format!("{first} {other}"))).collect();
            match count(db, any_of(&pairs, PROBE, |pair| pair.unfiltered(kind))).await? {
                0 => return Ok(None),
                1..PROBE => return Ok(Some(Lead::Pairs(pairs))),
                _ => {}
            }
        }
    }
    Ok(Some(Lead::Ranges(lead)))
}

/// A word and a prefix of another word of the same name, in alphabetical order, divided by a blank.
struct Pair(String);

impl Pair {
    /// The entries that contain it; an entry comes once for each word that has the prefix.
    fn unfiltered(&self, kind: Kind) -> SelectStatement {
        let mut entries = Query::select();
        entries.from_as(directory_pair::Entity, "lead").expr_as(of("lead", "entry_id"), "id");
        entries.and_where(of("lead", "kind").eq(kind as i16));
        begins(&mut entries, "pair", &self.0);
        // The order makes the database use the index of pairs instead of a scan.
        entries.order_by_expr(of("lead", "pair"), Order::Asc).to_owned()
    }
}

/// The entries that contain one of the pairs and meet all criteria, by name.
fn with_pairs(pairs: &[Pair], criteria: &Criteria, kind: Kind) -> SelectStatement {
    let mut entries = Query::select();
    entries.from_as(directory_entry::Entity, "lead").column(("lead", "id")).cond_where(rest(criteria));
    entries.and_where(of("lead", "id").in_subquery(any_of(pairs, PROBE, |pair| pair.unfiltered(kind))));
    for column in ["last_key", "first_key", "id"] {
        entries.order_by_expr(of("lead", column), Order::Asc);
    }
    entries
}

/// The cities that a search for words is limited to. None when no city is given, or when more than [`MAX_CITIES`] have
/// the prefix.
async fn few_cities(db: &Database, criteria: &Criteria, kind: Kind) -> Result<Option<Vec<String>>> {
    if criteria.words.is_empty() || criteria.city.is_empty() {
        return Ok(None);
    }
    completions(db, "city_key", &criteria.city, kind, MAX_CITIES).await
}

/// The different values of a column of the word table that have a prefix; None when there are more than `most`.
async fn completions(
    db: &Database,
    column: &str,
    prefix: &str,
    kind: Kind,
    most: usize,
) -> Result<Option<Vec<String>>> {
    let found = db.query_all_raw(distinct(db, column, prefix, kind, most + 1)).await?;
    let found = found.iter().map(|row| row.try_get_by_index(0)).collect::<Result<Vec<_>, _>>()?;
    Ok((found.len() <= most).then_some(found))
}

/// Distinct values with a prefix. Each is found by one step in the index, without reading its entries (a loose index
/// scan).
fn distinct(db: &Database, column: &str, prefix: &str, kind: Kind, most: usize) -> Statement {
    let next = |from: &str| {
        format!(
            "(SELECT {column} FROM directory_word WHERE kind = $1 AND {column} {from} AND {column} < $3 \
              ORDER BY {column} LIMIT 1)"
        )
    };
    let (first, following) = (next(">= $2"), next("> one.name"));
    let sql = format!(
        "WITH RECURSIVE one (name) AS (
            SELECT {first} UNION ALL SELECT {following} FROM one WHERE one.name IS NOT NULL)
        SELECT name FROM one WHERE name IS NOT NULL LIMIT {most}",
    );
    let end = format!("{prefix}{AFTER_ALL}");
    Statement::from_sql_and_values(
        db.get_database_backend(),
        sql,
        [(kind as i16).into(), prefix.into(), end.into()],
    )
}

/// Every criterion that can drive the search; of equally frequent ones the first does. The index of words within a place
/// covers all other criteria but the zip. Such a word is always more selective than its place, unless a last name
/// narrows the state.
fn candidates(criteria: &Criteria, cities: Option<&[String]>) -> Vec<Vec<Range>> {
    let in_state = !criteria.state.is_empty();
    let words: Vec<_> = criteria.words.iter().map(|word| word_lead(word, in_state, cities)).collect();
    let are_placed = !words.is_empty() && (in_state || cities.is_some());
    let (placed, anywhere) = if are_placed { (words, Vec::new()) } else { (Vec::new(), words) };
    let asked = |is_asked: bool, range| is_asked.then(|| vec![range]);
    let mut leads = Vec::from_iter(asked(!criteria.zip.is_empty(), Range::Zip));
    leads.extend(placed);
    leads.extend(asked(!criteria.last.is_empty() && !in_state, Range::Last));
    leads.extend(asked(in_state && (!are_placed || !criteria.last.is_empty()), Range::State));
    leads.extend(asked(!criteria.city.is_empty() && cities.is_none(), Range::City));
    leads.extend(asked(!criteria.first.is_empty(), Range::First));
    leads.extend(anywhere);
    leads
}

/// Ranges of a word within a few cities, else within the state, else anywhere.
fn word_lead(word: &str, in_state: bool, cities: Option<&[String]>) -> Vec<Range> {
    let within = match cities {
        Some(cities) => cities.iter().cloned().map(Within::City).collect(),
        None if in_state => vec![Within::State],
        None => vec![Within::Country],
    };
    within.into_iter().map(|within| Range::Word(word.into(), within)).collect()
}

/// The first `limit` entries of a lead in its order.
fn first_of(lead: &[Range], limit: u64, read: impl Fn(&Range) -> SelectStatement) -> SelectStatement {
    if let [range] = lead {
        return read(range).limit(limit).to_owned();
    }
    let mut entries = any_of(lead, limit, read);
    for column in lead.first().into_iter().flat_map(Range::order) {
        entries.order_by(*column, Order::Asc);
    }
    entries.order_by("id", Order::Asc).to_owned()
}

/// Up to `limit` entries of a lead in any order. Each range is a query of its own: a database would sort the rows of
/// ranges that are combined in one.
fn any_of<T>(lead: &[T], limit: u64, read: impl Fn(&T) -> SelectStatement) -> SelectStatement {
    // SQLite accepts a `LIMIT` in a part of a union only inside a subquery.
    let part = |range| {
        let entries = read(range).limit(limit).to_owned();
        Query::select().column(Asterisk).from_subquery(entries, "part").to_owned()
    };
    let mut parts = lead.iter().map(part);
    let mut together = parts.next().unwrap_or_default();
    for part in parts {
        together.union(UnionType::All, part);
    }
    Query::select().column("id").from_subquery(together, "together").limit(limit).to_owned()
}

/// A range of an index.
#[derive(Clone, Debug)]
enum Range {
    Zip,
    Last,
    /// Last names within the state.
    State,
    City,
    First,
    Word(String, Within),
}

/// Where a word is searched.
#[derive(Clone, Debug)]
enum Within {
    Country,
    /// The state of the criteria.
    State,
    /// The city with exactly this key.
    City(String),
}

impl Range {
    /// The entries of the range in index order, whatever the other criteria.
    fn unfiltered(&self, criteria: &Criteria, kind: Kind) -> SelectStatement {
        self.read(criteria, kind, Condition::all())
    }

    /// The entries of the range that meet all criteria.
    fn matching(&self, criteria: &Criteria, kind: Kind) -> SelectStatement {
        let mut others = self.not_implied(criteria);
        let zip = match self {
            // The word table has every criterion but the zip, which needs a join.
            Self::Word(..) => std::mem::take(&mut others.zip),
            _ => String::new(),
        };
        let mut entries = self.read(criteria, kind, rest(&others));
        if !zip.is_empty() {
            let same = of("entry", "id").equals((Alias::new("lead"), Alias::new("entry_id")));
            entries.join_as(sea_orm::JoinType::InnerJoin, directory_entry::Entity, "entry", same);
            entries.and_where(of("entry", "zip").like(format!("{zip}%")));
        }
        entries
    }

    fn read(&self, criteria: &Criteria, kind: Kind, rest: Condition) -> SelectStatement {
        let mut entries = Query::select();
        let (table, id): (_, &str) = match self {
            Self::Word(..) => (directory_word::Entity.into_iden(), "entry_id"),
            _ => (directory_entry::Entity.into_iden(), "id"),
        };
        entries.from_as(table, "lead").expr_as(of("lead", id), "id");
        entries.and_where(of("lead", "kind").eq(kind as i16));
        match self {
            Self::Zip => begins(&mut entries, "zip", &criteria.zip),
            Self::Last => begins(&mut entries, "last_key", &criteria.last),
            Self::State => {
                is(&mut entries, "state", &criteria.state);
                begins(&mut entries, "last_key", &criteria.last);
            }
            Self::City => begins(&mut entries, "city_key", &criteria.city),
            Self::First => begins(&mut entries, "first_key", &criteria.first),
            Self::Word(word, within) => {
                match within {
                    Within::Country => {}
                    Within::State => is(&mut entries, "state", &criteria.state),
                    Within::City(city) => is(&mut entries, "city_key", city),
                }
                begins(&mut entries, "word", word);
            }
        }
        // First, since few rows pass it.
        entries.cond_where(rest);
        if let Self::Word(word, within) = self {
            // Only the first of several words of an entry with this prefix counts.
            entries.and_where(of("lead", "word_before").not_like(format!("{word}%")));
            if !matches!(within, Within::Country) {
                // Always true, but it keeps SQLite, which has no statistics, from choosing the index of words alone,
                // where it would scan the word for the whole country.
                entries.and_where(of("lead", "words").ne(""));
            }
        }
        for column in self.order() {
            entries.column(("lead", *column)).order_by_expr(of("lead", column), Order::Asc);
        }
        entries.order_by_expr(of("lead", id), Order::Asc).to_owned()
    }

    /// The criteria that being in the range does not imply.
    fn not_implied(&self, criteria: &Criteria) -> Criteria {
        let mut others = criteria.clone();
        match self {
            Self::Zip => others.zip.clear(),
            Self::Last => others.last.clear(),
            Self::State => (others.state, others.last) = Default::default(),
            Self::City => others.city.clear(),
            Self::First => others.first.clear(),
            Self::Word(led_by, within) => {
                others.words.retain(|word| word != led_by);
                match within {
                    Within::Country => {}
                    Within::State => others.state.clear(),
                    Within::City(_) => others.city.clear(),
                }
            }
        }
        others
    }

    /// Columns that its index is ordered by, before the id.
    fn order(&self) -> &'static [&'static str] {
        match self {
            Self::Zip => &["zip", "last_key", "first_key"],
            Self::Last | Self::State => &["last_key", "first_key"],
            Self::City => &["city_key", "last_key", "first_key"],
            Self::First => &["first_key", "last_key"],
            Self::Word(_, Within::City(_)) => &["city_key", "word", "last_key", "first_key"],
            Self::Word(..) => &["word", "last_key", "first_key"],
        }
    }
}

fn of(table: &'static str, column: &'static str) -> Expr {
    Expr::col((Alias::new(table), Alias::new(column)))
}

fn is(entries: &mut SelectStatement, column: &'static str, text: &str) {
    entries.and_where(of("lead", column).eq(text));
}

/// Limits a column to texts with a prefix, as a range of its index.
fn begins(entries: &mut SelectStatement, column: &'static str, prefix: &str) {
    if !prefix.is_empty() {
        entries
            .and_where(of("lead", column).gte(prefix))
            .and_where(of("lead", column).lt(format!("{prefix}{AFTER_ALL}")));
    }
}

/// The criteria as patterns rather than ranges, which would make SQLite, without statistics, leave the index of the lead
/// for another. Keys hold letters, digits and spaces only, so nothing needs escaping.
fn rest(criteria: &Criteria) -> Condition {
    let prefixes = [
        ("last_key", &criteria.last),
        ("first_key", &criteria.first),
        ("city_key", &criteria.city),
        ("zip", &criteria.zip),
        ("state", &criteria.state),
    ];
    let prefixes = prefixes.into_iter().filter(|(_, prefix)| !prefix.is_empty());
    let prefixes = prefixes.map(|(column, prefix)| of("lead", column).like(format!("{prefix}%")));
    let words = criteria.words.iter().map(|word| of("lead", "words").like(format!("% {word}%")));
    prefixes.chain(words).fold(Condition::all(), Condition::add)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Entry;
    use store::Store;

    fn criteria(change: impl FnOnce(&mut Criteria)) -> Criteria {
        let mut criteria = Criteria { words: vec!["family".into(), "imaging".into()], ..Criteria::default() };
        change(&mut criteria);
        criteria
    }

    /// A search for words within a place, and the index that must answer it alone.
    struct InPlace {
        criteria: Criteria,
        cities: Option<Vec<String>>,
        index: &'static str,
        /// Column of the index for the place.
        place: &'static str,
    }

    fn in_places() -> Vec<InPlace> {
        let few = |number| Some((0..number).map(|n| format!("larkfield {n}")).collect());
        let state = criteria(|c| c.state = "OH".into());
        let names_too = criteria(|c| {
            (c.first, c.last) = ("jun".into(), "ald".into());
            (c.city, c.state) = ("lark".into(), "OH".into());
        });
        let city = criteria(|c| c.city = "lark".into());
        let cases = [
            (state, None),
            (names_too.clone(), None),
            (names_too, few(2)),
            (city.clone(), few(1)),
            (city, few(MAX_CITIES)),
        ];
        let in_place = |(criteria, cities): (Criteria, Option<Vec<String>>)| {
            let (index, place) = match cities {
                Some(_) => ("ix_directory_word_city", "city_key"),
                None => ("ix_directory_word_state", "state"),
            };
            InPlace { criteria, cities, index, place }
        };
        cases.into_iter().map(in_place).collect()
    }

    /// The statements that count and that search when the first word drives.
    fn statements(criteria: &Criteria, cities: Option<&[String]>) -> [SelectStatement; 2] {
        let lead = candidates(criteria, cities).swap_remove(0);
        assert!(lead.iter().all(|range| matches!(range, Range::Word(..))), "{lead:?}");
        [
            count_of(any_of(&lead, PROBE, |range| range.unfiltered(criteria, Kind::Provider))),
            first_of(&lead, COUNTED, |range| range.matching(criteria, Kind::Provider)),
        ]
    }

    async fn plan(db: &impl ConnectionTrait, explain: &str, mut of: Statement, column: &str) -> Vec<String> {
        of.sql.insert_str(0, explain);
        let steps = db.query_all_raw(of).await.expect("a plan");
        steps.iter().map(|row| row.try_get("", column).expect("a step")).collect()
    }

    #[tokio::test]
    async fn words_within_a_place_are_searched_in_a_covering_index() {
        let db = testkit::Db::sqlite();
        let store = db.migrated().await;
        for InPlace { criteria, cities, index, place } in in_places() {
            let searched = format!("{index} (kind=? AND {place}=? AND word>? AND word<?)");
            for statement in statements(&criteria, cities.as_deref()) {
                let built = store.backend().build(&statement);
                let plan = plan(store.db(), "EXPLAIN QUERY PLAN ", built, "detail").await;
                let readings: Vec<_> = plan.iter().filter(|step| step.contains(" lead ")).collect();
                assert_eq!(readings.len(), cities.as_ref().map_or(1, Vec::len), "{plan:#?}");
                for reading in readings {
                    assert_eq!(*reading, format!("SEARCH lead USING COVERING INDEX {searched}"));
                }
            }
        }
    }

    /// PostgreSQL chooses indexes by statistics, so there must be rows.
    async fn fill(store: &Store) {
        let entry = |n: usize| Entry {
            first_name: format!("Jun{}", n % 7),
            last_name: format!("Ald{}", n % 500),
            clinic_name: format!("Moss {n} {}", ["Family Medicine", "Imaging", "Laboratory"][n % 3]),
            city: format!("Larkfield {}", n % 40),
            state: ["OH", "CA", "TX", "NY", "ME"][n % 5].into(),
            ..Entry::default()
        };
        let rows = (0..3_000).map(|n| entry(n).row("test", &n.to_string(), None)).collect();
        let txn = store.begin().await.expect("a transaction");
        crate::entry::write(&txn, rows).await.expect("the entries are written");
        txn.commit().await.expect("the entries are there");
        store.db().execute_unprepared("VACUUM (ANALYZE) directory_word").await.expect("statistics");
    }

    #[tokio::test]
    async fn postgres_searches_words_within_a_place_in_a_covering_index() {
        let Some(db) = testkit::Db::postgres() else { return };
        let store = db.migrated().await;
        fill(&store).await;
        for InPlace { criteria, cities, index, place } in in_places() {
            for statement in statements(&criteria, cities.as_deref()) {
                let built = store.backend().build(&statement);
                let plan = plan(store.db(), "EXPLAIN (COSTS OFF) ", built, "QUERY PLAN").await;
                let scans: Vec<_> =
                    (0..plan.len()).filter(|at| plan[*at].contains(" on directory_word lead")).collect();
                assert_eq!(scans.len(), cities.as_ref().map_or(1, Vec::len), "{plan:#?}");
                for at in scans {
                    assert!(plan[at].contains(&format!("Index Only Scan using {index}")), "{plan:#?}");
                    assert!(
                        ["kind", place, "word"].iter().all(|column| plan[at + 1].contains(column)),
                        "{plan:#?}"
                    );
                }
            }
        }
    }

    #[tokio::test]
    async fn values_with_a_prefix_are_found_by_one_index_step_each() {
        let db = testkit::Db::sqlite();
        let store = db.migrated().await;
        for (column, index) in [("city_key", "ix_directory_word_city"), ("word", "ux_directory_word")] {
            let statement = distinct(store.db(), column, "lark", Kind::Provider, MAX_CITIES);
            let plan = plan(store.db(), "EXPLAIN QUERY PLAN ", statement, "detail").await;
            let readings = plan.iter().filter(|step| step.contains("directory_word"));
            let expected = format!(
                "SEARCH directory_word USING COVERING INDEX {index} (kind=? AND {column}>? AND {column}<?)"
            );
            assert_eq!(readings.collect::<Vec<_>>(), [&expected, &expected], "{plan:#?}");
        }
    }

    #[tokio::test]
    async fn entries_with_a_pair_of_words_are_found_by_the_index_of_pairs() {
        let db = testkit::Db::sqlite();
        let store = db.migrated().await;
        let criteria = criteria(|c| (c.state, c.zip) = ("OH".into(), "43999".into()));
        let pairs = ["family imag", "familial imag"].map(|pair| Pair(pair.into()));
        let built = store.backend().build(&with_pairs(&pairs, &criteria, Kind::Provider));
        let plan = plan(store.db(), "EXPLAIN QUERY PLAN ", built, "detail").await;
        let readings: Vec<_> = plan.iter().filter(|step| step.contains(" lead ")).collect();
        let pair = "SEARCH lead USING INDEX ix_directory_pair (kind=? AND pair>? AND pair<?)";
        let entry = "SEARCH lead USING INDEX sqlite_autoindex_directory_entry_1 (id=?)";
        assert_eq!(readings, [entry, pair, pair], "{plan:#?}");
    }
}
