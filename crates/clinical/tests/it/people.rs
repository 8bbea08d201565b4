//! People and organizations of the header.

use clinical::cda::{Role, outline, parse, render};

use crate::document;

fn entity(tag: &str, person: &str, name: &str) -> String {
    format!(
        "<{tag}><code displayName='Nurse'/><addr><streetAddressLine>1 Elm</streetAddressLine><city>Larkfield</city></addr>\
         <telecom value='tel:555-010-0171'/><{person}><name><given>{name}</given><family>Roe</family></name></{person}>\
         <representedOrganization><name>{name} Clinic</name></representedOrganization></{tag}>"
    )
}

fn assigned(name: &str) -> String {
    entity("assignedEntity", "assignedPerson", name)
}

/// A header with a participant in every role.
fn header() -> String {
    [
        "<recordTarget><patientRole><patient><name>Pat Roe</name><guardian><code displayName='Mother'/>\
         <addr><city>Larkfield</city></addr><telecom value='tel:555-010-0177'/><guardianPerson><name>Gwen Roe</name></guardianPerson>\
         </guardian></patient><providerOrganization><name>Larkfield Medical</name></providerOrganization></patientRole></recordTarget>"
            .to_owned(),
        format!("<author><time value='20261117'/>{}</author>", entity("assignedAuthor", "assignedPerson", "Ann")),
        format!("<dataEnterer>{}</dataEnterer>", assigned("Dan")),
        format!("<informant>{}</informant>", assigned("Ina")),
        "<informant><relatedEntity><code displayName='Son'/><relatedPerson><name>Rob Roe</name></relatedPerson></relatedEntity></informant>"
            .to_owned(),
        "<custodian><assignedCustodian><representedCustodianOrganization><name>Archive</name><telecom value='tel:555-010-0180'/>\
         </representedCustodianOrganization></assignedCustodian></custodian>"
            .to_owned(),
        "<informationRecipient><intendedRecipient><informationRecipient><name>Rita Roe</name></informationRecipient>\
         <receivedOrganization><name>Rita Clinic</name></receivedOrganization></intendedRecipient></informationRecipient>"
            .to_owned(),
        format!("<legalAuthenticator><time value='20261118'/>{}</legalAuthenticator>", assigned("Lea")),
        format!("<authenticator>{}</authenticator>", assigned("Ada")),
        "<participant typeCode='IND'><associatedEntity classCode='ECON'><code displayName='Spouse'/><telecom value='tel:555-010-0178'/>\
         <associatedPerson><name>Eve Roe</name></associatedPerson></associatedEntity></participant>"
            .to_owned(),
        format!(
            "<documentationOf><serviceEvent><performer typeCode='PRF'><functionCode displayName='Primary care provider'/>{}</performer>\
             </serviceEvent></documentationOf>",
            assigned("Cay")
        ),
        format!(
            "<componentOf><encompassingEncounter><responsibleParty>{}</responsibleParty><encounterParticipant typeCode='ATND'>{}\
             </encounterParticipant><location><healthCareFacility><location><name>Ward 3</name></location></healthCareFacility></location>\
             </encompassingEncounter></componentOf>",
            assigned("Ria"),
            assigned("Atu")
        ),
    ]
    .concat()
}

#[test]
fn everybody_in_the_header_is_read_with_a_role() {
    let parsed = parse(document(&header(), "").as_bytes()).unwrap();
    let found: Vec<_> = parsed.people.iter().map(|person| (person.role, person.display())).collect();
    let expected = [
        (Role::Author, "Ann Roe, Ann Clinic"),
        (Role::LegalAuthenticator, "Lea Roe, Lea Clinic"),
        (Role::Authenticator, "Ada Roe, Ada Clinic"),
        (Role::DataEnterer, "Dan Roe, Dan Clinic"),
        (Role::Informant, "Ina Roe, Ina Clinic"),
        (Role::Informant, "Rob Roe"),
        (Role::Recipient, "Rita Roe, Rita Clinic"),
        (Role::CareTeam, "Cay Roe, Cay Clinic"),
        (Role::Guardian, "Gwen Roe"),
        (Role::Provider, "Larkfield Medical"),
        (Role::EmergencyContact, "Eve Roe"),
        (Role::Responsible, "Ria Roe, Ria Clinic"),
        (Role::Attending, "Atu Roe, Atu Clinic"),
        (Role::Place, "Ward 3"),
    ];
    assert_eq!(found, expected.map(|(role, who)| (role, who.to_owned())));
    assert_eq!(parsed.authors().count(), 1);
}

#[test]
fn the_page_names_everybody_with_function_organization_and_ways_to_reach_them() {
    let parsed =
        parse(document(&header(), "<component><section><text>x</text></section></component>").as_bytes())
            .unwrap();
    let page = render::html(&parsed);
    for row in [
        "<td>Legal authenticator<br>11/18/2026</td><td>Lea Roe<br>Nurse</td><td>Lea Clinic</td><td>1 Elm, Larkfield<br>(555) 010-0171</td>",
        "<td>Care team</td><td>Cay Roe<br>Primary care provider</td><td>Cay Clinic</td>",
        "<td>Emergency contact</td><td>Eve Roe<br>Spouse</td><td></td><td>(555) 010-0178</td>",
        "<td>Guardian</td><td>Gwen Roe<br>Mother</td><td></td><td>Larkfield<br>(555) 010-0177</td>",
        "<td>Custodian</td><td></td><td>Archive</td><td>(555) 010-0180</td>",
        "<a href=\"#people\">People and organizations</a>",
    ] {
        assert!(page.contains(row), "{row}: {page}");
    }
    let outline = outline::outline(&parsed);
    assert_eq!(outline.authors.len() + outline.people.len(), parsed.people.len());
}

#[test]
fn nobody_is_listed_twice_or_without_anything_to_tell() {
    let author = format!("<author>{}</author>", entity("assignedAuthor", "assignedPerson", "Ann"));
    let empty = "<authenticator><assignedEntity><id root='1'/></assignedEntity></authenticator>";
    let parsed = parse(document(&format!("{author}{author}{empty}"), "").as_bytes()).unwrap();
    assert_eq!(parsed.people.len(), 1);
    assert!(render::people(&parse(document("", "").as_bytes()).unwrap()).is_none());
}
