//! Coded entries of a section in words: used as narrative if the sender wrote none, and as the list that the CDA
//! Explorer filters.
//!
//! Each clinical statement (CDA R2 section 4.3.6) becomes a row: subject, value or dose, further details, status and
//! time. The subject depends on the kind of statement and section: a problem is the value of an observation, a
//! laboratory test is its code, an allergy is identified by the substance.

use roxmltree::Node;

use super::entry_keys::known_by;
use super::files;
use super::measures::{flag, measure};
use super::model::narrative::{Block, Cell, Inline, Table};
use super::model::{Code, Entries, Entry, Measure, Timestamp};
use super::names::best_name;
use super::standing::{Mood, Standing};
use super::statement::{entity, material, parts, roles, statements};
use super::topic::{COLUMNS, Topic};
use super::values::{point, quantity, value, when};
use super::words::{code_words, null_words, own_words, refusal_words};
use super::xml::{attribute, child, children, ids, is, path, text};

/// Most rows of one section; real documents stay below a few hundred.
const MAX_ROWS: usize = 2_000;
/// Most details of one row.
const MAX_DETAILS: usize = 50;

/// The entries of a section as a table with a heading that names their source; empty if there are none.
pub(super) fn describe(section: Node<'_, '_>, code: Option<&Code>) -> Vec<Block> {
    Rows::of(section, code).into_blocks()
}

/// The entries of a section as a list; none if no entry has content.
pub(super) fn list(section: Node<'_, '_>, code: Option<&Code>) -> Option<Entries> {
    let Rows { topic, rows, left_out, .. } = Rows::of(section, code);
    if rows.is_empty() {
        return None;
    }
    let used = used_columns(&rows);
    let heads = used.iter().map(|at| topic.heads()[*at].to_owned()).collect();
    let rows = rows.into_iter().map(|row| row.into_entry(&used)).collect();
    Some(Entries { heads, rows, left_out })
}

/// One statement; each cell is a list of lines.
#[derive(Default)]
struct Row {
    subject: Option<String>,
    value: Vec<String>,
    details: Vec<String>,
    status: Option<String>,
    when: Option<String>,
    code: Option<String>,
    flag: Option<&'static str>,
    measure: Option<Measure>,
    known_by: Vec<String>,
}

impl Row {
    fn column(&self, at: usize) -> Vec<&str> {
        match at {
            0 => self.subject.as_deref().into_iter().collect(),
            1 => self.value.iter().map(String::as_str).collect(),
            2 => self.details.iter().map(String::as_str).collect(),
            3 => self.status.as_deref().into_iter().collect(),
            _ => self.when.as_deref().into_iter().collect(),
        }
    }

    /// The row as an entry with these columns.
    fn into_entry(self, columns: &[usize]) -> Entry {
        Entry {
            cells: columns.iter().map(|at| self.column(*at).join("\n")).collect(),
            code: self.code,
            flag: self.flag.map(str::to_owned),
            measure: self.measure,
            is_new: None,
            known_by: self.known_by,
        }
    }
}

fn used_columns(rows: &[Row]) -> Vec<usize> {
    (0..COLUMNS).filter(|at| rows.iter().any(|row| !row.column(*at).is_empty())).collect()
}

/// Context of nested statements.
#[derive(Default)]
struct Context {
    group: Option<String>,
    status: Option<String>,
    when: Option<String>,
    time: Option<Timestamp>,
    standing: Standing,
}

struct Rows {
    topic: Topic,
    rows: Vec<Row>,
    pictures: Vec<String>,
    left_out: usize,
}

impl Rows {
    fn of(section: Node<'_, '_>, code: Option<&Code>) -> Self {
        let topic = Topic::of(code.map_or("", |code| code.code.as_str()));
        let mut rows = Self { topic, rows: Vec::new(), pictures: Vec::new(), left_out: 0 };
        for statement in children(section, "entry").flat_map(statements) {
            rows.add(statement, &Context::default());
        }
        rows
    }

    fn add(&mut self, statement: Node<'_, '_>, context: &Context) {
        if is(statement, "observationMedia") {
            self.pictures.extend(attribute(Some(statement), "ID"));
            return;
        }
        let standing = Standing::of(statement, &context.standing);
        let parts: Vec<_> = parts(statement).collect();
        let group = is(statement, "organizer") || is(statement, "act") && is_wrapper(statement);
        if group && !parts.is_empty() {
            let own = Context {
                group: group_name(statement).or_else(|| context.group.clone()),
                status: status(statement).or_else(|| context.status.clone()),
                when: when(statement).or_else(|| context.when.clone()),
                time: point(statement).or_else(|| context.time.clone()),
                standing,
            };
            parts.into_iter().for_each(|part| self.add(part, &own));
            return;
        }
        let row = self.row(statement, context, &standing);
        if row.subject.is_none() && row.value.is_empty() && row.details.is_empty() {
            return;
        }
        if self.rows.len() < MAX_ROWS { self.rows.push(row) } else { self.left_out += 1 }
    }

    fn row(&self, statement: Node<'_, '_>, context: &Context, standing: &Standing) -> Row {
        let beside = context.standing.end_beside(standing).map(|end| format!("Part of what was: {end}"));
        let mut row = Row {
            details: context.group.iter().cloned().chain(beside).collect(),
            status: status(statement).or_else(|| context.status.clone()),
            when: when(statement).or_else(|| context.when.clone()),
            code: attribute(child(statement, "code"), "code"),
            ..Row::default()
        };
        // A statement that is not a fact is neither drawn in a chart nor out of range.
        if is(statement, "observation") && standing.is_fact() {
            row.measure = measure(statement, point(statement).or_else(|| context.time.clone()));
            row.flag = flag(statement, row.measure.as_ref());
        }
        self.tell(statement, &mut row);
        let is_empty = row.subject.is_none() && row.value.is_empty();
        if !is_empty || statement.has_attribute("negationInd") {
            row.subject = standing.said(statement, self.topic, row.subject.as_deref());
        }
        facts(statement, &mut row.details);
        for relation in children(statement, "entryRelationship") {
            statements(relation).for_each(|inner| self.relate(relation, inner, &mut row));
        }
        row.details.retain(|detail| Some(detail) != row.subject.as_ref());
        row.details.dedup();
        row.details.truncate(MAX_DETAILS);
        let said = row.subject.iter().chain(&row.value).chain(&row.details).next();
        let text = |text: Option<&String>| text.map(String::as_str).unwrap_or_default().to_owned();
        let (code, about, when) = (text(row.code.as_ref()), text(said), text(row.when.as_ref()));
        row.known_by = known_by(ids(statement, "id"), &code, &about, &when);
        row
    }

    /// Writes the subject of a statement, and its value or dose.
    fn tell(&self, statement: Node<'_, '_>, row: &mut Row) {
        let name = child(statement, "code").and_then(code_words);
        let substance = participants(statement, "CSM").next();
        let mut values: Vec<_> = children(statement, "value").filter_map(value).collect();
        // Solvents, mixtures and containers are not the product.
        if let Some(product) = product(statement) {
            row.subject = Some(product);
            row.value.extend(dose(statement));
            row.details.extend(mixed_in(statement));
        } else if substance.is_some() || self.topic == Topic::Allergies && is(statement, "observation") {
            row.subject = substance.or_else(|| values.first().cloned());
            row.details.extend(values.into_iter().filter(|value| Some(value) != row.subject.as_ref()));
        } else if self.is_about_value(statement) && !values.is_empty() {
            row.subject = Some(values.join(", "));
            row.details.extend(name.filter(|name| !name.eq_ignore_ascii_case("assertion")));
        } else {
            row.subject = name.or_else(|| free_text(statement));
            if values.is_empty() && row.subject.is_some() {
                values.extend(missing(statement));
            }
            row.value.extend(with_interpretation(statement, values));
        }
    }

    /// Whether the finding of an observation is its value ("Asthma"), while its code only says that it is a problem.
    fn is_about_value(&self, statement: Node<'_, '_>) -> bool {
        let coded = child(statement, "value")
            .is_some_and(|value| value.has_attribute("code") || code_words(value).is_some());
        coded && (says_only_that(statement) || matches!(self.topic, Topic::Problems | Topic::FamilyHistory))
    }

    /// Adds the contribution of a nested statement.
    fn relate(&self, relation: Node<'_, '_>, inner: Node<'_, '_>, row: &mut Row) {
        let code = child(inner, "code").and_then(|code| code.attribute("code")).unwrap_or_default();
        let standing = Standing::of(inner, &Standing::default());
        let said = || {
            let values = children(inner, "value").filter_map(value).collect::<Vec<_>>().join(", ");
            let values = Some(values).filter(|values| !values.is_empty())?;
            standing.said(inner, self.topic, Some(&values))
        };
        match (relation.attribute("typeCode").unwrap_or_default(), code, said()) {
            // The status of a problem, allergy or medication in C-CDA R1.1.
            (_, "33999-4", Some(said)) => row.status = Some(said),
            ("MFST", _, Some(said)) => {
                row.value.push(said);
                row.details.extend(severity(inner).map(|severity| format!("Severity: {severity}")));
            }
            (_, "SEV", Some(said)) => row.details.push(format!("Severity: {said}")),
            ("RSON", ..) => {
                row.details.extend(
                    brief(inner, &Standing::default(), self.topic).map(|reason| format!("Reason: {reason}")),
                );
            }
            _ => row.details.extend(brief(inner, &Standing::default(), self.topic)),
        }
    }

    fn into_blocks(self) -> Vec<Block> {
        let mut blocks = Vec::new();
        if !self.rows.is_empty() {
            blocks.push(Block::Paragraph(vec![Inline::italic(
                "The sender wrote no text for this section. These are its coded entries.",
            )]));
            blocks.push(Block::Table(table(self.topic, self.rows)));
        }
        if self.left_out > 0 {
            blocks.push(Block::Paragraph(vec![Inline::italic(&format!(
                "{} more entries are not listed.",
                self.left_out
            ))]));
        }
        blocks.extend(self.pictures.into_iter().map(Block::Picture));
        blocks
    }
}

/// Whether an act has no content of its own: concerns about problems and allergies, acts with the code of a kind of
/// section ("Discharge diagnosis"), and acts without a code.
fn is_wrapper(act: Node<'_, '_>) -> bool {
    let wraps = |code: Node<'_, '_>| {
        code.attribute("code").is_none_or(|code| code == "CONC" || Topic::of(code) != Topic::Other)
    };
    child(act, "code").is_none_or(wraps)
}

/// Whether the code of a statement only asserts existence, and its value says what exists.
fn says_only_that(statement: Node<'_, '_>) -> bool {
    matches!(
        child(statement, "code").and_then(|code| code.attribute("code")).unwrap_or_default(),
        "ASSERTION"
            | "55607006"
            | "29308-4"
            | "282291009"
            | "64572001"
            | "404684003"
            | "409586006"
            | "418799008"
            | "75323-6"
            | "75326-9"
    )
}

/// Name of a panel of results, or of the relative in a family history.
fn group_name(statement: Node<'_, '_>) -> Option<String> {
    if !is(statement, "organizer") {
        return None;
    }
    let relative = path(statement, &["subject", "relatedSubject", "code"]).and_then(code_words);
    relative.or_else(|| child(statement, "code").and_then(code_words))
}

fn severity(statement: Node<'_, '_>) -> Option<String> {
    let severe = |inner: &Node<'_, '_>| {
        child(*inner, "code").is_some_and(|code| code.attribute("code") == Some("SEV"))
    };
    parts(statement).find(severe).and_then(|inner| value(child(inner, "value")?))
}

/// A statement in one line: its name, value and qualifiers.
fn brief(statement: Node<'_, '_>, outer: &Standing, topic: Topic) -> Option<String> {
    let standing = Standing::of(statement, outer);
    let inner = || {
        // Depth is limited for the whole document.
        let inner: Vec<_> =
            parts(statement).filter_map(|part| brief(part, &standing, topic)).take(MAX_DETAILS).collect();
        (!inner.is_empty()).then(|| inner.join(", "))
    };
    if is(statement, "act")
        && is_wrapper(statement)
        && let Some(inner) = inner()
    {
        return Some(inner);
    }
    let name = product(statement)
        .or_else(|| participants(statement, "CSM").next())
        .or_else(|| child(statement, "code").and_then(code_words));
    let name = name.map(|name| refusal_words(&name).map_or(name, str::to_owned));
    let said: Vec<_> = children(statement, "value").filter_map(value).chain(free_text(statement)).collect();
    let words = match (name, said.join(", ")) {
        (Some(name), said) if said.is_empty() || said == name => name,
        (Some(name), said) if name.eq_ignore_ascii_case("assertion") => said,
        (Some(_), said) if says_only_that(statement) && !standing.is_fact() => said,
        (Some(name), said) => format!("{name}: {said}"),
        (None, said) if !said.is_empty() => said,
        (None, _) => return inner(),
    };
    standing.said(statement, topic, Some(&words))
}

/// Name of a drug, vaccine or device: its own name rather than a translation into another code system.
fn product(statement: Node<'_, '_>) -> Option<String> {
    let material = material(statement)?;
    let code = child(material, "code");
    code.and_then(own_words).or_else(|| text(child(material, "name")?)).or_else(|| code.and_then(code_words))
}

/// Vehicles, premixes and other components of a product: `Drug vehicle: Saline`.
fn mixed_in(statement: Node<'_, '_>) -> Vec<String> {
    let named = |role: Node<'_, '_>| {
        let kind = child(role, "code").and_then(code_words);
        let name = role_name(role)?;
        Some(match kind.filter(|kind| *kind != name) {
            Some(kind) => format!("{}: {name}", capitalized(&kind)),
            None => format!("With: {name}"),
        })
    };
    roles(statement, "CSM").filter_map(named).collect()
}

/// Reason for a missing value, if the sender states one.
fn missing(statement: Node<'_, '_>) -> Option<String> {
    let flavor = children(statement, "value").find_map(|value| attribute(Some(value), "nullFlavor"))?;
    Some(null_words(&flavor).to_owned())
}

fn dose(statement: Node<'_, '_>) -> Option<String> {
    let named = |name| child(statement, name).and_then(quantity);
    let period =
        children(statement, "effectiveTime").find_map(|time| child(time, "period")).and_then(quantity);
    let parts = [
        named("doseQuantity"),
        named("rateQuantity"),
        child(statement, "routeCode").and_then(code_words),
        period.map(|period| format!("every {period}")),
    ];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn with_interpretation(statement: Node<'_, '_>, values: Vec<String>) -> Option<String> {
    let interpretation = children(statement, "interpretationCode").find_map(code_words);
    match (values.join(", "), interpretation) {
        (value, None) if value.is_empty() => None,
        (value, None) => Some(value),
        (value, Some(interpretation)) if value.is_empty() => Some(interpretation),
        (value, Some(interpretation)) => Some(format!("{value} ({interpretation})")),
    }
}

/// Adds all other details of a statement.
fn facts(statement: Node<'_, '_>, details: &mut Vec<String>) {
    let named = |label: &str, value: Option<String>| value.map(|value| format!("{label}: {value}"));
    let range = |range: Node<'_, '_>| {
        let range = child(range, "observationRange")?;
        child(range, "value").and_then(value).or_else(|| text(child(range, "text")?))
    };
    let lot =
        path(statement, &["consumable", "manufacturedProduct", "manufacturedMaterial", "lotNumberText"]);
    details.extend(
        children(statement, "referenceRange")
            .filter_map(range)
            .map(|range| format!("Reference range: {range}")),
    );
    details.extend(children(statement, "targetSiteCode").filter_map(code_words));
    details.extend(children(statement, "methodCode").filter_map(code_words));
    details.extend(named("Quantity", child(statement, "quantity").and_then(quantity)));
    details.extend(named("Lot", lot.and_then(text)));
    details.extend(participants(statement, "LOC").chain(participants(statement, "DEV")));
    let performers =
        children(statement, "performer").filter_map(|performer| child(performer, "assignedEntity"));
    details.extend(performers.filter_map(|entity| {
        let name = child(entity, "assignedPerson").map(best_name).filter(|name| !name.is_empty());
        let name = name.map(|name| name.to_string());
        named("By", name.or_else(|| text(path(entity, &["representedOrganization", "name"])?)))
    }));
    if child(statement, "code").and_then(code_words).is_some() || product(statement).is_some() {
        details.extend(free_text(statement));
    }
}

/// Free text inside a statement, outside the narrative.
fn free_text(statement: Node<'_, '_>) -> Option<String> {
    let said = child(statement, "text")?;
    files::words(said).or_else(|| text(said))
}

/// Names of the participants of a statement of one type.
fn participants<'a>(statement: Node<'a, 'a>, kind: &'a str) -> impl Iterator<Item = String> + 'a {
    roles(statement, kind).filter_map(role_name)
}

fn role_name(role: Node<'_, '_>) -> Option<String> {
    let coded = |node: Node<'_, '_>| child(node, "code").and_then(code_words);
    entity(role)
        .and_then(|entity| coded(entity).or_else(|| text(child(entity, "name")?)))
        .or_else(|| coded(role))
}

/// Status, prefixed with the mood if it is not (yet) a fact: `Planned (active)`.
fn status(statement: Node<'_, '_>) -> Option<String> {
    let code = attribute(child(statement, "statusCode"), "code");
    match (Mood::of(statement).map(Mood::words), code) {
        (None, code) => code.map(|code| capitalized(&code)),
        (Some(mood), None) => Some(mood.to_owned()),
        (Some(mood), Some(code)) => Some(format!("{mood} ({code})")),
    }
}

fn capitalized(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

fn table(topic: Topic, rows: Vec<Row>) -> Table {
    let (used, heads) = (used_columns(&rows), topic.heads());
    let cells = |row: &Row| used.iter().map(|at| Cell::of_lines(&row.column(*at), false)).collect();
    Table {
        caption: Vec::new(),
        head: vec![used.iter().map(|at| Cell::of_lines(&[heads[*at]], true)).collect()],
        rows: rows.iter().map(cells).collect(),
    }
}
