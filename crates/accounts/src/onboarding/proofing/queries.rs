//! Database access of quizzes, documents and decisions.

use super::{
    identity::{self, DescribedPerson},
    mail::{self, News},
    port::{self, Answers, Identity, Question, Step},
    types::{Decision, Quiz, Standing},
    upload::Document,
};
use crate::onboarding::activation;
use chrono::Duration;
use email::Prepared;
use platform::{
    App, Error, Member, Result,
    audit::{self, Act, Actor, event},
    bus::Event,
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel,
    PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, Select, SqlErr, sea_query::LockType,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::{
    Transaction,
    entities::{
        organization, proofing_document,
        proofing_quiz::{self, QuizOutcome},
    },
    keys::DataKey,
};
use uuid::Uuid;

const PROVEN: &str = "The identity of your organization is already verified.";
const IN_REVIEW: &str = "Your document is already under review.";
const TOO_OFTEN: &str =
    "There were too many attempts today. Please upload a photo ID, or try again tomorrow.";
const DESCRIPTION_FIRST: &str =
    "Please enter your details first, so that your photo ID can be compared with them.";
const ANSWERED: &str = "These questions have already been answered.";

/// Stored part of an open quiz.
#[derive(Serialize, Deserialize)]
struct Kept {
    questions: Vec<Question>,
    state: Value,
}

impl Kept {
    fn seal(&self, key: &DataKey, id: Uuid) -> Result<Vec<u8>> {
        Ok(key.seal_json(&format!("proofing.quiz:{id}"), self)?)
    }

    fn open(key: &DataKey, quiz: &proofing_quiz::Model) -> Result<Option<Self>> {
        let Some(sealed) = &quiz.sealed else { return Ok(None) };
        Ok(Some(key.open_json(&format!("proofing.quiz:{}", quiz.id), sealed)?))
    }
}

fn quizzes_of(organization_id: Uuid) -> Select<proofing_quiz::Entity> {
    proofing_quiz::Entity::find().filter(proofing_quiz::Column::OrganizationId.eq(organization_id))
}

/// Locked until the transaction ends, so that changes of an organization's proofing status run one after the other.
pub async fn locked(txn: &Transaction, id: Uuid) -> Result<organization::Model> {
    let query = organization::Entity::find_by_id(id).lock(LockType::NoKeyUpdate);
    query.one(txn).await?.ok_or(Error::NotFound)
}

/// The organization's document that waits for review.
pub async fn pending(
    db: &impl ConnectionTrait,
    organization_id: Uuid,
) -> Result<Option<proofing_document::Model>> {
    Ok(proofing_document::Entity::find()
        .filter(proofing_document::Column::OrganizationId.eq(organization_id))
        .filter(proofing_document::Column::Decision.is_null())
        .one(db)
        .await?)
}

/// The member's last quiz, if it is unanswered.
async fn open_quiz(db: &impl ConnectionTrait, member: &Member) -> Result<Option<proofing_quiz::Model>> {
    let last = quizzes_of(member.organization_id)
        .filter(proofing_quiz::Column::UserId.eq(member.caller.user_id))
        .filter(proofing_quiz::Column::Counts.eq(true))
        .order_by_desc(proofing_quiz::Column::IssuedAt)
        .order_by_desc(proofing_quiz::Column::Id)
        .one(db)
        .await?;
    Ok(last.filter(|quiz| quiz.answered_at.is_none() && quiz.sealed.is_some()))
}

async fn attempts_left(app: &App, db: &impl ConnectionTrait, organization_id: Uuid) -> Result<u32> {
    let since = app.clock.now() - Duration::days(1);
    let made = quizzes_of(organization_id)
        .filter(proofing_quiz::Column::IssuedAt.gt(since))
        .filter(proofing_quiz::Column::Counts.eq(true))
        .count(db)
        .await?;
    let limit = app.config.proofing.attempts_per_day;
    Ok(limit.saturating_sub(u32::try_from(made).unwrap_or(u32::MAX)))
}

/// Proofing status of the member's organization.
pub async fn standing(app: &App, member: &Member) -> Result<Standing> {
    standing_in(app, app.store.db(), member).await
}

async fn standing_in(app: &App, db: &impl ConnectionTrait, member: &Member) -> Result<Standing> {
    let id = member.organization_id;
    let organization = organization::Entity::find_by_id(id).one(db).await?.ok_or(Error::NotFound)?;
    let asks_questions = port::service(app).is_some();
    let quiz = open_quiz(db, member).await?;
    let begun = if asks_questions {
        organization.id_proof_attempt_at.is_some()
    } else {
        identity::is_kept(db, id, member.caller.user_id).await?
    };
    let decision = if organization.id_proofed_at.is_some() {
        Some(Decision::Passed)
    } else if pending(db, id).await?.is_some() {
        Some(Decision::UnderReview)
    } else if quiz.is_none() && begun {
        Some(Decision::Failed)
    } else {
        None
    };
    let refused = match decision {
        Some(Decision::Failed) => last_refused(db, id).await?,
        _ => None,
    };
    Ok(Standing {
        quiz_id: quiz.filter(|_| decision.is_none()).map(|q| q.id),
        decision,
        asks_questions,
        document_refused: refused.is_some(),
        refusal_reason: match refused {
            Some(document) => open_reason(&app.keys.data_key(id).await?, &document)?,
            None => None,
        },
        attempts_left: attempts_left(app, db, id).await?,
    })
}

/// The last decided document, if it was refused.
async fn last_refused(
    db: &impl ConnectionTrait,
    organization_id: Uuid,
) -> Result<Option<proofing_document::Model>> {
    let last = proofing_document::Entity::find()
        .filter(proofing_document::Column::OrganizationId.eq(organization_id))
        .filter(proofing_document::Column::Decision.is_not_null())
        .order_by_desc(proofing_document::Column::UploadedAt)
        .one(db)
        .await?;
    Ok(last.filter(|document| document.decision == Some(proofing_document::Decision::NotPassed)))
}

/// Refuses if nothing is left to prove, or a document is under review.
pub async fn require_open(app: &App, member: &Member) -> Result<()> {
    let organization = organization::Entity::find_by_id(member.organization_id).one(app.store.db()).await?;
    let organization = organization.ok_or(Error::NotFound)?;
    require_open_in(app.store.db(), &organization).await
}

async fn require_open_in(db: &impl ConnectionTrait, organization: &organization::Model) -> Result<()> {
    if organization.id_proofed_at.is_some() {
        return Err(Error::Conflict(PROVEN.into()));
    }
    if pending(db, organization.id).await?.is_some() {
        return Err(Error::Conflict(IN_REVIEW.into()));
    }
    Ok(())
}

/// Begins with a description. Open questions of the member continue.
pub async fn submit(app: &App, member: &Member, identity: &Identity) -> Result<Standing> {
    let (db, id) = (app.store.db(), member.organization_id);
    require_open(app, member).await?;
    let open = open_quiz(db, member).await?;
    if open.is_some_and(|quiz| quiz.expires_at > app.clock.now()) {
        return standing(app, member).await;
    }
    let person = DescribedPerson::from(identity);
    let Some(service) = port::service(app) else {
        return begin(app, member, &person, Step::Failed, None).await;
    };
    if attempts_left(app, db, id).await? == 0 {
        return Err(Error::TooMany(TOO_OFTEN.into()));
    }
    let step = service.start(identity).await?;
    let mail = passed_mail(app, member, &step).await?;
    begin(app, member, &person, step, mail).await
}

async fn passed_mail(app: &App, member: &Member, step: &Step) -> Result<Option<Prepared>> {
    match step {
        Step::Passed => {
            mail::prepare(app, member.organization_id, member.caller.user_id, News::Verified).await
        }
        _ => Ok(None),
    }
}

async fn begin(
    app: &App,
    member: &Member,
    person: &DescribedPerson,
    step: Step,
    mail: Option<Prepared>,
) -> Result<Standing> {
    if let Step::Refused(errors) = step {
        return Err(Error::Invalid(errors));
    }
    let key = app.keys.data_key(member.organization_id).await?;
    let txn = app.store.begin().await?;
    let organization = locked(&txn, member.organization_id).await?;
    require_open_in(&txn, &organization).await?;
    // Another request may have begun at the same time.
    if matches!(step, Step::Quiz { .. }) && attempts_left(app, &txn, organization.id).await? == 0 {
        return Err(Error::TooMany(TOO_OFTEN.into()));
    }
    attempted(app, &txn, organization.id).await?;
    identity::keep(app, &txn, member, &key, person).await?;
    act(app, &txn, member, json!({ "step": "description" })).await?;
    let works = follow(app, &txn, member, &organization, &key, step, mail).await?;
    let standing = standing_in(app, &txn, member).await?;
    txn.commit().await?;
    wake(app, works).await;
    Ok(standing)
}

async fn attempted(app: &App, txn: &Transaction, organization_id: Uuid) -> Result<()> {
    organization::ActiveModel {
        id: Set(organization_id),
        id_proof_attempt_at: Set(Some(app.clock.now())),
        ..Default::default()
    }
    .update(txn)
    .await?;
    Ok(())
}

async fn act(app: &App, txn: &Transaction, member: &Member, detail: Value) -> Result<()> {
    let act = Act::new(event::PROOFING_ATTEMPTED, "organization", member.organization_id).detail(detail);
    audit::record(app, txn, &Actor::from(&member.caller), act).await
}

async fn wake(app: &App, works: bool) {
    if works {
        app.bus.publish(Event::Work).await;
    }
}

/// Stores the service's answer. Returns `true` if there is work for the workers.
async fn follow(
    app: &App,
    txn: &Transaction,
    member: &Member,
    organization: &organization::Model,
    key: &DataKey,
    step: Step,
    mail: Option<Prepared>,
) -> Result<bool> {
    match step {
        Step::Passed => {
            let actor = Actor::from(&member.caller);
            prove(app, txn, organization, &actor, "questions").await?;
            if let Some(mail) = mail {
                mail.enqueue(txn).await?;
            }
            Ok(true)
        }
        Step::Quiz { questions, state } if attempts_left(app, txn, organization.id).await? > 0 => {
            issue(app, txn, member, key, Kept { questions, state }).await?;
            Ok(false)
        }
        // Without questions, the photo ID decides.
        Step::Failed if port::service(app).is_none() => Ok(false),
        Step::Quiz { .. } | Step::Failed | Step::Refused(_) => {
            decided(app, txn, &Actor::from(&member.caller), organization.id, false, "questions").await?;
            Ok(false)
        }
    }
}

async fn issue(app: &App, txn: &Transaction, member: &Member, key: &DataKey, kept: Kept) -> Result<()> {
    let (id, now) = (Uuid::now_v7(), app.clock.now());
    let row = proofing_quiz::ActiveModel {
        id: Set(id),
        organization_id: Set(member.organization_id),
        user_id: Set(member.caller.user_id),
        issued_at: Set(now),
        expires_at: Set(now + Duration::minutes(app.config.proofing.quiz_minutes.into())),
        answered_at: Set(None),
        outcome: Set(None),
        counts: Set(true),
        sealed: Set(Some(kept.seal(key, id)?)),
    };
    proofing_quiz::Entity::insert(row).exec_without_returning(txn).await?;
    Ok(())
}

/// Marks an organization as proven. An activated one gets its certificate now.
pub async fn prove(
    app: &App,
    txn: &Transaction,
    organization: &organization::Model,
    actor: &Actor,
    by: &str,
) -> Result<()> {
    let now = app.clock.now();
    let mut row = organization.clone().into_active_model();
    row.id_proofed_at = Set(Some(now));
    row.id_proof_attempt_at = Set(organization.id_proof_attempt_at.or(Some(now)));
    row.update(txn).await?;
    forget_questions(txn, organization.id).await?;
    identity::forget(txn, organization.id).await?;
    if organization.is_activated {
        // The certificate waited for the proof.
        activation::enqueue(txn, now, organization.id, false).await?;
    }
    decided(app, txn, actor, organization.id, true, by).await
}

/// Questions are deleted after the decision.
pub async fn forget_questions(txn: &Transaction, organization_id: Uuid) -> Result<()> {
    use sea_orm::sea_query::Expr;
    proofing_quiz::Entity::update_many()
        .col_expr(proofing_quiz::Column::Sealed, Expr::value(Option::<Vec<u8>>::None))
        .filter(proofing_quiz::Column::OrganizationId.eq(organization_id))
        .filter(proofing_quiz::Column::Sealed.is_not_null())
        .exec(txn)
        .await?;
    Ok(())
}

/// Adds an entry to the organization's own audit trail.
pub async fn decided(
    app: &App,
    txn: &Transaction,
    actor: &Actor,
    organization_id: Uuid,
    passed: bool,
    by: &str,
) -> Result<()> {
    let mut act = Act::new(event::PROOFING_DECIDED, "organization", organization_id)
        .detail(json!({ "passed": passed, "by": by }));
    if !passed {
        act = act.failed();
    }
    let actor = Actor { organization_id: Some(organization_id), ..actor.clone() };
    audit::record(app, txn, &actor, act).await
}

/// An unanswered quiz of the member.
async fn find_quiz(db: &impl ConnectionTrait, member: &Member, id: Uuid) -> Result<proofing_quiz::Model> {
    let quiz = quizzes_of(member.organization_id)
        .filter(proofing_quiz::Column::Id.eq(id))
        .filter(proofing_quiz::Column::UserId.eq(member.caller.user_id))
        .one(db)
        .await?
        .ok_or(Error::NotFound)?;
    if quiz.answered_at.is_some() || quiz.sealed.is_none() {
        return Err(Error::Conflict(ANSWERED.into()));
    }
    Ok(quiz)
}

/// The questions for display, without the right answers.
pub async fn quiz(app: &App, member: &Member, id: Uuid) -> Result<Quiz> {
    let db = app.store.db();
    let quiz = find_quiz(db, member, id).await?;
    let key = app.keys.data_key(member.organization_id).await?;
    let kept = Kept::open(&key, &quiz)?.ok_or(Error::NotFound)?;
    let left = (quiz.expires_at - app.clock.now()).num_seconds().max(0);
    Ok(Quiz {
        quiz_id: quiz.id,
        // Questions after their time are not shown.
        questions: if left > 0 { kept.questions.into_iter().map(Into::into).collect() } else { Vec::new() },
        expires_at: quiz.expires_at,
        seconds_left: left,
        attempts_left: attempts_left(app, db, member.organization_id).await?,
    })
}

/// Answers a quiz. Of concurrent answers, the first counts.
pub async fn answer(app: &App, member: &Member, id: Uuid, answers: &Answers) -> Result<Standing> {
    require_open(app, member).await?;
    let quiz = find_quiz(app.store.db(), member, id).await?;
    let key = app.keys.data_key(member.organization_id).await?;
    let kept = Kept::open(&key, &quiz)?.ok_or(Error::NotFound)?;
    let late = quiz.expires_at <= app.clock.now();
    let service = port::service(app).ok_or(Error::NotFound)?;
    let step =
        if late { service.retry(&kept.state).await? } else { service.answer(&kept.state, answers).await? };
    let mail = passed_mail(app, member, &step).await?;

    let txn = app.store.begin().await?;
    let organization = locked(&txn, member.organization_id).await?;
    require_open_in(&txn, &organization).await?;
    let quiz = find_quiz(&txn, member, id).await?;
    let outcome = match (&step, late) {
        (_, true) => QuizOutcome::Late,
        (Step::Passed, _) => QuizOutcome::Passed,
        _ => QuizOutcome::Failed,
    };
    let mut row = quiz.into_active_model();
    row.answered_at = Set(Some(app.clock.now()));
    row.outcome = Set(Some(outcome));
    row.sealed = Set(None);
    row.update(&txn).await?;
    act(app, &txn, member, json!({ "step": "questions", "outcome": outcome.to_string() })).await?;
    let works = follow(app, &txn, member, &organization, &key, step, mail).await?;
    let standing = standing_in(app, &txn, member).await?;
    txn.commit().await?;
    wake(app, works).await;
    Ok(standing)
}

/// Stores a sealed document for review by an operator.
pub async fn hand_in(app: &App, member: &Member, document: Document) -> Result<Standing> {
    app.health.disk.room()?;
    let organization_id = member.organization_id;
    let is_described = identity::is_kept(app.store.db(), organization_id, member.caller.user_id).await?;
    if !is_described && port::service(app).is_none() {
        return Err(Error::Conflict(DESCRIPTION_FIRST.into()));
    }
    let key = app.keys.data_key(organization_id).await?;
    let blob =
        app.blobs.put(&key, organization_id, Uuid::now_v7(), document.content.content().clone()).await?;
    app.blobs.sync().await?;
    let written = keep(app, member, &key, &document, blob.id).await;
    // After a failed commit it is unknown whether the row exists; the sweep removes unreferenced blobs.
    if matches!(written, Err(Error::Conflict(_))) {
        app.blobs.delete(organization_id, blob.id).await?;
    }
    let standing = written?;
    app.bus.publish(Event::Work).await;
    Ok(standing)
}

async fn keep(
    app: &App,
    member: &Member,
    key: &DataKey,
    document: &Document,
    blob_id: Uuid,
) -> Result<Standing> {
    let (user_id, id) = (member.caller.user_id, Uuid::now_v7());
    let mut mails = mail::document_waits(app, member).await?;
    mails.extend(mail::prepare(app, member.organization_id, user_id, News::UnderReview).await?);
    let txn = app.store.begin().await?;
    let organization = locked(&txn, member.organization_id).await?;
    require_open_in(&txn, &organization).await?;
    let row = proofing_document::ActiveModel {
        id: Set(id),
        organization_id: Set(member.organization_id),
        user_id: Set(user_id),
        blob_id: Set(Some(blob_id)),
        sealed_name: Set(seal_name(key, id, &document.name)),
        mime_type: Set(document.mime_type.to_owned()),
        size_bytes: Set(document.content.len() as i64),
        uploaded_at: Set(app.clock.now()),
        decision: Set(None),
        decided_at: Set(None),
        decided_by: Set(None),
        sealed_reason: Set(None),
    };
    proofing_document::Entity::insert(row).exec_without_returning(&txn).await.map_err(only_one)?;
    attempted(app, &txn, organization.id).await?;
    forget_questions(&txn, organization.id).await?;
    act(app, &txn, member, json!({ "step": "document" })).await?;
    for mail in mails {
        mail.enqueue(&txn).await?;
    }
    let standing = standing_in(app, &txn, member).await?;
    app.store.commit_durable(txn).await?;
    Ok(standing)
}

fn only_one(error: sea_orm::DbErr) -> Error {
    match error.sql_err() {
        Some(SqlErr::UniqueConstraintViolation(_)) => Error::Conflict(IN_REVIEW.into()),
        _ => error.into(),
    }
}

fn name_context(id: Uuid) -> String {
    format!("proofing.document:{id}")
}

fn seal_name(key: &DataKey, id: Uuid, name: &str) -> Vec<u8> {
    key.seal(&name_context(id), name.as_bytes())
}

fn reason_context(id: Uuid) -> String {
    format!("proofing.reason:{id}")
}

pub fn seal_reason(key: &DataKey, id: Uuid, reason: &str) -> Vec<u8> {
    key.seal(&reason_context(id), reason.as_bytes())
}

fn open_reason(key: &DataKey, document: &proofing_document::Model) -> Result<Option<String>> {
    let Some(sealed) = &document.sealed_reason else { return Ok(None) };
    let bytes = key.open(&reason_context(document.id), sealed)?;
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

pub fn open_name(key: &DataKey, document: &proofing_document::Model) -> Result<String> {
    let bytes = key.open(&name_context(document.id), &document.sealed_name)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
