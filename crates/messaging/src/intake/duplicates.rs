//! `GET /api/messages/{id}/duplicates`: Intake messages with apparently the same content: a file with the same bytes, a
//! fax with the same words, or a document of the same patient and date.

use crate::{
    files,
    indexes::text,
    messages::{list, queries},
    model::{Direction, Patient, SourceType, status_word},
    sealed::{Content, Summary, open_meta},
};
use axum::{Json, extract::State};
use chrono::{DateTime, Duration, NaiveDate, Utc};
use platform::{
    App, Member, Result,
    access::MEMBERS,
    api::Api,
    audit::{self, Act, event},
    http::{Id, Items},
};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, Condition, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::Expr,
};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use store::{
    entities::{attachment, message},
    keys::DataKey,
    search::{self, Search},
};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

/// Period that is searched for equal files and documents.
const LOOK_BACK: Duration = Duration::days(180);
/// Maximum time between two faxes of the same caller and length that are compared.
const SAME_FAX: Duration = Duration::hours(24);
const FAXES_MAX: u64 = 50;
/// Minimum number of words for comparing faxes.
const FAX_WORDS_MIN: usize = 12;
/// Maximum number of words in only one of two copies of a fax: the line that machines print above a page has the time.
/// Faxes of different patients differ more: a name, a birth date, a number.
const ODD_WORDS_MAX: usize = 3;
/// Maximum number of files of a message that are compared, and of equal files considered for each.
const FILES_MAX: usize = 10;
const EQUALS_MAX: u64 = 5;
/// Maximum number of files read per call because their content hash is missing.
const HASHED_MAX: usize = 5;
/// Maximum number of messages of patients with the same name that are considered.
const NAMESAKES_MAX: u64 = 20;
const ANSWERS_MAX: usize = 10;

pub fn api() -> Api {
    Api::for_subscribers().route(MEMBERS, routes!(duplicates))
}

/// Why two messages seem to be the same, most certain first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
pub enum Likeness {
    SameFile,
    SameFax,
    SamePatientAndDate,
}

/// A message with apparently the same content.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Duplicate {
    pub id: Uuid,
    pub likeness: Likeness,
    pub subject: String,
    pub from_address: String,
    pub from_name: String,
    pub status: String,
    pub created_date: DateTime<Utc>,
}

/// Messages with apparently the same content as this one
#[utoipa::path(get, path = "/api/messages/{id}/duplicates", operation_id = "messageDuplicates", tag = "messages",
    params(("id" = Uuid, Path)), responses((status = 200, body = Items<Duplicate>)))]
async fn duplicates(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
) -> Result<Json<Items<Duplicate>>> {
    let row = queries::find(&app, &member, id).await?;
    if row.direction != Direction::Intake {
        return Ok(Json(Items { items: Vec::new() }));
    }
    let key = app.keys.data_key(member.organization_id).await?;
    let looking = Looking { app: &app, member: &member, key: &key, row: &row };
    let mut found = looking.same_files().await?;
    found.extend(looking.same_faxes().await?);
    found.extend(looking.same_patients().await?);
    found.sort_by_key(|(likeness, other)| (*likeness, std::cmp::Reverse(other.received_at)));
    let mut seen = BTreeSet::from([id]);
    let items = found
        .into_iter()
        .filter(|(_, other)| seen.insert(other.id))
        .take(ANSWERS_MAX)
        .map(|(likeness, other)| {
            Ok(Duplicate {
                subject: Summary::open(&key, &other)?.subject,
                status: status_word(&other),
                id: other.id,
                likeness,
                from_address: other.from_address,
                from_name: other.from_name,
                created_date: other.received_at,
            })
        })
        .collect::<Result<Vec<_>>>()?;
    if !items.is_empty() {
        let ids: Vec<Uuid> = items.iter().map(|item| item.id).collect();
        let act = Act::new(event::LISTED, "message", id).detail(serde_json::json!({ "duplicates": ids }));
        audit::record_read(&app, &member.caller, act).await?;
    }
    Ok(Json(Items { items }))
}

type Alike = Vec<(Likeness, message::Model)>;

struct Looking<'a> {
    app: &'a App,
    member: &'a Member,
    key: &'a DataKey,
    row: &'a message::Model,
}

impl Looking<'_> {
    /// Messages with a file of the same content, regardless of its name.
    async fn same_files(&self) -> Result<Alike> {
        let db = self.app.store.db();
        let mut budget = HASHED_MAX;
        let mut ids = Vec::new();
        for file in files::of_message(db, self.row).await?.iter().take(FILES_MAX) {
            let Some(hash) = self.hash(file, &mut budget).await? else { continue };
            let like = |of_hash: Expr| {
                self.member
                    .tenant()
                    .attachments()
                    .filter(of_hash)
                    .filter(attachment::Column::CreatedAt.gte(self.row.received_at - LOOK_BACK))
                    .filter(attachment::Column::MessageId.ne(self.row.id))
                    .order_by_desc(attachment::Column::CreatedAt)
                    .limit(EQUALS_MAX)
            };
            let same = like(attachment::Column::ContentHash.eq(hash.clone())).all(db).await?;
            ids.extend(same.into_iter().map(|other| other.message_id));
            let unknown = like(attachment::Column::ContentHash.is_null())
                .filter(attachment::Column::SizeBytes.eq(file.size_bytes));
            for other in unknown.all(db).await? {
                if self.hash(&other, &mut budget).await?.is_some_and(|theirs| theirs == hash) {
                    ids.push(other.message_id);
                }
            }
        }
        Ok(alike(Likeness::SameFile, self.of_intake(list::rows(db, &ids).await?)))
    }

    /// The hash of a file's content. It is computed and stored for files older than hashes; `None` once the call's
    /// budget of such files is used up.
    async fn hash(&self, file: &attachment::Model, budget: &mut usize) -> Result<Option<Vec<u8>>> {
        if file.content_hash.is_some() || *budget == 0 {
            return Ok(file.content_hash.clone());
        }
        *budget -= 1;
        let bytes = files::read(self.app, self.row.organization_id, file.blob_id).await?;
        let hash = self.key.content_hash(&Sha256::digest(&bytes).into());
        attachment::Entity::update_many()
            .set(attachment::ActiveModel { content_hash: Set(Some(hash.clone())), ..Default::default() })
            .filter(attachment::Column::Id.eq(file.id))
            .filter(attachment::Column::BlobId.eq(file.blob_id))
            .exec(self.app.store.db())
            .await?;
        Ok(Some(hash))
    }

    /// Faxes from the same caller with the same words, at about the same time. Faxes whose words are not read yet are
    /// not compared.
    async fn same_faxes(&self) -> Result<Alike> {
        let (from, pages) = (&self.row.from_address, self.row.fax_page_count);
        if self.row.source_type != SourceType::Fax || from.is_empty() || pages.is_none() {
            return Ok(Vec::new());
        }
        let (db, at) = (self.app.store.db(), self.row.received_at);
        let rows = self
            .member
            .tenant()
            .messages()
            .filter(message::Column::Direction.eq(Direction::Intake))
            .filter(message::Column::IsDraft.eq(false))
            .filter(message::Column::ReceivedAt.between(at - SAME_FAX, at + SAME_FAX))
            .filter(message::Column::FromAddress.eq(from))
            .filter(message::Column::SourceType.eq(SourceType::Fax))
            .filter(message::Column::FaxPageCount.eq(pages))
            .filter(message::Column::Id.ne(self.row.id))
            .order_by_desc(message::Column::ReceivedAt)
            .limit(FAXES_MAX)
            .all(db)
            .await?;
        let ids: Vec<Uuid> = rows.iter().map(|row| row.id).chain([self.row.id]).collect();
        let mut words = text::words_of_messages(db, &ids).await?;
        let own = words.remove(&self.row.id).unwrap_or_default();
        let is_same =
            |row: &message::Model| words.get(&row.id).is_some_and(|theirs| is_same_text(&own, theirs));
        Ok(alike(Likeness::SameFax, rows.into_iter().filter(is_same).collect()))
    }

    /// Messages about the same patient with a document of the same date.
    async fn same_patients(&self) -> Result<Alike> {
        let db = self.app.store.db();
        let Some(patient) = Content::open(self.key, self.row)?.patient else { return Ok(Vec::new()) };
        let name = patient.display_name();
        let dates = self.document_dates(self.row).await?;
        if name.is_empty() || dates.is_empty() {
            return Ok(Vec::new());
        }
        let search = Search {
            organization_id: self.row.organization_id,
            direction: Direction::Intake,
            text: name,
            alike: |_| Vec::new(),
            filter: Condition::all(),
            since: Some(self.row.received_at - LOOK_BACK),
            until: None,
            before: None,
            offset: 0,
            limit: NAMESAKES_MAX,
        };
        let found = search::find(db, self.key, &search).await?;
        let mut rows = Vec::new();
        for other in list::rows(db, &found.ids).await? {
            if other.id == self.row.id {
                continue;
            }
            let theirs = Content::open(self.key, &other)?.patient;
            if theirs.is_some_and(|theirs| is_same_person(&patient, &theirs))
                && !dates.is_disjoint(&self.document_dates(&other).await?)
            {
                rows.push(other);
            }
        }
        Ok(alike(Likeness::SamePatientAndDate, self.of_intake(rows)))
    }

    async fn document_dates(&self, of: &message::Model) -> Result<BTreeSet<NaiveDate>> {
        let files = files::of_message(self.app.store.db(), of).await?;
        let mut dates = BTreeSet::new();
        for file in &files {
            dates.extend(open_meta(self.key, file)?.document_date);
        }
        Ok(dates)
    }

    fn of_intake(&self, rows: Vec<message::Model>) -> Vec<message::Model> {
        let tenant = self.member.tenant();
        let may_be_named = |row: &message::Model| {
            tenant.holds(row) && row.direction == Direction::Intake && row.deleted_at.is_none()
        };
        rows.into_iter().filter(may_be_named).collect()
    }
}

fn alike(likeness: Likeness, rows: Vec<message::Model>) -> Alike {
    rows.into_iter().map(|row| (likeness, row)).collect()
}

/// Whether two faxes have the same text, by the numbers of their words.
fn is_same_text(one: &BTreeSet<i64>, other: &BTreeSet<i64>) -> bool {
    one.len().min(other.len()) >= FAX_WORDS_MIN
        && one.difference(other).count() <= ODD_WORDS_MAX
        && other.difference(one).count() <= ODD_WORDS_MAX
}

/// Whether the names are equal and the birth dates do not differ.
fn is_same_person(one: &Patient, other: &Patient) -> bool {
    let name = |p: &Patient| {
        [&p.first_name, &p.last_name].map(|part| part.as_deref().unwrap_or_default().trim().to_lowercase())
    };
    let differs =
        one.birth_date.is_some() && other.birth_date.is_some() && one.birth_date != other.birth_date;
    name(one) == name(other) && !differs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faxes_are_the_same_by_their_words_and_not_by_their_form() {
        let words = |own: &[i64]| (0..60).chain(own.iter().copied()).collect::<BTreeSet<i64>>();
        let first = words(&[100, 101, 102, 103]);
        assert!(is_same_text(&first, &words(&[100, 101, 102, 103, 200])), "sent again, at another time");
        assert!(!is_same_text(&first, &words(&[104, 105, 106, 107])), "the same form of another patient");
        assert!(!is_same_text(&BTreeSet::new(), &BTreeSet::new()), "nobody could read either");
    }

    #[test]
    fn people_of_one_name_are_told_apart_by_their_birth_dates() {
        let person = |last: &str, year: Option<i32>| Patient {
            first_name: Some("Desmond".into()),
            last_name: Some(last.into()),
            birth_date: year.and_then(|year| NaiveDate::from_ymd_opt(year, 2, 9)),
            ..Patient::default()
        };
        let pruitt = person("Pruitt", Some(1957));
        assert!(is_same_person(&pruitt, &person("PRUITT ", Some(1957))));
        assert!(is_same_person(&pruitt, &person("Pruitt", None)));
        assert!(!is_same_person(&pruitt, &person("Pruitt", Some(1983))));
        assert!(!is_same_person(&pruitt, &person("Halloran", Some(1957))));
    }
}
