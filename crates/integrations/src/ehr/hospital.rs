//! An EHR with HL7 v2: its patients and visits are those that it reported, and it gets documents as messages.

use super::{
    Failure,
    calls::known_by,
    outlet::{Address, Outlet},
};
use chrono::{DateTime, NaiveTime, Utc};
use exchange::{
    Code, Confidentiality, Document, Facility,
    hl7::{
        Shape,
        chart::{self, ChartDocument, Filing, Reviewer},
    },
};
use feeds::Missing;
use fhir::model::{self, Filed, NewDocument};
use platform::App;
use sea_orm::EntityTrait;
use store::entities::{
    integration::{MessageKind, MessageSettings, Model},
    organization,
};
use uuid::Uuid;

const NO_ADDRESS: &str = "This connection has no address for documents.";
const NO_PATIENT: &str = "The EHR no longer reports this patient. Please find the patient again.";
const NO_VISIT: &str = "The visit is no longer known. Please choose it again.";
const NO_ORDER: &str = "The order is no longer known. Please choose it again.";

/// An EHR with HL7 v2, ready to be called.
pub struct Hospital {
    app: App,
    organization_id: Uuid,
    settings: MessageSettings,
    /// None if it gets no documents.
    address: Option<Address>,
}

impl Hospital {
    pub fn of(app: &App, row: &Model) -> Self {
        Self {
            app: app.clone(),
            organization_id: row.organization_id,
            settings: row.settings.messages.clone(),
            address: Address::parse(&row.settings.base_url),
        }
    }

    pub async fn file(&self, document: &NewDocument) -> Result<Filed, Failure> {
        self.send(document, Filing::Added).await?;
        Ok(known_by(document.identifier, true))
    }

    pub async fn withdraw(&self, document: &NewDocument) -> Result<(), Failure> {
        self.send(document, Filing::Cancelled).await
    }

    async fn send(&self, document: &NewDocument, filing: Filing) -> Result<(), Failure> {
        let address = self.address.clone().ok_or_else(|| Failure::Refused(NO_ADDRESS.into()))?;
        let shape = match self.settings.kind {
            MessageKind::Mdm => Shape::Mdm,
            MessageKind::Oru => Shape::Oru,
        };
        let sent = self.chart_document(document, filing).await?;
        let message = chart::message(&sent, filing, shape);
        let control_id = chart::control_id(&sent.document, filing, shape);
        let outlet = Outlet::of(&self.app, self.organization_id, &self.settings, address).await?;
        outlet.send(self.organization_id, message, control_id).await
    }

    async fn chart_document(&self, of: &NewDocument, filing: Filing) -> Result<ChartDocument, Failure> {
        let (id, visit) = (&of.patient_id, of.visit_id.as_deref());
        let found = feeds::addressee(&self.app, self.organization_id, id, visit, &of.order_ids).await?;
        let addressee = found.ok_or_else(|| Failure::Refused(NO_PATIENT.into()))?;
        // What was filed before can be cancelled without them.
        if let Some(missing) = addressee.missing.first().filter(|_| filing != Filing::Cancelled) {
            let text = match missing {
                Missing::Visit => NO_VISIT,
                Missing::Order => NO_ORDER,
            };
            return Err(Failure::Refused(text.into()));
        }
        let organization = organization::Entity::find_by_id(self.organization_id);
        let name = organization.one(self.app.store.db()).await?.map(|row| row.name).unwrap_or_default();
        let now = self.app.clock.now();
        Ok(ChartDocument {
            at: now,
            from: Facility { name, ..Facility::default() },
            to: Facility { name: self.settings.receiving_facility.clone(), ..Facility::default() },
            receiving_application: self.settings.receiving_application.clone(),
            patient: addressee.patient,
            visit: addressee.visit,
            orders: addressee.orders,
            reviewer: of.reviewer_id.clone().map(|id| Reviewer { id, ..Reviewer::default() }),
            author: of.author.clone(),
            document: outgoing(of, now),
            is_test: false,
        })
    }
}

/// The document of a message.
fn outgoing(of: &NewDocument, now: DateTime<Utc>) -> Document {
    let created = of.date.map(|day| day.and_time(NaiveTime::MIN).and_utc());
    let kind =
        Code { code: of.kind.code.clone(), name: of.kind.name.clone(), scheme: of.kind.system.clone() };
    Document {
        id: of.identifier,
        title: of.title.clone(),
        kind: Some(kind).filter(|kind| !kind.code.is_empty()),
        media_type: of.media_type.clone(),
        file_name: of.title.clone(),
        created_at: created.unwrap_or(now),
        confidentiality: match of.confidentiality {
            model::Confidentiality::Normal => Confidentiality::Normal,
            model::Confidentiality::Restricted => Confidentiality::Restricted,
            model::Confidentiality::VeryRestricted => Confidentiality::VeryRestricted,
        },
        content: of.content.clone(),
    }
}
