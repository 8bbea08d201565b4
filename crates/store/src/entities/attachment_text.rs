//! The indexed words of a file's text, or the note that its text is due for reading.

use sea_orm::entity::prelude::*;

/// The indexed words of a file's text, or the note that its text is due for reading.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "attachment_text")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub attachment_id: Uuid,
    pub message_id: Uuid,
    /// When the text is due, or due again after a failure; null when it is done.
    pub due_at: Option<DateTimeUtc>,
    /// Number of attempts since it became due.
    pub tries: i16,
    /// Numbers of words, eight bytes each; null until the text was read.
    pub words: Option<Vec<u8>>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl Model {
    /// Packs numbers for [`Model::words`].
    pub fn pack<'a>(numbers: impl IntoIterator<Item = &'a i64>) -> Vec<u8> {
        numbers.into_iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    /// The numbers of the words.
    pub fn numbers(&self) -> impl Iterator<Item = i64> + '_ {
        let packed = self.words.as_deref().unwrap_or_default();
        packed.as_chunks::<8>().0.iter().map(|bytes| i64::from_le_bytes(*bytes))
    }
}
