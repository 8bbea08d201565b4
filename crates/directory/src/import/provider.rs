//! A directory of providers as CSV. Columns are named like the fields of a search result, or in one of several other
//! ways that partners use; only the names of people or organizations are required.

use super::{Columns, ImportError, ReadRow, Row, field, lines, phone, state, zip};
use crate::entry::Entry;
use csv::ByteRecord;
use direct::DirectAddress;

/// Finds the columns of the file.
pub fn rows(header: &ByteRecord) -> Result<ReadRow, ImportError> {
    let columns = Columns(header);
    let id = columns.any(&["id", "identifier", "entryId"]);
    let address = columns.any(&["directAddress", "direct", "address", "directEmail"]);
    let first = columns.any(&["firstName", "givenName", "first"]);
    let middle = columns.any(&["middleName", "middle"]);
    let last = columns.any(&["lastName", "familyName", "surname", "last"]);
    let organization = columns.any(&["organizationName", "organization", "orgName"]);
    let clinic = columns.any(&["clinicName", "clinic", "practiceName", "practice"]);
    if last.is_none() && organization.is_none() {
        return Err(ImportError::Column("lastName"));
    }
    let line_1 = columns.any(&["standardizedAddressLine1", "addressLine1", "street", "addressLine"]);
    let line_2 = columns.any(&["standardizedAddressLine2", "addressLine2", "unit"]);
    let city = columns.any(&["standardizedCity", "city"]);
    let state_name = columns.any(&["standardizedState", "state"]);
    let postal = columns.any(&["standardizedZip", "zip", "zipCode", "postalCode"]);
    let telephone = columns.any(&["phonePrimary", "phone", "telephone"]);
    let fax = columns.any(&["fax", "faxNumber"]);
    Ok(Box::new(move |record| {
        let text = |column| field(record, column);
        let entry = Entry {
            first_name: text(first),
            middle_name: text(middle),
            last_name: text(last),
            organization_name: text(organization),
            clinic_name: text(clinic),
            direct_address: text(address),
            phone: phone(&text(telephone)),
            fax: phone(&text(fax)),
            address_line: lines(text(line_1), text(line_2)),
            city: text(city),
            state: state(&text(state_name)),
            zip: zip(&text(postal)),
        };
        let is_named = !entry.last_name.is_empty() || !entry.organization_name.is_empty();
        let is_reachable =
            entry.direct_address.is_empty() || DirectAddress::parse(&entry.direct_address).is_ok();
        if !is_named || !is_reachable {
            return Row::Refused;
        }
        Row::Listed(key(text(id), &entry), Box::new(entry))
    }))
}

/// The list's own id of the entry, else the fields that distinguish it from others.
fn key(id: String, entry: &Entry) -> String {
    if !id.is_empty() {
        return id;
    }
    let parts = [
        &entry.direct_address,
        &entry.last_name,
        &entry.first_name,
        &entry.middle_name,
        &entry.organization_name,
        &entry.address_line,
        &entry.zip,
    ];
    parts.map(|part| part.to_lowercase()).join("\n")
}
