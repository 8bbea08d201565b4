//! Negation and qualification of coded statements in words.
//!
//! | Said by | Words before the statement |
//! |---|---|
//! | `negationInd` of the statement, of its relationship, or of its container | Not present (observation), Not given (drug, vaccine, supply), Not done (all others) |
//! | the same for a whole kind: any allergy, any problem, any drug, any procedure | No known allergies, No known problems, … |
//! | the same for "No known …" | Unclear, said with a double negative |
//! | a reason why a vaccine was refused (template 2.16.840.1.113883.10.20.22.4.53) | Not given |
//! | `statusCode` | Cancelled, Stopped (aborted), On hold (held), Suspended, Withdrawn (nullified), Replaced (obsolete) |
//! | `nullFlavor` of the statement | No information, Unknown, Not asked, … |
//! | `uncertaintyCode` U | Uncertain |
//! | finding context of the value (SNOMED CT 408729009) | Not present, Probably not present, Uncertain |
//! | `moodCode` | Planned, Ordered, Proposed, Promised with "not done" or "not given"; Goal, Appointment |
//!
//! Several can apply: `Uncertain: Not present: Pneumonia`. A statement with none of them is a fact.

use roxmltree::Node;

use super::statement::{material, parts, playing};
use super::topic::Topic;
use super::words::{code_words, null_words};
use super::xml::{attribute, child, children, is, text};

/// Qualification of a statement.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Standing {
    end: Option<End>,
    unknown: Option<&'static str>,
    doubt: Option<&'static str>,
    is_negated: bool,
    mood: Option<Mood>,
}

/// Final status of a statement or act (ActStatus, 2.16.840.1.113883.5.14).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Cancelled,
    Stopped,
    OnHold,
    Suspended,
    Withdrawn,
    Replaced,
}

impl End {
    fn of(code: &str) -> Option<Self> {
        Some(match code.to_ascii_lowercase().as_str() {
            "cancelled" | "canceled" => Self::Cancelled,
            "aborted" => Self::Stopped,
            "held" => Self::OnHold,
            "suspended" => Self::Suspended,
            "nullified" => Self::Withdrawn,
            "obsolete" => Self::Replaced,
            _ => return None,
        })
    }

    fn words(self) -> &'static str {
        match self {
            Self::Cancelled => "Cancelled",
            Self::Stopped => "Stopped",
            Self::OnHold => "On hold",
            Self::Suspended => "Suspended",
            Self::Withdrawn => "Withdrawn",
            Self::Replaced => "Replaced",
        }
    }

    /// Whether it also revokes nested statements, regardless of their own status.
    fn is_of_all_inside(self) -> bool {
        matches!(self, Self::Cancelled | Self::Withdrawn | Self::Replaced)
    }
}

/// Mood of a statement that is not, or not yet, a fact (ActMood, 2.16.840.1.113883.5.1001).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mood {
    Planned,
    Ordered,
    Proposed,
    Promised,
    Appointment,
    Goal,
}

impl Mood {
    /// The mood of a statement; none for an event.
    pub(super) fn of(statement: Node<'_, '_>) -> Option<Self> {
        // An instruction is always written as an intent, whether it was given or not.
        if has_template(statement, INSTRUCTION) {
            return None;
        }
        Some(match statement.attribute("moodCode").unwrap_or_default() {
            "INT" => Self::Planned,
            "RQO" => Self::Ordered,
            "PRP" | "OPT" => Self::Proposed,
            "PRMS" => Self::Promised,
            "ARQ" | "APT" | "SLOT" => Self::Appointment,
            "GOL" => Self::Goal,
            _ => return None,
        })
    }

    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Planned => "Planned",
            Self::Ordered => "Ordered",
            Self::Proposed => "Proposed",
            Self::Promised => "Promised",
            Self::Appointment => "Appointment",
            Self::Goal => "Goal",
        }
    }

    /// Prefix such as `Ordered, not done`. Not used in a list of drugs, where intended drugs are what the patient
    /// takes.
    fn prefix(self, statement: Node<'_, '_>, topic: Topic) -> Option<String> {
        let words = self.words();
        match (self, is_of_product(statement), topic) {
            (Self::Appointment | Self::Goal, ..) => Some(words.to_owned()),
            (Self::Planned, true, Topic::Medications) => None,
            (_, true, Topic::Medications) => Some(words.to_owned()),
            (_, true, _) => Some(format!("{words}, not given")),
            (_, false, _) => Some(format!("{words}, not done")),
        }
    }
}

impl Standing {
    /// Qualification of a statement nested in a qualified one.
    pub(super) fn of(statement: Node<'_, '_>, outer: &Self) -> Self {
        let status = attribute(child(statement, "statusCode"), "code");
        let inherited = outer.end.filter(|end| status.is_none() || end.is_of_all_inside());
        let context = finding_context(statement);
        let doubts = |code: &Node<'_, '_>| code.attribute("code") == Some("U");
        let uncertain = children(statement, "uncertaintyCode").any(|code| doubts(&code));
        Self {
            end: status.as_deref().and_then(End::of).or(inherited),
            unknown: statement.attribute("nullFlavor").map(null_words).or(outer.unknown),
            doubt: uncertain.then_some("Uncertain").or(context.doubt()).or(outer.doubt),
            is_negated: outer.is_negated
                || is_negated(statement)
                || statement.parent().is_some_and(is_negated)
                || context == Context::Absent
                || is_refused(statement),
            mood: Mood::of(statement).or(outer.mood.filter(|_| !statement.has_attribute("moodCode"))),
        }
    }

    /// Whether the statement is an unqualified fact.
    pub(super) fn is_fact(&self) -> bool {
        self == &Self::default()
    }

    /// Status of a stopped or suspended outer statement around one marked as completed.
    pub(super) fn end_beside(&self, inner: &Self) -> Option<&'static str> {
        self.end.filter(|end| inner.end != Some(*end)).map(End::words)
    }

    /// The text of a statement with its qualifications in front.
    pub(super) fn said(&self, statement: Node<'_, '_>, topic: Topic, what: Option<&str>) -> Option<String> {
        let none_known = self.is_negated.then(|| none_known(statement, topic)).flatten();
        let before = [self.end.map(End::words), self.unknown, self.doubt].into_iter().flatten();
        let mut before: Vec<String> = before.map(str::to_owned).collect();
        match (self.is_negated, none_known, what) {
            (true, None, Some(what)) if is_negative(what) => {
                before.push("Unclear, said with a double negative".to_owned());
            }
            (true, None, _) => before.push(negation(statement).to_owned()),
            (true, Some(_), _) => {}
            // The final status implies that it was an order.
            (false, ..) if self.end.is_none() => {
                before.extend(self.mood.and_then(|mood| mood.prefix(statement, topic)));
            }
            (false, ..) => {}
        }
        let what = none_known.or(what);
        if before.is_empty() {
            return what.map(str::to_owned);
        }
        before.push(what.unwrap_or("unspecified").to_owned());
        Some(before.join(": "))
    }
}

fn is_negated(node: Node<'_, '_>) -> bool {
    node.attribute("negationInd").is_some_and(|said| matches!(said.trim(), "true" | "1" | "TRUE" | "True"))
}

/// Whether a statement is about a product given to the patient.
fn is_of_product(statement: Node<'_, '_>) -> bool {
    is(statement, "substanceAdministration") || is(statement, "supply")
}

fn negation(statement: Node<'_, '_>) -> &'static str {
    match statement.tag_name().name() {
        "substanceAdministration" | "supply" => "Not given",
        // An observation without a value was not made.
        "observation"
            if child(statement, "value").is_some() || playing(statement, "CSM").next().is_some() =>
        {
            "Not present"
        }
        "observation" if attribute(child(statement, "code"), "code").as_deref() == Some("ASSERTION") => {
            "Not present"
        }
        _ => "Not done",
    }
}

/// Whether a text is itself a negation.
fn is_negative(words: &str) -> bool {
    let words = words.to_lowercase();
    let begins = ["no ", "no known", "none", "not ", "denies", "absence of", "negative for"];
    begins.iter().any(|begin| words.starts_with(begin)) || matches!(words.as_str(), "nka" | "nkda" | "nkma")
}

/// Whether a vaccine was refused for a reason, with or without `negationInd`.
fn is_refused(statement: Node<'_, '_>) -> bool {
    is(statement, "substanceAdministration")
        && parts(statement).any(|inner| has_template(inner, IMMUNIZATION_REFUSAL))
}

const INSTRUCTION: &str = "2.16.840.1.113883.10.20.22.4.20";
const IMMUNIZATION_REFUSAL: &str = "2.16.840.1.113883.10.20.22.4.53";

fn has_template(statement: Node<'_, '_>, root: &str) -> bool {
    children(statement, "templateId").any(|template| template.attribute("root") == Some(root))
}

/// Finding context of a SNOMED CT qualifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Context {
    Present,
    Absent,
    Unlikely,
    Possible,
}

impl Context {
    fn doubt(self) -> Option<&'static str> {
        match self {
            Self::Present | Self::Absent => None,
            Self::Unlikely => Some("Probably not present"),
            Self::Possible => Some("Uncertain"),
        }
    }
}

fn finding_context(statement: Node<'_, '_>) -> Context {
    const FINDING_CONTEXT: &str = "408729009";
    let codes = children(statement, "value").chain(children(statement, "code"));
    let said = codes.flat_map(|code| children(code, "qualifier")).find_map(|qualifier| {
        let is_context = attribute(child(qualifier, "name"), "code")? == FINDING_CONTEXT;
        attribute(child(qualifier, "value"), "code").filter(|_| is_context)
    });
    match said.as_deref() {
        Some("410516002" | "410594000") => Context::Absent,
        Some("410593006") => Context::Unlikely,
        Some("410590009" | "410592001" | "410591008") => Context::Possible,
        _ => Context::Present,
    }
}

/// Text of a negated statement about a whole kind, as in C-CDA.
fn none_known(statement: Node<'_, '_>, topic: Topic) -> Option<&'static str> {
    let code = |node: Option<Node<'_, '_>>| attribute(node, "code").unwrap_or_default();
    match statement.tag_name().name() {
        "observation" if playing(statement, "CSM").all(is_of_anything) => {
            none_known_of(&code(child(statement, "value").or_else(|| child(statement, "code"))))
        }
        "substanceAdministration" if topic == Topic::Medications => {
            material(statement).is_some_and(is_of_anything).then_some("No known medications")
        }
        "procedure" | "act" => {
            (code(child(statement, "code")) == "71388002").then_some("No known procedures")
        }
        _ => None,
    }
}

fn none_known_of(code: &str) -> Option<&'static str> {
    Some(match code {
        "419199007" | "420134006" | "418038007" | "609328004" | "106190000" | "281647001" => {
            "No known allergies"
        }
        "416098002" | "419511003" | "59037007" => "No known allergies to drugs",
        "414285001" | "418471000" | "235719002" => "No known allergies to food",
        "426232007" | "232350006" => "No known allergies to anything in the environment",
        "55607006" | "64572001" | "404684003" | "409586006" | "282291009" => "No known problems",
        _ => return None,
    })
}

/// Whether a substance or product is unspecific: it has no name, or that of the whole kind.
fn is_of_anything(thing: Node<'_, '_>) -> bool {
    const KINDS: [&str; 6] = ["105590001", "410942007", "762766007", "255620007", "763158003", "373873005"];
    let is_kind = |code: Node<'_, '_>| code.attribute("code").is_some_and(|code| KINDS.contains(&code));
    if child(thing, "name").and_then(text).is_some() {
        return false;
    }
    child(thing, "code").is_none_or(|code| {
        let translations: Vec<_> = children(code, "translation").collect();
        let is_any = if translations.is_empty() {
            code_words(code).is_none()
        } else {
            translations.into_iter().all(is_kind)
        };
        is_kind(code) || !code.has_attribute("code") && is_any
    })
}
