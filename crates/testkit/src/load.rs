//! Fills the Intake of an organization with messages, sealed and indexed like received ones, but faster. Also helpers
//! for filling databases.

use crate::{Db, Practice, TestApp};
use anyhow::{Result, anyhow};
use chrono::{DateTime, Duration, Utc};
use documents::Kind;
use messaging::{
    model::{AttachmentMeta, Direction, Patient, PreviewState, SourceType, Status},
    sealed::{Content, Summary, seal_meta, seal_name},
    search_terms,
};
use platform::App;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, DatabaseConnection, EntityTrait, IntoActiveModel,
    QueryFilter, Statement, sea_query::OnConflict,
};
use sqlx::postgres::PgPoolCopyExt;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use store::{
    entities::{
        attachment::{self, ScanState},
        message, search_prefix, search_word,
    },
    keys::DataKey,
    search,
};
use uuid::Uuid;

/// Days over which the messages are evenly distributed.
pub const DAYS: i64 = 900;
/// Messages of one patient.
const MESSAGES_PER_PATIENT: usize = 8;
/// Rows of one transaction.
pub const TRANSACTION: usize = 20_000;
/// Bytes sent to PostgreSQL at a time.
const COPIED_BYTES: usize = 1 << 20;
/// Bound values of one statement; both databases accept more.
const VALUES: usize = 15_000;

const GIVEN: [&str; 24] = [
    "Maria",
    "James",
    "Aiyana",
    "Robert",
    "Linh",
    "Patricia",
    "Omar",
    "Jennifer",
    "Tomasz",
    "Elizabeth",
    "Kofi",
    "Susan",
    "Diego",
    "Margaret",
    "Ravi",
    "Dorothy",
    "Yusuf",
    "Helen",
    "Mateo",
    "Ingrid",
    "Samuel",
    "Fatima",
    "George",
    "Noor",
];
const SYLLABLES: [&str; 26] = [
    "bar", "cas", "del", "fen", "gor", "hal", "jes", "kin", "lam", "mor", "nal", "os", "per", "quin", "ros",
    "sel", "ten", "ul", "var", "wes", "yor", "zan", "bren", "clay", "dun", "ever",
];
const SUBJECTS: [&str; 5] = [
    "Office visit note and plan of care",
    "Laboratory report: final results",
    "Referral for cardiology consultation",
    "Discharge summary after inpatient stay",
    "Radiology report: chest, two views",
];

/// Given and family name of a patient.
pub fn patient(number: usize) -> [String; 2] {
    // Steps coprime to the number of names spread neighbours over the alphabet.
    let family: String = [number * 7, number * 11 / 26 + 3, number * 5 / 676 + 1]
        .map(|n| SYLLABLES[n % SYLLABLES.len()])
        .concat();
    [GIVEN[number * 13 % GIVEN.len()].to_owned(), family]
}

/// Both kinds of databases, as far as available.
pub fn databases() -> Vec<(&'static str, Db)> {
    let named = |db: Db| (if db.is_postgres() { "PostgreSQL" } else { "SQLite" }, db);
    Db::each().into_iter().map(named).collect()
}

/// Maintenance that a running server does automatically after a while.
pub async fn settle(app: &TestApp) -> Result<()> {
    if app.store.db().as_postgres().is_some() {
        app.store.db().execute_unprepared("VACUUM ANALYZE").await?;
    }
    Ok(())
}

/// An own address that received one message of two hundred.
pub fn second_address(practice: &Practice) -> String {
    practice.address.replace('@', "-billing@")
}

/// Adds messages to the Intake of the practice.
pub async fn fill(app: &TestApp, practice: &Practice, messages: usize) -> Result<()> {
    let key = app.keys.data_key(practice.organization.id).await?;
    let mut index = Index::default();
    let mut made = (0..messages).map(|number| Row::new(app, practice, &key, number, messages));
    loop {
        let rows: Vec<Row> = made.by_ref().take(TRANSACTION).collect::<Result<_>>()?;
        if rows.is_empty() {
            break;
        }
        let (mut of_messages, mut of_files) = (Vec::new(), Vec::new());
        for row in rows {
            index.add(&row);
            of_messages.push(row.message.into_active_model());
            of_files.push(row.file.into_active_model());
        }
        insert::<message::Entity, _>(app, of_messages).await?;
        insert::<attachment::Entity, _>(app, of_files).await?;
    }
    index.write(app, practice.organization.id, &key).await?;
    settle(app).await
}

/// A message with its file.
pub struct Row {
    pub message: message::Model,
    pub file: attachment::Model,
    summary: Summary,
}

impl Row {
    /// The message with this number.
    pub fn new(app: &TestApp, practice: &Practice, key: &DataKey, number: usize, of: usize) -> Result<Self> {
        let failed = |error: platform::Error| anyhow!("{error:?}");
        let age = Duration::days(DAYS) * (of - number) as i32 / of as i32;
        let received_at = at_microsecond(app.clock.now() - age);
        let milliseconds = received_at.timestamp_millis().unsigned_abs();
        let id = uuid::Builder::from_unix_timestamp_millis(milliseconds, &rand::random()).into_uuid();
        let [first_name, last_name] = patient(number * 31 % (of / MESSAGES_PER_PATIENT).max(1));
        let patient =
            Patient { first_name: Some(first_name), last_name: Some(last_name), ..Patient::default() };
        let subject = SUBJECTS[number % SUBJECTS.len()];
        let summary =
            Summary { subject: subject.to_owned(), ..Summary::default() }.of_patient(Some(&patient));
        let content = Content {
            body: "Please find the document attached. It was reviewed with the patient.".into(),
            patient: Some(patient),
            ..Content::default()
        };
        let is_done = !number.is_multiple_of(3);
        let sender = number * 17 % 500;
        let source_type = if number % 10 == 7 { SourceType::Fax } else { SourceType::DirectMessage };
        let processed_type = [None, Some("Printed"), Some("PDFExport")][number % 7 % 3].filter(|_| is_done);
        let is_for_second = number % 200 == 11;
        let message = message::Model {
            id,
            organization_id: practice.organization.id,
            direction: Direction::Intake,
            status: if is_done { Status::Processed } else { Status::Received },
            is_draft: false,
            source_type,
            from_address: format!("records@practice{sender}.direct.partner.example"),
            from_name: format!("{} Family Medicine", patient_family(sender)),
            to_address: if is_for_second { second_address(practice) } else { practice.address.clone() },
            cc_address: String::new(),
            bcc_address: String::new(),
            sealed_summary: summary.seal(key, id).map_err(failed)?,
            sealed_content: content.seal(key, id).map_err(failed)?,
            received_at,
            message_date: received_at,
            read_at: is_done.then_some(received_at),
            is_urgent: number.is_multiple_of(40),
            snoozed_until: None,
            assigned_to: is_done.then_some(practice.user.id),
            assignment_ends_at: None,
            processed_at: is_done.then_some(received_at),
            processed_type: processed_type.map(str::to_owned),
            release_type_id: None,
            classification: None,
            conversion: None,
            original_message_id: None,
            rfc_message_id: Some(format!("{id}@direct.partner.example")),
            in_reply_to: None,
            attachment_count: 1,
            fax_page_count: None,
            patient_doubt: None,
            created_by: None,
            workflow_id: None,
            deleted_at: None,
            version: 1,
        };
        let file = file(key, &message).map_err(failed)?;
        Ok(Self { message, file, summary })
    }
}

fn patient_family(number: usize) -> String {
    patient(number * 41)[1].clone()
}

/// The precision of PostgreSQL's times.
fn at_microsecond(at: DateTime<Utc>) -> DateTime<Utc> {
    DateTime::from_timestamp_micros(at.timestamp_micros()).unwrap_or(at)
}

fn file(key: &DataKey, of: &message::Model) -> platform::Result<attachment::Model> {
    let id = Uuid::new_v4();
    Ok(attachment::Model {
        id,
        message_id: of.id,
        organization_id: of.organization_id,
        position: 0,
        sealed_name: seal_name(key, id, "Visit note.pdf"),
        sealed_meta: seal_meta(key, id, &AttachmentMeta::default())?,
        kind: format!("{:?}", Kind::Pdf).to_lowercase(),
        mime_type: Kind::Pdf.mime_type().into(),
        size_bytes: 100_000,
        blob_id: id,
        pdf_blob_id: Some(id),
        preview_state: PreviewState::Available,
        preview_error: None,
        page_count: Some(1),
        created_at: of.received_at,
        deleted_at: None,
        transform: None,
        is_converted: false,
        content_hash: None,
        scan_state: ScanState::NotScanned,
        scan_finding: None,
    })
}

/// The words of all messages, written in the order of the index, which is many times as fast.
#[derive(Default)]
struct Index {
    numbers: HashMap<String, u32>,
    postings: Vec<(u32, u32)>,
    messages: Vec<(DateTime<Utc>, Uuid)>,
}

impl Index {
    fn add(&mut self, row: &Row) {
        let (message, summary) = (&row.message, &row.summary);
        let pieces = search_terms::pieces(message, summary);
        let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
        let of = self.messages.len() as u32;
        self.messages.push((message.received_at, message.id));
        for word in search::words(&pieces).into_iter().take(search::WORDS_PER_MESSAGE) {
            let next = self.numbers.len() as u32;
            self.postings.push((*self.numbers.entry(word).or_insert(next), of));
        }
    }

    async fn write(self, app: &TestApp, organization_id: Uuid, key: &DataKey) -> Result<()> {
        use sea_orm::ActiveValue::Set;
        let Self { numbers, mut postings, messages } = self;
        let mut prefixes = BTreeSet::new();
        let mut hashes = BTreeMap::new();
        for (word, number) in &numbers {
            let hash = key.word_hash(word.as_bytes()).to_vec();
            let ends = word.char_indices().map(|(at, _)| at).skip(search::SHORTEST_WORD).chain([word.len()]);
            prefixes.extend(ends.map(|end| (key.word_hash(&word.as_bytes()[..end]), hash.clone())));
            hashes.insert(hash, *number);
        }
        let prefixes = prefixes.into_iter().map(|(prefix, word)| search_prefix::ActiveModel {
            organization_id: Set(organization_id),
            prefix: Set(prefix.into()),
            word: Set(word),
        });
        insert_new::<search_prefix::Entity, _>(app, prefixes.collect()).await?;
        let words = hashes.keys().map(|word| search_word::ActiveModel {
            organization_id: Set(organization_id),
            direction: Set(Direction::Intake),
            word: Set(word.clone()),
            ..Default::default()
        });
        insert_new::<search_word::Entity, _>(app, words.collect()).await?;
        let of_organization = search_word::Column::OrganizationId.eq(organization_id);
        let words = search_word::Entity::find().filter(of_organization).all(app.store.db()).await?;
        let mut in_index = vec![0; numbers.len()];
        for word in words {
            if let Some(number) = hashes.get(&word.word) {
                in_index[*number as usize] = word.number;
            }
        }
        let place = |(word, message): (u32, u32)| {
            let (received_at, message_id) = messages[message as usize];
            Posting { word: in_index[word as usize], at: received_at.timestamp_micros(), message_id }
        };
        postings.sort_unstable_by_key(|posting| {
            let Posting { word, at, message_id } = place(*posting);
            (word, at, message_id)
        });
        let rows = postings.iter().copied().map(place);
        match app.store.db().as_postgres() {
            Some(pool) => copy_postings(pool, rows).await,
            None => insert_postings(app, rows).await,
        }
    }
}

/// A row of the search index. There are about twenty per message, so they are written directly.
struct Posting {
    word: i64,
    at: i64,
    message_id: Uuid,
}

async fn copy_postings(pool: &DatabaseConnection, rows: impl Iterator<Item = Posting>) -> Result<()> {
    use std::fmt::Write;
    let statement = "COPY search_posting (word, at, message_id) FROM STDIN";
    let mut copy = pool.get_postgres_connection_pool().copy_in_raw(statement).await?;
    let mut text = String::new();
    for Posting { word, at, message_id } in rows {
        writeln!(text, "{word}\t{at}\t{message_id}")?;
        if text.len() > COPIED_BYTES {
            copy.send(std::mem::take(&mut text).into_bytes()).await?;
        }
    }
    copy.send(text.into_bytes()).await?;
    copy.finish().await?;
    Ok(())
}

async fn insert_postings(app: &App, rows: impl Iterator<Item = Posting>) -> Result<()> {
    const ROWS: usize = VALUES / 3;
    let statement = |rows: usize| {
        let values = vec!["(?, ?, ?)"; rows].join(", ");
        format!("INSERT INTO search_posting (word, at, message_id) VALUES {values}")
    };
    let many = statement(ROWS);
    let mut rows = rows.peekable();
    while rows.peek().is_some() {
        let txn = app.store.begin().await?;
        for _ in 0..TRANSACTION * 10 / ROWS {
            let part: Vec<Posting> = rows.by_ref().take(ROWS).collect();
            let rest = (part.len() < ROWS).then(|| statement(part.len()));
            if part.is_empty() {
                break;
            }
            let sql = rest.unwrap_or_else(|| many.clone());
            let values =
                part.into_iter().flat_map(|row| [row.word.into(), row.at.into(), row.message_id.into()]);
            txn.execute_raw(Statement::from_sql_and_values(txn.get_database_backend(), sql, values)).await?;
        }
        txn.commit().await?;
    }
    Ok(())
}

/// Adds missing rows of one kind.
async fn insert_new<E, A>(app: &TestApp, rows: Vec<A>) -> Result<()>
where
    E: EntityTrait,
    A: ActiveModelTrait<Entity = E> + Send + Clone,
{
    use sea_orm::Iterable;
    let at_once = VALUES / E::Column::iter().count();
    let txn = app.store.begin().await?;
    for part in rows.chunks(at_once) {
        let is_there = OnConflict::new().do_nothing().to_owned();
        E::insert_many(part.iter().cloned()).on_conflict(is_there).exec_without_returning(&txn).await?;
    }
    Ok(txn.commit().await?)
}

/// Adds rows of one kind.
pub async fn insert<E, A>(app: &TestApp, rows: Vec<A>) -> Result<()>
where
    E: EntityTrait,
    A: ActiveModelTrait<Entity = E> + Send + Clone,
{
    use sea_orm::Iterable;
    let at_once = VALUES / E::Column::iter().count();
    let txn = app.store.begin().await?;
    for part in rows.chunks(at_once) {
        E::insert_many(part.iter().cloned()).exec_without_returning(&txn).await?;
    }
    Ok(txn.commit().await?)
}
