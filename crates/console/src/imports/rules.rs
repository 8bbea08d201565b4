//! Meaning of the columns of an import, and checks of rows. Without a database.

use super::table::{Problem, Row, Table};
use crate::organizations::{rules as organization_rules, types::OrganizationForm};
use platform::{
    checks, csv,
    fields::{DEFAULT_FIELD_ERROR, FieldErrors},
    sql,
};
use serde_json::{Map, Value, json};
use store::entities::{
    import_batch::ImportChoices,
    import_row::{Cells, ItemStatus},
};

/// A column of the file.
pub struct Column {
    pub title: &'static str,
    /// The member of an [`OrganizationForm`].
    pub field: &'static str,
    is_required: bool,
}

const fn required(title: &'static str, field: &'static str) -> Column {
    Column { title, field, is_required: true }
}

const fn optional(title: &'static str, field: &'static str) -> Column {
    Column { title, field, is_required: false }
}

pub const ACTIVATED: &str = "activationStatus";

/// In the order of the template.
pub const COLUMNS: [Column; 18] = [
    required("Organization name", "name"),
    required("Subdomain", "subDomain"),
    optional("Organization NPI", "organizationNpi"),
    optional("EMR", "organizationEmr"),
    required("Street", "street"),
    optional("Unit", "unit"),
    required("City", "city"),
    required("State", "state"),
    required("Zip", "zip"),
    optional("Primary phone", "primaryPhone"),
    optional("Primary fax", "primaryFax"),
    required("Contact first name", "primaryContactFirstName"),
    required("Contact last name", "primaryContactLastName"),
    required("Contact email", "primaryContactEmail"),
    optional("Contact title", "primaryContactTitle"),
    optional("Contact NPI", "primaryContactNpi"),
    optional("Contact phone", "phone"),
    optional("Activated", ACTIVATED),
];
/// Column with the errors after the others in a file for correction; ignored when that is imported again.
pub const PROBLEMS: &str = "Problems";

const FORMULA: &str = "This begins like a formula.";
const YES_OR_NO: &str = "Please enter yes or no.";

/// Fields of the form whose value operators choose for all organizations of a file.
pub const CHOICES: [(&str, &str); 6] = [
    ("hispProviderId", "HispProviderId"),
    ("brandId", "BrandId"),
    ("planId", "PlanId"),
    ("resellerId", "ResellerId"),
    ("organizationSpecialtyId", "Specialty"),
    ("organizationTypeId", "Type"),
];

/// A row with its cells by field name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    pub line: u32,
    pub cells: Cells,
}

impl Item {
    /// The subdomain, which is unique among organizations.
    pub fn key(&self) -> String {
        key_of(&self.cells)
    }
}

pub fn key_of(cells: &Cells) -> String {
    cells.0.get("subDomain").map(|text| organization_rules::sub_domain(text)).unwrap_or_default()
}

/// Column names match regardless of case, spaces and punctuation.
fn plain(title: &str) -> String {
    title.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The rows by the columns of an organization.
pub fn items(table: Table) -> Result<Vec<Item>, Problem> {
    let mut columns = Vec::with_capacity(table.heads.len());
    for head in &table.heads {
        let name = plain(head);
        let known = COLUMNS.iter().find(|c| plain(c.title) == name || plain(c.field) == name);
        if known.is_none() && !name.is_empty() && name != plain(PROBLEMS) {
            return Err(format!("The column “{head}” is unknown. Please use the template.").into());
        }
        if known.is_some_and(|c| columns.contains(&Some(c.field))) {
            return Err(format!("The column “{head}” is in the file twice.").into());
        }
        columns.push(known.map(|c| c.field));
    }
    if let Some(missing) = COLUMNS.iter().find(|c| c.is_required && !columns.contains(&Some(c.field))) {
        return Err(format!("The column “{}” is missing. Please use the template.", missing.title).into());
    }
    let item = |Row { line, cells }: Row| {
        let named = columns.iter().zip(cells).filter(|(_, text)| !text.is_empty());
        let cells = named.filter_map(|(field, text)| Some(((*field)?.to_owned(), unquoted(text))));
        Item { line, cells: Cells(cells.collect()) }
    };
    Ok(table.rows.into_iter().map(item).collect())
}

/// Files for correction have an apostrophe before texts that a spreadsheet would take for a formula.
fn unquoted(text: String) -> String {
    match text.strip_prefix('\'') {
        Some(rest) if csv::inert(rest) != rest => rest.to_owned(),
        _ => text,
    }
}

/// The organization of a row, or all its errors.
pub fn form(cells: &Cells, choices: &ImportChoices) -> Result<OrganizationForm, FieldErrors> {
    let mut errors = FieldErrors::default();
    let mut body: Map<String, Value> = Map::new();
    for (field, text) in &cells.0 {
        let is_phone = ["phone", "primaryPhone", "primaryFax"].contains(&field.as_str());
        errors.require(is_phone || csv::inert(text) == *text, field, FORMULA);
        body.insert(field.clone(), text.as_str().into());
    }
    let activated = cells.0.get(ACTIVATED).map(|text| text.to_lowercase());
    let status = match activated.as_deref().unwrap_or("no") {
        "yes" | "true" | "1" | "activated" => "Activated",
        "no" | "false" | "0" | "not activated" => "NotActivated",
        _ => {
            errors.add(ACTIVATED, YES_OR_NO);
            "NotActivated"
        }
    };
    body.insert(ACTIVATED.into(), status.into());
    for (field, id) in [
        ("hispProviderId", Some(choices.hisp_provider_id)),
        ("brandId", Some(choices.brand_id)),
        ("planId", choices.plan_id),
        ("resellerId", choices.reseller_id),
        ("organizationSpecialtyId", Some(choices.specialty_id)),
        ("organizationTypeId", Some(choices.type_id)),
    ] {
        body.insert(field.into(), json!(id));
    }
    let mut body = Value::Object(body);
    for (field, texts) in checks::check::<OrganizationForm>(&mut body).0 {
        for text in texts {
            if !errors.0.contains_key(&field) {
                errors.add(field.as_str(), text);
            }
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let form: OrganizationForm = serde_json::from_value(body).map_err(|_| unreadable())?;
    let errors = organization_rules::check(&form);
    if errors.is_empty() { Ok(form) } else { Err(errors) }
}

fn unreadable() -> FieldErrors {
    let mut errors = FieldErrors::default();
    errors.add("name", DEFAULT_FIELD_ERROR);
    errors
}

/// Errors of a row's organization, and of its contact person.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowErrors {
    pub item: Vec<String>,
    pub contact: Vec<String>,
}

impl RowErrors {
    pub fn all(&self) -> impl Iterator<Item = &String> {
        self.item.iter().chain(&self.contact)
    }
}

impl From<FieldErrors> for RowErrors {
    fn from(errors: FieldErrors) -> Self {
        let mut all = Self::default();
        for (field, texts) in errors.0 {
            let title = COLUMNS.iter().find(|c| c.field == field).map_or(field.as_str(), |c| c.title);
            let is_contact = field.starts_with("primaryContact") || field == "phone";
            let list = if is_contact { &mut all.contact } else { &mut all.item };
            list.extend(texts.into_iter().map(|text| format!("{title}: {text}")));
        }
        all
    }
}

/// Both name the same organization, so the row was already imported.
pub fn is_same(name_key: &str, form: &OrganizationForm) -> bool {
    name_key == sql::key(&form.name)
}

/// A row of a file and its errors.
pub struct CheckedRow {
    pub item: Item,
    pub key: String,
    pub status: ItemStatus,
    pub errors: RowErrors,
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::imports::table;
    use uuid::Uuid;

    fn choices() -> ImportChoices {
        let id = Uuid::now_v7();
        ImportChoices {
            hisp_provider_id: id,
            brand_id: id,
            plan_id: None,
            reseller_id: None,
            specialty_id: id,
            type_id: id,
        }
    }

    const HEADS: &str = "organization NAME,sub-domain,street,city,state,zip,Contact first name,Contact last name,\
        Contact e-mail,Contact phone,Activated";
    const GOOD: &str = "Larkfield Family Medicine,larkfield,418 Orchard Lane,Portland,OR,97201,Dana,Whitlock,\
        dana@larkfield.example,(503) 555-0142,Yes";

    fn rows(csv: &str) -> Result<Vec<Item>, Problem> {
        table::read("a.csv", csv.as_bytes()).and_then(items)
    }

    fn one(line: &str) -> Result<OrganizationForm, RowErrors> {
        let found = rows(&format!("{HEADS}\n{line}")).expect("a table");
        form(&found[0].cells, &choices()).map_err(Into::into)
    }

    #[test]
    fn a_row_becomes_the_form_of_an_organization() {
        let form = one(GOOD).expect("a form");
        assert_eq!(
            (&*form.name, &*form.sub_domain, &*form.zip),
            ("Larkfield Family Medicine", "larkfield", "97201")
        );
        assert!(form.activation_status == crate::organizations::types::ActivationStatus::Activated);
    }

    #[test]
    fn what_is_wrong_is_said_of_the_organization_and_of_its_contact() {
        let wrong = one("Best_Care,x y,P.O. Box 1,,OR,972,D,Whitlock,dana,555,maybe").expect_err("errors");
        assert_eq!(wrong.item.len(), 5, "{wrong:?}");
        assert!(
            wrong.item.contains(&"Organization name: Invalid characters in field: _".to_owned()),
            "{wrong:?}"
        );
        assert!(wrong.item.contains(&format!("Activated: {YES_OR_NO}")), "{wrong:?}");
        let of: Vec<_> = wrong.contact.iter().filter_map(|text| text.split(':').next()).collect();
        assert_eq!(of, ["Contact phone", "Contact email", "Contact first name"]);
    }

    #[test]
    fn no_cell_is_a_formula_and_a_file_to_correct_can_be_read_again() {
        for bad in ["=1+1", "@SUM(A1)", "-Larkfield", "'=1+1"] {
            let wrong = one(&GOOD.replace("Larkfield Family Medicine", bad)).expect_err("errors");
            assert_eq!(wrong.item, [format!("Organization name: {FORMULA}")], "{bad}");
        }
        let again = format!("{HEADS},{PROBLEMS}\n{GOOD},Zip: wrong");
        let found = rows(&again).expect("a table");
        assert!(form(&found[0].cells, &choices()).is_ok());
        for (written, read) in [("'=1+1", "=1+1"), ("'s-Hertogenbosch", "'s-Hertogenbosch"), ("Roe", "Roe")] {
            assert_eq!(unquoted(written.into()), read);
        }
    }

    #[test]
    fn columns_are_known_needed_and_named_once() {
        let of = |heads: &str| rows(&format!("{heads}\nx")).expect_err("a problem");
        assert_eq!(
            of(&format!("{HEADS},Colour")),
            "The column “Colour” is unknown. Please use the template."
        );
        assert_eq!(of(&format!("{HEADS},Zip")), "The column “Zip” is in the file twice.");
        assert_eq!(of(&HEADS.replace("city,", "")), "The column “City” is missing. Please use the template.");
        let template: Vec<_> = COLUMNS.iter().map(|c| c.title).collect();
        assert_eq!(
            of(&template[1..].join(",")),
            "The column “Organization name” is missing. Please use the template."
        );
    }
}
