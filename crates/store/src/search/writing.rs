//! Writing the index.

use super::{Entry, INSERT_ROWS, SHORTEST_WORD, WORDS_PER_MESSAGE, Word, words};
use crate::{
    Transaction,
    batching::BatchedWrites,
    entities::{search_posting, search_prefix, search_word},
    keys::DataKey,
};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect,
    sea_query::OnConflict,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Kind of index entry of words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Beginnings,
    Whole,
}

/// Indexes the words of a message's texts, the most significant text first. Idempotent.
///
/// Index one message per transaction: rows are inserted in sorted order so that two nodes never deadlock, and that
/// holds within one call only.
pub async fn index(txn: &Transaction, key: &DataKey, entry: &Entry, pieces: &[&str]) -> Result<(), DbErr> {
    let words = words(pieces).into_iter().take(WORDS_PER_MESSAGE);
    let numbers = numbers_of(txn, key, entry, &hashed(key, words), Kind::Beginnings).await?;
    post(txn, entry, &numbers).await
}

/// Removes a message from the index, given the texts that it was indexed with. The words themselves stay.
///
/// Words beyond [`WORDS_PER_MESSAGE`] are removed too: which words come first may have been different before.
pub async fn unindex(
    conn: &impl ConnectionTrait,
    key: &DataKey,
    entry: &Entry,
    pieces: &[&str],
) -> Result<(), DbErr> {
    let numbers = numbers(conn, entry, hashed(key, words(pieces)).keys()).await?;
    unpost(conn, entry, &numbers.into_values().collect()).await
}

/// The numbers of words that are found whole, not by their beginnings. [`post`] writes the words of a message, so
/// that the caller can keep their numbers. The rule for transactions of [`index`] applies.
pub async fn number_words(
    txn: &Transaction,
    key: &DataKey,
    entry: &Entry,
    words: impl IntoIterator<Item = String>,
) -> Result<BTreeSet<i64>, DbErr> {
    numbers_of(txn, key, entry, &hashed(key, words), Kind::Whole).await
}

/// Adds a message to the words with these numbers. Idempotent.
pub async fn post(txn: &Transaction, entry: &Entry, numbers: &BTreeSet<i64>) -> Result<(), DbErr> {
    let rows = numbers.iter().map(|word| search_posting::ActiveModel {
        word: Set(*word),
        at: Set(entry.received_at.timestamp_micros()),
        message_id: Set(entry.message_id),
    });
    insert_missing::<search_posting::Entity, _>(txn, rows.collect()).await
}

/// Removes a message from the words with these numbers.
pub async fn unpost(
    conn: &impl ConnectionTrait,
    entry: &Entry,
    numbers: &BTreeSet<i64>,
) -> Result<(), DbErr> {
    use search_posting::Column;
    let numbers: Vec<i64> = numbers.iter().copied().collect();
    for part in numbers.chunks(INSERT_ROWS) {
        search_posting::Entity::delete_many()
            .filter(Column::Word.is_in(part.iter().copied()))
            .filter(Column::At.eq(entry.received_at.timestamp_micros()))
            .filter(Column::MessageId.eq(entry.message_id))
            .exec(conn)
            .await?;
    }
    Ok(())
}

/// Words by their hashes.
pub(super) fn hashed(key: &DataKey, words: impl IntoIterator<Item = String>) -> BTreeMap<Word, String> {
    words.into_iter().map(|word| (key.word_hash(word.as_bytes()), word)).collect()
}

fn prefixes(word: &str) -> impl Iterator<Item = &str> {
    word.char_indices().skip(SHORTEST_WORD).map(|(end, _)| &word[..end]).chain([word])
}

/// The numbers of already indexed words of the organization and direction. Strangers may send texts with any number
/// of words, and a statement takes a limited number of values.
pub(super) async fn numbers(
    conn: &impl ConnectionTrait,
    entry: &Entry,
    words: impl Iterator<Item = &Word>,
) -> Result<HashMap<Vec<u8>, i64>, DbErr> {
    use search_word::Column;
    let words: Vec<Vec<u8>> = words.map(|word| word.to_vec()).collect();
    let mut known = HashMap::new();
    for part in words.chunks(INSERT_ROWS) {
        let found: Vec<(Vec<u8>, i64)> = search_word::Entity::find()
            .select_only()
            .columns([Column::Word, Column::Number])
            .filter(Column::OrganizationId.eq(entry.organization_id))
            .filter(Column::Direction.eq(entry.direction))
            .filter(Column::Word.is_in(part.iter().cloned()))
            .into_tuple()
            .all(conn)
            .await?;
        known.extend(found);
    }
    Ok(known)
}

/// The numbers of words; new ones are added.
async fn numbers_of(
    txn: &Transaction,
    key: &DataKey,
    entry: &Entry,
    words: &BTreeMap<Word, String>,
    kind: Kind,
) -> Result<BTreeSet<i64>, DbErr> {
    let mut numbers = numbers(txn, entry, words.keys()).await?;
    let new: BTreeMap<Word, String> = words
        .iter()
        .filter(|(hash, _)| !numbers.contains_key(hash.as_slice()))
        .map(|(hash, word)| (*hash, word.clone()))
        .collect();
    if !new.is_empty() {
        add_words(txn, entry, new.keys()).await?;
        if kind == Kind::Beginnings {
            add_beginnings(txn, key, entry, &new).await?;
        }
        numbers.extend(self::numbers(txn, entry, new.keys()).await?);
    }
    Ok(numbers.into_values().collect())
}

/// Assigns numbers to new words. Another node may have done so already.
async fn add_words(
    txn: &Transaction,
    entry: &Entry,
    words: impl Iterator<Item = &Word>,
) -> Result<(), DbErr> {
    let rows = words.map(|word| search_word::ActiveModel {
        organization_id: Set(entry.organization_id),
        direction: Set(entry.direction),
        word: Set(word.to_vec()),
        ..Default::default()
    });
    insert_missing::<search_word::Entity, _>(txn, rows.collect()).await
}

async fn add_beginnings(
    txn: &Transaction,
    key: &DataKey,
    entry: &Entry,
    words: &BTreeMap<Word, String>,
) -> Result<(), DbErr> {
    let pairs: BTreeSet<(Word, Word)> = words
        .iter()
        .flat_map(|(hash, word)| prefixes(word).map(|p| (key.word_hash(p.as_bytes()), *hash)))
        .collect();
    let rows = pairs.into_iter().map(|(prefix, word)| search_prefix::ActiveModel {
        organization_id: Set(entry.organization_id),
        prefix: Set(prefix.into()),
        word: Set(word.into()),
    });
    insert_missing::<search_prefix::Entity, _>(txn, rows.collect()).await
}

pub(super) async fn insert_missing<E, A>(txn: &Transaction, rows: Vec<A>) -> Result<(), DbErr>
where
    E: EntityTrait,
    A: sea_orm::ActiveModelTrait<Entity = E> + Clone,
{
    for part in rows.chunks(INSERT_ROWS) {
        let skip_present = OnConflict::new().do_nothing().to_owned();
        txn.later(E::insert_many(part.iter().cloned()).on_conflict(skip_present)).await?;
    }
    Ok(())
}
