//! `POST /api/patients/disclosures`: recipients of a patient's documents in six years, for the accounting of
//! disclosures to which every patient has a right (45 CFR 164.528).

use crate::{
    known_patients::backfill,
    messages::list,
    model::{DeliveryState, Direction, Patient},
    pdf_report,
    people::names_of,
    sealed::{Content, Summary, open_name},
    search_terms,
};
use axum::{extract::State, response::Response};
use chrono::{DateTime, Months, NaiveDate, Utc};
use patients::{asked::Asked, decisions, search::typed};
use platform::{
    App, Error, Member, Result,
    access::MEMBERS,
    api::Api,
    audit::{self, Act, event},
    csv::{self, Report, inert, time},
    fields::{DEFAULT_FIELD_ERROR, FieldErrors},
    http::{Body, Params},
    text::SearchWords,
};
use sea_orm::{
    ColumnTrait, Condition, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait, Select,
    sea_query::ExprTrait,
};
use serde::Deserialize;
use std::collections::HashMap;
use store::{
    dialect::passed_over,
    entities::{attachment, delivery, message, patient_source},
    keys::DataKey,
    search::{self, Search},
    tenant::Tenant,
};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::for_subscribers().route(MEMBERS, routes!(patient_disclosures))
}

/// Period of an accounting.
const SPAN: Months = Months::new(6 * 12);
/// Number of messages in one chunk of the file.
const CHUNK: u64 = 200;
/// Maximum number of patients with the same name and birth date that are considered.
const SAME_NAME_MAX: usize = 20;
const SEVERAL: &str =
    "Several patients have this name and birth date. Open the right patient and get the disclosures there.";
const TOO_COMMON: &str = "There are too many messages with this name to search all of them.";

/// The patient of an accounting.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct DisclosuresForm {
    #[serde(default)]
    last_name: SearchWords,
    #[serde(default)]
    first_name: SearchWords,
    birth_date: Option<NaiveDate>,
    /// A known patient; name and birth date are not needed then.
    patient_id: Option<Uuid>,
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
struct DisclosuresParams {
    /// As PDF, with at most 2,000 lines.
    as_pdf: Option<bool>,
}

/// The recipients of a patient's documents in the last six years, as CSV or PDF, newest first
///
/// One line for each recipient of a message about the patient, including deleted messages. Failed deliveries are
/// excluded. If several patients have this name and birth date, the patient has to be given by id.
#[utoipa::path(post, path = "/api/patients/disclosures", operation_id = "patientDisclosures", tag = "lookups",
    params(DisclosuresParams), request_body = DisclosuresForm,
    responses((status = 200, body = String, content_type = "text/csv", description = "PDF if `asPdf` is true"),
        (status = 409, description = "Several patients have this name and birth date")))]
async fn patient_disclosures(
    State(app): State<App>,
    member: Member,
    Params(params): Params<DisclosuresParams>,
    Body(form): Body<DisclosuresForm>,
) -> Result<Response> {
    let whose = whose(&app, &member, form).await?;
    audit::record_read(&app, &member.caller, Act::new(event::DOWNLOADED, "report", "disclosures")).await?;
    let now = app.clock.now();
    let patient = whose.name.clone();
    let is_indexed = whose.id.is_some() && !backfill::is_going_on(&app).await?;
    let report = Disclosures {
        tenant: member.tenant(),
        whose,
        since: now.checked_sub_months(SPAN).unwrap_or(DateTime::UNIX_EPOCH),
        part: if is_indexed { Part::Linked } else { Part::Kept },
        behind: None,
    };
    if params.as_pdf == Some(true) {
        return pdf(&app, &member, &patient, report).await;
    }
    let name = now.format("%Y-%m-%dT%H-%M-%SZ.csv").to_string();
    Ok(csv::download(app, &name, report))
}

/// The patient of an accounting.
struct Whose {
    /// First and last name.
    name: String,
    born: Option<NaiveDate>,
    /// Id in the index of patients.
    id: Option<Uuid>,
}

async fn whose(app: &App, member: &Member, form: DisclosuresForm) -> Result<Whose> {
    if let Some(id) = form.patient_id {
        let known = decisions::find(app, member, id).await?;
        let Patient { first_name, last_name, birth_date, .. } = known.face.patient;
        let name = [first_name, last_name].map(Option::unwrap_or_default).join(" ");
        return Ok(Whose { name: name.trim().to_owned(), born: birth_date, id: Some(known.id) });
    }
    let mut errors = FieldErrors::default();
    for (field, name) in [("lastName", &form.last_name), ("firstName", &form.first_name)] {
        errors.require(!search::words(&[name]).is_empty(), field, DEFAULT_FIELD_ERROR);
    }
    errors.require(form.birth_date.is_some(), "birthDate", DEFAULT_FIELD_ERROR);
    errors.check()?;
    let mut whose = Whose {
        name: format!("{} {}", &*form.first_name, &*form.last_name),
        born: form.birth_date,
        id: None,
    };
    let asked = Asked {
        words: search::words(&[&whose.name]),
        births: whose.born.into_iter().collect(),
        ..Asked::default()
    };
    let key = app.keys.data_key(member.organization_id).await?;
    let found = typed(app.store.db(), &member.tenant(), &key, &asked, SAME_NAME_MAX).await?;
    let mut same =
        found.into_iter().filter(|known| known.face.variants().any(|patient| whose.is_named(&patient)));
    match (same.next(), same.next()) {
        (Some(only), None) => whose.id = Some(only.id),
        (Some(_), Some(_)) => return Err(Error::Conflict(SEVERAL.into())),
        (None, _) => {}
    }
    Ok(whose)
}

impl Whose {
    /// Whether a patient has exactly this name and birth date.
    fn is_named(&self, patient: &Patient) -> bool {
        let names = search::words(&[&patient.display_name()]);
        patient.birth_date == self.born
            && search::words(&[&self.name]).iter().all(|word| names.contains(word))
    }
}

const PAPER_COLUMNS: [(&str, f32); 6] = [
    ("Time (UTC)", 2.0),
    ("Recipient", 2.6),
    ("State", 1.2),
    ("What", 2.8),
    ("Reason for disclosure", 1.8),
    ("Sent by", 1.6),
];

/// The accounting as a PDF, to be kept or given to the patient.
async fn pdf(app: &App, member: &Member, patient: &str, report: Disclosures) -> Result<Response> {
    let born = report.whose.born.map(|day| day.format(", born %m/%d/%Y").to_string()).unwrap_or_default();
    let mut about =
        vec![format!("Patient: {patient}{born}"), format!("Since {}", pdf_report::time(report.since))];
    let (lines, has_more) = pdf_report::lines(app, report).await?;
    if lines.is_empty() {
        about.push("No documents of this patient were sent in this period.".into());
    }
    if has_more {
        about.push("Only 2,000 of the disclosures are listed. The table (CSV) has all of them.".into());
    }
    let rows = lines.into_iter().map(paper_row).collect();
    pdf_report::download(app, member, "Disclosures of a patient", about, PAPER_COLUMNS, rows).await
}

fn paper_row(
    [time, name, address, state, _, subject, files, reason, sender, _]: [String; 10],
) -> [String; 6] {
    let together = |parts: [String; 2]| {
        let said: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        said.join(", ")
    };
    [time, together([name, address]), state, together([subject, files]), reason, sender]
}

struct Disclosures {
    tenant: Tenant,
    whose: Whose,
    since: DateTime<Utc>,
    /// The part to search next.
    part: Part,
    /// The last message of this part that was searched.
    behind: Option<list::Position>,
}

#[derive(Clone, Copy)]
enum Part {
    /// Messages that the index links to the patient, including deleted ones.
    Linked,
    Kept,
    /// Sent messages that were deleted since and are no longer in the search index. There are few.
    Deleted,
    Over,
}

impl Report<10> for Disclosures {
    const COLUMNS: [&'static str; 10] = [
        "Time",
        "Recipient",
        "Address",
        "State",
        "Patient",
        "Subject",
        "Files",
        "Reason for disclosure",
        "Sent by",
        "Message ID",
    ];

    async fn next(&mut self, app: &App) -> Result<Option<Vec<[String; 10]>>> {
        let key = app.keys.data_key(self.tenant.0).await?;
        let rows = match self.part {
            Part::Linked => self.linked(app).await?,
            Part::Kept => self.kept(app, &key).await?,
            Part::Deleted => self.deleted(app).await?,
            Part::Over => return Ok(None),
        };
        let of = self.part;
        self.behind = rows.last().map(|row| (row.received_at, row.id));
        if (rows.len() as u64) < CHUNK {
            self.behind = None;
            self.part = if matches!(self.part, Part::Kept) { Part::Deleted } else { Part::Over };
        }
        Ok(Some(self.lines(app, &key, of, rows).await?))
    }
}

impl Disclosures {
    async fn linked(&self, app: &App) -> Result<Vec<message::Model>> {
        let of_patient = patient_source::Entity::find()
            .select_only()
            .column(patient_source::Column::MessageId)
            .filter(patient_source::Column::PatientId.eq(self.whose.id))
            .filter(patient_source::Column::MessageId.is_not_null())
            .into_query();
        let rows = self.sent().filter(message::Column::Id.in_subquery(of_patient));
        Ok(rows.all(app.store.db()).await?)
    }

    /// The next messages sent in the period, newest first.
    fn sent(&self) -> Select<message::Entity> {
        use message::Column;
        message::Entity::find()
            .filter(Column::OrganizationId.eq(self.tenant.0))
            .filter(Column::Direction.eq(Direction::Release))
            .filter(Column::IsDraft.eq(false))
            .filter(Column::ReceivedAt.gte(self.since))
            .filter(self.behind.map_or_else(Condition::all, list::behind))
            .order_by_desc(Column::ReceivedAt)
            .order_by_desc(Column::Id)
            .limit(CHUNK)
    }

    async fn kept(&self, app: &App, key: &DataKey) -> Result<Vec<message::Model>> {
        let db = app.store.db();
        let is_sent = passed_over(app.store.backend(), message::Column::IsDraft).eq(false);
        let search = Search {
            organization_id: self.tenant.0,
            direction: Direction::Release,
            text: self.whose.name.clone(),
            alike: search_terms::names_alike,
            filter: Condition::all().add(is_sent),
            since: Some(self.since),
            until: None,
            before: self.behind,
            offset: 0,
            limit: CHUNK,
        };
        let found = search::find(db, key, &search).await?;
        if !found.complete {
            return Err(Error::Conflict(TOO_COMMON.into()));
        }
        list::rows(db, &found.ids).await
    }

    async fn deleted(&self, app: &App) -> Result<Vec<message::Model>> {
        let rows = self.sent().filter(message::Column::DeletedAt.is_not_null());
        Ok(rows.all(app.store.db()).await?)
    }

    async fn lines(
        &self,
        app: &App,
        key: &DataKey,
        of: Part,
        rows: Vec<message::Model>,
    ) -> Result<Vec<[String; 10]>> {
        let is_linked = matches!(of, Part::Linked);
        let mut about = Vec::new();
        for row in rows {
            let content = Content::open(key, &row)?;
            if is_linked || content.patient.as_ref().is_some_and(|patient| self.whose.is_named(patient)) {
                about.push((row, content));
            }
        }
        let ids: Vec<Uuid> = about.iter().map(|(row, _)| row.id).collect();
        let mut sent = self.deliveries(app, &ids).await?;
        let mut files = self.files(app, key, about.iter().map(|(row, _)| row)).await?;
        let senders = names_of(app, about.iter().filter_map(|(row, _)| row.created_by)).await?;
        let mut lines = Vec::new();
        for (row, content) in about {
            let summary = Summary::open(key, &row)?;
            let files = files.remove(&row.id).unwrap_or_default().join("; ");
            let sender = row.created_by.and_then(|id| senders.get(&id)).cloned().unwrap_or_default();
            let reason = content.reason_for_disclosure.unwrap_or_default();
            for to in sent.remove(&row.id).unwrap_or_default() {
                lines.push([
                    time(to.sent_at.unwrap_or(row.message_date)),
                    inert(&to.name),
                    inert(&to.address),
                    to.state.to_string(),
                    inert(&summary.patient_name),
                    inert(&summary.subject),
                    inert(&files),
                    inert(&reason),
                    inert(&sender),
                    row.id.to_string(),
                ]);
            }
        }
        Ok(lines)
    }

    /// The recipients of each message.
    async fn deliveries(&self, app: &App, ids: &[Uuid]) -> Result<HashMap<Uuid, Vec<delivery::Model>>> {
        use delivery::Column;
        let went_nowhere = [DeliveryState::Queued, DeliveryState::Failed];
        let rows = self
            .tenant
            .deliveries()
            .filter(Column::MessageId.is_in(ids.iter().copied()))
            .filter(Column::State.is_not_in(went_nowhere))
            .order_by_asc(Column::Position)
            .all(app.store.db())
            .await?;
        let mut of: HashMap<Uuid, Vec<delivery::Model>> = HashMap::new();
        for row in rows {
            of.entry(row.message_id).or_default().push(row);
        }
        Ok(of)
    }

    /// The files sent with each message.
    async fn files(
        &self,
        app: &App,
        key: &DataKey,
        messages: impl Iterator<Item = &message::Model>,
    ) -> Result<HashMap<Uuid, Vec<String>>> {
        use attachment::Column;
        // Files were deleted with the message; those deleted earlier were not sent.
        let deleted: HashMap<Uuid, Option<DateTime<Utc>>> =
            messages.map(|row| (row.id, row.deleted_at)).collect();
        let rows = attachment::Entity::find()
            .filter(Column::OrganizationId.eq(self.tenant.0))
            .filter(Column::MessageId.is_in(deleted.keys().copied()))
            .order_by_asc(Column::Position)
            .all(app.store.db())
            .await?;
        let mut of: HashMap<Uuid, Vec<String>> = HashMap::new();
        for row in rows.into_iter().filter(|row| deleted.get(&row.message_id) == Some(&row.deleted_at)) {
            of.entry(row.message_id).or_default().push(open_name(key, &row)?);
        }
        Ok(of)
    }
}
