//! Filing documents, finding what was filed, and marking it as entered in error.

use super::{Client, patients::IF_NONE_EXIST};
use crate::json::text;
use crate::model::{Filed, NewDocument};
use crate::outcome::IssueCode;
use crate::problem::Problem;
use crate::read::{self, ReadDocument, Subject, URI};
use crate::write::{self, Content, uri_of};
use base64::{Engine, engine::general_purpose::STANDARD};
use http::header::IF_MATCH;
use http::{Method, StatusCode};
use serde_json::{Value, json};
use uuid::Uuid;

/// Largest content that is sent within the DocumentReference where it can be sent apart.
const INLINE_MAX: usize = 4 << 20;
/// Largest content whose base64 is as long as a text can be in FHIR (1 MiB), to which some servers keep.
const TEXT_MAX: usize = (1 << 20) / 4 * 3;
const ENTERED_IN_ERROR: &str = "entered-in-error";

impl Client {
    /// Files a document, once: a second try finds the first one by its identifier, or the EHR itself does. Then the
    /// document is read back; one of another patient is [`Problem::WrongPatient`]. One that was withdrawn meanwhile is a
    /// conflict (409): to file it again takes another identifier. Two calls at the same time are the caller's to prevent.
    pub async fn file(&self, document: &NewDocument) -> Result<Filed, Problem> {
        let offers = self.offers().await?;
        if !offers.file_documents || !(offers.conditional_create || offers.read_documents) {
            return Err(Problem::NotOffered);
        }
        if !has_ids(document) {
            return Err(Problem::NotFound);
        }
        let is_large = document.content.len() > INLINE_MAX && offers.file_content;
        // Before content of its own is sent, too: it would be there twice.
        if offers.read_documents && (is_large || !offers.conditional_create) {
            let earlier = self.find(document.identifier, Some(&document.patient_id)).await?;
            if let Some(filed) = earlier {
                return self.confirmed(filed, document, true).await;
            }
        }
        let mut created = match is_large {
            true => self.create_apart(document, offers.conditional_create).await,
            false => self.create(document, Content::Inline, offers.conditional_create).await,
        };
        if let Err(problem) = &created
            && !is_large
            && offers.file_content
            && refuses_inline(problem, document.content.len())
        {
            created = self.create_apart(document, offers.conditional_create).await;
        }
        let filed = match created {
            // Several have the identifier already.
            Err(Problem::Refused { status: 412, issues }) => {
                let earlier = self.find(document.identifier, Some(&document.patient_id)).await?;
                earlier.ok_or(Problem::Refused { status: 412, issues })?
            }
            filed => filed?,
        };
        self.confirmed(filed, document, offers.read_documents).await
    }

    /// The document with this identifier of ours, whatever its status is.
    pub async fn find_filed(&self, identifier: Uuid) -> Result<Option<Filed>, Problem> {
        self.find(identifier, None).await
    }

    /// Marks the document with this identifier of ours as entered in error, if it is of this patient. One that is marked
    /// already is fine.
    pub async fn withdraw(&self, filed_id: &str, identifier: Uuid, patient_id: &str) -> Result<(), Problem> {
        match self.withdraw_once(filed_id, identifier, patient_id).await {
            // Somebody changed it meanwhile.
            Err(Problem::Refused { status: 409 | 412, .. }) => {
                self.withdraw_once(filed_id, identifier, patient_id).await
            }
            done => done,
        }
    }

    async fn withdraw_once(&self, filed_id: &str, identifier: Uuid, patient_id: &str) -> Result<(), Problem> {
        let answer = self.read_document(filed_id).await?;
        let (mut resource, version) = (answer.body.clone(), answer.version());
        let document = read::document(&resource).ok_or(Problem::Unreadable)?;
        if document.id != filed_id || !self.is_of(&resource, patient_id) {
            return Err(Problem::WrongPatient);
        }
        if !document.identifiers.contains(&identifier) {
            return Err(Problem::NotAllowed);
        }
        if document.status == ENTERED_IN_ERROR {
            return Ok(());
        }
        resource["status"] = ENTERED_IN_ERROR.into();
        let tag = document.version.or(version).map(|version| format!("W/\"{version}\""));
        let headers: Vec<_> = tag.iter().map(|tag| (IF_MATCH, tag.as_str())).collect();
        let url = self.connection.url(&["DocumentReference", filed_id]);
        self.connection.send_document(Method::PUT, &url, &headers, &resource).await?;
        let after = read::document(&self.read_document(filed_id).await?.body).ok_or(Problem::Unreadable)?;
        match after.status == ENTERED_IN_ERROR {
            true => Ok(()),
            false => Err(conflict()),
        }
    }

    async fn create_apart(&self, document: &NewDocument, conditional: bool) -> Result<Filed, Problem> {
        let url = self.create_content(document).await?;
        self.create(document, Content::At(&url), conditional).await
    }

    /// Creates the content as a Binary, and returns its address.
    async fn create_content(&self, document: &NewDocument) -> Result<String, Problem> {
        let binary = json!({
            "resourceType": "Binary",
            "contentType": document.media_type,
            "securityContext": {"reference": format!("Patient/{}", document.patient_id)},
            "data": STANDARD.encode(&document.content),
        });
        let url = self.connection.url(&["Binary"]);
        let answer = self.connection.send_document(Method::POST, &url, &[], &binary).await?;
        let id = answer.created_id("Binary").or_else(|| text(&answer.body, "id").map(str::to_owned));
        let id = id.filter(|id| read::is_id(id)).ok_or(Problem::Unreadable)?;
        Ok(format!("Binary/{id}"))
    }

    async fn create(
        &self,
        document: &NewDocument,
        content: Content<'_>,
        conditional: bool,
    ) -> Result<Filed, Problem> {
        let condition = format!("identifier={URI}|{}", uri_of(document.identifier));
        let headers: &[_] = if conditional { &[(IF_NONE_EXIST, condition.as_str())] } else { &[] };
        let url = self.connection.url(&["DocumentReference"]);
        let answer = self
            .connection
            .send_document(Method::POST, &url, headers, &write::document(document, content))
            .await?;
        let is_new = answer.status == StatusCode::CREATED;
        let read = read::document(&answer.body);
        let id = read.as_ref().map(|read| read.id.clone()).or_else(|| answer.created_id("DocumentReference"));
        match id {
            Some(id) => Ok(self.filed(id, read.and_then(|read| read.version).or(answer.version()), is_new)),
            None => {
                let found = self.find(document.identifier, Some(&document.patient_id)).await?;
                Ok(Filed { is_new, ..found.ok_or(Problem::Unreadable)? })
            }
        }
    }

    /// The filed document after it was read back and compared.
    async fn confirmed(
        &self,
        filed: Filed,
        document: &NewDocument,
        can_read: bool,
    ) -> Result<Filed, Problem> {
        let answer = match self.read_document(&filed.id).await {
            Err(Problem::NotAllowed | Problem::NotOffered) if !can_read => return Ok(filed),
            // Some EHRs take a moment to show what they have accepted.
            Err(Problem::NotFound) => return Err(Problem::Busy { retry_after: None }),
            answer => answer?,
        };
        let read = read::document(&answer.body).ok_or(Problem::Unreadable)?;
        let is_it = read.id == filed.id && read.identifiers.contains(&document.identifier);
        if !is_it || !self.is_of(&answer.body, &document.patient_id) {
            return Err(Problem::WrongPatient);
        }
        if read.status != "current" {
            return Err(conflict());
        }
        Ok(Filed { version: read.version.or(answer.version()), ..filed })
    }

    async fn read_document(&self, id: &str) -> Result<crate::connection::Answer, Problem> {
        if !read::is_id(id) {
            return Err(Problem::NotFound);
        }
        self.connection.get_document(&self.connection.url(&["DocumentReference", id])).await
    }

    async fn find(&self, identifier: Uuid, patient_id: Option<&str>) -> Result<Option<Filed>, Problem> {
        // Not of the patient alone: the EHR may have filed it for another one.
        let by_identifier = [("identifier", format!("{URI}|{}", uri_of(identifier)))];
        let list = match (self.search("DocumentReference", &by_identifier).await, patient_id) {
            // A server that cannot search by identifier lists the patient's documents.
            (Err(Problem::Refused { status: 400 | 422, .. }), Some(patient)) => {
                self.search("DocumentReference", &[("patient", patient.to_owned())]).await?
            }
            (list, _) => list?,
        };
        let is_cut = list.is_cut;
        let ours =
            list.entries.iter().filter_map(read::document).filter(|d| d.identifiers.contains(&identifier));
        let ours: Vec<ReadDocument> = ours.collect();
        let best = ours.iter().find(|document| document.status == "current").or(ours.first()).cloned();
        match best {
            Some(document) => Ok(Some(self.filed(document.id, document.version, false))),
            // It may be among those that were not read.
            None if is_cut => Err(Problem::TooManyPages),
            None => Ok(None),
        }
    }

    fn filed(&self, id: String, version: Option<String>, is_new: bool) -> Filed {
        let location = self.connection.url(&["DocumentReference", &id]).into();
        Filed { id, version, location, is_new }
    }

    fn is_of(&self, resource: &Value, patient_id: &str) -> bool {
        read::subject(resource, patient_id, self.connection.base().as_str()) == Subject::Same
    }
}

/// Whether all that the document refers to can exist.
fn has_ids(document: &NewDocument) -> bool {
    let group = document.reviewer_group.as_ref().map(|(_, id)| id);
    let optional = [document.visit_id.as_ref(), document.reviewer_id.as_ref(), group].into_iter().flatten();
    optional.chain([&document.patient_id]).chain(&document.order_ids).all(|id| read::is_id(id))
}

/// The document is there, but no longer or not yet in the wanted status.
fn conflict() -> Problem {
    Problem::Refused { status: 409, issues: IssueCode::of("conflict").into_iter().collect() }
}

fn refuses_inline(problem: &Problem, size: usize) -> bool {
    let about_content = |issues: &[IssueCode]| {
        issues.iter().any(|code| match code.as_str() {
            "too-long" | "not-supported" => true,
            "structure" => size > TEXT_MAX,
            _ => false,
        })
    };
    match problem {
        Problem::Refused { status: 413, .. } => true,
        Problem::Refused { status: 400 | 422, issues } => about_content(issues),
        _ => false,
    }
}
