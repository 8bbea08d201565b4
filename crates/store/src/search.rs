//! The blind word index over sealed fields (docs/adr/0002-search-over-sealed-fields.md).
//!
//! The database sees keyed hashes of words, never words. `search_posting` tells which messages hold a word, newest
//! first; `search_prefix` leads from the beginning of a word to the words of the organization that begin so.
//!
//! **Cost of a search** does not grow with the history. A beginning stands for at most [`EXPANSION`] words; the
//! rarest word of the text drives, and if fewer than [`RARE`] messages hold it, all of them are checked. Otherwise
//! its messages are walked newest first, and the walk ends when the page is full or when about [`BUDGET`] index
//! entries were looked at. Counting has the same bound. An answer that ended early says so.

use crate::{
    entities::{message, search_posting, search_prefix},
    keys::DataKey,
};
use chrono::{DateTime, Utc};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    Select,
    entity::prelude::Uuid,
    sea_query::{Expr, ExprTrait, OnConflict, Order, Query, SelectStatement, UnionType},
};
use std::collections::{BTreeSet, HashSet};
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Letters of the shortest word that is indexed; a shorter one in a search is left out.
pub const SHORTEST_WORD: usize = 2;
/// Longer words are cut to this many letters, in the index and in a search alike.
pub const LONGEST_WORD: usize = 32;
/// Words of a message beyond this number are not indexed.
pub const WORDS_PER_MESSAGE: usize = 64;
/// Words of a search beyond this number are left out.
const WORDS_PER_SEARCH: usize = 8;
/// Words that one beginning stands for.
pub const EXPANSION: u64 = 100;
/// Messages that hold a word so rare that all of them can be checked.
pub const RARE: u64 = 1_000;
/// Index entries that one search looks at.
pub const BUDGET: u64 = 250_000;
/// Messages that one step of the walk checks.
const STEP: u64 = 1_000;
/// Rows of one `INSERT`.
const INSERT_ROWS: usize = 500;

type Word = [u8; 16];
type Position = (DateTime<Utc>, Uuid);

/// The message that words belong to. All four values are as in its row.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub organization_id: Uuid,
    pub direction: i16,
    pub message_id: Uuid,
    pub received_at: DateTime<Utc>,
}

/// What is looked for.
#[derive(Clone, Debug)]
pub struct Search {
    pub organization_id: Uuid,
    pub direction: i16,
    /// Each word of it must begin a word of the message. A text without any word of two letters finds every message.
    pub text: String,
    /// On columns of `message`. While it is empty the messages of a word are not looked at themselves, which lie
    /// scattered over the whole table: a deleted message must be taken out of the index.
    pub filter: Condition,
    /// Received at this time or later.
    pub since: Option<DateTime<Utc>>,
    /// Received before this time.
    pub until: Option<DateTime<Utc>>,
    /// Only what comes after this message in the list, given by its `received_at` and id.
    pub before: Option<(DateTime<Utc>, Uuid)>,
    pub offset: u64,
    pub limit: u64,
}

/// Messages that match, newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub ids: Vec<Uuid>,
    /// False when the search ended early because its words are common and rarely meet: there may be more.
    pub complete: bool,
}

/// How many messages match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    pub value: u64,
    /// False when there may be more.
    pub exact: bool,
}

/// Cuts texts into the words under which they are found: compatibility-decomposed, lower case, without
/// diacritics, split at whatever is neither letter nor digit, in order of appearance and each once.
pub fn words(pieces: &[&str]) -> Vec<String> {
    let mut seen = HashSet::new();
    let mut words = Vec::new();
    for piece in pieces {
        let plain: String =
            piece.nfkd().flat_map(char::to_lowercase).filter(|c| !is_combining_mark(*c)).collect();
        for word in plain.split(|c: char| !c.is_alphanumeric()) {
            let word: String = word.chars().take(LONGEST_WORD).collect();
            if word.chars().nth(SHORTEST_WORD - 1).is_some() && seen.insert(word.clone()) {
                words.push(word);
            }
        }
    }
    words
}

/// Makes a message findable by the words of its texts, the most telling text first. Repeating it changes nothing.
///
/// Index one message per transaction: rows go in sorted order, so that two nodes never wait for each other
/// crosswise, and that holds within one call only.
pub async fn index(
    conn: &impl ConnectionTrait,
    key: &DataKey,
    entry: &Entry,
    pieces: &[&str],
) -> Result<(), DbErr> {
    let words = indexed_words(pieces);
    index_prefixes(conn, key, entry.organization_id, &words).await?;
    let hashes: BTreeSet<Word> = words.iter().map(|w| key.word_hash(w.as_bytes())).collect();
    let rows = hashes.into_iter().map(|word| search_posting::ActiveModel {
        organization_id: Set(entry.organization_id),
        direction: Set(entry.direction),
        word: Set(word.into()),
        received_at: Set(entry.received_at),
        message_id: Set(entry.message_id),
    });
    insert_missing::<search_posting::Entity, _>(conn, rows.collect()).await
}

/// Removes a message from the index; the texts are those it was indexed with. Words themselves stay known.
pub async fn unindex(
    conn: &impl ConnectionTrait,
    key: &DataKey,
    entry: &Entry,
    pieces: &[&str],
) -> Result<(), DbErr> {
    use search_posting::Column;
    let hashes = indexed_words(pieces).into_iter().map(|w| key.word_hash(w.as_bytes()).to_vec());
    search_posting::Entity::delete_many()
        .filter(Column::OrganizationId.eq(entry.organization_id))
        .filter(Column::Direction.eq(entry.direction))
        .filter(Column::Word.is_in(hashes))
        .filter(Column::ReceivedAt.eq(entry.received_at))
        .filter(Column::MessageId.eq(entry.message_id))
        .exec(conn)
        .await?;
    Ok(())
}

/// Finds messages that are not deleted, newest first.
pub async fn find(conn: &impl ConnectionTrait, key: &DataKey, search: &Search) -> Result<Found, DbErr> {
    let words = searched_words(&search.text);
    if words.is_empty() {
        return Ok(Found { ids: page_of_list(conn, search).await?, complete: true });
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

/// As [`find`] and [`count`] together, which costs less than one after the other.
pub async fn find_counted(
    conn: &impl ConnectionTrait,
    key: &DataKey,
    search: &Search,
    cap: u64,
) -> Result<(Found, Count), DbErr> {
    let words = searched_words(&search.text);
    if words.is_empty() {
        let found = Found { ids: page_of_list(conn, search).await?, complete: true };
        return Ok((found, count_list(conn, search, cap).await?));
    }
    let Some(plan) = Plan::make(conn, key, search, &words).await? else {
        return Ok((Found::nothing(), Count { value: 0, exact: true }));
    };
    let walked = plan.walk(conn, search).await?;
    let seen = walked.ids.len() as u64;
    let count = if walked.to_the_end && search.before.is_none() {
        Count { value: Ord::min(seen, cap), exact: seen <= cap }
    } else {
        let counted = plan.count(conn, search, cap).await?;
        Count { value: Ord::max(counted.value, Ord::min(seen, cap)), ..counted }
    };
    Ok((walked.page(search), count))
}

fn indexed_words(pieces: &[&str]) -> Vec<String> {
    let mut words = words(pieces);
    words.truncate(WORDS_PER_MESSAGE);
    words
}

/// The words of a search. One that begins another says nothing new.
fn searched_words(text: &str) -> Vec<String> {
    let all = words(&[text]);
    let mut telling: Vec<String> =
        all.iter().filter(|w| !all.iter().any(|o| o != *w && o.starts_with(w.as_str()))).cloned().collect();
    telling.truncate(WORDS_PER_SEARCH);
    telling
}

fn prefixes(word: &str) -> impl Iterator<Item = &str> {
    word.char_indices().skip(SHORTEST_WORD).map(|(end, _)| &word[..end]).chain([word])
}

/// Adds the beginnings of words that the organization has not had yet. A known word is known by its whole self.
async fn index_prefixes(
    conn: &impl ConnectionTrait,
    key: &DataKey,
    organization_id: Uuid,
    words: &[String],
) -> Result<(), DbErr> {
    use search_prefix::Column;
    let hashes: Vec<Vec<u8>> = words.iter().map(|w| key.word_hash(w.as_bytes()).into()).collect();
    let known: HashSet<Vec<u8>> = search_prefix::Entity::find()
        .select_only()
        .column(Column::Word)
        .filter(Column::OrganizationId.eq(organization_id))
        .filter(Column::Prefix.is_in(hashes.iter().cloned()))
        .filter(Expr::col(Column::Prefix).eq(Expr::col(Column::Word)))
        .into_tuple()
        .all(conn)
        .await?
        .into_iter()
        .collect();
    let pairs: BTreeSet<(Word, Vec<u8>)> = words
        .iter()
        .zip(hashes)
        .filter(|(_, hash)| !known.contains(hash))
        .flat_map(|(word, hash)| prefixes(word).map(move |p| (key.word_hash(p.as_bytes()), hash.clone())))
        .collect();
    let rows = pairs.into_iter().map(|(prefix, word)| search_prefix::ActiveModel {
        organization_id: Set(organization_id),
        prefix: Set(prefix.into()),
        word: Set(word),
    });
    insert_missing::<search_prefix::Entity, _>(conn, rows.collect()).await
}

async fn insert_missing<E, A>(conn: &impl ConnectionTrait, rows: Vec<A>) -> Result<(), DbErr>
where
    E: EntityTrait,
    A: sea_orm::ActiveModelTrait<Entity = E> + Clone,
{
    for part in rows.chunks(INSERT_ROWS) {
        let skip_present = OnConflict::new().do_nothing().to_owned();
        E::insert_many(part.iter().cloned()).on_conflict(skip_present).exec_without_returning(conn).await?;
    }
    Ok(())
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
        select = select.filter(after(Column::ReceivedAt.into_expr(), Column::Id.into_expr(), position));
    }
    select.order_by_desc(Column::ReceivedAt).order_by_desc(Column::Id)
}

/// What comes after a position in a list that is newest first.
fn after(time: Expr, id: Expr, position: Position) -> Expr {
    Expr::tuple([time, id]).lt(Expr::tuple([Expr::val(position.0), Expr::val(position.1)]))
}

async fn page_of_list(conn: &impl ConnectionTrait, search: &Search) -> Result<Vec<Uuid>, DbErr> {
    listed(search).offset(search.offset).limit(search.limit).into_tuple().all(conn).await
}

async fn count_list(conn: &impl ConnectionTrait, search: &Search, cap: u64) -> Result<Count, DbErr> {
    let ever = Search { before: None, ..search.clone() };
    let ids: Vec<Uuid> = listed(&ever).limit(cap + 1).into_tuple().all(conn).await?;
    let value = ids.len() as u64;
    Ok(Count { value: Ord::min(value, cap), exact: value <= cap })
}

impl Found {
    fn nothing() -> Self {
        Self { ids: Vec::new(), complete: true }
    }
}

/// Matches from the beginning of the list, or from the cursor, at least to the end of the page.
struct Walked {
    ids: Vec<Uuid>,
    /// No match is left behind them.
    to_the_end: bool,
    /// The walk ended before it had looked at enough messages to fill the page.
    gave_up: bool,
}

impl Walked {
    fn page(self, search: &Search) -> Found {
        let page = self.ids.into_iter().skip(search.offset as usize).take(search.limit as usize);
        Found { ids: page.collect(), complete: !self.gave_up }
    }
}

/// How a search is carried out.
struct Plan {
    /// Hashes of the rarest word of the text.
    driving: Vec<Vec<u8>>,
    /// So few messages hold it that all are looked at in one step.
    rare: bool,
    /// Hashes of the other words; a message must hold one of each.
    others: Vec<Vec<Vec<u8>>>,
    walk_at_most: u64,
}

impl Plan {
    /// None when a word begins no word of the organization.
    async fn make(
        conn: &impl ConnectionTrait,
        key: &DataKey,
        search: &Search,
        words: &[String],
    ) -> Result<Option<Self>, DbErr> {
        let mut ranked = Vec::with_capacity(words.len());
        for word in words {
            let hashes = expand(conn, search.organization_id, key.word_hash(word.as_bytes())).await?;
            let messages = count_up_to_rare(conn, search, &hashes).await?;
            if messages == 0 {
                return Ok(None);
            }
            ranked.push((messages, hashes));
        }
        ranked.sort_by_key(|(messages, hashes)| (*messages, hashes.len()));
        let per_message: usize = ranked.iter().map(|(_, hashes)| hashes.len()).sum();
        let mut ranked = ranked.into_iter();
        let Some((messages, driving)) = ranked.next() else { return Ok(None) };
        Ok(Some(Self {
            driving,
            rare: messages < RARE,
            others: ranked.map(|(_, hashes)| hashes).collect(),
            walk_at_most: Ord::max(BUDGET / per_message as u64, STEP),
        }))
    }

    /// Walks the messages of the driving word, newest first, until the page is full.
    async fn walk(&self, conn: &impl ConnectionTrait, search: &Search) -> Result<Walked, DbErr> {
        let wanted = search.offset.saturating_add(search.limit);
        let mut found = Walked { ids: Vec::new(), to_the_end: false, gave_up: false };
        let mut from = search.before;
        let mut walked = 0;
        // The first step is short, because the first page mostly is.
        let mut step = if self.rare { RARE } else { (wanted + 20).clamp(50, STEP) };
        while (found.ids.len() as u64) < wanted {
            if walked >= self.walk_at_most {
                found.gave_up = true;
                break;
            }
            let candidates = self.checked(search, self.candidates(search, from, step));
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

    /// Which of the messages are counted does not matter, so they are not sorted.
    async fn count(&self, conn: &impl ConnectionTrait, search: &Search, cap: u64) -> Result<Count, DbErr> {
        let (value, exact) = if self.is_checked(search) {
            self.count_checked(conn, search, cap).await?
        } else if self.driving.len() == 1 {
            let value = number(conn, postings(search, &self.driving, None).limit(cap + 1).to_owned()).await?;
            (value, true)
        } else {
            // Of words that begin alike a message may hold several.
            let at_most = 2 * (cap + 1);
            let postings = postings(search, &self.driving, None).limit(at_most).to_owned();
            let (value, looked_at) = messages_of(conn, postings).await?;
            (value, looked_at < at_most)
        };
        Ok(Count { value: Ord::min(value, cap), exact: exact && value <= cap })
    }

    /// How many messages match, up to one above the cap, and whether all that hold the driving word were looked at.
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
        hits.expr(Expr::val(1)).from_subquery(self.checked(search, messages), "messages");
        hits.and_where(Expr::col("hit"));
        let value = number(conn, hits.limit(cap + 1).to_owned()).await?;
        Ok((value, value <= cap && number(conn, postings).await? < self.walk_at_most))
    }

    /// Whether a message that holds the driving word may yet be no match.
    fn is_checked(&self, search: &Search) -> bool {
        !self.others.is_empty() || !search.filter.is_empty()
    }

    /// The next messages that hold the driving word, newest first, each once.
    fn candidates(&self, search: &Search, from: Option<Position>, at_most: u64) -> SelectStatement {
        if let [_] = self.driving.as_slice() {
            return newest(postings(search, &self.driving, from), at_most);
        }
        let one_sort = std::slice::from_ref(&self.driving);
        // The index is sorted by time within one word only: common words are read one by one and merged, each no
        // further than the step reaches; of rare ones there is so little that sorting is quicker.
        let each: Vec<&[Vec<u8>]> = if self.rare {
            one_sort.iter().map(Vec::as_slice).collect()
        } else {
            self.driving.chunks(1).collect()
        };
        let mut branches = each.into_iter().map(|hashes| {
            let branch = newest(postings(search, hashes, from), at_most);
            Query::select().column(TIME).column(ID).from_subquery(branch, "word").to_owned()
        });
        let mut union = branches.next().unwrap_or_default();
        for branch in branches {
            union.union(UnionType::All, branch);
        }
        // A message stands there twice when it holds two words that begin alike.
        let merged =
            Query::select().distinct().column(TIME).column(ID).from_subquery(union, "words").to_owned();
        newest(merged, at_most)
    }

    /// The same messages, each with a third column that tells whether it is visible under the filter and holds all
    /// other words.
    fn checked(&self, search: &Search, messages: SelectStatement) -> SelectStatement {
        let mut all = Condition::all().add(Expr::val(true));
        for hashes in &self.others {
            let held = of_words(search, hashes)
                .and_where(Expr::col((search_posting::Entity, TIME)).equals((CANDIDATE, TIME)))
                .and_where(Expr::col((search_posting::Entity, ID)).equals((CANDIDATE, ID)))
                .to_owned();
            all = all.add(Expr::exists(held));
        }
        if !search.filter.is_empty() {
            all = all.add(Expr::exists(visible(search)));
        }
        Query::select()
            .column((CANDIDATE, TIME))
            .column((CANDIDATE, ID))
            .expr_as(all, "hit")
            .from_subquery(messages, CANDIDATE)
            .to_owned()
    }
}

/// The row of the candidate, when it is there under the filter.
fn visible(search: &Search) -> SelectStatement {
    use message::Column;
    Query::select()
        .expr(Expr::val(1))
        .from(message::Entity)
        .and_where(Expr::col((message::Entity, Column::Id)).equals((CANDIDATE, ID)))
        .and_where(Expr::col((message::Entity, Column::OrganizationId)).eq(search.organization_id))
        .and_where(Expr::col((message::Entity, Column::DeletedAt)).is_null())
        .cond_where(search.filter.clone())
        .to_owned()
}

const CANDIDATE: &str = "candidate";
const TIME: search_posting::Column = search_posting::Column::ReceivedAt;
const ID: search_posting::Column = search_posting::Column::MessageId;

/// The words that begin so. When there are more than [`EXPANSION`], it is some of them, the word itself included:
/// a longer beginning then finds the rest.
async fn expand(
    conn: &impl ConnectionTrait,
    organization_id: Uuid,
    prefix: Word,
) -> Result<Vec<Vec<u8>>, DbErr> {
    use search_prefix::Column;
    let mut hashes: Vec<Vec<u8>> = search_prefix::Entity::find()
        .select_only()
        .column(Column::Word)
        .filter(Column::OrganizationId.eq(organization_id))
        .filter(Column::Prefix.eq(prefix.to_vec()))
        .order_by_asc(Column::Word)
        .limit(EXPANSION)
        .into_tuple()
        .all(conn)
        .await?;
    if hashes.len() as u64 == EXPANSION && !hashes.iter().any(|h| *h == prefix) {
        hashes.push(prefix.into());
    }
    Ok(hashes)
}

async fn count_up_to_rare(
    conn: &impl ConnectionTrait,
    search: &Search,
    hashes: &[Vec<u8>],
) -> Result<u64, DbErr> {
    if hashes.is_empty() {
        return Ok(0);
    }
    number(conn, postings(search, hashes, None).limit(RARE).to_owned()).await
}

/// How many messages the postings are of, and how many postings there are.
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

/// How many rows there are.
async fn number(conn: &impl ConnectionTrait, rows: SelectStatement) -> Result<u64, DbErr> {
    let query = Query::select().expr(Expr::cust("COUNT(*)")).from_subquery(rows, "counted").to_owned();
    let row = conn.query_one(&query).await?;
    Ok(row.map_or(Ok(0), |row| row.try_get_by_index::<i64>(0))?.unsigned_abs())
}

/// Postings of any of these words inside the time span of the search.
fn postings(search: &Search, hashes: &[Vec<u8>], from: Option<Position>) -> SelectStatement {
    let mut select = of_words(search, hashes);
    if let Some(since) = search.since {
        select.and_where(Expr::col(TIME).gte(since));
    }
    if let Some(until) = search.until {
        select.and_where(Expr::col(TIME).lt(until));
    }
    if let Some(position) = from {
        select.and_where(after(Expr::col(TIME), Expr::col(ID), position));
    }
    select
}

fn of_words(search: &Search, hashes: &[Vec<u8>]) -> SelectStatement {
    use search_posting::Column;
    Query::select()
        .column((search_posting::Entity, TIME))
        .column((search_posting::Entity, ID))
        .from(search_posting::Entity)
        .and_where(Expr::col((search_posting::Entity, Column::OrganizationId)).eq(search.organization_id))
        .and_where(Expr::col((search_posting::Entity, Column::Direction)).eq(search.direction))
        .and_where(Expr::col((search_posting::Entity, Column::Word)).is_in(hashes.iter().cloned()))
        .to_owned()
}

fn newest(select: SelectStatement, limit: u64) -> SelectStatement {
    in_order(select).limit(limit).to_owned()
}

fn in_order(mut select: SelectStatement) -> SelectStatement {
    select.order_by(TIME, Order::Desc).order_by(ID, Order::Desc).to_owned()
}
