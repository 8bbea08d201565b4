//! Search of organizations by the words of their names. `organization_name` has a row for each word, followed by the
//! rest of the name and then the part before it, so that the other words of a search are checked in the index alone;
//! and a row with the whole name, in the order of names.

use crate::entities::organization_name::{ActiveModel, Column, Entity};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, prelude::Uuid,
};
use std::collections::BTreeSet;

/// Most indexed words of a name; no real name has more.
const WORDS_MAX: usize = 20;
/// Longest part in characters, which is an index key. Real names are shorter.
const PART_MAX: usize = 200;
/// Prefix of the row with the whole name. No word has it.
pub const WHOLE: &str = " ";

/// The words of a text in the form of `name_key`.
pub fn words(key: &str) -> impl Iterator<Item = &str> {
    key.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// The parts of a name: " st mary clinic", "st mary clinic", "mary clinic st", "clinic st mary".
pub fn parts(name_key: &str) -> BTreeSet<String> {
    let words: Vec<&str> = words(name_key).take(WORDS_MAX).collect();
    let from = |at: usize| [&words[at..], &words[..at]].concat().join(" ");
    let whole = (!words.is_empty()).then(|| format!("{WHOLE}{}", words.join(" ")));
    (0..words.len()).map(from).chain(whole).map(|part| part.chars().take(PART_MAX).collect()).collect()
}

/// The rows of an organization.
pub fn rows(organization_id: Uuid, name_key: &str) -> impl Iterator<Item = ActiveModel> {
    let row = move |part| ActiveModel { part: Set(part), organization_id: Set(organization_id) };
    parts(name_key).into_iter().map(row)
}

/// Writes the rows of a new name.
pub async fn write(db: &impl ConnectionTrait, organization_id: Uuid, name_key: &str) -> Result<(), DbErr> {
    remove(db, organization_id).await?;
    let rows: Vec<ActiveModel> = rows(organization_id, name_key).collect();
    if !rows.is_empty() {
        Entity::insert_many(rows).exec_without_returning(db).await?;
    }
    Ok(())
}

/// Removes the rows of an organization that should no longer be found.
pub async fn remove(db: &impl ConnectionTrait, organization_id: Uuid) -> Result<(), DbErr> {
    Entity::delete_many().filter(Column::OrganizationId.eq(organization_id)).exec(db).await.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str) -> Vec<String> {
        parts(name).into_iter().collect()
    }

    #[test]
    fn a_name_has_a_part_for_each_word_and_one_for_the_whole() {
        assert_eq!(
            of("larkfield family medicine"),
            [
                " larkfield family medicine",
                "family medicine larkfield",
                "larkfield family medicine",
                "medicine larkfield family"
            ]
        );
        assert_eq!(of("st. mary (north)").last().map(String::as_str), Some("st mary north"));
        assert_eq!(of("o'hara"), [" o hara", "hara o", "o hara"]);
        assert_eq!(of("äsculap"), [" äsculap", "äsculap"]);
        assert!(of(" – ").is_empty());
    }

    #[test]
    fn long_names_have_parts_that_an_index_holds() {
        let long = "wort ".repeat(100);
        assert!(of(&long).iter().all(|part| part.chars().count() <= PART_MAX));
        assert!(of(&"a b c d e f g h i j k l m n o p q r s t u v w x y z".repeat(9)).len() <= WORDS_MAX + 1);
    }
}
