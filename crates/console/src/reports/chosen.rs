//! Reports about organizations that are chosen one by one.

use super::queries::{Cursor, PIECE, names_of_users, yes};
use platform::{
    App, Result,
    csv::{Report, inert},
    interoperability::{ExportDirectoryType, ExportMode, ExportOption, Gaps, Interoperability},
    settings::Settings,
};
use sea_orm::{ActiveEnum, ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use std::collections::{HashMap, VecDeque};
use store::entities::{
    document_source::{self, SourceStatus},
    organization, user_document_source,
};
use uuid::Uuid;

/// Who takes care of what comes in: a line for each address or number and each person it is assigned to. One without
/// anybody has a line too.
pub struct IntakeRules {
    organizations: VecDeque<organization::Model>,
    cursor: Cursor,
}

impl IntakeRules {
    pub fn new(organizations: Vec<organization::Model>) -> Self {
        Self { organizations: organizations.into(), cursor: Cursor::default() }
    }
}

impl Report<7> for IntakeRules {
    const COLUMNS: [&'static str; 7] =
        ["Organization ID", "Organization", "Type", "Address", "Status", "User ID", "Username"];

    async fn next(&mut self, app: &App) -> Result<Option<Vec<[String; 7]>>> {
        use document_source::Column;
        let Some(of) = self.organizations.front() else { return Ok(None) };
        let db = app.store.db();
        let sources = document_source::Entity::find()
            .filter(Column::OrganizationId.eq(of.id))
            .filter(Column::Status.ne(SourceStatus::Deleted))
            .filter(Column::Id.gt(self.cursor.after))
            .order_by_asc(Column::Id)
            .limit(PIECE)
            .all(db)
            .await?;
        self.cursor.pass(sources.iter().map(|source| source.id));
        let links = user_document_source::Entity::find()
            .filter(user_document_source::Column::DocumentSourceId.is_in(sources.iter().map(|s| s.id)))
            .order_by_asc(user_document_source::Column::UserId)
            .all(db)
            .await?;
        let names = names_of_users(db, links.iter().map(|link| link.user_id)).await?;
        let mut people: HashMap<Uuid, Vec<Uuid>> = HashMap::new();
        for link in links {
            people.entry(link.document_source_id).or_default().push(link.user_id);
        }
        let mut lines = Vec::new();
        for source in &sources {
            let line = |user: Option<&Uuid>| {
                [
                    of.id.to_string(),
                    inert(&of.name),
                    source.kind.to_value(),
                    inert(&source.address),
                    source.status.to_string(),
                    user.map(Uuid::to_string).unwrap_or_default(),
                    user.and_then(|id| names.get(id)).map(|name| inert(name)).unwrap_or_default(),
                ]
            };
            match people.get(&source.id) {
                Some(users) => lines.extend(users.iter().map(|user| line(Some(user)))),
                None => lines.push(line(None)),
            }
        }
        if self.cursor.is_at_end {
            self.organizations.pop_front();
            self.cursor = Cursor::default();
        }
        Ok(Some(lines))
    }
}

/// How organizations download documents: a line for each, with its export settings.
pub struct DownloadProfiles(Option<Vec<organization::Model>>);

impl DownloadProfiles {
    pub fn new(organizations: Vec<organization::Model>) -> Self {
        Self(Some(organizations))
    }
}

impl Report<8> for DownloadProfiles {
    const COLUMNS: [&'static str; 8] = [
        "Organization ID",
        "Organization",
        "Processed Documents",
        "Saved As",
        "Folders",
        "Folder For Each Visit",
        "Without Patient",
        "Incomplete Documents",
    ];

    /// The organizations were all read when they were chosen, so they are one piece.
    async fn next(&mut self, _: &App) -> Result<Option<Vec<[String; 8]>>> {
        let Some(organizations) = self.0.take() else { return Ok(None) };
        let lines = organizations.iter().map(|of| Ok(profile_line(of, Interoperability::of(of)?)));
        lines.collect::<Result<Vec<_>>>().map(Some)
    }
}

fn profile_line(of: &organization::Model, settings: Interoperability) -> [String; 8] {
    let mode = match settings.export_mode {
        ExportMode::Print => "Printed",
        ExportMode::SaveAs => "Saved",
    };
    let option = match settings.export_option {
        ExportOption::Standard => "File",
        ExportOption::XdsSdCda => "XDS-SD",
    };
    let folders = match settings.export_directory_type {
        ExportDirectoryType::SingleDirectory => "One",
        ExportDirectoryType::PatientFolder => "For each patient",
    };
    let gaps = match settings.gaps {
        Gaps::Ask => "After a question",
        Gaps::Refuse => "Never",
    };
    [
        of.id.to_string(),
        inert(&of.name),
        mode.into(),
        option.into(),
        folders.into(),
        yes(settings.export_visit_directory),
        yes(settings.non_patient_export),
        gaps.into(),
    ]
}
