//! Makes the files of an export, a few messages in each run of the step, so that others get their turn in between. What
//! was made stays: a run that is repeated goes on behind it.

use super::{
    content::{self, Made, Outcome},
    queries,
};
use crate::{
    events,
    messages::{
        http::{PRINTED, ProcessRequest},
        process::process_in,
        queries as messages,
    },
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
        export_task::{self, ExportState},
        message_event::EventType,
    },
    keys::DataKey,
};
use uuid::Uuid;
use workflow::{Done, Lane, NewStep, Policy, Step, StepContext, StepError, StepType};

/// The step of the workflow, which is repeated until all messages are done.
pub const MAKE: StepType = StepType::new("MakeExport", Lane::Conversion);

/// Messages of one run.
const AT_ONCE: usize = 10;
/// Bytes of all files of an export. An archive of that size needs no extension of the format.
const BYTES_MAX: i64 = 2 << 30;
/// Files of an export.
const FILES_MAX: i32 = 10_000;
/// Pages that a browser draws for the printer.
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

/// Makes the files of one message and processes it, in one transaction. False when nobody wants the export any more.
async fn one(app: &App, key: &DataKey, task: &export_task::Model, id: Uuid) -> Result<bool, StepError> {
    let (db, source_ip) = (app.store.db(), task.source_ip.clone());
    let member = session::member_at_work(db, task.user_id, task.organization_id, source_ip).await;
    // Who has left the organization gets nothing of it.
    let Some(member) = member.map_err(platform_error)? else {
        return Err(StepError::failed("whoever asked for the export does not work there any more"));
    };
    let outcome = match messages::find(app, &member, id).await {
        Ok(message) => content::make(app, &member, key, task, &message).await?,
        Err(Error::NotFound) => Err(vec![GONE.to_owned()]),
        Err(error) => return Err(platform_error(error)),
    };
    let txn = app.store.begin().await?;
    let Some(task) = queries::lock_working(&txn, task.id).await? else { return Ok(false) };
    if queries::has(&txn, task.id, id).await? {
        return Ok(true);
    }
    let mut processed = None;
    let outcome = match outcome.and_then(|files| fits(&task, files)) {
        Ok(files) => match export(app, &txn, key, &member, &task, id).await {
            Ok(message) => {
                processed = message;
                Ok(files)
            }
            Err(error) => Err(refusal(error)?),
        },
        Err(reasons) => Err(reasons),
    };
    note(&txn, key, task, id, outcome).await?;
    txn.commit().await?;
    if let Some(message) = processed {
        messages::announce(app, &message).await;
    }
    Ok(true)
}

const GONE: &str = "There is no such message any more.";

/// The files, if there is room for them.
fn fits(task: &export_task::Model, files: Vec<Made>) -> Outcome {
    let bytes: i64 = files.iter().map(|file| file.size).sum();
    let pages: i64 = files.iter().map(|file| i64::from(file.pages)).sum();
    let refuse = |text: &str| Err(vec![text.to_owned()]);
    if task.size_bytes + bytes > BYTES_MAX || task.file_count + files.len() as i32 > FILES_MAX {
        return refuse("There was no more room in this export. Please export the message by itself.");
    }
    if i64::from(task.page_count) + pages > PAGES_MAX.into() {
        return refuse("More than 200 pages cannot be printed at once. Please print the message by itself.");
    }
    Ok(files)
}

/// Writes down that a message is exported, and processes it where that is wanted and not done yet.
async fn export(
    app: &App,
    txn: &Transaction,
    key: &DataKey,
    member: &Member,
    task: &export_task::Model,
    id: Uuid,
) -> platform::Result<Option<store::entities::message::Model>> {
    let row = messages::lock(txn, member, id).await?;
    let form = task.form.to_value();
    let act = Act::new(event::EXPORTED, "message", id).detail(json!({ "form": form, "task": task.id }));
    if task.processes && row.processed_at.is_none() {
        let wanted = ProcessRequest {
            is_processed: true,
            subject: None,
            process_type: Some(form),
            accepts_gaps: task.accepts_gaps,
            takes_over: task.takes_over,
        };
        let row = process_in(app, txn, key, member, row, wanted).await?;
        audit::record(app, txn, &Actor::from(&member.caller), act).await?;
        return Ok(Some(row));
    }
    if form != PRINTED {
        let user = Some((task.user_id, task.user_name.as_str()));
        events::queries::add(txn, &row, EventType::Exported, app.clock.now(), user).await?;
    }
    audit::record(app, txn, &Actor::from(&member.caller), act).await?;
    Ok(None)
}

/// Why a message is not processed; everything else is tried again.
fn refusal(error: Error) -> Result<Vec<String>, StepError> {
    match error {
        Error::Invalid(errors) => Ok(errors.0.into_values().flatten().collect()),
        Error::Conflict(text) => Ok(vec![text.into_owned()]),
        Error::NotFound => Ok(vec![GONE.into()]),
        error => Err(platform_error(error)),
    }
}

async fn note(
    txn: &Transaction,
    key: &DataKey,
    task: export_task::Model,
    message_id: Uuid,
    outcome: Outcome,
) -> Result<(), DbErr> {
    let seal = |position: i32, text: &str| queries::seal_text(key, task.id, position, text);
    let first = task.next_position;
    let (rows, pages): (Vec<export_file::Model>, i32) = match outcome {
        Ok(files) => {
            let pages = files.iter().map(|file| file.pages).sum();
            let row = |(position, file): (i32, Made)| export_file::Model {
                task_id: task.id,
                position,
                message_id,
                blob_id: Some(file.blob_id),
                sealed_text: seal(position, &file.path),
                mime_type: file.mime_type,
                size_bytes: file.size,
            };
            ((first..).zip(files).map(row).collect(), pages)
        }
        Err(reasons) => {
            let row = export_file::Model {
                task_id: task.id,
                position: first,
                message_id,
                blob_id: None,
                sealed_text: seal(first, &reasons.join("\n")),
                mime_type: String::new(),
                size_bytes: 0,
            };
            (vec![row], 0)
        }
    };
    let files = rows.iter().filter(|row| row.blob_id.is_some()).count() as i32;
    let change = export_task::ActiveModel {
        id: Set(task.id),
        messages_done: Set(task.messages_done + 1),
        problem_count: Set(task.problem_count + i32::from(files == 0)),
        file_count: Set(task.file_count + files),
        page_count: Set(task.page_count + pages),
        size_bytes: Set(task.size_bytes + rows.iter().map(|row| row.size_bytes).sum::<i64>()),
        next_position: Set(first + rows.len() as i32),
        ..Default::default()
    };
    let rows = rows.into_iter().map(IntoActiveModel::into_active_model);
    export_file::Entity::insert_many(rows).exec_without_returning(txn).await?;
    change.update(txn).await.map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;
    use store::entities::export_task::ExportForm;

    #[test]
    fn only_what_is_printed_is_a_print() {
        assert_eq!(ExportForm::Printed.to_value(), PRINTED);
    }
}
