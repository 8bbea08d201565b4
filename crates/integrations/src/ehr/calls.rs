//! What a connected system can be asked, whatever its protocol.

use super::{Ehr, Failure, System};
use crate::memory;
use fhir::model::{
    DocumentType, Facility, Filed, Found, GroupKind, NewDocument, Order, Patient, PatientQuery, Reviewer,
    ReviewerGroup, Visit,
};
use fhir::{client::Client, problem::Problem};
use patients::model;
use uuid::Uuid;

/// A document on its way to a system, with its patient as the message has it.
pub struct Outgoing {
    pub document: NewDocument,
    pub patient: model::Patient,
}

impl Ehr {
    pub async fn find_patients(&self, query: &PatientQuery) -> Result<Found<Patient>, Failure> {
        match &self.system {
            System::Fhir(client) => self.noted(client.find_patients(query)).await,
            System::Hl7(_) => Ok(feeds::find_patients(&self.app, self.row.organization_id, query).await?),
            System::WebService(_) => Err(Failure::NoConnection),
        }
    }

    pub async fn patient(&self, id: &str) -> Result<Option<Patient>, Failure> {
        match &self.system {
            System::Fhir(client) => self.noted(client.patient(id)).await,
            System::Hl7(_) => Ok(feeds::patient(&self.app, self.row.organization_id, id).await?),
            System::WebService(_) => Err(Failure::NoConnection),
        }
    }

    pub async fn add_patient(&self, patient: &Patient) -> Result<Patient, Failure> {
        self.noted(self.fhir()?.add_patient(patient)).await
    }

    /// Visits of a patient, newest first.
    pub async fn visits(&self, patient_id: &str) -> Result<Found<Visit>, Failure> {
        match &self.system {
            System::Fhir(client) => self.noted(client.visits(patient_id)).await,
            System::Hl7(_) => Ok(feeds::visits(&self.app, self.row.organization_id, patient_id).await?),
            System::WebService(_) => Err(Failure::NoConnection),
        }
    }

    /// Orders of a visit, or all of a patient.
    pub async fn orders(&self, patient_id: &str, visit_id: Option<&str>) -> Result<Found<Order>, Failure> {
        match &self.system {
            System::Fhir(client) => self.noted(client.orders(patient_id, visit_id)).await,
            System::Hl7(_) => {
                Ok(feeds::orders(&self.app, self.row.organization_id, patient_id, visit_id).await?)
            }
            System::WebService(_) => Err(Failure::NoConnection),
        }
    }

    pub async fn reviewers(&self, words_of_name: &str) -> Result<Found<Reviewer>, Failure> {
        self.noted(self.fhir()?.reviewers(words_of_name)).await
    }

    pub async fn reviewer_groups(&self) -> Result<Found<ReviewerGroup>, Failure> {
        self.noted(self.fhir()?.reviewer_groups()).await
    }

    pub async fn document_types(&self) -> Result<Found<DocumentType>, Failure> {
        self.noted(self.fhir()?.document_types()).await
    }

    pub async fn facilities(&self) -> Result<Found<Facility>, Failure> {
        self.noted(self.fhir()?.facilities("")).await
    }

    /// Files a document, once however often it is called with the same identifier.
    pub async fn file(&self, sent: &Outgoing) -> Result<Filed, Failure> {
        match &self.system {
            System::Fhir(client) => {
                self.learn_offers(client).await?;
                let filed = self.noted(client.file(&sent.document)).await;
                if matches!(filed, Err(Failure::Problem(Problem::NotOffered))) {
                    memory::forget_offers((self.row.id, self.row.version), self.row.cache_epoch);
                }
                filed
            }
            System::Hl7(hospital) => self.sent(hospital.file(&sent.document)).await,
            System::WebService(receiver) => self.sent(receiver.file(sent)).await,
        }
    }

    /// Reads what the EHR offers, unless that was read recently.
    async fn learn_offers(&self, client: &Client) -> Result<(), Failure> {
        let (at, epoch, now) = ((self.row.id, self.row.version), self.row.cache_epoch, self.app.clock.now());
        match memory::offers(at, epoch, now) {
            Some(offers) => client.know_offers(offers),
            None => memory::keep_offers(at, epoch, self.noted(client.offers()).await?, now),
        }
        Ok(())
    }

    /// The filed document with our identifier. A system that cannot be asked may have it.
    pub async fn find_filed(&self, identifier: Uuid) -> Result<Option<Filed>, Failure> {
        match &self.system {
            System::Fhir(client) => self.noted(client.find_filed(identifier)).await,
            System::Hl7(_) | System::WebService(_) => Ok(Some(known_by(identifier, false))),
        }
    }

    /// Marks a document as entered in error. `filed_id` is its id in the system; of what was sent, the content is not
    /// needed.
    pub async fn withdraw(&self, filed_id: &str, sent: &Outgoing) -> Result<(), Failure> {
        let document = &sent.document;
        match &self.system {
            System::Fhir(client) => {
                self.noted(client.withdraw(filed_id, document.identifier, &document.patient_id)).await
            }
            System::Hl7(hospital) => self.sent(hospital.withdraw(document)).await,
            System::WebService(receiver) => self.sent(receiver.withdraw(sent)).await,
        }
    }

    fn fhir(&self) -> Result<&Client, Failure> {
        match &self.system {
            System::Fhir(client) => Ok(client),
            System::Hl7(_) | System::WebService(_) => Err(Failure::NoConnection),
        }
    }
}

/// The id of a group with its kind: `Group/…` or `CareTeam/…`.
pub fn group_id(of: &ReviewerGroup) -> String {
    let kind = match of.kind {
        GroupKind::Group => "Group",
        GroupKind::CareTeam => "CareTeam",
    };
    format!("{kind}/{}", of.id)
}

/// A document in a system that knows it by our identifier alone.
pub(super) fn known_by(identifier: Uuid, is_new: bool) -> Filed {
    Filed { id: identifier.simple().to_string(), version: None, location: String::new(), is_new }
}
