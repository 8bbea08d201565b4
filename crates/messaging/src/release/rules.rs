//! Checks of a message before sending.

use crate::model::{AttachmentMeta, Direction, Mode, Patient, RecipientRole, split_addresses};
use chrono::NaiveDate;
use direct::DirectAddress;
use fax::{FaxNumber, Home};
use platform::fields::FieldErrors;

/// Maximum number of recipients of a message.
pub const RECIPIENT_LIMIT: usize = 100;

/// Why a draft cannot be sent in this mode. Replies and forwards need fewer checks than new messages, so only answers
/// to a message may be sent as such, and never with fewer checks than the mode in which the draft began (`begun`). `of`
/// is the direction of the message that is answered or forwarded, if any.
pub fn mode_error(mode: Mode, begun: Option<Mode>, of: Option<Direction>) -> Option<&'static str> {
    match (mode, begun, of) {
        (Mode::Reply, _, None | Some(Direction::Release)) => {
            Some("This draft does not answer an Intake message. Please send it as a new message.")
        }
        (Mode::Reply, Some(Mode::Send | Mode::Forward), _) => {
            Some("This draft was not started as a reply. Please send it the way it was started.")
        }
        (Mode::Forward, _, None) => {
            Some("This draft does not forward a message. Please send it as a new message.")
        }
        (Mode::Forward, Some(Mode::Send), _) => {
            Some("This draft was not started as a forward. Please send it as a new message.")
        }
        _ => None,
    }
}

/// The message to check.
pub struct Outgoing<'a> {
    pub mode: Mode,
    /// A fax without patient data.
    pub is_non_patient: bool,
    pub subject: &'a str,
    pub from: &'a str,
    pub to: &'a str,
    pub cc: &'a str,
    pub bcc: &'a str,
    pub has_release_type: bool,
    pub patient: Option<&'a Patient>,
    /// Each file: name, whether structured, and metadata.
    pub files: &'a [(String, bool, AttachmentMeta)],
    pub to_cda: bool,
    pub today: NaiveDate,
    /// Country of fax numbers without a country code.
    pub home: &'a Home,
}

/// A recipient of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recipient {
    Direct(DirectAddress),
    Fax(FaxNumber),
}

impl Recipient {
    /// Parses an address, or a text with digits and without `@` as a fax number. The error is for people.
    pub fn parse(text: &str, home: &Home) -> Result<Self, String> {
        if is_number(text) {
            return FaxNumber::parse(text, home).map(Self::Fax).map_err(|error| error.to_string());
        }
        DirectAddress::parse(text).map(Self::Direct).map_err(|_| "This address is not valid.".into())
    }

    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Direct(a), Self::Direct(b)) => a.same_mailbox(b),
            (Self::Fax(a), Self::Fax(b)) => a == b,
            _ => false,
        }
    }

    /// As written in lists, which are separated by semicolons.
    pub fn written(&self) -> String {
        match self {
            Self::Direct(address) => address.to_string(),
            Self::Fax(number) => written(number),
        }
    }
}

/// Whether sending to it requires a plan that includes it: fax numbers and addresses with the operator's test marker do
/// not.
pub fn needs_plan(recipient: &Recipient, test_marker: &str) -> bool {
    match recipient {
        Recipient::Fax(_) => false,
        Recipient::Direct(address) => test_marker.is_empty() || !address.to_string().contains(test_marker),
    }
}

/// Whether it is meant as a fax number.
pub fn is_number(text: &str) -> bool {
    !text.contains('@') && text.contains(|c: char| c.is_ascii_digit())
}

/// A fax number without a semicolon.
pub fn written(number: &FaxNumber) -> String {
    let plain = number.without_extension().to_string();
    number.extension().map_or(plain.clone(), |extension| format!("{plain} x{extension}"))
}

/// Checks a message; the keys are the fields of the send request.
pub fn check(message: &Outgoing<'_>) -> FieldErrors {
    let mut errors = FieldErrors::default();
    errors.require(!message.from.is_empty(), "fromAddress", "\"From\" address is required.");
    if message.is_non_patient {
        check_non_patient(message, &mut errors);
        return errors;
    }
    let named = message.mode == Mode::Reply || message.has_release_type;
    errors.require(named, "releaseType", "\"Release Type\" is required.");
    check_recipients(message, &mut errors);
    match message.patient {
        Some(patient) => patients::rules::check(patient, message.today, &mut errors),
        None if message.mode == Mode::Send => {
            errors.add("patient", "\"Patient Details\" information is required.");
        }
        None => {}
    }
    if let (Mode::Send, Some(patient)) = (message.mode, message.patient) {
        require_patient(patient, &mut errors);
    }
    for (name, structured, meta) in message.files {
        check_file(message, name, *structured, meta, &mut errors);
    }
    errors
}

/// A fax without patient data can only be sent to fax numbers.
fn check_non_patient(message: &Outgoing<'_>, errors: &mut FieldErrors) {
    check_recipients(message, errors);
    let lists = [("toAddress", message.to), ("ccAddresses", message.cc), ("bccAddresses", message.bcc)];
    for (field, list) in lists {
        if split_addresses(list).iter().any(|address| !is_number(address)) {
            errors.add(field, "A non-PHI fax can only go to fax numbers.");
        }
    }
    errors.require(!message.subject.trim().is_empty(), "subject", "\"Subject\" is required.");
    errors.require(!message.files.is_empty(), "attachments", "Missing file attachment.");
    errors.require(message.patient.is_none(), "patient", "A non-PHI fax cannot have a patient.");
}

fn check_recipients(message: &Outgoing<'_>, errors: &mut FieldErrors) {
    let lists = [("toAddress", message.to), ("ccAddresses", message.cc), ("bccAddresses", message.bcc)];
    let mut count = 0;
    for (field, list) in lists {
        for address in split_addresses(list) {
            count += 1;
            if let Err(reason) = Recipient::parse(&address, message.home) {
                errors.add(field, format!("{address}: {reason}"));
            }
        }
    }
    errors.require(!split_addresses(message.to).is_empty(), "toAddress", "\"To\" address is required.");
    errors.require(count <= RECIPIENT_LIMIT, "toAddress", "A message can have at most 100 recipients.");
}

fn require_patient(patient: &Patient, errors: &mut FieldErrors) {
    let given = |text: &Option<String>| text.as_deref().is_some_and(|t| !t.trim().is_empty());
    errors.require(given(&patient.first_name), "patient.firstName", "\"Patient First Name\" is required.");
    errors.require(given(&patient.last_name), "patient.lastName", "\"Patient Last Name\" is required.");
    errors.require(patient.birth_date.is_some(), "patient.birthDate", "\"Patient Birth Date\" is required");
    errors.require(given(&patient.gender), "patient.gender", "\"Patient Gender\" is required");
}

fn check_file(
    message: &Outgoing<'_>,
    name: &str,
    structured: bool,
    meta: &AttachmentMeta,
    errors: &mut FieldErrors,
) {
    if structured {
        return;
    }
    let needs_confidentiality = message.mode != Mode::Reply;
    if needs_confidentiality && meta.confidentiality.is_none() {
        errors.add("attachments", format!("\"Confidentiality\" is required for file {name}"));
    }
    if meta.document_date.is_none() {
        errors.add("attachments", format!("\"Document Date\" is required for file {name}"));
    }
    if meta.document_date.is_some_and(|d| d > message.today) {
        errors.add("attachments", "Document Date must be equal or less than today.");
    }
    if message.to_cda && meta.document_type.as_deref().unwrap_or("").is_empty() {
        errors.add("attachments", format!("\"Document Type\" is required for file {name}"));
    }
}

/// Distinct recipients, each in its most visible field.
pub fn recipients(to: &str, cc: &str, bcc: &str, home: &Home) -> Vec<(Recipient, RecipientRole)> {
    let mut all: Vec<(Recipient, RecipientRole)> = Vec::new();
    let lists = [(to, RecipientRole::To), (cc, RecipientRole::Cc), (bcc, RecipientRole::Bcc)];
    for (list, role) in lists {
        for recipient in split_addresses(list).iter().filter_map(|a| Recipient::parse(a, home).ok()) {
            if all.iter().all(|(known, _)| !known.is_same(&recipient)) {
                all.push((recipient, role));
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outgoing<'a>(
        mode: Mode,
        files: &'a [(String, bool, AttachmentMeta)],
        patient: Option<&'a Patient>,
    ) -> Outgoing<'a> {
        static HOME: std::sync::LazyLock<Home> = std::sync::LazyLock::new(Home::default);
        Outgoing {
            mode,
            is_non_patient: false,
            subject: "Visit note",
            from: "a@x.direct.example",
            to: "b@y.direct.example",
            cc: "",
            bcc: "",
            has_release_type: true,
            patient,
            files,
            to_cda: false,
            today: NaiveDate::from_ymd_opt(2026, 11, 20).unwrap(),
            home: &HOME,
        }
    }

    fn patient() -> Patient {
        Patient {
            first_name: Some("Bridget".into()),
            last_name: Some("Halloran".into()),
            birth_date: NaiveDate::from_ymd_opt(1979, 7, 2),
            gender: Some("F".into()),
            ..Patient::default()
        }
    }

    #[test]
    fn an_empty_message_names_every_missing_part() {
        let errors =
            check(&Outgoing { from: "", to: "", has_release_type: false, ..outgoing(Mode::Send, &[], None) });
        assert_eq!(errors.0["fromAddress"], ["\"From\" address is required."]);
        assert_eq!(errors.0["toAddress"], ["\"To\" address is required."]);
        assert_eq!(errors.0["releaseType"], ["\"Release Type\" is required."]);
        assert_eq!(errors.0["patient"], ["\"Patient Details\" information is required."]);
    }

    #[test]
    fn a_reply_needs_neither_release_type_nor_patient() {
        let reply = Outgoing { has_release_type: false, ..outgoing(Mode::Reply, &[], None) };
        assert!(check(&reply).is_empty());
    }

    /// MSG-R-272
    #[test]
    fn an_address_with_the_test_marker_takes_no_plan() {
        let home = Home::default();
        let of = |text: &str, marker: &str| needs_plan(&Recipient::parse(text, &home).unwrap(), marker);
        assert!(of("a@x.example", "") && of("a@x.example", "+try"));
        assert!(!of("a+try@x.example", "+try"));
        assert!(!of("740-555-0110", ""));
    }

    /// MSG-R-267
    #[test]
    fn only_what_was_begun_as_an_answer_leaves_as_one() {
        let received = Some(Direction::Intake);
        for mode in [Mode::Reply, Mode::Forward] {
            assert!(mode_error(mode, Some(mode), None).is_some(), "{mode:?} of nothing");
            assert!(mode_error(mode, Some(Mode::Send), received).is_some(), "{mode:?} of a new message");
            assert!(mode_error(mode, Some(mode), received).is_none(), "{mode:?}");
            assert!(mode_error(mode, None, received).is_none(), "{mode:?} of a draft that does not say");
        }
        assert!(mode_error(Mode::Reply, Some(Mode::Forward), received).is_some());
        assert!(mode_error(Mode::Reply, Some(Mode::Reply), Some(Direction::Release)).is_some());
        assert!(mode_error(Mode::Forward, Some(Mode::Forward), Some(Direction::Release)).is_none());
        assert!(mode_error(Mode::Send, Some(Mode::Reply), None).is_none(), "more checks are always right");
    }

    #[test]
    fn a_plain_file_needs_confidentiality_and_date_and_a_structured_one_does_not() {
        let who = patient();
        let bare = [("note.pdf".to_owned(), false, AttachmentMeta::default())];
        let errors = check(&outgoing(Mode::Send, &bare, Some(&who)));
        assert!(
            errors.0["attachments"].contains(&"\"Confidentiality\" is required for file note.pdf".to_owned())
        );
        let structured = [("ccd.xml".to_owned(), true, AttachmentMeta::default())];
        assert!(check(&outgoing(Mode::Send, &structured, Some(&who))).is_empty());
    }

    #[test]
    fn a_fax_without_a_patient_needs_a_number_a_subject_and_a_file_only() {
        let bare = [("flyer.pdf".to_owned(), false, AttachmentMeta::default())];
        let fax = Outgoing {
            is_non_patient: true,
            has_release_type: false,
            to: "740-555-0110",
            ..outgoing(Mode::Send, &bare, None)
        };
        assert!(check(&fax).is_empty());
        let errors = check(&Outgoing { subject: " ", to: "", from: "", files: &[], ..fax });
        assert_eq!(
            errors.0.keys().collect::<Vec<_>>(),
            ["attachments", "fromAddress", "subject", "toAddress"]
        );
        assert_eq!(errors.0["attachments"], ["Missing file attachment."]);
        let who = patient();
        let fax = Outgoing { is_non_patient: true, ..outgoing(Mode::Send, &bare, Some(&who)) };
        assert_eq!(check(&fax).0.keys().collect::<Vec<_>>(), ["patient", "toAddress"]);
    }

    #[test]
    fn a_recipient_named_twice_counts_once_where_it_is_most_visible() {
        let home = Home::default();
        let to = "a@x.example;B@x.example;(740) 555-0110";
        let all =
            recipients(to, "b@x.example;+1 740 555 0110", "a@x.example; c@x.example;7405550110 x7", &home);
        let roles: Vec<_> = all.iter().map(|(a, r)| (a.written(), *r)).collect();
        assert_eq!(
            roles,
            [
                ("a@x.example".into(), RecipientRole::To),
                ("B@x.example".into(), RecipientRole::To),
                ("+17405550110".into(), RecipientRole::To),
                ("c@x.example".into(), RecipientRole::Bcc),
                ("+17405550110 x7".into(), RecipientRole::Bcc)
            ]
        );
    }
}
