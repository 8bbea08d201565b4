//! Finds organizations by beginnings of words of their names, in any order. Only the index of names is read: rows of
//! organizations are wide, and there may be a hundred thousand.

use accounts::organization::open;
use platform::{
    Result,
    http::{COUNT_CAP, Page},
    sql::{self, begins_with},
};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, Order, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
    QueryTrait, Select, sea_query::Expr,
};
use store::{
    entities::{
        organization,
        organization_name::{Column, Entity},
    },
    organization_names::{self, WHOLE},
};
use uuid::Uuid;

/// Up to this number, organizations are found by their words and then sorted. More are read in the order of their
/// names, since a page fills quickly.
const FEW: u64 = 2_000;
/// Number of organizations offered by a typeahead if there are more.
const OFFERED: u64 = 500;
/// Maximum number of words of a search.
const WORDS_MAX: usize = 8;

/// A parsed search text.
pub enum NameSearch {
    /// Empty text: matches all.
    All,
    /// Text without a word: matches none.
    Nothing,
    Words(Words),
}

/// Words, none of which is the beginning of another.
pub struct Words {
    /// Word by which names are looked up.
    first: String,
    others: Vec<String>,
}

impl NameSearch {
    pub fn new(search: &str) -> Self {
        let key = sql::key(search);
        let mut words: Vec<String> = Vec::new();
        for word in organization_names::words(&key).take(WORDS_MAX) {
            if words.iter().any(|known| known.starts_with(word)) {
                continue;
            }
            words.retain(|known| !word.starts_with(known.as_str()));
            words.push(word.to_owned());
        }
        match words.pop() {
            Some(first) => Self::Words(Words { first, others: words }),
            None if key.is_empty() => Self::All,
            None => Self::Nothing,
        }
    }
}

impl Words {
    /// The same with the rarest word first.
    async fn planned(mut self, db: &impl ConnectionTrait) -> Result<Self> {
        if self.others.is_empty() {
            return Ok(self);
        }
        let mut least = count_of(db, &self.first).await?;
        for word in &mut self.others {
            let count = count_of(db, word).await?;
            if count < least {
                least = count;
                std::mem::swap(word, &mut self.first);
            }
        }
        Ok(self)
    }

    /// The ids of the organizations that have all of the words.
    fn ids(&self, db: &impl ConnectionTrait) -> Select<Entity> {
        let found = names_with(db, &self.first).select_only().column(Column::OrganizationId).distinct();
        self.others.iter().fold(found, |found, word| found.filter(Column::Part.contains(format!(" {word}"))))
    }

    /// Number of matches, at most [`COUNT_CAP`] + 1.
    async fn total(&self, db: &impl ConnectionTrait) -> Result<u64> {
        Ok(self.ids(db).limit(COUNT_CAP + 1).count(db).await?)
    }

    /// Some of their ids in the order of the names.
    async fn in_order(
        &self,
        db: &impl ConnectionTrait,
        order: &Order,
        offset: u64,
        size: u64,
    ) -> Result<Vec<Uuid>> {
        let whole = Entity::find().filter(begins_with(db, Column::Part, WHOLE));
        let named = |names: Select<Entity>, word: &String| {
            names.filter(Column::Part.contains(format!("{WHOLE}{word}")))
        };
        let words = std::iter::once(&self.first).chain(&self.others);
        let found = words.fold(whole, named).select_only().column(Column::OrganizationId);
        let found =
            found.order_by(Column::Part, order.clone()).order_by(Column::OrganizationId, order.clone());
        Ok(found.offset(offset).limit(size).into_tuple().all(db).await?)
    }
}

fn names_with(db: &impl ConnectionTrait, word: &str) -> Select<Entity> {
    Entity::find().filter(begins_with(db, Column::Part, word))
}

/// Number of names with a word, up to [`COUNT_CAP`].
async fn count_of(db: &impl ConnectionTrait, word: &str) -> Result<u64> {
    Ok(names_with(db, word).select_only().column(Column::Part).limit(COUNT_CAP).count(db).await?)
}

/// A page of the matching organizations by name, and their number, at most [`COUNT_CAP`] + 1.
pub async fn page(
    db: &impl ConnectionTrait,
    search: NameSearch,
    order: Order,
    page: Page,
) -> Result<(Vec<organization::Model>, u64)> {
    use organization::Column::{Id, NameKey};
    let (rows, total) = match search {
        NameSearch::Nothing => return Ok((Vec::new(), 0)),
        NameSearch::All => (open(), sql::capped_count(db, open()).await?),
        NameSearch::Words(words) => {
            let words = words.planned(db).await?;
            let total = words.total(db).await?;
            if total > FEW {
                let ids = words.in_order(db, &order, page.offset(), page.size).await?;
                return Ok((in_the_order_of(db, ids).await?, total));
            }
            (open().filter(Id.in_subquery(words.ids(db).into_query())), total)
        }
    };
    let rows = rows.order_by(NameKey, order.clone()).order_by(Id, order);
    Ok((rows.offset(page.offset()).limit(page.size).all(db).await?, total))
}

async fn in_the_order_of(db: &impl ConnectionTrait, ids: Vec<Uuid>) -> Result<Vec<organization::Model>> {
    let mut rows = open().filter(organization::Column::Id.is_in(ids.iter().copied())).all(db).await?;
    rows.sort_by_key(|row| ids.iter().position(|id| *id == row.id));
    Ok(rows)
}

/// All matching organizations, for a query with further conditions.
pub async fn found(db: &impl ConnectionTrait, search: NameSearch) -> Result<Select<organization::Entity>> {
    Ok(match search {
        NameSearch::All => open(),
        NameSearch::Nothing => open().filter(Expr::cust("1 = 0")),
        NameSearch::Words(words) => {
            let ids = words.planned(db).await?.ids(db).into_query();
            open().filter(organization::Column::Id.in_subquery(ids))
        }
    })
}

/// The matching organizations for a typeahead: the first 500 by name if there are many.
pub async fn offered(db: &impl ConnectionTrait, search: &str) -> Result<Select<organization::Entity>> {
    match NameSearch::new(search) {
        NameSearch::Words(words) => {
            let words = words.planned(db).await?;
            if words.total(db).await? > FEW {
                let ids = words.in_order(db, &Order::Asc, 0, OFFERED).await?;
                return Ok(open().filter(organization::Column::Id.is_in(ids)));
            }
            found(db, NameSearch::Words(words)).await
        }
        search => found(db, search).await,
    }
}
