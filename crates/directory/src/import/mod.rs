//! Imported lists. A list is read in batches, each of which commits with the position that was reached, so that an
//! interrupted import continues where it stopped.

mod npi;
mod provider;

use crate::entry::{self, Entry};
use chrono::{DateTime, Utc};
use csv::{ByteRecord, Position, Reader, ReaderBuilder, Trim};
use platform::{
    App,
    audit::{self, Act, Actor, event},
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, ExprTrait,
    IntoActiveModel, QueryFilter, QueryOrder, QuerySelect,
};
use serde_json::json;
use sha2::{Digest, Sha256};
use std::{
    collections::HashMap,
    fs::File,
    io::{self, Read, Seek},
    path::Path,
};
use store::{
    Transaction, dialect,
    entities::{directory_entry, directory_import},
};
use uuid::Uuid;

/// Rows that are committed together.
const BATCH: usize = 1_000;
/// How many bytes of a file, together with its size, identify it.
const FINGERPRINTED: u64 = 1 << 20;

/// A list that can be imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    /// The registry of National Provider Identifiers, in the format of its monthly and weekly files.
    Npi,
    /// A directory of providers with their Direct addresses.
    Provider,
}

impl List {
    pub fn name(self) -> &'static str {
        match self {
            Self::Npi => "npi",
            Self::Provider => "provider",
        }
    }
}

/// A parsed row of a list; entries are identified by the list's own key.
pub enum Row {
    Listed(String, Box<Entry>),
    Removed(String),
    /// A required field is missing or invalid.
    Refused,
}

/// Reads rows whose columns were found by their names.
type ReadRow = Box<dyn Fn(&ByteRecord) -> Row + Send>;

#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error("the file cannot be read: {0}")]
    Read(#[from] io::Error),
    #[error("the file is not valid CSV: {0}")]
    Csv(#[from] csv::Error),
    #[error("the file lacks the column “{0}”")]
    Column(&'static str),
    #[error("the file was imported on {0}")]
    Done(DateTime<Utc>),
    #[error("the database failed")]
    Database(#[from] DbErr),
    #[error("the import cannot be recorded")]
    Record,
    #[error("the file has no entries, so nothing is removed")]
    Empty,
}

/// How to import a list.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// The file is the whole list: entries that it does not name are removed at the end.
    pub complete: bool,
    /// Import a file even if it was imported before.
    pub again: bool,
}

/// Imports a file, from where an earlier import of it was interrupted. Calls `progress` after each batch.
///
/// # Errors
/// A file that is not such a list; one that was imported already, unless [`Options::again`] is set.
pub async fn run(
    app: &App,
    list: List,
    path: &Path,
    options: Options,
    mut progress: impl FnMut(&directory_import::Model),
) -> Result<directory_import::Model, ImportError> {
    let mut file = File::open(path)?;
    let fingerprint = fingerprint(&mut file, options.complete)?;
    let (mut reader, read_row) = open(list, file)?;
    let mut import = started(app, list, path, fingerprint, options.again).await?;
    if import.position > 0 {
        let mut position = Position::new();
        position.set_byte(import.position.unsigned_abs());
        reader.seek(position)?;
    }
    loop {
        let records = batch(&mut reader)?;
        if records.is_empty() {
            break;
        }
        let rows: Vec<Row> = records.iter().map(&read_row).collect();
        import.position = reader.position().byte() as i64;
        write(app, &mut import, rows, options.complete).await?;
        progress(&import);
    }
    finish(app, import, options.complete).await
}

/// Reads a whole list from memory, in which every row is what an import would make of it. For fuzz targets and tests.
///
/// # Errors
/// As [`run`], without a database.
#[doc(hidden)]
pub fn rows(list: List, csv: &[u8]) -> Result<Vec<Row>, ImportError> {
    let (mut reader, read_row) = open(list, csv)?;
    let mut rows = Vec::new();
    for record in reader.byte_records() {
        rows.push(read_row(&record?));
    }
    Ok(rows)
}

/// Finds the columns of a list by their names. Rows may be shorter or longer than the header.
fn open<R: Read>(list: List, csv: R) -> Result<(Reader<R>, ReadRow), ImportError> {
    let mut reader = ReaderBuilder::new().flexible(true).trim(Trim::All).from_reader(csv);
    let header = reader.byte_headers()?;
    let read_row = match list {
        List::Npi => npi::rows(header),
        List::Provider => provider::rows(header),
    }?;
    Ok((reader, read_row))
}

/// The latest imports, newest first.
pub async fn history(app: &App) -> Result<Vec<directory_import::Model>, DbErr> {
    let latest = directory_import::Entity::find().order_by_desc(directory_import::Column::Id).limit(20);
    latest.all(app.store.db()).await
}

/// The imported entry of a National Provider Identifier.
pub async fn provider(db: &impl ConnectionTrait, npi: &str) -> Result<Option<directory_entry::Model>, DbErr> {
    directory_entry::Entity::find_by_id(entry::id(List::Npi.name(), npi)).one(db).await
}

/// Whether the registry of National Provider Identifiers was imported.
pub async fn has_registry(db: &impl ConnectionTrait) -> Result<bool, DbErr> {
    let imports =
        directory_import::Entity::find().filter(directory_import::Column::Source.eq(List::Npi.name()));
    Ok(imports.one(db).await?.is_some())
}

/// Identifies a file and the way to import it: only an import that was complete from its beginning knows at its end
/// which entries are missing.
fn fingerprint(file: &mut File, complete: bool) -> Result<Vec<u8>, ImportError> {
    let mut beginning = Vec::new();
    let size = file.metadata()?.len();
    file.take(FINGERPRINTED).read_to_end(&mut beginning)?;
    file.rewind()?;
    let mode: &[u8] = if complete { b"complete" } else { b"" };
    let hash = Sha256::new().chain_update(size.to_be_bytes()).chain_update(beginning).chain_update(mode);
    Ok(hash.finalize().to_vec())
}

/// The unfinished import of the file, unless the list was imported from another file since; else a new import.
async fn started(
    app: &App,
    list: List,
    path: &Path,
    fingerprint: Vec<u8>,
    again: bool,
) -> Result<directory_import::Model, ImportError> {
    let db = app.store.db();
    let imports = directory_import::Entity::find()
        .filter(directory_import::Column::Source.eq(list.name()))
        .order_by_desc(directory_import::Column::Id);
    let latest = imports.clone().one(db).await?.map(|import| import.id);
    let of_file = directory_import::Column::Fingerprint.eq(fingerprint.clone());
    match imports.filter(of_file).one(db).await? {
        Some(import) if import.finished_at.is_none() && Some(import.id) == latest => return Ok(import),
        Some(directory_import::Model { finished_at: Some(at), .. }) if !again => {
            return Err(ImportError::Done(at));
        }
        _ => {}
    }
    let import = directory_import::Model {
        id: Uuid::now_v7(),
        source: list.name().into(),
        file: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        fingerprint,
        position: 0,
        rows: 0,
        written: 0,
        refused: 0,
        started_at: app.clock.now(),
        finished_at: None,
    };
    directory_import::Entity::insert(import.clone().into_active_model().reset_all())
        .exec_without_returning(db)
        .await?;
    Ok(import)
}

fn batch(reader: &mut Reader<File>) -> Result<Vec<ByteRecord>, csv::Error> {
    let mut records = Vec::with_capacity(BATCH);
    let mut record = ByteRecord::new();
    while records.len() < BATCH && reader.read_byte_record(&mut record)? {
        records.push(std::mem::take(&mut record));
    }
    Ok(records)
}

/// Writes a batch and the position behind it in one transaction.
async fn write(
    app: &App,
    import: &mut directory_import::Model,
    rows: Vec<Row>,
    complete: bool,
) -> Result<(), ImportError> {
    let (mut listed, mut removed) = (HashMap::new(), Vec::new());
    import.rows += rows.len() as i64;
    for row in rows {
        match row {
            Row::Listed(key, entry) => {
                let row = entry.row(&import.source, &key, Some(import.id));
                listed.insert(row.id, row);
            }
            Row::Removed(key) => removed.push(entry::id(&import.source, &key)),
            Row::Refused => import.refused += 1,
        }
    }
    let txn = app.store.begin().await?;
    let same = unchanged(&txn, &listed).await?;
    if complete {
        mark(&txn, &same, import.id).await?;
    }
    same.iter().for_each(|id| drop(listed.remove(id)));
    import.written += listed.len() as i64;
    entry::write(&txn, listed.into_values().collect()).await?;
    entry::remove(&txn, &removed).await?;
    import.clone().into_active_model().reset_all().update(&txn).await?;
    Ok(txn.commit().await?)
}

/// Ids of the entries that the directory already has as the list has them.
async fn unchanged(
    txn: &Transaction,
    listed: &HashMap<Uuid, directory_entry::Model>,
) -> Result<Vec<Uuid>, DbErr> {
    let known: Vec<(Uuid, i64)> = directory_entry::Entity::find()
        .select_only()
        .column(directory_entry::Column::Id)
        .column(directory_entry::Column::Digest)
        .filter(directory_entry::Column::Id.is_in(listed.keys().copied()))
        .into_tuple()
        .all(txn)
        .await?;
    Ok(known.into_iter().filter(|(id, digest)| listed[id].digest == *digest).map(|(id, _)| id).collect())
}

/// Records that an import has seen these entries.
async fn mark(txn: &Transaction, ids: &[Uuid], import_id: Uuid) -> Result<(), DbErr> {
    directory_entry::Entity::update_many()
        .set(directory_entry::ActiveModel { import_id: Set(Some(import_id)), ..Default::default() })
        .filter(directory_entry::Column::Id.is_in(ids.iter().copied()))
        .exec(txn)
        .await?;
    Ok(())
}

async fn finish(
    app: &App,
    mut import: directory_import::Model,
    complete: bool,
) -> Result<directory_import::Model, ImportError> {
    if complete && import.rows == import.refused {
        return Err(ImportError::Empty);
    }
    if complete {
        while remove_missing(app, &import).await? {}
    }
    import.finished_at = Some(app.clock.now());
    let txn = app.store.begin().await?;
    import.clone().into_active_model().reset_all().update(&txn).await?;
    let act = Act::new(event::DIRECTORY_IMPORTED, "directory", import.id)
        .detail(json!({ "list": import.source, "rows": import.rows, "written": import.written }));
    let operator = Actor { name: "Command line".into(), ..Actor::default() };
    audit::record(app, &txn, &operator, act).await.map_err(|_| ImportError::Record)?;
    txn.commit().await?;
    for table in ["directory_entry", "directory_word", "directory_pair"] {
        app.store.db().execute_unprepared(&dialect::after_bulk_load(app.store.backend(), table)).await?;
    }
    Ok(import)
}

/// Removes entries that the import has not seen, some at a time. Returns whether there may be more.
async fn remove_missing(app: &App, import: &directory_import::Model) -> Result<bool, DbErr> {
    use directory_entry::Column;
    let missing: Vec<Uuid> = directory_entry::Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(Column::Source.eq(&import.source))
        .filter(Column::ImportId.is_null().or(Column::ImportId.ne(import.id)))
        .limit(BATCH as u64 * 10)
        .into_tuple()
        .all(app.store.db())
        .await?;
    entry::remove(app.store.db(), &missing).await?;
    Ok(!missing.is_empty())
}

/// Finds columns by name, whatever its spacing and capitals.
struct Columns<'a>(&'a ByteRecord);

impl Columns<'_> {
    fn any(&self, names: &[&str]) -> Option<usize> {
        let plain = |text: &[u8]| -> Vec<u8> {
            text.iter().filter(|b| b.is_ascii_alphanumeric()).map(u8::to_ascii_lowercase).collect()
        };
        let have: Vec<Vec<u8>> = self.0.iter().map(plain).collect();
        names.iter().find_map(|name| have.iter().position(|h| *h == plain(name.as_bytes())))
    }

    fn required(&self, name: &'static str) -> Result<usize, ImportError> {
        self.any(&[name]).ok_or(ImportError::Column(name))
    }
}

/// A field, cut at 255 characters; empty where the file lacks the column.
fn field(record: &ByteRecord, column: Option<usize>) -> String {
    let bytes = column.and_then(|at| record.get(at)).unwrap_or_default();
    String::from_utf8_lossy(bytes).replace('\0', "").chars().take(255).collect()
}

/// The ten digits of a US number; empty for anything else.
fn phone(text: &str) -> String {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let national = digits.strip_prefix('1').filter(|rest| rest.len() == 10).unwrap_or(&digits);
    if national.len() == 10 { national.into() } else { String::new() }
}

/// The two letters of a state; empty for anything else.
fn state(text: &str) -> String {
    let state = text.to_uppercase();
    if state.len() == 2 && state.bytes().all(|b| b.is_ascii_uppercase()) { state } else { String::new() }
}

/// Up to nine digits.
fn zip(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).take(9).collect()
}

fn lines(first: String, second: String) -> String {
    if second.is_empty() { first } else { format!("{first}, {second}") }
}
