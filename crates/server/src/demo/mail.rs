//! Sends the demo's letters through the product itself, and lets the staff work on received ones.

use super::{
    failed,
    letters::{self, Letter, Paper},
    people::People,
    practices::{LARKFIELD, Practices, SUMMIT},
};
use crate::node::Node;
use anyhow::{Result, ensure};
use chrono::{DateTime, Duration, Utc};
use messaging::{
    attachments::queries as files,
    direct::certificates,
    events::queries as events,
    files::NewFile,
    handling::restore,
    messages::queries as messages,
    model::{AttachmentMeta, Confidentiality, Direction, DocumentDateType, Mode, Patient, Status},
    release::{drafts, sending, types::DraftRequest},
    sealed::Summary,
};
use platform::{
    App, Caller, Member, Role,
    audit::{self, Act, Actor, event},
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder};
use std::collections::HashMap;
use store::entities::{message, release_type};
use store::permissions::Permissions;
use uuid::Uuid;

pub async fn load(node: &Node, practices: &Practices, people: &People, now: DateTime<Utc>) -> Result<()> {
    let release_types = release_types(&node.app).await?;
    let story = Story { node, app: &node.app, practices, people, release_types };
    certificates::renew_due(story.app).await.map_err(failed)?;
    let mut arrived: HashMap<&str, Vec<Filing>> = HashMap::new();
    for letter in letters::all(now) {
        story.wait_until(letter.at);
        let (place, filing) = (letter.to.0, Filing::of(&letter));
        if story.write(letter).await? {
            arrived.entry(place).or_default().push(filing);
        }
    }
    for practice in [LARKFIELD, SUMMIT] {
        story.work_on_intake(practice, arrived.remove(practice).unwrap_or_default(), now).await?;
    }
    Ok(())
}

/// Notes that the staff write on filed messages.
struct Filing {
    patient: Patient,
    document_type: &'static str,
}

impl Filing {
    fn of(letter: &Letter) -> Self {
        let document_type = letter.papers.first().map_or("", |paper| paper.document_type);
        Self { patient: patient(letter), document_type }
    }
}

struct Story<'a> {
    node: &'a Node,
    app: &'a App,
    practices: &'a Practices,
    people: &'a People,
    /// The system's, by name.
    release_types: HashMap<String, Uuid>,
}

async fn release_types(app: &App) -> Result<HashMap<String, Uuid>> {
    let of_the_system = release_type::Entity::find().filter(release_type::Column::OrganizationId.is_null());
    let rows = of_the_system.all(app.store.db()).await?;
    Ok(rows.into_iter().map(|r| (r.name, r.id)).collect())
}

impl Story<'_> {
    fn wait_until(&self, time: DateTime<Utc>) {
        self.app.clock.advance((time - self.app.clock.now()).max(Duration::zero()));
    }

    /// A person working in a practice.
    fn member(&self, practice: &str, name: &str) -> Member {
        let (person, organization_id) = (&self.people[name], self.practices[practice].id);
        let caller = Caller {
            user_id: person.id,
            user_name: format!("{name}@carepost.example"),
            full_name: format!("{} {}", person.first, person.last),
            session_id: Uuid::nil(),
            connection_id: None,
            organization_id: Some(organization_id),
            organization_is_cancelled: false,
            is_captured: false,
            network_id: None,
            roles: vec![Role::User],
            source_ip: "127.0.0.1".into(),
            unreadable: Default::default(),
            owes_terms: false,
            permissions: Permissions::all(),
        };
        Member { caller, organization_id }
    }

    /// Writes a letter; `true` if it was sent and arrived.
    async fn write(&self, letter: Letter) -> Result<bool> {
        let (practice, person) = letter.from;
        let member = self.member(practice, person);
        if let Some(begun) = self.begun(&member, &letter).await? {
            let has_files = usize::try_from(begun.attachment_count)? == letter.papers.len();
            match (begun.is_draft, letter.draft) {
                (true, true) if has_files => return Ok(false),
                (false, _) => {
                    self.outlive_workers().await?;
                    return self.arrived(&member, begun.id).await;
                }
                _ => restore::delete(self.app, &member, begun.id).await.map_err(failed)?,
            };
        }
        let draft = drafts::create(self.app, &member, self.request(&letter)).await.map_err(failed)?;
        for paper in letter.papers {
            self.attach(&member, draft.id, paper).await?;
        }
        if letter.draft {
            return Ok(false);
        }
        let nothing_new = DraftRequest::default();
        sending::send(self.app, &member, draft.id, Mode::Send, nothing_new, None).await.map_err(failed)?;
        self.arrived(&member, draft.id).await
    }

    /// Frees steps that a worker of the interrupted run holds.
    async fn outlive_workers(&self) -> Result<()> {
        self.node.runner.drain().await?;
        self.app.clock.advance(Duration::seconds(i64::from(self.app.config.workers.lease_seconds) + 1));
        Ok(())
    }

    /// Result of a letter in an interrupted run.
    async fn begun(&self, member: &Member, letter: &Letter) -> Result<Option<message::Model>> {
        let key = self.app.keys.data_key(member.organization_id).await?;
        let soon = letter.at + Duration::minutes(10);
        let rows = member
            .tenant()
            .messages()
            .filter(message::Column::Direction.eq(Direction::Release))
            .filter(message::Column::ReceivedAt.between(letter.at, soon))
            .filter(message::Column::ToAddress.eq(self.recipient(letter)))
            .all(self.app.store.db())
            .await?;
        let is_letter =
            |row: &message::Model| Summary::open(&key, row).is_ok_and(|s| s.subject == letter.subject);
        Ok(rows.into_iter().find(is_letter))
    }

    async fn arrived(&self, member: &Member, id: Uuid) -> Result<bool> {
        self.node.runner.drain().await?;
        if self.app.scanner.is_some() {
            // Steps that wait for the scanner try again after some seconds.
            self.node.runner.drain_until(self.app.clock.now() + Duration::minutes(1)).await?;
        }
        let sent = messages::find(self.app, member, id).await.map_err(failed)?;
        Ok(sent.status == Status::Sent)
    }

    fn recipient(&self, letter: &Letter) -> String {
        let (place, local) = letter.to;
        format!("{local}@{}", self.app.config.direct_domain(place))
    }

    fn request(&self, letter: &Letter) -> DraftRequest {
        let from = match letter.release_type {
            "Referral" => "referrals",
            _ => "",
        };
        DraftRequest {
            subject: Some(letter.subject.clone()),
            from_address: Some(self.practices[letter.from.0].address(from).to_owned()),
            to_addresses: Some(vec![self.recipient(letter)]),
            body: Some(letter.body.clone()),
            reason_for_disclosure: Some(Some("Treatment".into())),
            release_type_id: Some(Some(self.release_types[letter.release_type])),
            patient: Some(Some(patient(letter))),
            ..DraftRequest::default()
        }
    }

    async fn attach(&self, member: &Member, draft: Uuid, paper: Paper) -> Result<()> {
        let found = documents::check_upload(&paper.name, &paper.content)
            .map_err(|error| anyhow::anyhow!("{}: {error:?}", paper.name))?;
        let key = self.app.keys.data_key(member.organization_id).await?;
        let blob =
            self.app.blobs.put(&key, member.organization_id, Uuid::now_v7(), paper.content.into()).await?;
        let file = NewFile {
            name: paper.name,
            kind: found.kind,
            mime_type: found.mime_type.into(),
            blob,
            meta: AttachmentMeta {
                document_type: Some(paper.document_type.into()),
                document_date: Some(paper.date),
                document_date_type: Some(DocumentDateType::Selected),
                confidentiality: Some(Confidentiality::Normal),
                ..AttachmentMeta::default()
            },
            problem: None,
        };
        let wishes = files::Wishes { convert: false, has_priority: false };
        files::add_to_draft(self.app, member, draft, file, wishes).await.map_err(failed)?;
        Ok(())
    }

    /// Old messages are read and processed, newer ones wait, and those of the last days are untouched.
    async fn work_on_intake(&self, practice: &str, filings: Vec<Filing>, now: DateTime<Utc>) -> Result<()> {
        let rows = message::Entity::find()
            .filter(message::Column::OrganizationId.eq(self.practices[practice].id))
            .filter(message::Column::Direction.eq(Direction::Intake))
            .order_by_asc(message::Column::ReceivedAt)
            .all(self.app.store.db())
            .await?;
        ensure!(
            rows.len() == filings.len(),
            "of {} letters {} arrived at {practice}",
            filings.len(),
            rows.len()
        );
        let staff: &[&str] = if practice == LARKFIELD { &["priya", "rosa", "owen"] } else { &["tess"] };
        for (n, (row, filing)) in rows.into_iter().zip(filings).enumerate() {
            let member = self.member(practice, staff[n % staff.len()]);
            self.handle(&member, row, filing, n, now).await?;
        }
        Ok(())
    }

    async fn handle(
        &self,
        member: &Member,
        row: message::Model,
        filing: Filing,
        n: usize,
        now: DateTime<Utc>,
    ) -> Result<()> {
        let age = now - row.received_at;
        let read = age > Duration::days(3) || n.is_multiple_of(3) && age > Duration::days(1);
        let processed = read && age > Duration::days(8) && !n.is_multiple_of(4);
        let assigned = n.is_multiple_of(2) && !processed;
        // The work of a start that was killed is already done.
        if !read && !assigned || row.status == Status::Processed {
            return Ok(());
        }
        let later = row.received_at + Duration::minutes(25);
        let key = self.app.keys.data_key(member.organization_id).await?;
        let txn = self.app.store.begin().await?;
        let row = messages::lock(&txn, member, row.id).await.map_err(failed)?;
        let row = messages::edit_row(&txn, &key, row, |message| {
            message.row.read_at = read.then_some(later);
            message.row.assigned_to = assigned.then_some(member.caller.user_id);
            message.row.is_urgent = assigned && n.is_multiple_of(3);
            if read {
                message.summary.name_patient(Some(&filing.patient));
                message.summary.document_type = filing.document_type.to_owned();
                message.content.patient = Some(filing.patient);
            }
            if processed {
                let how = if n.is_multiple_of(2) { "Printed" } else { "PDFExport" };
                message.row.status = Status::Processed;
                message.row.processed_at = Some(later);
                message.row.processed_type = Some(how.into());
            }
            Ok(())
        })
        .await
        .map_err(failed)?;
        if processed {
            let user = (member.caller.user_id, member.caller.full_name.as_str());
            events::add_processed(&txn, &row, later, Some(user)).await?;
        }
        let act = Act::new(event::CHANGED, "message", row.id);
        audit::record(self.app, &txn, &Actor::from(&member.caller), act).await.map_err(failed)?;
        txn.commit().await?;
        Ok(())
    }
}

fn patient(letter: &Letter) -> Patient {
    let sample = &letter.patient;
    let text = |text: &str| Some(text.to_owned()).filter(|t| !t.is_empty());
    Patient {
        patient_id: text(&sample.mrn),
        first_name: text(&sample.first),
        middle_name: text(&sample.middle),
        last_name: text(&sample.last),
        birth_date: Some(sample.birth_date),
        gender: Some(sample.gender.code().to_owned()),
        street_address1: text(&sample.street),
        city: text(&sample.city),
        state: text(&sample.state),
        postal_code: text(&sample.postal_code),
        ..Patient::default()
    }
}
