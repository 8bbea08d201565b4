//! Reports on individually chosen organizations.

use super::queries::yes;
use accounts::user_name;
use platform::{
    App, Result,
    csv::{Report, inert},
    interoperability::{ExportDirectoryType, ExportMode, ExportOption, Gaps, Interoperability},
    settings::Settings,
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder};
use std::collections::VecDeque;
use store::entities::{intake_rule, intake_rule_user, organization};
use uuid::Uuid;

/// The intake rules of organizations: a line for each rule and each of its assignees, in the order of the rules.
/// Rules without an assignee have one line too. Their conditions may name patients, so they are left out.
pub struct IntakeRules(VecDeque<organization::Model>);

impl IntakeRules {
    pub fn new(organizations: Vec<organization::Model>) -> Self {
        Self(organizations.into())
    }
}

impl Report<8> for IntakeRules {
    const COLUMNS: [&'static str; 8] =
        ["Organization ID", "Organization", "Position", "Rule", "Enabled", "Stops", "User ID", "Username"];

    /// An organization has few rules, so they are one piece.
    async fn next(&mut self, app: &App) -> Result<Option<Vec<[String; 8]>>> {
        let Some(of) = self.0.pop_front() else { return Ok(None) };
        let db = app.store.db();
        let rules = intake_rule::Entity::find()
            .filter(intake_rule::Column::OrganizationId.eq(of.id))
            .order_by_asc(intake_rule::Column::Position)
            .order_by_asc(intake_rule::Column::Id)
            .all(db)
            .await?;
        let links = intake_rule_user::Entity::find()
            .filter(intake_rule_user::Column::OrganizationId.eq(of.id))
            .filter(intake_rule_user::Column::IntakeRuleId.is_in(rules.iter().map(|rule| rule.id)))
            .order_by_asc(intake_rule_user::Column::UserId)
            .all(db)
            .await?;
        let names = user_name::names_of(db, links.iter().map(|link| link.user_id)).await?;
        let mut lines = Vec::new();
        for (number, rule) in rules.iter().enumerate() {
            let line = |user: Option<&Uuid>| {
                [
                    of.id.to_string(),
                    inert(&of.name),
                    (number + 1).to_string(),
                    inert(&rule.name),
                    yes(rule.is_enabled),
                    yes(rule.stops),
                    user.map(Uuid::to_string).unwrap_or_default(),
                    user.and_then(|id| names.get(id)).map(|name| inert(name)).unwrap_or_default(),
                ]
            };
            let people: Vec<&Uuid> = links
                .iter()
                .filter(|link| link.intake_rule_id == rule.id)
                .map(|link| &link.user_id)
                .collect();
            if people.is_empty() {
                lines.push(line(None));
            }
            lines.extend(people.into_iter().map(|user| line(Some(user))));
        }
        Ok(Some(lines))
    }
}

/// The download settings of organizations: a line for each.
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
        Gaps::Ask => "Ask first",
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
