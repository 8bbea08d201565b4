//! `/api/admin/import`

use super::{
    queries,
    rules::{self, COLUMNS, CheckedRow, Item, PROBLEMS},
    table::{self, FILE_MAX},
    types::{Batch, ImportCheck, ImportItem, ItemQuery, RowProblem},
};
use axum::{
    Json,
    extract::State,
    http::{HeaderMap, HeaderValue, header},
    response::{IntoResponse, Response},
};
use platform::{
    App, Caller, Error, Result,
    access::SYSADMINS,
    api::Api,
    audit::{Act, event, record_read},
    csv, download,
    fields::{DEFAULT_FIELD_ERROR, FieldErrors},
    http::{Created, Id, Items, Page, Paged, Params},
    upload::FileForm,
};
use serde_json::Value;
use store::entities::{import_batch::ImportChoices, import_row::ItemStatus};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

/// Maximum size of the choices, in bytes.
const CHOICES_MAX: usize = 4 << 10;
const FILE_NAME_MAX: usize = 255;
/// Number of files in the list of progress, newest first.
const BATCHES_SHOWN: u64 = 10;
/// Number of failing rows in the answer of a check; the file for correction has all of them.
const PROBLEMS_SHOWN: usize = 100;

const FILE_NEEDED: &str = "You must select a file.";
const TOO_LARGE: &str = "The file may have at most 10 MB.";

pub fn api() -> Api {
    Api::new()
        .route(SYSADMINS, routes!(import_items))
        .route(SYSADMINS, routes!(import_batches))
        .route(SYSADMINS, routes!(import_template))
        .route(SYSADMINS, routes!(import_problems))
        .upload(SYSADMINS, routes!(import_organizations), FILE_MAX)
        .upload(SYSADMINS, routes!(check_import), FILE_MAX)
}

/// The rows of imported files, newest file first
#[utoipa::path(get, path = "/api/admin/import", operation_id = "importItems", tag = "imports", params(ItemQuery),
    responses((status = 200, body = Paged<ImportItem>)))]
async fn import_items(
    State(app): State<App>,
    Params(query): Params<ItemQuery>,
) -> Result<Json<Paged<ImportItem>>> {
    let page = Page::new(query.page_number, query.page_size, 25, 100)?;
    Ok(Json(queries::items(app.store.db(), &query, page).await?))
}

/// The newest imported files and their progress
#[utoipa::path(get, path = "/api/admin/import/batches", operation_id = "importBatches", tag = "imports",
    responses((status = 200, body = Items<Batch>)))]
async fn import_batches(State(app): State<App>) -> Result<Json<Items<Batch>>> {
    Ok(Json(Items { items: queries::batches(app.store.db(), BATCHES_SHOWN).await? }))
}

/// An empty file with the columns of an organization
#[utoipa::path(get, path = "/api/admin/import/template", operation_id = "importTemplate", tag = "imports",
    responses((status = 200, content_type = "text/csv", body = String)))]
async fn import_template(_: State<App>) -> Result<Response> {
    file("organizations-template.csv", &[COLUMNS.map(|c| c.title.to_owned()).to_vec()])
}

/// The failed rows of a file with the reasons, to be corrected and imported again
#[utoipa::path(get, path = "/api/admin/import/{id}/problems", operation_id = "importProblems", tag = "imports",
    params(("id" = Uuid, Path)), responses((status = 200, content_type = "text/csv", body = String)))]
async fn import_problems(State(app): State<App>, caller: Caller, Id(id): Id<Uuid>) -> Result<Response> {
    let rows = queries::failed(app.store.db(), id).await?;
    record_read(&app, &caller, Act::new(event::DOWNLOADED, "importbatch", id)).await?;
    to_correct(&rows)
}

/// The parts of an upload.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the multipart form")]
struct ImportForm {
    /// CSV in UTF-8, or XLSX; at most 10 MB and 10,000 rows.
    #[schema(format = Binary, content_media_type = "text/csv")]
    file: Vec<u8>,
    /// An ImportMetadata as JSON
    metadata: ImportMetadata,
}

/// Values that all organizations of a file share.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the multipart form")]
#[schema(rename_all = "PascalCase")]
struct ImportMetadata {
    hisp_provider_id: Uuid,
    brand_id: Uuid,
    /// Null for the Free plan.
    #[schema(required)]
    plan_id: Option<Uuid>,
    reseller_id: Option<Uuid>,
    specialty: Uuid,
    r#type: Uuid,
}

/// Imports the organizations of a file, in the background
#[utoipa::path(post, path = "/api/admin/import/organization", operation_id = "importOrganizations", tag = "imports",
    request_body(content = ImportForm, content_type = "multipart/form-data"),
    responses((status = 201, body = Batch), (status = 409, description = "Too many files are being imported")))]
async fn import_organizations(
    State(app): State<App>,
    caller: Caller,
    form: FileForm,
) -> Result<Created<Batch>> {
    let Upload { name, items, choices } = Upload::receive(&app, form).await?;
    let batch = queries::create(&app, &caller, name, choices, items).await?;
    Ok(Created(format!("/api/admin/import?batchId={}", batch.id), batch))
}

/// Checks a file without saving anything; as CSV, the answer has the failing rows
#[utoipa::path(post, path = "/api/admin/import/organization/check", operation_id = "checkImport", tag = "imports",
    request_body(content = ImportForm, content_type = "multipart/form-data"),
    responses((status = 200, content((ImportCheck = "application/json"), (String = "text/csv")))))]
async fn check_import(State(app): State<App>, headers: HeaderMap, form: FileForm) -> Result<Response> {
    let Upload { items, choices, .. } = Upload::receive(&app, form).await?;
    let txn = app.store.begin().await?;
    queries::check_choices(&txn, &choices).await?.check()?;
    txn.rollback().await?;
    let rows = queries::check(app.store.db(), items, &choices).await?;
    let wants_csv = headers.get(header::ACCEPT).is_some_and(|kind| kind == "text/csv");
    if wants_csv {
        let failed: Vec<_> = rows.into_iter().filter(|row| row.status == ItemStatus::Failed).collect();
        return to_correct(&failed);
    }
    let count = |status| rows.iter().filter(|row| row.status == status).count();
    let (ready, existing, failed) =
        (count(ItemStatus::Waiting), count(ItemStatus::Exists), count(ItemStatus::Failed));
    let total = rows.len();
    let problems = rows.into_iter().filter(|row| row.status == ItemStatus::Failed).take(PROBLEMS_SHOWN);
    let problem = |row: CheckedRow| RowProblem {
        line: row.item.line,
        problems: row.errors.all().cloned().collect(),
        key: row.key,
    };
    Ok(Json(ImportCheck { total, ready, existing, failed, problems: problems.map(problem).collect() })
        .into_response())
}

/// A file and the values that its organizations share.
struct Upload {
    name: String,
    items: Vec<Item>,
    choices: ImportChoices,
}

impl Upload {
    async fn receive(app: &App, mut form: FileForm) -> Result<Self> {
        let (mut file, mut metadata) = (None, Value::Null);
        while let Some(part) = form.next(TOO_LARGE).await? {
            match part.name() {
                "file" => file = Some(part.file(FILE_MAX).await?),
                "metadata" => {
                    let text = part.text(CHOICES_MAX).await?;
                    metadata = serde_json::from_str(&text).unwrap_or_default();
                }
                _ => {}
            }
        }
        let mut errors = FieldErrors::default();
        let choices = choices(&metadata, &mut errors);
        let read = match file.filter(|file| !file.is_empty()) {
            None => Err(FILE_NEEDED.into()),
            Some(file) => {
                let file = file.checked(app, None, "file").await?;
                let name = shortened(file.name());
                // Unpacking and reading the largest files takes seconds; if the library panics, the file counts as
                // unreadable.
                let work =
                    move || table::read(&name, &file).and_then(rules::items).map(|items| (name, items));
                tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| Err(table::WRONG_TYPE.into()))
            }
        };
        match (read, choices) {
            (Ok((name, items)), Some(choices)) if errors.is_empty() => Ok(Self { name, items, choices }),
            (read, _) => {
                errors.extend("file", read.err());
                Err(Error::Invalid(errors))
            }
        }
    }
}

/// A file name in its stored form.
fn shortened(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(FILE_NAME_MAX).collect()
}

/// Checks the choices for all organizations. The plan is required, and null for the Free plan.
fn choices(metadata: &Value, errors: &mut FieldErrors) -> Option<ImportChoices> {
    let mut id = |name: &str| match metadata.get(name) {
        None => Err(()),
        Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if text.is_empty() => Ok(None),
        Some(value) => match value.as_str().and_then(|text| text.parse::<Uuid>().ok()) {
            Some(id) => Ok(Some(id)),
            None => {
                errors.add(name, DEFAULT_FIELD_ERROR);
                Err(())
            }
        },
    };
    let [hisp, brand, plan, reseller, specialty, kind] =
        ["HispProviderId", "BrandId", "PlanId", "ResellerId", "Specialty", "Type"].map(&mut id);
    for (name, found) in
        [("HispProviderId", &hisp), ("BrandId", &brand), ("Specialty", &specialty), ("Type", &kind)]
    {
        if !matches!(found, Ok(Some(_))) && !errors.0.contains_key(name) {
            errors.add(name, DEFAULT_FIELD_ERROR);
        }
    }
    if plan.is_err() && !errors.0.contains_key("PlanId") {
        errors.add("PlanId", DEFAULT_FIELD_ERROR);
    }
    Some(ImportChoices {
        hisp_provider_id: hisp.ok()??,
        brand_id: brand.ok()??,
        plan_id: plan.ok()?,
        reseller_id: reseller.ok().flatten(),
        specialty_id: specialty.ok()??,
        type_id: kind.ok()??,
    })
}

/// A file with rows, the columns of the template, and the errors after them.
fn to_correct(rows: &[CheckedRow]) -> Result<Response> {
    let mut lines = vec![COLUMNS.iter().map(|c| c.title.to_owned()).chain([PROBLEMS.to_owned()]).collect()];
    lines.extend(rows.iter().map(|row| {
        let cells =
            COLUMNS.iter().map(|c| row.item.cells.0.get(c.field).map(String::as_str).unwrap_or_default());
        let problems: Vec<&str> = row.errors.all().map(String::as_str).collect();
        cells.chain([problems.join(" ").as_str()]).map(csv::inert).collect::<Vec<_>>()
    }));
    file("organizations-to-correct.csv", &lines)
}

/// At most 10,000 lines, which were already in memory.
fn file(name: &str, lines: &[Vec<String>]) -> Result<Response> {
    let mut writer = ::csv::WriterBuilder::new().terminator(::csv::Terminator::CRLF).from_writer(Vec::new());
    for line in lines {
        writer.write_record(line).map_err(Error::internal)?;
    }
    let bytes = writer.into_inner().map_err(Error::internal)?;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/csv; charset=utf-8")),
        (header::CONTENT_DISPOSITION, download::attachment(name)),
    ];
    Ok((headers, bytes).into_response())
}
