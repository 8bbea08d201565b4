//! Dry run of filing by rules: what they would have filed in the last 30 days, compared with what people filed. Nothing is
//! written but the lookups in the audit trail.

use super::{
    super::{finding, queries::open_chosen},
    judging::{self, Refusal},
    types::{FiledByPerson, FilingDryRun, FilingDryRunRequest, FilingDryRunRow},
};
use crate::{
    files,
    messages::list,
    rules::{
        dry_run as matching, filing, queries,
        terms::{FileToChart, Rule},
        types::{DryRunRequest, DryRunRow},
    },
    sealed::Content,
};
use futures::{StreamExt, stream};
use integrations::{
    ehr::{self, Ehr, Failure, For},
    lookup_views,
};
use platform::{
    App, Error, Member, Result,
    audit::{self, Act, event},
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use serde_json::json;
use std::{
    collections::{BTreeSet, HashMap},
    time::Duration,
};
use store::{
    entities::{
        chart_filing::{self, FilingState},
        message,
    },
    keys::DataKey,
};
use tokio::time::{Instant, timeout_at};
use uuid::Uuid;

/// Most messages that are tried.
const MOST: usize = 50;
/// Most messages that are checked for a match.
const EXAMINED_MAX: u64 = 5_000;
/// Searches at the EHR at the same time.
const AT_ONCE: usize = 4;
/// How long the EHR is asked.
const TIME: Duration = Duration::from_secs(40);
const NO_TIME: &str = "there was no time left to ask the EHR";
const NOTHING_FILES: &str = "None of these rules files to a chart.";

/// What the rules would have filed.
pub async fn run(app: &App, member: &Member, request: FilingDryRunRequest) -> Result<FilingDryRun> {
    let (db, key) = (app.store.db(), app.keys.data_key(member.organization_id).await?);
    let rules: HashMap<Uuid, Rule> = match &request.rule {
        Some(form) => HashMap::from([(Uuid::nil(), matching::unsaved(form.clone()))]),
        None => {
            let rules = queries::enabled(db, &key, member.organization_id).await?;
            rules.into_iter().map(|rule| (rule.id, rule)).collect()
        }
    };
    let targets: Vec<&FileToChart> =
        rules.values().filter_map(|rule| rule.terms.file_to_chart.as_ref()).collect();
    if targets.is_empty() {
        return Err(Error::Conflict(NOTHING_FILES.into()));
    }
    let ehrs = open(app, member, &targets).await?;
    let (found, examined, is_cut) = matched(app, member, &request, &rules).await?;
    let ids: Vec<Uuid> = found.iter().map(|(row, _)| row.id).collect();
    let rows = list::by_ids(&ids).all(db).await?;
    let rows: HashMap<Uuid, message::Model> = rows.into_iter().map(|row| (row.id, row)).collect();
    let by_people = filed_by_people(app, &key, &ids).await?;
    for ehr in ehrs.values() {
        let act = Act::new(event::SEARCHED, "integration", ehr.row().id)
            .detail(json!({ "of": "patients", "messages": ids }));
        audit::record_read(app, &member.caller, act).await?;
    }
    let until = Instant::now() + TIME;
    let tried: Vec<Result<Option<FilingDryRunRow>>> = stream::iter(found)
        .map(|(row, rule)| {
            let trial = Trial { app, key: &key, ehrs: &ehrs, rule: &rules[&rule], until };
            let (message, filed) = (rows.get(&row.id), by_people.get(&row.id));
            async move {
                let Some(message) = message else { return Ok(None) };
                trial.of(message, row, filed).await.map(Some)
            }
        })
        .buffered(AT_ONCE)
        .collect()
        .await;
    let mut items: Vec<FilingDryRunRow> =
        tried.into_iter().filter_map(Result::transpose).collect::<Result<_>>()?;
    items.sort_by_key(|item| item.by_person != Some(FiledByPerson::Other));
    Ok(FilingDryRun { items, examined, is_cut })
}

/// The EHRs of the rules, by connection.
async fn open(app: &App, member: &Member, targets: &[&FileToChart]) -> Result<HashMap<Uuid, Ehr>> {
    let mut ehrs = HashMap::new();
    for to in targets {
        if ehrs.contains_key(&to.integration_id) {
            continue;
        }
        if let Some(refusal) = filing::refusal(app.store.db(), member.organization_id, to).await? {
            return Err(Error::field("integrationId", refusal));
        }
        let row = ehr::usable(app, member.organization_id, to.integration_id).await?;
        let row = row.ok_or_else(|| Failure::NoConnection.error(None))?;
        let opened = Ehr::of(app, row.clone(), For::System).await;
        ehrs.insert(to.integration_id, opened.map_err(|failure| failure.error(Some(&row)))?);
    }
    Ok(ehrs)
}

type Matched = Vec<(DryRunRow, Uuid)>;

/// The newest messages to which a rule that files applies, the number of checked messages, and whether there are more.
async fn matched(
    app: &App,
    member: &Member,
    request: &FilingDryRunRequest,
    rules: &HashMap<Uuid, Rule>,
) -> Result<(Matched, u64, bool)> {
    let (mut found, mut examined, mut cursor) = (Vec::new(), 0, None);
    loop {
        let asked = DryRunRequest { rule: request.rule.clone(), cursor, page_size: Some(MOST as u64) };
        let page = matching::page(app, member, asked).await?;
        examined += page.examined;
        for row in page.items {
            let files = |id: &Uuid| rules.get(id).is_some_and(|rule| rule.terms.file_to_chart.is_some());
            let rule = row.matches.iter().map(|of| of.rule_id).find(files);
            if let Some(rule) = rule {
                found.push((row, rule));
            }
        }
        cursor = page.next_cursor;
        if found.len() > MOST || cursor.is_none() || examined >= EXAMINED_MAX {
            let is_cut = found.len() > MOST || cursor.is_some();
            found.truncate(MOST);
            return Ok((found, examined, is_cut));
        }
    }
}

/// The patients of charts to whom people filed the documents of messages: connection and id.
type Filed = HashMap<Uuid, BTreeSet<(Uuid, String)>>;

async fn filed_by_people(app: &App, key: &DataKey, messages: &[Uuid]) -> Result<Filed> {
    use chart_filing::Column;
    let rows = chart_filing::Entity::find()
        .filter(Column::MessageId.is_in(messages.iter().copied()))
        .filter(Column::RuleId.is_null())
        .filter(Column::State.is_in([FilingState::Waiting, FilingState::Filed]))
        .all(app.store.db())
        .await?;
    let mut filed = Filed::new();
    for row in rows {
        let patient = open_chosen(key, &row)?.patient_id;
        filed.entry(row.message_id).or_default().insert((row.integration_id, patient));
    }
    Ok(filed)
}

/// One message on which a rule is tried.
struct Trial<'a> {
    app: &'a App,
    key: &'a DataKey,
    ehrs: &'a HashMap<Uuid, Ehr>,
    rule: &'a Rule,
    until: Instant,
}

/// What a rule would have filed.
struct Proposed {
    patient_id: String,
    name: String,
    percent: u8,
}

impl Trial<'_> {
    async fn of(
        &self,
        message: &message::Model,
        row: DryRunRow,
        filed: Option<&BTreeSet<(Uuid, String)>>,
    ) -> Result<FilingDryRunRow> {
        let judged = match timeout_at(self.until, self.judge(message)).await {
            Ok(judged) => judged?,
            Err(_) => Err(NO_TIME.to_owned()),
        };
        let connection = self.rule.terms.file_to_chart.as_ref().map(|to| to.integration_id);
        let by_person = filed.map(|filed| match &judged {
            Err(_) => FiledByPerson::Unproposed,
            Ok(would) => {
                let is_same =
                    |(at, patient): &(Uuid, String)| Some(*at) == connection && *patient == would.patient_id;
                if filed.iter().all(is_same) { FiledByPerson::Same } else { FiledByPerson::Other }
            }
        });
        let (would, reason) = match judged {
            Ok(would) => (Some(would), String::new()),
            Err(reason) => (None, reason),
        };
        Ok(FilingDryRunRow {
            id: row.id,
            received_date: row.received_date,
            source_type: row.source_type,
            from_address: row.from_address,
            from_name: row.from_name,
            subject: row.subject,
            patient_name: row.patient_name,
            rule_name: self.rule.name.clone(),
            would_file: would.is_some(),
            percent: would.as_ref().map(|would| would.percent),
            chart_patient: would.map(|would| would.name).unwrap_or_default(),
            reason,
            by_person,
        })
    }

    async fn judge(&self, message: &message::Model) -> Result<Result<Proposed, String>> {
        let refused = |refusal: Refusal| Ok(Err(refusal.words()));
        let Some(to) = &self.rule.terms.file_to_chart else { return refused(Refusal::NotConnected) };
        let Some(ehr) = self.ehrs.get(&to.integration_id) else { return refused(Refusal::NotConnected) };
        let db = self.app.store.db();
        let files = files::of_message(db, message).await?;
        if let Err(refusal) = judging::check_files(self.key, &files)? {
            return refused(refusal);
        }
        // The patient that a person chose says nothing about what a rule would have found.
        let is_as_arrived = !Content::open(self.key, message)?.has_patient_by_person();
        let named = match judging::named(db, self.key, message, &files, is_as_arrived).await? {
            Ok(named) => named,
            Err(refusal) => return refused(refusal),
        };
        let found = match finding::search(ehr, &named.patient).await {
            Ok(found) => found,
            Err(Failure::Here(error)) => return Err(error),
            Err(_) => return Ok(Err("the EHR did not answer".into())),
        };
        Ok(match judging::decide(&named, &found, to.minimum_percent, ehr.row().id) {
            Ok(only) => Ok(Proposed {
                patient_id: only.shown.patient.id.clone(),
                name: lookup_views::patient(only.found.clone(), ehr.row().id).display_name(),
                percent: only.shown.percent,
            }),
            Err(refusal) => Err(refusal.words()),
        })
    }
}
