//! The rows of connections, as forms say.

use super::{keys, types::IntegrationForm};
use platform::{App, Member, Result};
use std::collections::BTreeSet;
use store::entities::integration::{ConnectionSettings, IntegrationType, MessageSettings, Model};

/// Whether both lead to the same EHR as the same client.
pub fn is_same_ehr(one: &ConnectionSettings, other: &ConnectionSettings) -> bool {
    let of = |of: &ConnectionSettings| (of.base_url.clone(), of.client_id.clone(), of.authentication);
    of(one) == of(other)
}

/// The row of a form. A changed connection begins without failures.
pub async fn new_row(
    app: &App,
    member: &Member,
    before: Option<Model>,
    form: IntegrationForm,
) -> Result<Model> {
    let settings = ConnectionSettings {
        // The address of a web service is called as it is.
        base_url: match form.integration_type {
            IntegrationType::WebService => form.base_url.to_string(),
            IntegrationType::Fhir | IntegrationType::Hl7 => form.base_url.trim_end_matches('/').to_owned(),
        },
        authentication: form.authentication,
        client_id: form.client_id.into(),
        scopes: form.scopes.split_whitespace().collect::<Vec<_>>().join(" "),
        unused: form.unused.into_iter().collect::<BTreeSet<_>>().into_iter().collect(),
        requires_facility: form.requires_facility,
        requires_document_type: form.requires_document_type,
        description_template: form.description_template.into(),
        chart_url: form.chart_url.into(),
        messages: MessageSettings {
            kind: form.messages.kind,
            receiving_application: form.messages.receiving_application.into(),
            receiving_facility: form.messages.receiving_facility.into(),
            certificate: form.messages.certificate.into(),
        },
        body_template: form.body_template.into(),
    };
    // What another server offers is not known yet.
    let is_same = before.as_ref().is_some_and(|before| before.settings.base_url == settings.base_url);
    let mut row = match before {
        Some(before) => before,
        None => keys::first_row(app, member.organization_id, form.integration_type).await?,
    };
    if form.new_key {
        keys::rotate(app, &mut row).await?;
    }
    // A token is for the address that it was entered for.
    row.sealed_secret = match &*form.secret {
        "" if is_same && !form.forgets_secret => row.sealed_secret,
        "" => None,
        secret => Some(keys::seal_secret(app, &row, secret).await?),
    };
    let offers = row.offers.filter(|_| is_same);
    Ok(Model {
        name: form.name.into(),
        is_enabled: form.is_active,
        settings,
        offers,
        failing_since: None,
        failures: 0,
        problem: String::new(),
        remedy: String::new(),
        retry_at: None,
        ..row
    })
}
