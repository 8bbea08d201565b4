//! The downloadable file of the registry of National Provider Identifiers (NPPES Data Dissemination): one row per number,
//! with entity type code 1 for people and 2 for organizations. It has no Direct addresses.

use super::{Columns, ImportError, ReadRow, Row, field, lines, phone, state, zip};
use crate::entry::Entry;
use csv::ByteRecord;

const PRACTICE: &str = "Provider Business Practice Location Address";

/// Finds the columns of the file.
pub fn rows(header: &ByteRecord) -> Result<ReadRow, ImportError> {
    let columns = Columns(header);
    let practice = |part: &str| columns.any(&[&format!("{PRACTICE} {part}")]);
    let (number, entity) = (columns.required("NPI")?, columns.required("Entity Type Code")?);
    let organization = columns.required("Provider Organization Name (Legal Business Name)")?;
    let last = columns.required("Provider Last Name (Legal Name)")?;
    let first = columns.required("Provider First Name")?;
    let middle = columns.any(&["Provider Middle Name"]);
    let line_1 = columns.any(&["Provider First Line Business Practice Location Address"]);
    let line_2 = columns.any(&["Provider Second Line Business Practice Location Address"]);
    let (city, state_name) = (practice("City Name"), practice("State Name"));
    let (postal, telephone, fax) =
        (practice("Postal Code"), practice("Telephone Number"), practice("Fax Number"));
    let deactivated = columns.any(&["NPI Deactivation Date"]);
    let reactivated = columns.any(&["NPI Reactivation Date"]);
    Ok(Box::new(move |record| {
        let text = |column| field(record, Some(column));
        let maybe = |column| field(record, column);
        let number = text(number);
        if !platform::fields::is_npi(&number) || number.is_empty() {
            return Row::Refused;
        }
        if !maybe(deactivated).is_empty() && maybe(reactivated).is_empty() {
            return Row::Removed(number);
        }
        let mut entry = Entry {
            phone: phone(&maybe(telephone)),
            fax: phone(&maybe(fax)),
            address_line: lines(maybe(line_1), maybe(line_2)),
            city: maybe(city),
            state: state(&maybe(state_name)),
            zip: zip(&maybe(postal)),
            ..Entry::default()
        };
        match text(entity).as_str() {
            "1" => {
                entry.first_name = text(first);
                entry.middle_name = maybe(middle);
                entry.last_name = text(last);
                if entry.last_name.is_empty() {
                    return Row::Refused;
                }
            }
            "2" => {
                entry.organization_name = text(organization);
                if entry.organization_name.is_empty() {
                    return Row::Refused;
                }
            }
            _ => return Row::Refused,
        }
        Row::Listed(number, Box::new(entry))
    }))
}
