//! Names of the most common segments and fields (HL7 v2.5.1 chapters 2 to 12), and the forms of their values.

/// Form of a field, for converting its components to text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Text or number.
    Plain,
    /// Date or time (TS, DT, DTM).
    Time,
    /// A code with its text and coding system (CE, CWE, CNE).
    Code,
    /// A person (XPN), or a person preceded by an identifier (XCN).
    Name,
    Person,
    /// An address (XAD).
    Address,
    /// A telephone number or other contact (XTN).
    Phone,
    /// An identifier with its type and issuer (CX, EI).
    Id,
    /// Components in sequence.
    Joined,
}

use Form::*;

/// A field: its number, name and form.
pub(super) type Field = (usize, &'static str, Form);

/// Name of a segment and of its fields.
pub(super) fn segment(name: &str) -> Option<(&'static str, &'static [Field])> {
    Some(match name {
        "FHS" | "BHS" => ("Batch header", HEADER),
        "BTS" | "FTS" => ("Batch trailer", &[(1, "Messages", Plain), (2, "Comment", Plain)]),
        "MSH" => ("Message header", MSH),
        "EVN" => ("Event", EVN),
        "PID" => ("Patient", PID),
        "PD1" => ("Patient, additional", PD1),
        "NK1" => ("Next of kin", NK1),
        "PV1" => ("Visit", PV1),
        "PV2" => ("Visit, additional", PV2),
        "IN1" => ("Insurance", IN1),
        "GT1" => ("Guarantor", GT1),
        "AL1" => ("Allergy", AL1),
        "DG1" => ("Diagnosis", DG1),
        "PR1" => ("Procedure", PR1),
        "ORC" => ("Order", ORC),
        "OBR" => ("Observation request", OBR),
        "OBX" => ("Observation", OBX),
        "SPM" => ("Specimen", SPM),
        "NTE" => ("Note", &[(2, "Source", Plain), (3, "Comment", Plain), (4, "Kind", Code)]),
        "TXA" => ("Document", TXA),
        "RF1" => ("Referral", RF1),
        "PRD" => ("Provider", PRD),
        "SCH" => ("Appointment", SCH),
        "AIP" => ("Appointment, person", AIP),
        "AIL" => ("Appointment, place", AIL),
        "AIS" => ("Appointment, service", AIS),
        "RXA" => ("Immunization", RXA),
        "RXE" | "RXO" => ("Medication order", &[]),
        "RXR" => ("Route", &[(1, "Route", Code), (2, "Site", Code)]),
        "MSA" => ("Acknowledgment", MSA),
        "ERR" => ("Error", ERR),
        "MRG" => ("Merged patient", &[(1, "Former identifiers", Id), (7, "Former name", Name)]),
        _ => return None,
    })
}

const HEADER: &[Field] = &[
    (3, "Sending application", Id),
    (4, "Sending facility", Id),
    (5, "Receiving application", Id),
    (6, "Receiving facility", Id),
    (7, "Created", Time),
];

const MSH: &[Field] = &[
    (3, "Sending application", Id),
    (4, "Sending facility", Id),
    (5, "Receiving application", Id),
    (6, "Receiving facility", Id),
    (7, "Time of message", Time),
    (8, "Security", Plain),
    (9, "Message type", Joined),
    (10, "Control id", Plain),
    (11, "Processing", Joined),
    (12, "Version", Joined),
    (15, "Accept acknowledgment", Plain),
    (16, "Application acknowledgment", Plain),
    (17, "Country", Plain),
    (18, "Character set", Plain),
    (21, "Profile", Id),
];

const EVN: &[Field] = &[
    (1, "Event", Plain),
    (2, "Recorded", Time),
    (3, "Planned", Time),
    (4, "Reason", Code),
    (5, "Operator", Person),
    (6, "Occurred", Time),
    (7, "Facility", Id),
];

const PID: &[Field] = &[
    (1, "Number", Plain),
    (2, "External identifier", Id),
    (3, "Identifiers", Id),
    (4, "Alternate identifiers", Id),
    (5, "Name", Name),
    (6, "Mother's maiden name", Name),
    (7, "Date of birth", Time),
    (8, "Sex", Plain),
    (9, "Alias", Name),
    (10, "Race", Code),
    (11, "Address", Address),
    (12, "County", Plain),
    (13, "Telephone, home", Phone),
    (14, "Telephone, business", Phone),
    (15, "Language", Code),
    (16, "Marital status", Code),
    (17, "Religion", Code),
    (18, "Account number", Id),
    (19, "Social security number", Plain),
    (20, "Driver's license", Joined),
    (22, "Ethnic group", Code),
    (23, "Place of birth", Plain),
    (24, "Multiple birth", Plain),
    (25, "Birth order", Plain),
    (29, "Date of death", Time),
    (30, "Deceased", Plain),
];

const PD1: &[Field] =
    &[(3, "Primary facility", Joined), (4, "Primary care provider", Person), (12, "Protection", Plain)];

const NK1: &[Field] = &[
    (1, "Number", Plain),
    (2, "Name", Name),
    (3, "Relationship", Code),
    (4, "Address", Address),
    (5, "Telephone", Phone),
    (6, "Business telephone", Phone),
    (7, "Role", Code),
];

const PV1: &[Field] = &[
    (1, "Number", Plain),
    (2, "Patient class", Plain),
    (3, "Location", Joined),
    (4, "Admission type", Plain),
    (6, "Prior location", Joined),
    (7, "Attending provider", Person),
    (8, "Referring provider", Person),
    (9, "Consulting provider", Person),
    (10, "Hospital service", Plain),
    (14, "Admit source", Plain),
    (17, "Admitting provider", Person),
    (18, "Patient type", Plain),
    (19, "Visit number", Id),
    (36, "Discharge disposition", Plain),
    (44, "Admitted", Time),
    (45, "Discharged", Time),
    (50, "Alternate visit number", Id),
];

const PV2: &[Field] = &[
    (3, "Admit reason", Code),
    (4, "Transfer reason", Code),
    (8, "Expected admission", Time),
    (9, "Expected discharge", Time),
    (12, "Visit description", Plain),
];

const IN1: &[Field] = &[
    (1, "Number", Plain),
    (2, "Plan", Code),
    (3, "Company identifier", Id),
    (4, "Company", Joined),
    (5, "Company address", Address),
    (7, "Company telephone", Phone),
    (8, "Group number", Plain),
    (9, "Group name", Joined),
    (12, "Effective", Time),
    (13, "Expires", Time),
    (15, "Plan type", Plain),
    (16, "Insured", Name),
    (17, "Relationship", Code),
    (18, "Insured's date of birth", Time),
    (19, "Insured's address", Address),
    (36, "Policy number", Plain),
];

const GT1: &[Field] = &[
    (1, "Number", Plain),
    (2, "Guarantor number", Id),
    (3, "Name", Name),
    (5, "Address", Address),
    (6, "Telephone", Phone),
    (8, "Date of birth", Time),
    (9, "Sex", Plain),
    (11, "Relationship", Code),
];

const AL1: &[Field] = &[
    (1, "Number", Plain),
    (2, "Type", Code),
    (3, "Allergen", Code),
    (4, "Severity", Code),
    (5, "Reaction", Plain),
    (6, "Identified", Time),
];

const DG1: &[Field] = &[
    (1, "Number", Plain),
    (2, "Coding method", Plain),
    (3, "Diagnosis", Code),
    (4, "Description", Plain),
    (5, "Diagnosed", Time),
    (6, "Type", Plain),
    (15, "Priority", Plain),
    (16, "Diagnosing clinician", Person),
    (21, "Action", Plain),
];

const PR1: &[Field] = &[
    (1, "Number", Plain),
    (3, "Procedure", Code),
    (4, "Description", Plain),
    (5, "Done", Time),
    (11, "Surgeon", Person),
    (12, "Practitioner", Person),
    (20, "Action", Plain),
];

const ORC: &[Field] = &[
    (1, "Order control", Plain),
    (2, "Placer order number", Id),
    (3, "Filler order number", Id),
    (4, "Placer group number", Id),
    (5, "Order status", Plain),
    (9, "Time of transaction", Time),
    (10, "Entered by", Person),
    (11, "Verified by", Person),
    (12, "Ordering provider", Person),
    (13, "Enterer's location", Joined),
    (14, "Call back", Phone),
    (15, "Order effective", Time),
    (16, "Control reason", Code),
    (17, "Entering organization", Code),
    (21, "Ordering facility", Joined),
    (22, "Facility address", Address),
    (23, "Facility telephone", Phone),
];

const OBR: &[Field] = &[
    (1, "Number", Plain),
    (2, "Placer order number", Id),
    (3, "Filler order number", Id),
    (4, "Service", Code),
    (5, "Priority", Plain),
    (6, "Requested", Time),
    (7, "Observed", Time),
    (8, "Observed until", Time),
    (10, "Collector", Person),
    (11, "Specimen action", Plain),
    (13, "Clinical information", Plain),
    (14, "Specimen received", Time),
    (15, "Specimen source", Joined),
    (16, "Ordering provider", Person),
    (17, "Call back", Phone),
    (22, "Reported", Time),
    (24, "Diagnostic service", Plain),
    (25, "Result status", Plain),
    (27, "Quantity and timing", Joined),
    (28, "Copies to", Person),
    (31, "Reason for study", Code),
    (32, "Principal interpreter", Joined),
    (44, "Procedure", Code),
];

const OBX: &[Field] = &[
    (3, "Observation", Code),
    (5, "Value", Joined),
    (6, "Units", Code),
    (7, "Reference range", Plain),
    (8, "Flags", Plain),
    (11, "Status", Plain),
    (14, "Observed", Time),
];

const SPM: &[Field] = &[
    (1, "Number", Plain),
    (2, "Specimen", Joined),
    (4, "Type", Code),
    (8, "Source site", Code),
    (14, "Description", Plain),
    (17, "Collected", Joined),
    (18, "Received", Time),
];

const TXA: &[Field] = &[
    (1, "Number", Plain),
    (2, "Document type", Code),
    (3, "Content", Plain),
    (4, "Activity", Time),
    (5, "Primary provider", Person),
    (6, "Originated", Time),
    (7, "Transcribed", Time),
    (8, "Edited", Time),
    (9, "Originator", Person),
    (10, "Authenticator", Person),
    (11, "Transcriptionist", Person),
    (12, "Document number", Id),
    (13, "Parent document number", Id),
    (14, "Placer order number", Id),
    (15, "Filler order number", Id),
    (16, "File name", Plain),
    (17, "Completion", Plain),
    (18, "Confidentiality", Plain),
    (19, "Availability", Plain),
    (20, "Storage", Plain),
    (22, "Authenticated by", Person),
    (23, "Copies to", Person),
];

const RF1: &[Field] = &[
    (1, "Status", Code),
    (2, "Priority", Code),
    (3, "Type", Code),
    (4, "Disposition", Code),
    (5, "Category", Code),
    (6, "Referral number", Id),
    (7, "Effective", Time),
    (8, "Expires", Time),
    (10, "Reason", Code),
];

const PRD: &[Field] = &[
    (1, "Role", Code),
    (2, "Name", Name),
    (3, "Address", Address),
    (4, "Location", Joined),
    (5, "Contact", Phone),
    (7, "Identifiers", Joined),
];

const SCH: &[Field] = &[
    (1, "Placer appointment", Id),
    (2, "Filler appointment", Id),
    (6, "Event reason", Code),
    (7, "Appointment reason", Code),
    (8, "Type", Code),
    (9, "Duration", Plain),
    (10, "Duration unit", Code),
    (11, "Timing", Joined),
    (16, "Contact", Person),
    (25, "Status", Code),
];

const AIP: &[Field] =
    &[(3, "Person", Person), (4, "Role", Code), (6, "Starts", Time), (9, "Duration", Plain)];
const AIL: &[Field] = &[(3, "Place", Joined), (4, "Type", Code), (6, "Starts", Time), (9, "Duration", Plain)];
const AIS: &[Field] = &[(3, "Service", Code), (4, "Starts", Time), (7, "Duration", Plain)];

const RXA: &[Field] = &[
    (3, "Given", Time),
    (4, "Given until", Time),
    (5, "Vaccine", Code),
    (6, "Amount", Plain),
    (7, "Units", Code),
    (9, "Notes", Code),
    (10, "Given by", Person),
    (11, "Given at", Joined),
    (15, "Lot number", Plain),
    (16, "Lot expires", Time),
    (17, "Manufacturer", Code),
    (18, "Refusal reason", Code),
    (20, "Completion", Plain),
    (21, "Action", Plain),
];

const MSA: &[Field] =
    &[(1, "Answer", Plain), (2, "Answers message", Plain), (3, "Text", Plain), (6, "Error", Code)];

const ERR: &[Field] = &[
    (2, "Place", Joined),
    (3, "Error", Code),
    (4, "Severity", Plain),
    (5, "Application error", Code),
    (7, "Diagnostics", Plain),
    (8, "Message for people", Plain),
];

/// Text for codes in fields without any text: HL7 tables 0001, 0004, 0078, 0085 and others.
pub(super) fn code_words(segment: &str, field: usize, value: &str) -> Option<&'static str> {
    Some(match (segment, field, value) {
        ("PID", 8, "F") | ("GT1", 9, "F") => "Female",
        ("PID", 8, "M") | ("GT1", 9, "M") => "Male",
        ("PID", 8, "O") => "Other",
        ("PID", 8, "U") => "Unknown",
        ("PID", 8, "A") => "Ambiguous",
        ("PID", 30, "Y") | ("PID", 24, "Y") => "Yes",
        ("PID", 30, "N") | ("PID", 24, "N") => "No",
        ("PV1", 2, "I") => "Inpatient",
        ("PV1", 2, "O") => "Outpatient",
        ("PV1", 2, "E") => "Emergency",
        ("PV1", 2, "P") => "Preadmit",
        ("PV1", 2, "R") => "Recurring patient",
        ("PV1", 2, "B") => "Obstetrics",
        ("MSH", 11, "P") => "Production",
        ("MSH", 11, "T") => "Training",
        ("MSH", 11, "D") => "Debugging",
        ("OBX", 11, "F") | ("OBR", 25, "F") => "Final",
        ("OBX", 11, "P") | ("OBR", 25, "P") => "Preliminary",
        ("OBX", 11, "C") | ("OBR", 25, "C") => "Corrected",
        ("OBX", 11, "X") => "Cannot be obtained",
        ("OBX", 11, "R") | ("OBR", 25, "R") => "Not verified",
        ("OBX", 11, "I") | ("OBR", 25, "I") => "Pending",
        ("OBX", 11, "A") => "Amended",
        ("OBX", 11, "B") => "Appended",
        ("OBX", 11, "D") => "Deleted",
        ("OBX", 11, "N") => "Not asked for",
        ("OBX", 11, "O") => "Order only, no result",
        ("OBX", 11, "S") => "Partial",
        ("OBX", 11, "U") => "Final now",
        ("OBX", 11, "V") => "Verified",
        ("OBX", 11, "W") => "Wrong, withdrawn",
        ("OBR", 25, "X") => "Cancelled, no results",
        ("OBR", 25, "A" | "S") => "Some results",
        ("OBR", 25, "O") => "Order received",
        ("OBR", 25, "Y") => "No such order",
        ("OBR", 25, "Z") => "No such patient",
        ("OBX", 8, "H") => "High",
        ("OBX", 8, "L") => "Low",
        ("OBX", 8, "HH") => "Critically high",
        ("OBX", 8, "LL") => "Critically low",
        ("OBX", 8, "A") => "Abnormal",
        ("OBX", 8, "AA") => "Critically abnormal",
        ("OBX", 8, "N") => "Normal",
        ("TXA", 17, "AU") => "Authenticated",
        ("TXA", 17, "DI") => "Dictated",
        ("TXA", 17, "DO") => "Documented",
        ("TXA", 17, "IN") => "Incomplete",
        ("TXA", 17, "LA") => "Legally authenticated",
        ("TXA", 17, "PA") => "Pre-authenticated",
        ("TXA", 19, "AV") => "Available",
        ("TXA", 19, "CA") => "Deleted",
        ("TXA", 19, "OB") => "Obsolete",
        ("TXA", 19, "UN") => "Unavailable",
        ("ORC", 1, "NW") => "New order",
        ("ORC", 1, "RE") => "Observations follow",
        ("ORC", 1, "CA") => "Cancel order",
        ("ORC", 1, "OK") => "Order accepted",
        ("ORC", 1, "XO") => "Change order",
        ("ORC", 1, "SC") => "Status changed",
        ("ORC", 1, "OC") => "Order cancelled",
        ("ORC", 1, "CR") => "Cancelled as requested",
        ("ORC", 1, "DC") => "Discontinue order",
        ("ORC", 1, "OD") => "Order discontinued",
        ("ORC", 1, "DR") => "Discontinued as requested",
        ("ORC", 1, "HD") => "Hold order",
        ("ORC", 1, "OH") => "Order held",
        ("ORC", 1, "HR") => "On hold as requested",
        ("ORC", 1, "UA") => "Unable to accept order",
        ("ORC", 1, "UC") => "Unable to cancel",
        ("ORC", 1, "UD") => "Unable to discontinue",
        ("ORC", 1, "DE") => "Data errors",
        ("ORC", 5, "A") => "Some results",
        ("ORC", 5, "CA") => "Cancelled",
        ("ORC", 5, "CM") => "Completed",
        ("ORC", 5, "DC") => "Discontinued",
        ("ORC", 5, "ER") => "Error",
        ("ORC", 5, "HD") => "On hold",
        ("ORC", 5, "IP") => "In process",
        ("ORC", 5, "RP") => "Replaced",
        ("ORC", 5, "SC") => "Scheduled",
        ("RXA", 20, "CP") => "Complete",
        ("RXA", 20, "RE") => "Refused",
        ("RXA", 20, "NA") => "Not administered",
        ("RXA", 20, "PA") => "Partly administered",
        ("RXA", 21, "A") | ("DG1", 21, "A") | ("PR1", 20, "A") => "Added",
        ("RXA", 21, "D") | ("DG1", 21, "D") | ("PR1", 20, "D") => "Deleted",
        ("RXA", 21, "U") | ("DG1", 21, "U") | ("PR1", 20, "U") => "Updated",
        ("DG1", 6, "A") => "Admitting",
        ("DG1", 6, "W") => "Working",
        ("DG1", 6, "F") => "Final",
        ("MSA", 1, "AA" | "CA") => "Accepted",
        ("MSA", 1, "AE" | "CE") => "Error",
        ("MSA", 1, "AR" | "CR") => "Rejected",
        ("AL1", 4, "MI") => "Mild",
        ("AL1", 4, "MO") => "Moderate",
        ("AL1", 4, "SV") => "Severe",
        _ => return None,
    })
}
