//! The blind word index over sealed fields (docs/adr/0002-search-over-sealed-fields.md).
//!
//! The database sees keyed hashes of words, never words. `search_posting` tells which messages hold a word, newest
//! first; `search_prefix` leads from the beginning of a word to the words of the organization that begin so.
//!
//! **Cost of a search** does not grow with the history. A beginning stands for at most [`EXPANSION`] words; the
//! rarest word of the text drives, and if fewer than [`RARE`] messages hold it, all of them are checked. Otherwise
//! its messages are walked newest first, and the walk ends when enough matched or when about [`BUDGET`] index
//! entries were looked at; the answer then says that it is not complete.

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
    /// On columns of `message`.
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
        let ids = listed(search).offset(search.offset).limit(search.limit);
        return Ok(Found { ids: ids.into_tuple().all(conn).await?, complete: true });
    }
    let wanted = search.offset.saturating_add(search.limit);
    let mut found = walk(conn, key, search, &words, wanted).await?;
    found.ids = found.ids.split_off(found.ids.len().min(search.offset as usize));
    Ok(found)
}

/// Counts matching messages up to `cap`. Offset, limit and cursor of the search do not matter.
pub async fn count(
    conn: &impl ConnectionTrait,
    key: &DataKey,
    search: &Search,
    cap: u64,
) -> Result<Count, DbErr> {
    let search = Search { before: None, ..search.clone() };
    let words = searched_words(&search.text);
    let found = if words.is_empty() {
        let ids = listed(&search).limit(cap + 1).into_tuple().all(conn).await?;
        Found { ids, complete: true }
    } else {
        walk(conn, key, &search, &words, cap + 1).await?
    };
    let value = found.ids.len() as u64;
    Ok(Count { value: Ord::min(value, cap), exact: found.complete && value <= cap })
}

/// As [`find`] and [`count`] together, in one walk where that is possible.
pub async fn find_counted(
    conn: &impl ConnectionTrait,
    key: &DataKey,
    search: &Search,
    cap: u64,
) -> Result<(Found, Count), DbErr> {
    let words = searched_words(&search.text);
    let end = search.offset.saturating_add(search.limit);
    if words.is_empty() || search.before.is_some() || end > cap {
        return Ok((find(conn, key, search).await?, count(conn, key, search, cap).await?));
    }
    let mut found = walk(conn, key, search, &words, cap + 1).await?;
    let value = found.ids.len() as u64;
    let count = Count { value: Ord::min(value, cap), exact: found.complete && value <= cap };
    found.complete |= value >= end;
    found.ids = found.ids.into_iter().skip(search.offset as usize).take(search.limit as usize).collect();
    Ok((found, count))
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

/// Walks the messages of the rarest word, newest first, until `wanted` of them matched.
async fn walk(
    conn: &impl ConnectionTrait,
    key: &DataKey,
    search: &Search,
    words: &[String],
    wanted: u64,
) -> Result<Found, DbErr> {
    let mut found = Found { ids: Vec::new(), complete: true };
    let Some(plan) = Plan::make(conn, key, search, words).await? else { return Ok(found) };
    let mut from = search.before;
    let mut walked = 0;
    // The first step is short, because the first page mostly is.
    let mut step = if plan.rare { RARE } else { (wanted + 20).clamp(50, STEP) };
    while (found.ids.len() as u64) < wanted {
        if walked >= plan.walk_at_most {
            found.complete = false;
            break;
        }
        let candidates = plan.candidates(conn, search, from, step).await?;
        let Some(end) = candidates.last().copied() else { break };
        found.ids.extend(plan.check(conn, search, &candidates).await?);
        if (candidates.len() as u64) < step {
            break;
        }
        from = Some(end);
        walked += step;
        step = Ord::min(step * 2, STEP);
    }
    found.ids.truncate(wanted as usize);
    Ok(found)
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

    /// The next messages that hold the driving word, newest first. A message may stand there twice, when it holds
    /// two words that begin alike.
    async fn candidates(
        &self,
        conn: &impl ConnectionTrait,
        search: &Search,
        from: Option<Position>,
        at_most: u64,
    ) -> Result<Vec<Position>, DbErr> {
        let one_sort = std::slice::from_ref(&self.driving);
        // The index is sorted by time within one word only: common words are read one by one and merged, each no
        // further than the step reaches; of rare ones there is so little that sorting is quicker.
        let each: Vec<&[Vec<u8>]> = if self.rare {
            one_sort.iter().map(Vec::as_slice).collect()
        } else {
            self.driving.chunks(1).collect()
        };
        let mut branches = each.into_iter().map(|hashes| newest(postings(search, hashes, from), at_most));
        let Some(first) = branches.next() else { return Ok(Vec::new()) };
        let mut union = Query::select();
        union.column(TIME).column(ID).from_subquery(first, "word");
        for branch in branches {
            let branch = Query::select().column(TIME).column(ID).from_subquery(branch, "word").to_owned();
            union.union(UnionType::All, branch);
        }
        let merged =
            Query::select().distinct().column(TIME).column(ID).from_subquery(union, "words").to_owned();
        let rows = conn.query_all(&newest(merged, at_most)).await?;
        rows.iter().map(|row| Ok((row.try_get_by_index(0)?, row.try_get_by_index(1)?))).collect()
    }

    /// Those of the candidates that are visible under the filter and hold all other words, in their order.
    async fn check(
        &self,
        conn: &impl ConnectionTrait,
        search: &Search,
        candidates: &[Position],
    ) -> Result<Vec<Uuid>, DbErr> {
        use message::Column;
        let mut select = message::Entity::find()
            .select_only()
            .column(Column::Id)
            .filter(Column::Id.is_in(candidates.iter().map(|(_, id)| *id)))
            .filter(Column::OrganizationId.eq(search.organization_id))
            .filter(Column::DeletedAt.is_null())
            .filter(search.filter.clone());
        for hashes in &self.others {
            let posting = (search_posting::Entity, ID);
            let held = of_words(search, hashes)
                .and_where(
                    Expr::col((search_posting::Entity, TIME)).equals((message::Entity, Column::ReceivedAt)),
                )
                .and_where(Expr::col(posting).equals((message::Entity, Column::Id)))
                .to_owned();
            select = select.filter(Expr::exists(held));
        }
        let matching: HashSet<Uuid> = select.into_tuple().all(conn).await?.into_iter().collect();
        Ok(candidates.iter().map(|(_, id)| *id).filter(|id| matching.contains(id)).collect())
    }
}

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
    let some = postings(search, hashes, search.before).limit(RARE).to_owned();
    Ok(conn.query_all(&some).await?.len() as u64)
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

fn newest(mut select: SelectStatement, limit: u64) -> SelectStatement {
    select.order_by(TIME, Order::Desc).order_by(ID, Order::Desc).limit(limit).to_owned()
}
