//! Entries of the directory and their rows.

use crate::names::{key, words};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter,
    sea_query::OnConflict,
};
use sha2::{Digest, Sha256};
use store::{
    Transaction,
    entities::{directory_entry, directory_pair, directory_word},
};
use uuid::Uuid;

/// Rows written by one statement: SQLite takes at most 32,766 values.
pub const ROWS: usize = 1_000;

/// Kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Provider = 0,
    Organization = 1,
}

/// A person or organization in the directory. Phone and fax are digits, the state is its two letters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    pub first_name: String,
    pub middle_name: String,
    pub last_name: String,
    pub organization_name: String,
    pub clinic_name: String,
    pub direct_address: String,
    pub phone: String,
    pub fax: String,
    pub address_line: String,
    pub city: String,
    pub state: String,
    pub zip: String,
}

impl Entry {
    /// An entry with a first or last name is a person.
    pub fn kind(&self) -> Kind {
        if self.last_name.is_empty() && self.first_name.is_empty() {
            Kind::Organization
        } else {
            Kind::Provider
        }
    }

    /// The row of an entry, which the list identifies by `source_key`.
    pub fn row(self, source: &str, source_key: &str, import_id: Option<Uuid>) -> directory_entry::Model {
        let kind = self.kind();
        let sorted_by = if kind == Kind::Provider { &self.last_name } else { &self.organization_name };
        let named = words(&format!("{} {}", self.organization_name, self.clinic_name));
        directory_entry::Model {
            id: id(source, source_key),
            kind: kind as i16,
            source: source.into(),
            source_key: source_key.into(),
            last_key: key(sorted_by),
            first_key: key(&self.first_name),
            city_key: key(&self.city),
            words: named.iter().map(|word| format!(" {word}")).collect(),
            digest: self.digest(),
            first_name: self.first_name,
            middle_name: self.middle_name,
            last_name: self.last_name,
            organization_name: self.organization_name,
            clinic_name: self.clinic_name,
            direct_address: self.direct_address,
            phone: self.phone,
            fax: self.fax,
            address_line: self.address_line,
            city: self.city,
            state: self.state.to_uppercase(),
            zip: self.zip,
            import_id,
        }
    }

    fn digest(&self) -> i64 {
        let parts = [
            &self.first_name,
            &self.middle_name,
            &self.last_name,
            &self.organization_name,
            &self.clinic_name,
            &self.direct_address,
            &self.phone,
            &self.fax,
            &self.address_line,
            &self.city,
            &self.state,
            &self.zip,
        ];
        let mut sha = Sha256::new();
        for part in parts {
            sha.update(part);
            sha.update([0]);
        }
        let hash = sha.finalize();
        hash.iter().take(8).fold(0, |digest, byte| digest << 8 | i64::from(*byte))
    }
}

/// The id of an entry, always the same for the same entry of the same list.
pub fn id(source: &str, source_key: &str) -> Uuid {
    Uuid::new_v5(&Uuid::NAMESPACE_OID, format!("{source}\n{source_key}").as_bytes())
}

/// Writes new and changed entries with their search words.
pub async fn write(txn: &Transaction, mut rows: Vec<directory_entry::Model>) -> Result<(), DbErr> {
    use directory_entry::Column;
    // In order of ids, so that a second writer of the same entries waits at the first one and then sees these words.
    rows.sort_by_key(|row| row.id);
    for rows in rows.chunks(ROWS) {
        let changed = <Column as sea_orm::Iterable>::iter().filter(|c| !matches!(c, Column::Id));
        let replace = OnConflict::column(Column::Id).update_columns(changed).to_owned();
        directory_entry::Entity::insert_many(
            rows.iter().cloned().map(|row| row.into_active_model().reset_all()),
        )
        .on_conflict(replace)
        .exec_without_returning(txn)
        .await?;
        delete_words(txn, rows.iter().map(|row| row.id)).await?;
        let words: Vec<_> = rows.iter().flat_map(words_of).collect();
        for words in words.chunks(ROWS * 3) {
            let words = words.iter().cloned().map(|word| word.into_active_model().reset_all());
            directory_word::Entity::insert_many(words).exec_without_returning(txn).await?;
        }
        let pairs: Vec<_> = rows.iter().flat_map(pairs_of).collect();
        for pairs in pairs.chunks(ROWS * 10) {
            let pairs = pairs.iter().cloned().map(|pair| pair.into_active_model().reset_all());
            directory_pair::Entity::insert_many(pairs).exec_without_returning(txn).await?;
        }
    }
    Ok(())
}

fn words_of(row: &directory_entry::Model) -> Vec<directory_word::Model> {
    let mut before = String::new();
    row.words
        .split_whitespace()
        .map(|word| directory_word::Model {
            kind: row.kind,
            word: word.into(),
            last_key: row.last_key.clone(),
            first_key: row.first_key.clone(),
            entry_id: row.id,
            state: row.state.clone(),
            word_before: std::mem::replace(&mut before, word.into()),
            city_key: row.city_key.clone(),
            words: row.words.clone(),
        })
        .collect()
}

fn pairs_of(row: &directory_entry::Model) -> Vec<directory_pair::Model> {
    let words: Vec<&str> = row.words.split_whitespace().collect();
    let all =
        words.iter().enumerate().flat_map(|(at, one)| words[at + 1..].iter().map(move |other| (one, other)));
    all.map(|(one, other)| directory_pair::Model {
        kind: row.kind,
        pair: format!("{one} {other}"),
        entry_id: row.id,
    })
    .collect()
}

async fn delete_words(
    db: &impl ConnectionTrait,
    ids: impl Iterator<Item = Uuid> + Clone,
) -> Result<(), DbErr> {
    let of_these = directory_word::Column::EntryId.is_in(ids.clone());
    directory_word::Entity::delete_many().filter(of_these).exec(db).await?;
    let of_these = directory_pair::Column::EntryId.is_in(ids);
    directory_pair::Entity::delete_many().filter(of_these).exec(db).await?;
    Ok(())
}

/// Removes entries together with their words.
pub async fn remove(db: &impl ConnectionTrait, ids: &[Uuid]) -> Result<(), DbErr> {
    for ids in ids.chunks(ROWS) {
        let these = directory_entry::Column::Id.is_in(ids.iter().copied());
        directory_entry::Entity::delete_many().filter(these).exec(db).await?;
    }
    Ok(())
}
