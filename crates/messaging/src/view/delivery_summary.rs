//! The delivery summary of a sent message: a PDF with its content, recipients, and the state of each delivery.

use crate::{
    attachments::view::attachment_view,
    deliveries::view::delivery_view,
    fax::settings::FaxSettings,
    model::{DeliveryState, Direction, Patient},
    sealed::{Content, Summary},
};
use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use documents::summary::{DeliverySummary, Recipient};
use platform::{App, Error, Result};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder};
use store::entities::{attachment, delivery, message, organization};
use uuid::Uuid;

/// Whether there is something to summarize: the message was sent, or failed, for each recipient.
pub fn is_ready(row: &message::Model, deliveries: &[delivery::Model]) -> bool {
    let has_left = |d: &delivery::Model| d.state != DeliveryState::Queued;
    row.direction == Direction::Release
        && !row.is_draft
        && !deliveries.is_empty()
        && deliveries.iter().all(has_left)
}

/// The recipients of a message, in order.
pub async fn deliveries(app: &App, message_id: Uuid) -> Result<Vec<delivery::Model>> {
    let of_message = delivery::Entity::find().filter(delivery::Column::MessageId.eq(message_id));
    Ok(of_message.order_by_asc(delivery::Column::Position).all(app.store.db()).await?)
}

/// The present summary, as PDF.
pub async fn make(app: &App, row: &message::Model) -> Result<Vec<u8>> {
    let key = app.keys.data_key(row.organization_id).await?;
    let (summary, content) = (Summary::open(&key, row)?, Content::open(&key, row)?);
    let organization = organization::Entity::find_by_id(row.organization_id).one(app.store.db()).await?;
    let zone = FaxSettings::of(app.store.db(), row.organization_id).await?.zone();
    let time = |at: DateTime<Utc>| said(at, zone);
    let files = attachment::Entity::find()
        .filter(attachment::Column::MessageId.eq(row.id))
        .filter(attachment::Column::DeletedAt.is_null())
        .order_by_asc(attachment::Column::Position)
        .all(app.store.db())
        .await?;
    let files = files.into_iter().map(|file| attachment_view(&key, file)).collect::<Result<Vec<_>>>()?;
    let facts = [
        ("Subject", summary.subject),
        ("From", row.from_address.clone()),
        ("Sent", time(row.message_date)),
        ("Release type", content.release_type.unwrap_or_default()),
        ("Patient", content.patient.as_ref().map(patient).unwrap_or_default()),
        ("Message ID", row.rfc_message_id.clone().unwrap_or_default()),
    ];
    let now = app.clock.now();
    let written = DeliverySummary {
        organization: organization.map(|o| o.name).unwrap_or_default(),
        made: format!("As of {}", time(now)),
        at: now.naive_utc(),
        facts: facts.map(|(label, value)| (label.to_owned(), value)).into(),
        recipients: deliveries(app, row.id).await?.into_iter().map(|d| recipient(d, zone)).collect(),
        files: files
            .into_iter()
            .map(|file| (file.file_name, file.attachment_meta.document_type.unwrap_or_default()))
            .collect(),
    };
    let drawn = tokio::task::spawn_blocking(move || written.to_pdf()).await.map_err(Error::internal)?;
    drawn.ok_or_else(|| Error::internal("the delivery summary could not be rendered"))
}

fn recipient(row: delivery::Model, zone: Tz) -> Recipient {
    let view = delivery_view(row);
    let course = [
        ("Accepted", Some(view.accepted_at)),
        ("Sent", view.sent_at),
        ("Processed", view.processed_at),
        ("Delivered", view.delivered_at),
        ("Failed", view.failed_at),
    ];
    let course = course.into_iter().filter_map(|(what, at)| Some(format!("{what} {}", said(at?, zone))));
    Recipient {
        name: view.name,
        address: view.address,
        state: view.state.to_string(),
        course: course.chain(view.reason).collect(),
    }
}

fn patient(patient: &Patient) -> String {
    let text = |part: &Option<String>| part.clone().filter(|p| !p.trim().is_empty());
    let name = [&patient.first_name, &patient.middle_name, &patient.last_name].into_iter().filter_map(text);
    let name = name.collect::<Vec<_>>().join(" ");
    let born = patient.birth_date.map(|day| format!("born {}", day.format("%m/%d/%Y")));
    [Some(name).filter(|n| !n.is_empty()), born].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn said(at: DateTime<Utc>, zone: Tz) -> String {
    at.with_timezone(&zone).format("%b %-d, %Y %-I:%M %p %Z").to_string()
}
