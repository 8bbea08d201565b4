//! The blind word index over sealed fields (docs/adr/0002-search-over-sealed-fields.md).
//!
//! The database sees keyed hashes of words, never words. `search_prefix` maps the beginning of a word to the words of
//! the organization that have it; `search_word` numbers them; `search_posting` lists the messages that contain a
//! word, by its number, in list order. Other words of a message, such as the text of its documents, are indexed as
//! whole words only ([`number_words`]): they have numbers and no beginnings.
//! **Cost of a search** does not grow with the history. A beginning expands to at most [`EXPANSION`] words; the
//! rarest word of the text leads, and if fewer than [`RARE`] messages contain it, all of them are checked. Otherwise
//! its messages are read newest first, until the page is full or about [`BUDGET`] index entries were read. Counting
//! has the same limit. An answer that ended early says so.

mod writing;

use crate::{
    dialect,
    entities::{
        message::{self, Direction},
        search_posting, search_prefix, search_word,
    },
    keys::DataKey,
};
use chrono::{DateTime, Utc};
use futures::future::try_join_all;
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbBackend, DbErr, EntityTrait, QueryFilter, QueryOrder,
    QuerySelect, Select,
    entity::prelude::Uuid,
    sea_query::{Expr, ExprTrait, Order, Query, SelectStatement, UnionType},
};
use std::collections::HashSet;
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};
use writing::{hashed, numbers};

pub use writing::{index, number_words, post, unindex, unpost};

/// Letters of the shortest indexed word; shorter ones in a search are ignored.
pub const SHORTEST_WORD: usize = 2;
/// Longer words are cut to this many letters, in the index and in a search alike.
pub const LONGEST_WORD: usize = 32;
/// Words of a message beyond this number are not indexed.
pub const WORDS_PER_MESSAGE: usize = 64;
/// Most words of a search.
const WORDS_PER_SEARCH: usize = 8;
/// Most characters of a search: more than [`WORDS_PER_SEARCH`] of the longest words.
const SEARCH_TEXT: usize = 500;
/// Most words of one beginning.
pub const EXPANSION: u64 = 100;
/// Most messages of a word so rare that all of them can be checked.
pub const RARE: u64 = 1_000;
/// Limits for counting the words of a search, one after the other, until one is rarer than the others.
const RARER: [u64; 3] = [RARE, 8 * RARE, 64 * RARE];
/// Maximum number of index entries that one search reads.
pub const BUDGET: u64 = 250_000;
/// Messages checked in one step of the walk.
const STEP: u64 = 1_000;
/// Rows of one `INSERT`.
const INSERT_ROWS: usize = 500;

type Word = [u8; 16];

/// A place in the index: microseconds since 1970, and the message.
type Position = (i64, Uuid);

/// The message of words, with the values of its row.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub organization_id: Uuid,
    pub direction: Direction,
    pub message_id: Uuid,
    /// In whole microseconds.
    pub received_at: DateTime<Utc>,
}

/// A search.
#[derive(Clone, Debug)]
pub struct Search {
    pub organization_id: Uuid,
    pub direction: Direction,
    /// Each of its words must be a prefix of a word of the message. A text without any word of two letters finds
    /// every message.
    pub text: String,
    /// Alternative words for a word of the text.
    pub alike: fn(&str) -> Vec<String>,
    /// Condition on columns of `message`, named by [`dialect::passed_over`]. Without a condition the messages of a
    /// word are not read: a deleted message must be removed from the index.
    pub filter: Condition,
    /// Received at this time or later.
    pub since: Option<DateTime<Utc>>,
    /// Received before this time.
    pub until: Option<DateTime<Utc>>,
    /// Cursor: only messages after this one in the list, given by its `received_at` and id.
    pub before: Option<(DateTime<Utc>, Uuid)>,
    pub offset: u64,
    pub limit: u64,
}

/// Messages that match, newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub ids: Vec<Uuid>,
    /// False if the search gave up early because its words are common but rarely occur together: there may be more.
    pub complete: bool,
    /// The number of matches, if the search reached the end of them; otherwise see [`count`].
    pub total: Option<u64>,
}

/// The number of matching messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    pub value: u64,
    /// False when there may be more.
    pub exact: bool,
}

/// Normal form of a text: compatibility-decomposed, lower case, without diacritics.
pub fn folded(text: &str) -> String {
    text.nfkd().flat_map(char::to_lowercase).filter(|c| !is_combining_mark(*c)).collect()
}

/// Splits texts into index words: compatibility-decomposed, lower case, without diacritics, split at every character
/// that is neither letter nor digit, in order of appearance and without repetition.
pub fn words(pieces: &[&str]) -> Vec<String> {
    let mut seen = HashSet::new();
    let mut words = Vec::new();
    for piece in pieces {
        for word in folded(piece).split(|c: char| !c.is_alphanumeric()) {
            let word: String = word.chars().take(LONGEST_WORD).collect();
            if word.chars().nth(SHORTEST_WORD - 1).is_some() && seen.insert(word.clone()) {
                words.push(word);
            }
        }
    }
    words
}

/// The messages of these, all of one list, that contain one of the words completely.
pub async fn holders(
    conn: &impl ConnectionTrait,
    key: &DataKey,
    entries: &[Entry],
    words: impl IntoIterator<Item = String>,
) -> Result<HashSet<Uuid>, DbErr> {
    use search_posting::Column;
    let Some(first) = entries.first() else { return Ok(HashSet::new()) };
    let numbers = numbers(conn, first, hashed(key, words).keys()).await?;
    if numbers.is_empty() {
        return Ok(HashSet::new());
    }
    let asked: HashSet<Uuid> = entries.iter().map(|entry| entry.message_id).collect();
    let held: Vec<Uuid> = search_posting::Entity::find()
        .select_only()
        .column(Column::MessageId)
        .filter(Column::Word.is_in(numbers.into_values()))
        .filter(Column::At.is_in(entries.iter().map(|entry| entry.received_at.timestamp_micros())))
        .into_tuple()
        .all(conn)
        .await?;
    Ok(held.into_iter().filter(|id| asked.contains(id)).collect())
}

/// Finds messages that are not deleted, newest first.
pub async fn find(conn: &impl ConnectionTrait, key: &DataKey, search: &Search) -> Result<Found, DbErr> {
    let words = searched_words(&search.text);
    if words.is_empty() {
        return Found::listed(conn, search).await;
    }
    let Some(plan) = Plan::make(conn, key, search, &words).await? else { return Ok(Found::nothing()) };
    Ok(plan.walk(conn, search).await?.page(search))
}

/// Counts matching messages up to `cap`. Offset, limit and cursor of the search do not matter.
pub async fn count(
    conn: &impl ConnectionTrait,
    key: &DataKey,
    search: &Search,
    cap: u64,
) -> Result<Count, DbErr> {
    let words = searched_words(&search.text);
    if words.is_empty() {
        return count_list(conn, search, cap).await;
    }
    match Plan::make(conn, key, search, &words).await? {
        Some(plan) => plan.count(conn, search, cap).await,
        None => Ok(Count { value: 0, exact: true }),
    }
}

/// [`find`] and [`count`] together, cheaper than one after the other.
pub async fn find_counted(
    conn: &impl ConnectionTrait,
    key: &DataKey,
    search: &Search,
    cap: u64,
) -> Result<(Found, Count), DbErr> {
    let words = searched_words(&search.text);
    if words.is_empty() {
        return Ok((Found::listed(conn, search).await?, count_list(conn, search, cap).await?));
    }
    let Some(plan) = Plan::make(conn, key, search, &words).await? else {
        return Ok((Found::nothing(), Count { value: 0, exact: true }));
    };
    let walked = plan.walk(conn, search).await?;
    let seen = walked.ids.len() as u64;
    let found = walked.page(search);
    if let Some(total) = found.total {
        return Ok((found, Count::up_to(cap, total)));
    }
    let counted = plan.count(conn, search, cap).await?;
    Ok((found, Count { value: Ord::max(counted.value, Ord::min(seen, cap)), ..counted }))
}

/// The words of a search, without prefixes of others. Text beyond [`SEARCH_TEXT`] is ignored.
fn searched_words(text: &str) -> Vec<String> {
    let end = text.char_indices().nth(SEARCH_TEXT).map_or(text.len(), |(end, _)| end);
    let all = words(&[&text[..end]]);
    let mut significant: Vec<String> =
        all.iter().filter(|w| !all.iter().any(|o| o != *w && o.starts_with(w.as_str()))).cloned().collect();
    significant.truncate(WORDS_PER_SEARCH);
    significant
}

/// Messages under the filter alone, newest first.
fn listed(search: &Search) -> Select<message::Entity> {
    use message::Column;
    let mut select = message::Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(Column::OrganizationId.eq(search.organization_id))
        .filter(Column::Direction.eq(search.direction))
        .filter(Column::DeletedAt.is_null())
        .filter(search.filter.clone());
    if let Some(since) = search.since {
        select = select.filter(Column::ReceivedAt.gte(since));
    }
    if let Some(until) = search.until {
        select = select.filter(Column::ReceivedAt.lt(until));
    }
    if let Some(position) = search.before {
        let row = [Column::ReceivedAt, Column::Id].map(|column| column.into_expr());
        select =
            select.filter(Expr::tuple(row).lt(Expr::tuple([Expr::val(position.0), Expr::val(position.1)])));
    }
    select.order_by_desc(Column::ReceivedAt).order_by_desc(Column::Id)
}

async fn page_of_list(conn: &impl ConnectionTrait, search: &Search) -> Result<Vec<Uuid>, DbErr> {
    listed(search).offset(search.offset).limit(search.limit).into_tuple().all(conn).await
}

async fn count_list(conn: &impl ConnectionTrait, search: &Search, cap: u64) -> Result<Count, DbErr> {
    let ever = Search { before: None, ..search.clone() };
    let ids: Vec<Uuid> = listed(&ever).limit(cap + 1).into_tuple().all(conn).await?;
    Ok(Count::up_to(cap, ids.len() as u64))
}

impl Count {
    /// A count that stops at `cap`.
    pub fn up_to(cap: u64, value: u64) -> Self {
        Self { value: Ord::min(value, cap), exact: value <= cap }
    }
}

impl Found {
    fn nothing() -> Self {
        Self { ids: Vec::new(), complete: true, total: Some(0) }
    }

    async fn listed(conn: &impl ConnectionTrait, search: &Search) -> Result<Self, DbErr> {
        Ok(Self { ids: page_of_list(conn, search).await?, complete: true, total: None })
    }
}

/// Matches from the start of the list, or from the cursor, at least to the end of the page.
struct Walked {
    ids: Vec<Uuid>,
    /// There are no further matches.
    to_the_end: bool,
    /// The walk ended before it had read enough messages to fill the page.
    gave_up: bool,
}

impl Walked {
    fn page(self, search: &Search) -> Found {
        let total = (self.to_the_end && search.before.is_none()).then_some(self.ids.len() as u64);
        let page = self.ids.into_iter().skip(search.offset as usize).take(search.limit as usize);
        Found { ids: page.collect(), complete: !self.gave_up, total }
    }
}

/// The plan of a search.
struct Plan {
    /// Numbers of the words that begin with the rarest word of the text.
    driving: Vec<i64>,
    /// Few messages contain it, so all are checked in one step.
    rare: bool,
    /// The same for the other words of the text; a message must contain one of each.
    others: Vec<Vec<i64>>,
    walk_at_most: u64,
}

impl Plan {
    /// None if a word is not a prefix of any indexed word.
    async fn make(
        conn: &impl ConnectionTrait,
        key: &DataKey,
        search: &Search,
        words: &[String],
    ) -> Result<Option<Self>, DbErr> {
        let mut expanded = Vec::with_capacity(words.len());
        for word in words {
            let alike = (search.alike)(word);
            let alike = alike.iter().map(|alike| key.word_hash(alike.as_bytes()));
            expanded.push(expand(conn, search, key.word_hash(word.as_bytes()), alike.collect()).await?);
        }
        let per_message: usize = expanded.iter().map(Vec::len).sum();
        let mut ranked = by_rarity(conn, search, expanded).await?.into_iter();
        let Some((messages, driving)) = ranked.next().filter(|(messages, _)| *messages > 0) else {
            return Ok(None);
        };
        Ok(Some(Self {
            driving,
            rare: messages < RARE,
            others: ranked.map(|(_, numbers)| numbers).collect(),
            walk_at_most: Ord::max(BUDGET / per_message as u64, STEP),
        }))
    }

    /// Walks the messages of the driving word, newest first, until the page is full.
    async fn walk(&self, conn: &impl ConnectionTrait, search: &Search) -> Result<Walked, DbErr> {
        let wanted = search.offset.saturating_add(search.limit);
        let mut found = Walked { ids: Vec::new(), to_the_end: false, gave_up: false };
        let mut from = search.before.map(|(time, id)| (time.timestamp_micros(), id));
        let mut walked = 0;
        // The first step is short, because the first page mostly is.
        let mut step = if self.rare { RARE } else { (wanted + 20).clamp(50, STEP) };
        while (found.ids.len() as u64) < wanted {
            if walked >= self.walk_at_most {
                found.gave_up = true;
                break;
            }
            let candidates = self.checked(conn, search, self.candidates(search, from, step));
            let rows = conn.query_all(&in_order(candidates)).await?;
            for row in &rows {
                if row.try_get_by_index(2)? {
                    found.ids.push(row.try_get_by_index(1)?);
                }
            }
            let Some(end) = rows.last().filter(|_| rows.len() as u64 == step) else {
                found.to_the_end = true;
                break;
            };
            from = Some((end.try_get_by_index(0)?, end.try_get_by_index(1)?));
            walked += step;
            step = Ord::min(step * 2, STEP);
        }
        Ok(found)
    }

    /// The order does not matter for counting, so they are not sorted.
    async fn count(&self, conn: &impl ConnectionTrait, search: &Search, cap: u64) -> Result<Count, DbErr> {
        let (value, exact) = if self.is_checked(search) {
            self.count_checked(conn, search, cap).await?
        } else if self.driving.len() == 1 {
            let value = number(conn, postings(search, &self.driving, None).limit(cap + 1).to_owned()).await?;
            (value, true)
        } else {
            // A message may contain several words with the same beginning.
            let at_most = 2 * (cap + 1);
            let postings = postings(search, &self.driving, None).limit(at_most).to_owned();
            let (value, looked_at) = messages_of(conn, postings).await?;
            (value, looked_at < at_most)
        };
        Ok(Count { value: Ord::min(value, cap), exact: exact && value <= cap })
    }

    /// Number of matching messages, up to one above the cap, and whether all messages of the leading word were
    /// checked.
    async fn count_checked(
        &self,
        conn: &impl ConnectionTrait,
        search: &Search,
        cap: u64,
    ) -> Result<(u64, bool), DbErr> {
        let postings = postings(search, &self.driving, None).limit(self.walk_at_most).to_owned();
        let mut messages = Query::select();
        messages.column(TIME).column(ID).from_subquery(postings.clone(), "postings");
        if self.driving.len() > 1 {
            messages.distinct();
        }
        let mut hits = Query::select();
        hits.expr(Expr::val(1)).from_subquery(self.checked(conn, search, messages), "messages");
        hits.and_where(Expr::col("hit"));
        let value = number(conn, hits.limit(cap + 1).to_owned()).await?;
        Ok((value, value <= cap && number(conn, postings).await? < self.walk_at_most))
    }

    /// Whether a message that contains the driving word has to be checked further.
    fn is_checked(&self, search: &Search) -> bool {
        !self.others.is_empty() || !search.filter.is_empty()
    }

    /// The next messages with the leading word, newest first, each once.
    fn candidates(&self, search: &Search, from: Option<Position>, at_most: u64) -> SelectStatement {
        if let [_] = self.driving.as_slice() {
            return newest(postings(search, &self.driving, from), at_most);
        }
        let one_sort = std::slice::from_ref(&self.driving);
        // The index is sorted by time within one word only: common words are read one by one and merged, each only as
        // far as the step reaches; for rare ones sorting is faster.
        let each: Vec<&[i64]> = if self.rare {
            one_sort.iter().map(Vec::as_slice).collect()
        } else {
            self.driving.chunks(1).collect()
        };
        let mut branches = each.into_iter().map(|words| {
            let branch = newest(postings(search, words, from), at_most);
            Query::select().column(TIME).column(ID).from_subquery(branch, "word").to_owned()
        });
        let mut union = branches.next().unwrap_or_default();
        for branch in branches {
            union.union(UnionType::All, branch);
        }
        // A message occurs twice if it contains two words with the same beginning.
        let merged =
            Query::select().distinct().column(TIME).column(ID).from_subquery(union, "words").to_owned();
        newest(merged, at_most)
    }

    /// The same messages, each with a third column: whether it matches the filter and contains all other words.
    fn checked(
        &self,
        conn: &impl ConnectionTrait,
        search: &Search,
        messages: SelectStatement,
    ) -> SelectStatement {
        let mut all = Condition::all().add(Expr::val(true));
        for words in &self.others {
            let held = of_words(words)
                .and_where(Expr::col((search_posting::Entity, TIME)).equals((CANDIDATE, TIME)))
                .and_where(Expr::col((search_posting::Entity, ID)).equals((CANDIDATE, ID)))
                .to_owned();
            all = all.add(Expr::exists(held));
        }
        if !search.filter.is_empty() {
            all = all.add(Expr::exists(visible(search, conn.get_database_backend())));
        }
        Query::select()
            .column((CANDIDATE, TIME))
            .column((CANDIDATE, ID))
            .expr_as(all, "hit")
            .from_subquery(messages, CANDIDATE)
            .to_owned()
    }
}

/// The message of the candidate, if it matches the filter: one step in the index with the filter columns.
fn visible(search: &Search, backend: DbBackend) -> SelectStatement {
    use message::Column;
    let of = |column| dialect::passed_over(backend, column);
    let id = Expr::col((message::Entity, Column::Id));
    let candidate = || Expr::col((CANDIDATE, ID));
    let is_candidate = match backend {
        DbBackend::Postgres => id.eq(candidate()),
        // For a single row, SQLite uses the unique index and then needs the row itself.
        _ => id.between(candidate(), candidate()),
    };
    Query::select()
        .expr(Expr::val(1))
        .from(message::Entity)
        .and_where(is_candidate)
        .and_where(of(Column::OrganizationId).eq(search.organization_id))
        .and_where(of(Column::DeletedAt).is_null())
        .cond_where(search.filter.clone())
        .to_owned()
}

const CANDIDATE: &str = "candidate";
const TIME: search_posting::Column = search_posting::Column::At;
const ID: search_posting::Column = search_posting::Column::MessageId;

/// The numbers of the words with this beginning, and of equivalent ones. With more than [`EXPANSION`] words, it
/// returns some of them, including the word itself: a longer beginning finds the rest.
async fn expand(
    conn: &impl ConnectionTrait,
    search: &Search,
    prefix: Word,
    alike: Vec<Word>,
) -> Result<Vec<i64>, DbErr> {
    use search_prefix::Column as Prefix;
    use search_word::Column;
    let some = Query::select()
        .column(Prefix::Word)
        .from(search_prefix::Entity)
        .and_where(Prefix::OrganizationId.eq(search.organization_id))
        .and_where(Prefix::Prefix.eq(prefix.to_vec()))
        .order_by(Prefix::Word, Order::Asc)
        .limit(EXPANSION)
        .to_owned();
    let mut begin_so = Query::select().column(Prefix::Word).from_subquery(some, "some").to_owned();
    for word in std::iter::once(prefix).chain(alike) {
        begin_so.union(UnionType::All, Query::select().expr(Expr::val(word.to_vec())).to_owned());
    }
    search_word::Entity::find()
        .select_only()
        .column(Column::Number)
        .filter(Column::OrganizationId.eq(search.organization_id))
        .filter(Column::Direction.eq(search.direction))
        .filter(Column::Word.in_subquery(begin_so))
        .into_tuple()
        .all(conn)
        .await
}

/// The words of a text, each as the numbers of the words with that beginning, rarest first, with their numbers of
/// postings, counted at least until one is rarer than the others. A common word must not lead a search with a rarer
/// one, even if both are frequent.
async fn by_rarity(
    conn: &impl ConnectionTrait,
    search: &Search,
    words: Vec<Vec<i64>>,
) -> Result<Vec<(u64, Vec<i64>)>, DbErr> {
    let mut ranked: Vec<(u64, Vec<i64>)> = words.into_iter().map(|numbers| (0, numbers)).collect();
    for at_most in RARER {
        let counts = ranked.iter().map(|(_, numbers)| count_places(conn, search, numbers, at_most));
        let counts = try_join_all(counts).await?;
        ranked.iter_mut().zip(counts).for_each(|((places, _), count)| *places = count);
        if ranked.len() < 2 || ranked.iter().any(|(places, _)| *places < at_most) {
            break;
        }
    }
    ranked.sort_by_key(|(places, numbers)| (*places, numbers.len()));
    Ok(ranked)
}

async fn count_places(
    conn: &impl ConnectionTrait,
    search: &Search,
    words: &[i64],
    at_most: u64,
) -> Result<u64, DbErr> {
    if words.is_empty() {
        return Ok(0);
    }
    number(conn, postings(search, words, None).limit(at_most).to_owned()).await
}

/// The number of messages of the postings, and of the postings themselves.
async fn messages_of(conn: &impl ConnectionTrait, postings: SelectStatement) -> Result<(u64, u64), DbErr> {
    let each = Query::select()
        .expr_as(Expr::cust("COUNT(*)"), "words")
        .from_subquery(postings, "postings")
        .group_by_col(ID)
        .to_owned();
    let both = Query::select()
        .expr(Expr::cust("COUNT(*)"))
        .expr(Expr::cust("CAST(COALESCE(SUM(words), 0) AS BIGINT)"))
        .from_subquery(each, "messages")
        .to_owned();
    let Some(row) = conn.query_one(&both).await? else { return Ok((0, 0)) };
    let at = |index| Ok::<u64, DbErr>(row.try_get_by_index::<i64>(index)?.unsigned_abs());
    Ok((at(0)?, at(1)?))
}

/// The number of rows.
async fn number(conn: &impl ConnectionTrait, rows: SelectStatement) -> Result<u64, DbErr> {
    let query = Query::select().expr(Expr::cust("COUNT(*)")).from_subquery(rows, "counted").to_owned();
    let row = conn.query_one(&query).await?;
    Ok(row.map_or(Ok(0), |row| row.try_get_by_index::<i64>(0))?.unsigned_abs())
}

/// Postings of any of these words inside the time span of the search.
fn postings(search: &Search, words: &[i64], from: Option<Position>) -> SelectStatement {
    let mut select = of_words(words);
    if let Some(since) = search.since {
        select.and_where(Expr::col(TIME).gte(since.timestamp_micros()));
    }
    // Of two conditions SQLite would use one as the end of the range and read the entries excluded by the other.
    let until = search.until.map(|until| until.timestamp_micros() - 1);
    if let Some(last) = until.into_iter().chain(from.map(|(time, _)| time)).min() {
        select.and_where(Expr::col(TIME).lte(last));
    }
    if let Some((time, id)) = from {
        let row = Expr::tuple([Expr::col(TIME), Expr::col(ID)]);
        select.and_where(row.lt(Expr::tuple([Expr::val(time), Expr::val(id)])));
    }
    select
}

fn of_words(words: &[i64]) -> SelectStatement {
    Query::select()
        .column((search_posting::Entity, TIME))
        .column((search_posting::Entity, ID))
        .from(search_posting::Entity)
        .and_where(
            Expr::col((search_posting::Entity, search_posting::Column::Word)).is_in(words.iter().copied()),
        )
        .to_owned()
}

fn newest(select: SelectStatement, limit: u64) -> SelectStatement {
    in_order(select).limit(limit).to_owned()
}

fn in_order(mut select: SelectStatement) -> SelectStatement {
    select.order_by(TIME, Order::Desc).order_by(ID, Order::Desc).to_owned()
}

#[cfg(test)]
mod tests {
    use super::{writing::insert_missing, *};
    use crate::Store;
    use sea_orm::ActiveValue::Set;

    fn search() -> Search {
        Search {
            organization_id: Uuid::nil(),
            direction: Direction::Release,
            text: String::new(),
            alike: |_| Vec::new(),
            filter: Condition::all(),
            since: Some(DateTime::UNIX_EPOCH),
            until: Some(DateTime::UNIX_EPOCH + chrono::Duration::days(1)),
            before: Some((DateTime::UNIX_EPOCH, Uuid::nil())),
            offset: 0,
            limit: 10,
        }
    }

    #[test]
    fn a_search_of_very_many_words_is_cut_before_they_are_compared() {
        let many: String = (0..90_000).map(|number| format!("word{number} ")).collect();
        let words = searched_words(&many);
        assert_eq!(words.len(), WORDS_PER_SEARCH);
        assert_eq!(words.first().map(String::as_str), Some("word0"));
    }

    #[tokio::test]
    async fn the_rarest_word_drives_a_search_even_if_none_is_rare() {
        let folder = tempfile::tempdir().expect("a folder");
        let url = format!("sqlite:{}", folder.path().join("test.db").display());
        let store = Store::open_and_migrate(&url).await.expect("a database");
        let places = |word, number: u64| {
            (0..number).map(move |at| search_posting::ActiveModel {
                word: Set(word),
                at: Set(at as i64),
                message_id: Set(Uuid::from_u128(at.into())),
            })
        };
        let rows: Vec<_> = places(1, 3 * RARE).chain(places(2, 2 * RARE)).collect();
        let txn = store.begin().await.expect("a transaction");
        insert_missing::<search_posting::Entity, _>(&txn, rows).await.expect("rows");
        txn.commit().await.expect("committed rows");
        for words in [[1, 2], [2, 1]] {
            let ranked =
                by_rarity(store.db(), &search(), words.map(|word| vec![word]).into()).await.expect("ranks");
            assert_eq!(ranked, [(2 * RARE, vec![2]), (3 * RARE, vec![1])]);
        }
        let unknown = by_rarity(store.db(), &search(), vec![vec![1], vec![]]).await.expect("ranks");
        assert_eq!(unknown.first(), Some(&(0, vec![])));
    }

    #[tokio::test]
    async fn a_search_under_a_filter_reads_indexes_and_no_row() {
        let folder = tempfile::tempdir().expect("a folder");
        let url = format!("sqlite:{}", folder.path().join("test.db").display());
        let store = Store::open_and_migrate(&url).await.expect("a database");
        let of = |column| dialect::passed_over(DbBackend::Sqlite, column);
        let filter = Condition::all()
            .add(of(message::Column::Status).is_in([1, 2]))
            .add(of(message::Column::SourceType).is_in([1]))
            .add(of(message::Column::ProcessedType).is_in(["Printed"]))
            .add(of(message::Column::AssignedTo).is_null())
            .add(of(message::Column::IsUrgent))
            .add(of(message::Column::IsDraft).eq(false));
        let search = Search { filter, ..search() };
        let plan = Plan { driving: vec![1], rare: false, others: vec![vec![2]], walk_at_most: STEP };
        let candidates = plan.candidates(&search, Some((0, Uuid::nil())), STEP);
        let mut explained = DbBackend::Sqlite.build(&plan.checked(store.db(), &search, candidates));
        explained.sql.insert_str(0, "EXPLAIN QUERY PLAN ");
        let steps = store.db().query_all_raw(explained).await.expect("a plan");
        let steps = steps.iter().map(|step| step.try_get::<String>("", "detail").expect("a step"));
        let readings: Vec<String> = steps.filter(|step| step.starts_with("SEARCH")).collect();
        assert_eq!(
            readings,
            [
                "SEARCH search_posting USING PRIMARY KEY (word=? AND at>? AND at<?)",
                "SEARCH search_posting USING PRIMARY KEY (word=? AND at=? AND message_id=?)",
                "SEARCH message USING COVERING INDEX ix_message_state (id>? AND id<?)",
            ]
        );
    }
}
