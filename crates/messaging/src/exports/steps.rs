//! Creates the files of an export, a few messages per run of the step, so that others get their turn in between.
//! Finished files are kept: a repeated run continues after them.

use super::{
    content::{self, Outcome},
    queries,
};
use crate::{
    events,
    handling::{process::process_in, types::ProcessRequest},
    messages::queries as messages,
    workflows::{conversion_policy, platform_error},
};
use chrono::Duration;
use platform::{
    App, Error, Member,
    audit::{self, Act, Actor, event},
    session,
};
use sea_orm::{ActiveEnum, ActiveModelTrait, ActiveValue::Set, DbErr, EntityTrait, IntoActiveModel};
use serde_json::json;
use store::{
    Transaction,
    entities::{
        export_file,
        export_task::{self, ExportForm, ExportState},
        message,
        message_event::EventType,
    },
    keys::DataKey,
};
use uuid::Uuid;
use workflow::{Done, Lane, NewStep, Policy, Step, StepContext, StepError, StepType};

/// The step of the workflow, repeated until all messages are done.
pub const MAKE: StepType = StepType::new("MakeExport", Lane::Conversion);

/// Number of messages per run.
const AT_ONCE: usize = 10;
/// Maximum total size of the files of an export, in bytes. An archive of that size does not need Zip64.
const BYTES_MAX: i64 = 2 << 30;
/// Maximum number of files of an export.
const FILES_MAX: i32 = 10_000;
/// Maximum number of pages that a browser renders for the printer.
const PAGES_MAX: i32 = 200;

pub struct MakeExport(pub App);

#[async_trait::async_trait]
impl Step for MakeExport {
    fn policy(&self) -> Policy {
        Policy { deadline: std::time::Duration::from_secs(30 * 60), ..conversion_policy() }
    }

    async fn run(&self, cx: &StepContext) -> Result<Done, StepError> {
        let app = self.0.clone();
        let found = export_task::Entity::find_by_id(cx.object_id()).one(app.store.db()).await?;
        let Some(task) = found.filter(|task| task.state == ExportState::Processing) else {
            return Ok(Done::skipped());
        };
        let key =
            app.keys.data_key(task.organization_id).await.map_err(|error| platform_error(error.into()))?;
        let todo = queries::todo(app.store.db(), &task).await?;
        let mut told = app.clock.now();
        for id in todo.into_iter().take(AT_ONCE) {
            if !one(&app, &key, &task, id).await? {
                return Ok(Done::skipped());
            }
            if app.clock.now() - told >= Duration::seconds(1) {
                told = app.clock.now();
                queries::announce(&app, &task).await;
            }
        }
        let (clock, workflow_id, stage, published) =
            (app.clock.clone(), cx.workflow_id(), cx.step.stage, task.clone());
        let done = Done::with(move |txn| {
            Box::pin(async move {
                let Some(task) = queries::lock_working(txn, task.id).await? else { return Ok(()) };
                if task.messages_done < task.message_count {
                    let next = NewStep::new(stage + 1, MAKE, clock.now());
                    return Ok(workflow::add_steps(txn, workflow_id, task.organization_id, vec![next]).await?);
                }
                let state = if task.file_count > 0 { ExportState::Ready } else { ExportState::Failed };
                Ok(queries::end(txn, task, state, clock.now()).await?)
            })
        });
        Ok(done.then(async move { queries::announce(&app, &published).await }))
    }

    async fn failed(&self, cx: &StepContext, _reason: &str, txn: &Transaction) -> Result<(), DbErr> {
        if let Some(task) = queries::lock_working(txn, cx.object_id()).await? {
            queries::end(txn, task, ExportState::Failed, self.0.clock.now()).await?;
        }
        Ok(())
    }
}

/// Creates the files of one message and processes it, in one transaction. False if the export was cancelled.
async fn one(app: &App, key: &DataKey, task: &export_task::Model, id: Uuid) -> Result<bool, StepError> {
    let (db, source_ip) = (app.store.db(), task.source_ip.clone());
    let member = session::member_at_work(db, task.user_id, task.organization_id, source_ip).await;
    // People who left the organization get nothing.
    let Some(member) = member.map_err(platform_error)? else {
        return Err(StepError::failed("the person who requested the export has left the organization"));
    };
    let outcome = match messages::find(app, &member, id).await {
        Ok(message) => content::make(app, &member, key, task, &message).await?,
        Err(Error::NotFound) => Outcome::nothing(GONE),
        Err(error) => return Err(platform_error(error)),
    };
    let txn = app.store.begin().await?;
    let Some(task) = queries::lock_working(&txn, task.id).await? else { return Ok(false) };
    if queries::has(&txn, task.id, id).await? {
        return Ok(true);
    }
    let mut outcome = fitting(&task, outcome);
    let mut filed = Filed::default();
    if !outcome.files.is_empty() {
        match export(app, &txn, key, &member, &task, id, outcome.left_out.is_empty()).await {
            Ok(done) => filed = done,
            Err(Error::NotFound) => outcome = Outcome::nothing(GONE),
            Err(error) => return Err(platform_error(error)),
        }
    }
    note(&txn, key, task, id, outcome, filed.refused).await?;
    txn.commit().await?;
    if let Some(message) = filed.message {
        messages::announce(app, &message).await;
    }
    Ok(true)
}

const GONE: &str = "This message no longer exists.";

/// The files of a message, if the export has space for them.
fn fitting(task: &export_task::Model, outcome: Outcome) -> Outcome {
    let bytes: i64 = outcome.files.iter().map(|file| file.size).sum();
    let pages: i64 = outcome.files.iter().map(|file| i64::from(file.pages)).sum();
    if task.size_bytes + bytes > BYTES_MAX || task.file_count + outcome.files.len() as i32 > FILES_MAX {
        return Outcome::nothing("This export is full. Please export the message separately.");
    }
    if i64::from(task.page_count) + pages > PAGES_MAX.into() {
        return Outcome::nothing(
            "At most 200 pages can be printed at once. Please print the message separately.",
        );
    }
    outcome
}

/// Result of filing an exported message.
#[derive(Default)]
struct Filed {
    message: Option<message::Model>,
    /// Why it could not be filed.
    refused: Vec<String>,
}

const NOT_WHOLE: &str = "It is not filed, because some of its files were not exported.";

/// Records that a message is exported, and files it if that is requested and not done yet. A message that cannot be
/// filed is exported anyway.
async fn export(
    app: &App,
    txn: &Transaction,
    key: &DataKey,
    member: &Member,
    task: &export_task::Model,
    id: Uuid,
    is_whole: bool,
) -> platform::Result<Filed> {
    let row = messages::lock(txn, member, id).await?;
    let form = task.form.to_value();
    let act = Act::new(event::EXPORTED, "message", id).detail(json!({ "form": form, "task": task.id }));
    audit::record(app, txn, &Actor::from(&member.caller), act).await?;
    let mut filed = Filed::default();
    if task.processes && row.processed_at.is_none() {
        filed = file(app, txn, key, member, task, row.clone(), is_whole).await?;
    }
    if filed.message.is_none() && task.form != ExportForm::Printed {
        let user = Some((task.user_id, task.user_name.as_str()));
        events::queries::add(txn, &row, EventType::Exported, app.clock.now(), user).await?;
    }
    Ok(filed)
}

async fn file(
    app: &App,
    txn: &Transaction,
    key: &DataKey,
    member: &Member,
    task: &export_task::Model,
    row: message::Model,
    is_whole: bool,
) -> platform::Result<Filed> {
    if !is_whole {
        return Ok(Filed { message: None, refused: vec![NOT_WHOLE.into()] });
    }
    let wanted = ProcessRequest {
        is_processed: true,
        subject: None,
        process_type: Some(task.form),
        accepts_gaps: task.accepts_gaps,
        accepts_patient: false,
        takes_over: task.takes_over,
    };
    let refused = match process_in(app, txn, key, member, row, wanted).await {
        Ok(row) => return Ok(Filed { message: Some(row), refused: Vec::new() }),
        Err(Error::Invalid(errors)) => errors.0.into_values().flatten().collect(),
        Err(Error::Conflict(text)) => vec![text.into_owned()],
        Err(error) => return Err(error),
    };
    Ok(Filed { message: None, refused })
}

/// Stores the files of a message, and one row with the omitted files and the reasons why it is not filed.
async fn note(
    txn: &Transaction,
    key: &DataKey,
    task: export_task::Model,
    message_id: Uuid,
    outcome: Outcome,
    unfiled: Vec<String>,
) -> Result<(), DbErr> {
    let Outcome { files, left_out } = outcome;
    let is_problem = !left_out.is_empty();
    let is_unfiled = !unfiled.is_empty();
    let count = files.len() as i32;
    let pages: i32 = files.iter().map(|file| file.pages).sum();
    let bytes: i64 = files.iter().map(|file| file.size).sum();
    let kept = files.into_iter().map(|file| (Some(file.blob_id), file.path, file.mime_type, file.size));
    let reasons = left_out.into_iter().chain(unfiled).collect::<Vec<_>>().join("\n");
    let told = (!reasons.is_empty()).then_some((None, reasons, String::new(), 0));
    let row =
        |(position, (blob_id, text, mime_type, size_bytes)): (i32, (Option<Uuid>, String, String, i64))| {
            export_file::Model {
                task_id: task.id,
                position,
                message_id,
                blob_id,
                sealed_text: queries::seal_text(key, task.id, position, &text),
                mime_type,
                size_bytes,
            }
        };
    let rows: Vec<_> = (task.next_position..).zip(kept.chain(told)).map(row).collect();
    let change = export_task::ActiveModel {
        id: Set(task.id),
        messages_done: Set(task.messages_done + 1),
        problem_count: Set(task.problem_count + i32::from(is_problem)),
        unfiled_count: Set(task.unfiled_count + i32::from(is_unfiled)),
        file_count: Set(task.file_count + count),
        page_count: Set(task.page_count + pages),
        size_bytes: Set(task.size_bytes + bytes),
        next_position: Set(task.next_position + rows.len() as i32),
        ..Default::default()
    };
    let rows = rows.into_iter().map(IntoActiveModel::into_active_model);
    export_file::Entity::insert_many(rows).exec_without_returning(txn).await?;
    change.update(txn).await.map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::rules::PRINTED;

    #[test]
    fn only_what_is_printed_is_a_print() {
        assert_eq!(ExportForm::Printed.to_value(), PRINTED);
    }
}
