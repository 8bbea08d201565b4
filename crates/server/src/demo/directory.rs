//! Invented providers elsewhere, as from an imported list.

use ::directory::Entry;
use sea_orm::DbErr;
use store::Transaction;

/// The name of the list.
const SOURCE: &str = "demo";

/// Last, first and middle name, clinic, local part and domain of the Direct address, street, city, zip, and the last
/// four digits of phone and fax.
type Person = [&'static str; 9];

const PEOPLE: &[Person] = &[
    [
        "Aldane",
        "Rowan",
        "",
        "Tri-Valley Cardiology",
        "r.aldane@trivalley",
        "2200 Cedar Hollow Rd, Suite 310",
        "Larkfield|43999",
        "0185",
        "0188",
    ],
    [
        "Aldersey",
        "Jun",
        "M",
        "Tri-Valley Cardiology",
        "jm.aldersey@trivalley",
        "2200 Cedar Hollow Rd, Suite 310",
        "Larkfield|43999",
        "0185",
        "0188",
    ],
    [
        "Aldous",
        "Petra",
        "",
        "Northgate Regional Hospital",
        "",
        "1 Northgate Plaza",
        "Bellmont|43998",
        "0120",
        "0121",
    ],
    [
        "Alder",
        "Samir",
        "K",
        "Brannoc Family Practice",
        "s.alder@brannoc",
        "640 Abbey Street",
        "Bellmont|43998",
        "0147",
        "",
    ],
    [
        "Amadi",
        "Chidi",
        "",
        "Brannoc Family Practice",
        "c.amadi@brannoc",
        "640 Abbey Street",
        "Bellmont|43998",
        "0147",
        "",
    ],
    [
        "Bhatt",
        "Leela",
        "R",
        "Millrace Pediatrics",
        "l.bhatt@millrace",
        "12 Weir Lane",
        "Ashby|43991",
        "0133",
        "0134",
    ],
    ["Carrow", "Finn", "", "Millrace Pediatrics", "", "12 Weir Lane", "Ashby|43991", "0133", "0134"],
    [
        "Dalgaard",
        "Ida",
        "S",
        "Northgate Regional Hospital",
        "i.dalgaard@northgate",
        "1 Northgate Plaza",
        "Bellmont|43998",
        "0120",
        "0121",
    ],
    [
        "Eberhart",
        "Noel",
        "",
        "Eberhart Dermatology",
        "noel@eberhart-derm",
        "88 Quarry Park Drive",
        "Larkfield|43999",
        "0159",
        "0160",
    ],
    [
        "Fontaine",
        "Margot",
        "A",
        "Lakeside Oncology",
        "m.fontaine@lakeside-onc",
        "400 Shore Road",
        "Ashby|43991",
        "0171",
        "0172",
    ],
    [
        "Grimshaw",
        "Tobias",
        "",
        "Lakeside Oncology",
        "t.grimshaw@lakeside-onc",
        "400 Shore Road",
        "Ashby|43991",
        "0171",
        "0172",
    ],
    ["Haddad", "Rana", "", "Lakeside Oncology", "", "400 Shore Road", "Ashby|43991", "0171", "0172"],
    [
        "Iversen",
        "Kaja",
        "L",
        "Harvest Hill Home Care",
        "k.iversen@harvesthill",
        "31 Orchard Street",
        "Bellmont|43998",
        "0166",
        "",
    ],
    [
        "Jankowski",
        "Piotr",
        "",
        "Tri-Valley Cardiology",
        "p.jankowski@trivalley",
        "2200 Cedar Hollow Rd, Suite 310",
        "Larkfield|43999",
        "0185",
        "0188",
    ],
    [
        "Kealoha",
        "Malia",
        "",
        "Millrace Pediatrics",
        "m.kealoha@millrace",
        "12 Weir Lane",
        "Ashby|43991",
        "0133",
        "0134",
    ],
    [
        "Lindqvist",
        "Astrid",
        "E",
        "Northgate Regional Hospital",
        "a.lindqvist@northgate",
        "1 Northgate Plaza",
        "Bellmont|43998",
        "0120",
        "0121",
    ],
];

/// Name, Direct address, street, city, zip, phone and fax.
const ORGANIZATIONS: &[[&str; 6]] = &[
    [
        "Tri-Valley Cardiology",
        "office@trivalley",
        "2200 Cedar Hollow Rd, Suite 310",
        "Larkfield|43999",
        "0185",
        "0188",
    ],
    [
        "Northgate Regional Hospital",
        "records@northgate",
        "1 Northgate Plaza",
        "Bellmont|43998",
        "0120",
        "0121",
    ],
    ["Brannoc Family Practice", "office@brannoc", "640 Abbey Street", "Bellmont|43998", "0147", ""],
    ["Millrace Pediatrics", "", "12 Weir Lane", "Ashby|43991", "0133", "0134"],
    ["Lakeside Oncology", "records@lakeside-onc", "400 Shore Road", "Ashby|43991", "0171", "0172"],
    ["Harvest Hill Home Care", "", "31 Orchard Street", "Bellmont|43998", "0166", ""],
];

pub async fn load(txn: &Transaction) -> Result<(), DbErr> {
    let people =
        PEOPLE.iter().map(|[last, first, middle, clinic, address, street, place, phone, fax]| Entry {
            last_name: (*last).into(),
            first_name: (*first).into(),
            middle_name: (*middle).into(),
            clinic_name: (*clinic).into(),
            ..at(address, street, place, phone, fax)
        });
    let organizations = ORGANIZATIONS.iter().map(|[name, address, street, place, phone, fax]| Entry {
        organization_name: (*name).into(),
        ..at(address, street, place, phone, fax)
    });
    let rows = people.chain(organizations).enumerate();
    ::directory::write(txn, rows.map(|(at, entry)| entry.row(SOURCE, &at.to_string(), None)).collect()).await
}

fn at(address: &str, street: &str, place: &str, phone: &str, fax: &str) -> Entry {
    let (city, zip) = place.split_once('|').unwrap_or((place, ""));
    let number = |last: &str| if last.is_empty() { String::new() } else { format!("740555{last}") };
    let direct_address = if address.is_empty() { String::new() } else { format!("{address}.direct.example") };
    Entry {
        direct_address,
        phone: number(phone),
        fax: number(fax),
        address_line: street.into(),
        city: city.into(),
        state: "OH".into(),
        zip: zip.into(),
        ..Entry::default()
    }
}
