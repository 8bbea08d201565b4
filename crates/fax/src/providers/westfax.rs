//! WestFax: its REST interface (apisecure.westfax.com).
//!
//! Every call is a POST of a form, and most failures have HTTP status 200 and `"Success": false`. Faxes cannot be
//! cancelled, nor resumed at a later page.

use std::{collections::HashSet, fmt};

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use reqwest::Client;
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};

use super::clock::{made, now};
use super::web::{self, WebError, cleaned, letters, number, send, text};
use crate::number::FaxNumber;
use crate::outcome::Outcome;
use crate::port::{
    Finished, Found, OutgoingFax, Progress, Provider, ProviderError, ProviderJob, ReceivedFile, Reception,
    Resolution, State, SubmitError,
};

/// Base URL of the API.
pub const ADDRESS: &str = "https://apisecure.westfax.com";
/// How far back faxes are listed when no date is given.
const LOOK_BACK: TimeDelta = TimeDelta::days(30);
/// Faxes described per call.
const BATCH: usize = 20;

/// A product of a user: a fax number at WestFax.
#[derive(Clone)]
pub struct WestFax {
    address: String,
    user: String,
    password: String,
    product: String,
    client: Client,
}

impl WestFax {
    /// A product of a user.
    pub fn new(user: impl Into<String>, password: impl Into<String>, product: impl Into<String>) -> Self {
        Self {
            address: ADDRESS.to_owned(),
            user: user.into(),
            password: password.into(),
            product: product.into(),
            client: web::client(),
        }
    }

    /// Uses another base URL, without a trailing slash.
    pub fn at(self, address: impl Into<String>) -> Self {
        Self { address: address.into(), ..self }
    }
}

impl fmt::Debug for WestFax {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WestFax")
            .field("user", &self.user)
            .field("product", &self.product)
            .finish_non_exhaustive()
    }
}

/// Why a call has no result.
#[derive(Debug)]
enum CallError {
    Web(WebError),
    /// `Success` was false, whatever the HTTP status.
    Refused(String),
    /// An answer that is not WestFax's.
    Status(u16),
}

impl From<CallError> for ProviderError {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Web(error) => error.into(),
            CallError::Refused(words) => Self::Refused(words),
            CallError::Status(status) => {
                Self::Unreachable(format!("WestFax answered with HTTP status {status}."))
            }
        }
    }
}

impl WestFax {
    fn form(&self) -> Form {
        Form::new()
            .text("Username", self.user.clone())
            .text("Password", self.password.clone())
            .text("Cookies", "false")
            .text("ProductId", self.product.clone())
    }

    async fn call(&self, method: &str, form: Form) -> Result<Value, CallError> {
        let request = self.client.post(format!("{}/REST/{method}/json", self.address)).multipart(form);
        let mut answer = send(request).await.map_err(CallError::Web)?;
        match answer.body.get("Success").and_then(Value::as_bool) {
            Some(true) if answer.is_success() => Ok(answer.body["Result"].take()),
            Some(false) => {
                let words =
                    ["ErrorString", "InfoString"].map(|name| text(&answer.body, name).unwrap_or_default());
                Err(CallError::Refused(cleaned(words.join(" ").trim())))
            }
            _ => Err(CallError::Status(answer.status)),
        }
    }

    async fn describe(&self, ids: &[Identifier]) -> Result<Vec<Value>, ProviderError> {
        let form = ids
            .iter()
            .enumerate()
            .fold(self.form(), |form, (index, id)| form.text(format!("FaxIds{}", index + 1), id.parameter()));
        Ok(array(self.call("Fax_GetFaxDescriptionsUsingIds", form).await?))
    }

    /// The numbers at which the product receives faxes, as WestFax writes them.
    pub async fn numbers(&self) -> Result<Vec<String>, ProviderError> {
        let products = array(self.call("Profile_GetProductList", self.form()).await?);
        let ours = products.iter().filter(|product| is_product(product, &self.product));
        Ok(ours.filter_map(|product| text(product, "InboundNumber")).collect())
    }

    fn submission(&self, fax: &OutgoingFax, document: Vec<u8>) -> Result<Form, SubmitError> {
        let number = dialled(&fax.to).ok_or_else(|| {
            SubmitError::Refused(Outcome::BadNumber, "WestFax does not dial extensions.".to_owned())
        })?;
        let quality = match fax.resolution {
            Resolution::Fine => "Fine",
            Resolution::Standard => "Normal",
        };
        Ok(self
            .form()
            .text("JobName", fax.key.to_string())
            .text("Header", fax.sender_name.clone())
            .text("BillingCode", fax.key.to_string())
            .text("Numbers1", number)
            .part("Files0", Part::bytes(document).file_name("fax.pdf"))
            .text("CSID", fax.station_id.clone())
            .text("ANI", fax.from.national().to_owned())
            .text("FaxQuality", quality))
    }
}

/// A fax as WestFax identifies it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Identifier {
    id: String,
    direction: &'static str,
}

impl Identifier {
    /// Ids come from answers and stored jobs, so anything else is refused.
    fn new(id: &str, direction: &'static str) -> Option<Self> {
        let is_id =
            (1..=64).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        is_id.then(|| Self { id: id.to_owned(), direction })
    }

    fn parameter(&self) -> String {
        json!({ "Id": self.id, "Direction": self.direction }).to_string()
    }
}

fn inbound(id: &str) -> Result<Identifier, ProviderError> {
    Identifier::new(id, "Inbound").ok_or(ProviderError::Unknown)
}

fn array(value: Value) -> Vec<Value> {
    match value {
        Value::Array(items) => items,
        _ => Vec::new(),
    }
}

/// `312-555-0123`; numbers in other countries with the international prefix.
fn dialled(to: &FaxNumber) -> Option<String> {
    let plain = to.extension().is_none();
    plain.then(|| if to.country_code() == "1" { to.display() } else { format!("011{}", to.digits()) })
}

fn date(time: DateTime<Utc>) -> String {
    time.format("%-m/%-d/%Y").to_string()
}

fn time(value: &Value, name: &str) -> Option<DateTime<Utc>> {
    DateTime::parse_from_rfc3339(&text(value, name)?).ok().map(|time| time.to_utc())
}

fn refusal(words: &str) -> Outcome {
    if words.to_ascii_lowercase().contains("number") { Outcome::BadNumber } else { Outcome::ProviderFault }
}

/// The outcome that the result of a call stands for; None while it is in progress. An unknown result leaves open whether
/// pages arrived.
fn outcome(result: &str, pages: u32) -> Option<Outcome> {
    Some(match letters(result).as_str() {
        "sent" | "success" => Outcome::Delivered,
        "busy" => Outcome::Busy,
        "noanswer" => Outcome::NoAnswer,
        "nofaxdevice" => Outcome::NoFaxSignal,
        "invalidnumber" => Outcome::BadNumber,
        "connectioninterrupt" => Outcome::RemoteHangUp,
        // By somebody at WestFax: a person decides whether to send it again.
        "cancelled" | "canceled" => Outcome::Uncertain,
        "sending" | "" => return None,
        _ if pages > 0 => Outcome::Uncertain,
        _ => Outcome::ProviderFault,
    })
}

/// The call that decides about a fax. WestFax redials by itself, so there may be several; one that got through counts.
fn deciding_call(description: &Value) -> Option<&Value> {
    let calls = description.get("FaxCallInfoList")?.as_array()?;
    let got_through = |call: &&Value| text(call, "Result").is_some_and(|result| letters(&result) == "sent");
    calls.iter().find(got_through).or(calls.last())
}

fn state(description: &Value, fax: &OutgoingFax) -> State {
    let status = letters(&text(description, "Status").unwrap_or_default());
    let call = deciding_call(description);
    let result = call.and_then(|call| text(call, "Result")).unwrap_or_default();
    let pages = call.and_then(|call| number(call, "CallPageCount")).unwrap_or_default();
    if !matches!(status.as_str(), "complete" | "completed" | "cancelled" | "canceled" | "failed" | "error") {
        return match letters(&result).as_str() {
            "sending" => State::Sending { page: (pages + 1).min(fax.pages), of: fax.pages },
            _ if status == "production" => State::Dialling,
            _ => State::Queued,
        };
    }
    let outcome = match outcome(&result, pages).unwrap_or(Outcome::Uncertain) {
        Outcome::Delivered if (1..fax.pages).contains(&pages) => Outcome::PagesLost,
        outcome => outcome,
    };
    let confirmed = if outcome == Outcome::Delivered { fax.pages } else { pages.min(fax.pages) };
    State::Finished(Finished {
        outcome,
        confirmed_pages: confirmed,
        words: cleaned(&result),
        rate: None,
        duration: None,
        remote_id: call.and_then(|call| text(call, "TermCSID")),
        log: None,
    })
}

/// A fax that came in. Public for the fuzz target.
#[doc(hidden)]
pub fn reception(description: &Value) -> Option<Reception> {
    let call = description.get("FaxCallInfoList").and_then(|calls| calls.get(0)).unwrap_or(&Value::Null);
    let result =
        text(call, "Result").filter(|result| !matches!(letters(result).as_str(), "success" | "sent"));
    Some(Reception {
        id: text(description, "Id")?,
        received_at: time(description, "Date"),
        called: text(call, "TermNumber"),
        caller: text(call, "OrigNumber"),
        caller_name: None,
        station_id: text(call, "OrigCSID"),
        pages: number(description, "PageCount"),
        resolution: match letters(&text(description, "FaxQuality").unwrap_or_default()).as_str() {
            "fine" => Some(Resolution::Fine),
            "normal" | "standard" => Some(Resolution::Standard),
            _ => None,
        },
        rate: None,
        duration: None,
        partial: result.map(|result| cleaned(&result)),
        line: None,
        is_marked: false,
    })
}

#[async_trait]
impl Provider for WestFax {
    async fn submit(&self, fax: &OutgoingFax) -> Result<ProviderJob, SubmitError> {
        let form = self.submission(fax, web::as_pdf(fax).await?)?;
        match self.call("Fax_SendFax", form).await {
            Ok(result) => match result.as_str().and_then(|id| Identifier::new(id, "Outbound")) {
                Some(job) => Ok(ProviderJob { id: job.id }),
                None => Err(SubmitError::Uncertain(
                    "WestFax accepted the fax without returning an id.".to_owned(),
                )),
            },
            Err(CallError::Refused(words)) => Err(SubmitError::Refused(refusal(&words), words)),
            Err(CallError::Web(WebError::NotSent)) => {
                Err(SubmitError::Unreachable(WebError::NotSent.words()))
            }
            Err(CallError::Web(error)) => Err(SubmitError::Uncertain(error.words())),
            Err(CallError::Status(status)) => {
                Err(SubmitError::Uncertain(format!("WestFax answered with HTTP status {status}.")))
            }
        }
    }

    async fn find(&self, fax: &OutgoingFax) -> Result<Found, ProviderError> {
        let start = made(fax.key).unwrap_or_else(now) - TimeDelta::days(1);
        let form = self.form().text("StartDate", date(start)).text("FaxDirection", "Outbound");
        let listed = array(self.call("Fax_GetFaxDescriptions", form).await?);
        let key = fax.key.to_string();
        let found = listed.iter().find(|description| text(description, "JobName").as_deref() == Some(&key));
        let id = found.and_then(|description| Identifier::new(&text(description, "Id")?, "Outbound"));
        // A job may be listed late, so its absence proves nothing.
        Ok(id.map_or(Found::CannotTell, |id| Found::Job(ProviderJob { id: id.id })))
    }

    async fn follow(&self, job: &ProviderJob, fax: &OutgoingFax) -> Result<Progress, ProviderError> {
        let id = Identifier::new(&job.id, "Outbound").ok_or(ProviderError::Unknown)?;
        let described = self.describe(std::slice::from_ref(&id)).await?;
        let ours = described.iter().find(|description| text(description, "Id").as_deref() == Some(&id.id));
        let description = ours.ok_or(ProviderError::Unknown)?;
        Ok(Progress { state: state(description, fax), line: None })
    }

    async fn cancel(&self, _job: &ProviderJob) -> Result<(), ProviderError> {
        Err(ProviderError::Refused("A fax at WestFax can only be cancelled at WestFax.".to_owned()))
    }

    async fn received(&self, after: Option<DateTime<Utc>>) -> Result<Vec<Reception>, ProviderError> {
        let start = after.unwrap_or_else(|| now() - LOOK_BACK);
        let form = self.form().text("StartDate", date(start)).text("FaxDirection", "Inbound");
        let listed = array(self.call("Fax_GetFaxIdentifiers", form).await?);
        // Fetching a fax may mark it as read before it is stored here, so recent marked faxes are listed too.
        let is_wanted = |entry: &&Value| match text(entry, "Tag").as_deref() {
            Some("Removed" | "Deleted") => false,
            Some("Retrieved") => time(entry, "Date").zip(after).is_some_and(|(at, after)| at >= after),
            _ => true,
        };
        let wanted: Vec<_> = listed.iter().filter(is_wanted).collect();
        let marked: HashSet<_> = wanted
            .iter()
            .filter(|entry| text(entry, "Tag").as_deref() == Some("Retrieved"))
            .filter_map(|entry| text(entry, "Id"))
            .collect();
        let ids: Vec<_> =
            wanted.iter().filter_map(|entry| Identifier::new(&text(entry, "Id")?, "Inbound")).collect();
        let mut receptions = Vec::new();
        for ids in ids.chunks(BATCH) {
            let described = self.describe(ids).await?;
            let asked = |reception: &Reception| ids.iter().any(|id| id.id == reception.id);
            receptions.extend(described.iter().filter_map(reception).filter(asked));
        }
        receptions.iter_mut().for_each(|reception| reception.is_marked = marked.contains(&reception.id));
        receptions.sort_by_key(|reception| reception.received_at);
        Ok(receptions)
    }

    async fn fetch(&self, reception: &Reception) -> Result<ReceivedFile, ProviderError> {
        let id = inbound(&reception.id)?;
        let form = self.form().text("FaxIds1", id.parameter()).text("Format", "pdf");
        let documents = array(self.call("Fax_GetFaxDocuments", form).await?);
        let ours = documents.iter().find(|document| text(document, "Id").as_deref() == Some(&id.id));
        let files = ours.ok_or(ProviderError::Unknown)?.get("FaxFiles").and_then(Value::as_array);
        match files.map(Vec::as_slice) {
            Some([file]) => web::file(&text(file, "FileContents").unwrap_or_default()),
            _ => Err(ProviderError::Unreadable("the fax has not exactly one file".to_owned())),
        }
    }

    async fn acknowledge(&self, reception: &Reception) -> Result<(), ProviderError> {
        let form =
            self.form().text("FaxIds1", inbound(&reception.id)?.parameter()).text("Filter", "Retrieved");
        self.call("Fax_ChangeFaxFilterValue", form).await?;
        Ok(())
    }

    async fn test(&self) -> Vec<String> {
        match self.call("Security_Authenticate", self.form()).await {
            Ok(_) => {}
            Err(CallError::Refused(words)) => {
                return vec![format!("WestFax does not accept the user name or the password: {words}")];
            }
            Err(error) => return vec![format!("WestFax cannot be reached: {}", ProviderError::from(error))],
        }
        match self.call("Profile_GetProductList", self.form()).await {
            Ok(products)
                if array(products.clone()).iter().any(|product| is_product(product, &self.product)) =>
            {
                Vec::new()
            }
            Ok(_) => vec!["WestFax knows no product with this id for this user.".to_owned()],
            Err(error) => vec![format!("WestFax does not list the products: {}", ProviderError::from(error))],
        }
    }

    fn can_resume(&self) -> bool {
        false
    }
}

fn is_product(product: &Value, id: &str) -> bool {
    text(product, "Id").is_some_and(|found| found.eq_ignore_ascii_case(id))
}
