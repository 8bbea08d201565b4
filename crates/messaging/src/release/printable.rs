//! Checks before sending whether the sheets of a fax can be printed: names each character without a glyph and its
//! field.

use super::{drafts, rules, types::DraftRequest};
use crate::{
    fax::settings::FaxSettings,
    files,
    messages::queries::{self, Editing},
    release::rules::Recipient,
    sealed::{Content, Summary, open_meta, open_name},
};
use documents::{
    fax::{Resolution, Sheet},
    worker::{ConvertError, Unprintable},
};
use platform::{
    App, Error, Member, Result, fields::FieldErrors, interoperability::Interoperability,
    settings::Settings as _,
};
use sea_orm::EntityTrait;
use std::collections::BTreeSet;
use store::{entities::organization, keys::DataKey};
use uuid::Uuid;

/// A text on a sheet, with its field in the request and its label.
struct Printed {
    field: &'static str,
    label: String,
    text: String,
}

/// Refuses a message to fax numbers whose sheets have characters without a glyph. `request` holds unsaved changes of the draft.
pub async fn check(app: &App, member: &Member, id: Uuid, request: &DraftRequest) -> Result<()> {
    let row = queries::find(app, member, id).await?;
    if !row.is_draft {
        return Ok(());
    }
    let key = app.keys.data_key(member.organization_id).await?;
    let mut draft = Editing { summary: Summary::open(&key, &row)?, content: Content::open(&key, &row)?, row };
    drafts::apply(&mut draft, request.clone());
    if !goes_by_fax(app, &draft).await? {
        return Ok(());
    }
    let mut texts = printed(app, &key, &draft, request).await?;
    texts.retain(|printed| !printed.text.chars().all(is_everywhere));
    if texts.is_empty() {
        return Ok(());
    }
    let rows = texts.iter().map(|p| (String::new(), p.text.clone())).collect();
    let sheet = Sheet::Details { title: String::new(), rows };
    match app.converter.of(draft.row.organization_id).fax_sheet(&sheet, Resolution::Standard).await {
        Err(ConvertError::Unprintable(missing)) => name(&texts, &missing).check(),
        // Other failures are reported by the step that renders the pages.
        _ => Ok(()),
    }
}

async fn goes_by_fax(app: &App, draft: &Editing) -> Result<bool> {
    let home = FaxSettings::of(app.store.db(), draft.row.organization_id).await?.home();
    let row = &draft.row;
    let recipients = rules::recipients(&row.to_address, &row.cc_address, &row.bcc_address, &home);
    Ok(recipients.iter().any(|(recipient, _)| matches!(recipient, Recipient::Fax(_))))
}

/// Characters in every font; most messages need no rendering to check.
fn is_everywhere(c: char) -> bool {
    c.is_ascii() || ('\u{a0}'..='\u{ff}').contains(&c) || "‘’“”–—…•€".contains(c)
}

async fn printed(app: &App, key: &DataKey, draft: &Editing, request: &DraftRequest) -> Result<Vec<Printed>> {
    let Editing { row, summary, content } = draft;
    let organization = organization::Entity::find_by_id(row.organization_id).one(app.store.db()).await?;
    let organization = organization.ok_or(Error::NotFound)?;
    let has_details = !Interoperability::of(&organization)?.suppress_fax_metadata_pages;
    let options = &content.properties;
    let mut texts = Vec::new();
    let mut add = |field, label: &str, text: &str| {
        texts.push(Printed { field, label: label.to_owned(), text: text.to_owned() });
    };
    if has_details || options.include_cover_page {
        add("fromAddress", "Name of the organization", &organization.name);
    }
    if has_details || options.include_message_body {
        add("subject", "Subject", &summary.subject);
    }
    if has_details {
        add("patient", "Patient", &summary.patient_name);
        add("releaseType", "Release type", content.release_type.as_deref().unwrap_or_default());
    }
    if options.include_message_body {
        add("body", "Message", &content.body);
    }
    for file in files::of_message(app.store.db(), row).await? {
        let given = request.attachments.iter().flatten().find(|given| given.id == file.id);
        let meta = match given {
            Some(given) => given.attachment_meta.clone(),
            None => open_meta(key, &file)?,
        };
        let name = open_name(key, &file)?;
        if has_details || options.include_cover_page || options.include_attachment_descriptions {
            let label = format!("Document type of {name}");
            add("attachments", &label, meta.document_type.as_deref().unwrap_or_default());
        }
        if options.include_attachment_descriptions {
            add("attachments", &format!("Name of {name}"), &name);
            let label = format!("Description of {name}");
            add("attachments", &label, meta.document_description.as_deref().unwrap_or_default());
        }
    }
    Ok(texts)
}

fn name(texts: &[Printed], missing: &Unprintable) -> FieldErrors {
    let mut errors = FieldErrors::default();
    for Printed { field, label, text } in texts {
        let found: BTreeSet<char> = text.chars().filter(|c| missing.0.contains(c)).collect();
        if !found.is_empty() {
            errors.add(*field, format!("{label}: a fax cannot show {}.", Unprintable(found)));
        }
    }
    errors
}
