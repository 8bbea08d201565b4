//! Reads the header of a document: the patient and all other participants (CDA R2 section 4.2).

use roxmltree::Node;

use super::model::*;
use super::names::best_name;
use super::xml::{child, children, code, ids, is, path, preferred, text, time};
use crate::record_number;

/// Most patients of one document.
const MAX_PATIENTS: usize = 50;

/// The patients of a document, without duplicates.
pub(super) fn patients(root: Node<'_, '_>) -> Vec<Patient> {
    let own = own_realms(root);
    let mut found: Vec<Patient> = Vec::new();
    let roles = children(root, "recordTarget").flat_map(|target| children(target, "patientRole"));
    for patient in roles.take(MAX_PATIENTS).map(|role| patient(role, &own)) {
        if !found.contains(&patient) {
            found.push(patient);
        }
    }
    found
}

/// Roots of the organizations that keep or wrote a document, and of those that know its patients.
fn own_realms(root: Node<'_, '_>) -> Vec<String> {
    let organizations = [
        ["custodian", "assignedCustodian", "representedCustodianOrganization"],
        ["author", "assignedAuthor", "representedOrganization"],
        ["recordTarget", "patientRole", "providerOrganization"],
    ];
    let found = organizations.into_iter().flat_map(|[outer, middle, inner]| {
        root.children()
            .filter(move |node| is(*node, outer))
            .filter_map(move |node| path(node, &[middle, inner]))
            .flat_map(|organization| ids(organization, "id"))
    });
    // A register of all clinicians or organizations is not an organization's own root.
    found
        .filter(|id| id.kind() == record_number::Kind::Other && !id.root.contains('-'))
        .map(|id| id.root)
        .collect()
}

fn patient(role: Node<'_, '_>, own: &[String]) -> Patient {
    let person = child(role, "patient");
    let mut ids = ids(role, "id");
    ids.sort_by_key(|id| !own.iter().any(|root| id.is_of(root)));
    Patient {
        ids,
        name: person.map(best_name).unwrap_or_default(),
        birth_date: person
            .and_then(|person| child(person, "birthTime"))
            .and_then(time)
            .and_then(|time| time.date()),
        gender: person
            .and_then(|person| child(person, "administrativeGenderCode"))
            .and_then(|node| Gender::from_code(node.attribute("code")?)),
        address: preferred(role, "addr", &["HP", "H"]).and_then(address),
        telecoms: telecoms(role),
    }
}

fn address(node: Node<'_, '_>) -> Option<Address> {
    let part = |name| child(node, name).and_then(text);
    let address = Address {
        lines: children(node, "streetAddressLine").filter_map(text).collect(),
        city: part("city"),
        state: part("state"),
        postal_code: part("postalCode"),
        country: part("country"),
    };
    if address != Address::default() {
        return Some(address);
    }
    text(node).map(|line| Address { lines: vec![line], ..Address::default() })
}

fn telecoms(node: Node<'_, '_>) -> Vec<Telecom> {
    let read = |node: Node<'_, '_>| {
        let value = node.attribute("value")?.trim();
        (!value.is_empty())
            .then(|| Telecom { value: value.to_owned(), use_code: node.attribute("use").map(str::to_owned) })
    };
    children(node, "telecom").filter_map(read).collect()
}

pub(super) fn organization(node: Node<'_, '_>) -> Organization {
    Organization {
        ids: ids(node, "id"),
        name: child(node, "name").and_then(text),
        address: child(node, "addr").and_then(address),
        telecoms: telecoms(node),
    }
}

pub(super) fn encounter(node: Node<'_, '_>) -> Encounter {
    let when = child(node, "effectiveTime");
    let bound = |name| when.and_then(|when| child(when, name)).and_then(time);
    let place = path(node, &["location", "healthCareFacility"]);
    let place_name = |inner| place.and_then(|place| path(place, &[inner, "name"])).and_then(text);
    Encounter {
        ids: ids(node, "id"),
        code: child(node, "code").and_then(code),
        from: bound("low").or_else(|| when.and_then(time)),
        to: bound("high"),
        location: place_name("location").or_else(|| place_name("serviceProviderOrganization")),
        responsible: path(node, &["responsibleParty", "assignedEntity", "assignedPerson"])
            .map(|person| best_name(person).to_string())
            .filter(|name| !name.is_empty()),
    }
}

/// Most people in the header; no real document names as many.
const MAX_PEOPLE: usize = 1_000;

/// All participants in the header except the patient and the custodian, in display order, without duplicates in the
/// same role.
pub(super) fn people(root: Node<'_, '_>) -> Vec<Participant> {
    let mut people: Vec<Participant> = Vec::new();
    for person in everybody(root).filter(|person| !person.is_nobody()).take(MAX_PEOPLE) {
        if !people.contains(&person) {
            people.push(person);
        }
    }
    people
}

fn everybody<'a>(root: Node<'a, 'a>) -> impl Iterator<Item = Participant> + 'a {
    let of = move |outer, inner, role: Role| {
        children(root, outer).filter_map(move |holder| Some(participant(role, holder, child(holder, inner)?)))
    };
    let informants = children(root, "informant").filter_map(|holder| {
        let entity = child(holder, "assignedEntity").or_else(|| child(holder, "relatedEntity"))?;
        Some(participant(Role::Informant, holder, entity))
    });
    let associated = children(root, "participant").filter_map(|holder| {
        let entity = child(holder, "associatedEntity")?;
        Some(participant(associated_role(holder, entity), holder, entity))
    });
    let performers = children(root, "documentationOf")
        .filter_map(|node| child(node, "serviceEvent"))
        .flat_map(|event| children(event, "performer"))
        .filter_map(|holder| Some(participant(Role::CareTeam, holder, child(holder, "assignedEntity")?)));
    of("author", "assignedAuthor", Role::Author)
        .chain(of("legalAuthenticator", "assignedEntity", Role::LegalAuthenticator))
        .chain(of("authenticator", "assignedEntity", Role::Authenticator))
        .chain(of("dataEnterer", "assignedEntity", Role::DataEnterer))
        .chain(informants)
        .chain(of("informationRecipient", "intendedRecipient", Role::Recipient))
        .chain(performers)
        .chain(around_patient(root))
        .chain(associated)
        .chain(around_encounter(root))
}

/// Guardians, and the organization that knows the patient.
fn around_patient<'a>(root: Node<'a, 'a>) -> impl Iterator<Item = Participant> + 'a {
    let roles = || children(root, "recordTarget").filter_map(|target| child(target, "patientRole"));
    let guardians = roles()
        .filter_map(|role| child(role, "patient"))
        .flat_map(|patient| children(patient, "guardian"))
        .map(|guardian| participant(Role::Guardian, guardian, guardian));
    let providers = roles()
        .filter_map(|role| child(role, "providerOrganization"))
        .map(|provider| of_organization(Role::Provider, provider));
    guardians.chain(providers)
}

fn around_encounter<'a>(root: Node<'a, 'a>) -> impl Iterator<Item = Participant> + 'a {
    let encounters = || children(root, "componentOf").filter_map(|node| child(node, "encompassingEncounter"));
    let responsible = encounters()
        .flat_map(|encounter| children(encounter, "responsibleParty"))
        .filter_map(|holder| Some(participant(Role::Responsible, holder, child(holder, "assignedEntity")?)));
    let others =
        encounters().flat_map(|encounter| children(encounter, "encounterParticipant")).filter_map(|holder| {
            let role = match holder.attribute("typeCode").unwrap_or_default() {
                "ADM" => Role::Admitter,
                "ATND" => Role::Attending,
                "CON" => Role::Consultant,
                "DIS" => Role::Discharger,
                "REF" => Role::Referrer,
                _ => Role::Participant,
            };
            Some(participant(role, holder, child(holder, "assignedEntity")?))
        });
    let places =
        encounters().filter_map(|encounter| path(encounter, &["location", "healthCareFacility"])).map(place);
    responsible.chain(others).chain(places)
}

/// Role by RoleClass (2.16.840.1.113883.5.110), and for some by the type of participation (2.16.840.1.113883.5.90).
fn associated_role(holder: Node<'_, '_>, entity: Node<'_, '_>) -> Role {
    match entity.attribute("classCode").unwrap_or_default() {
        "ECON" => Role::EmergencyContact,
        "NOK" => Role::NextOfKin,
        "CAREGIVER" => Role::Caregiver,
        "GUARD" => Role::Guardian,
        "POLHOLD" => Role::PolicyHolder,
        "PAYOR" | "UNDWRT" => Role::Payer,
        _ => match holder.attribute("typeCode").unwrap_or_default() {
            "REF" | "REFB" => Role::Referrer,
            "REFT" => Role::ReferredTo,
            "CALLBCK" => Role::CallbackContact,
            "HLD" => Role::PolicyHolder,
            _ => Role::Participant,
        },
    }
}

fn participant(role: Role, holder: Node<'_, '_>, entity: Node<'_, '_>) -> Participant {
    let first = |names: &[&str]| names.iter().find_map(|name| child(entity, name));
    let person = first(&[
        "assignedPerson",
        "associatedPerson",
        "relatedPerson",
        "informationRecipient",
        "guardianPerson",
    ]);
    let organization = first(&[
        "representedOrganization",
        "scopingOrganization",
        "receivedOrganization",
        "guardianOrganization",
    ]);
    let device = child(entity, "assignedAuthoringDevice");
    let device_name = |name| device.and_then(|device| child(device, name)).and_then(text);
    let display = |node, name| child(node, name).and_then(code).and_then(|code| code.display);
    let mut reach = telecoms(entity);
    if reach.is_empty() {
        reach = organization.map(telecoms).unwrap_or_default();
    }
    Participant {
        role,
        function: display(holder, "functionCode").or_else(|| display(entity, "code")),
        name: person.map(best_name).unwrap_or_default(),
        device: device_name("softwareName").or_else(|| device_name("manufacturerModelName")),
        organization: organization.and_then(|node| text(child(node, "name")?)),
        time: child(holder, "time").and_then(moment),
        address: best_address(entity).or_else(|| organization.and_then(best_address)),
        telecoms: reach,
    }
}

fn best_address(node: Node<'_, '_>) -> Option<Address> {
    preferred(node, "addr", &[]).and_then(address)
}

/// A time that may be written as an interval.
fn moment(node: Node<'_, '_>) -> Option<Timestamp> {
    time(node).or_else(|| time(child(node, "low")?)).or_else(|| time(child(node, "high")?))
}

fn of_organization(role: Role, node: Node<'_, '_>) -> Participant {
    let read = organization(node);
    Participant {
        organization: read.name,
        address: read.address,
        telecoms: read.telecoms,
        ..Participant::new(role)
    }
}

/// Where the encounter took place: the ward or office, and who runs it.
fn place(facility: Node<'_, '_>) -> Participant {
    let location = child(facility, "location");
    let runner = child(facility, "serviceProviderOrganization");
    let location_name = location.and_then(|node| child(node, "name")).and_then(text);
    let runner_name = runner.and_then(|node| child(node, "name")).and_then(text);
    let names: Vec<_> = [location_name, runner_name].into_iter().flatten().collect();
    Participant {
        function: child(facility, "code").and_then(code).and_then(|code| code.display),
        organization: (!names.is_empty()).then(|| names.join(", ")),
        address: location.and_then(best_address).or_else(|| runner.and_then(best_address)),
        telecoms: runner.map(telecoms).unwrap_or_default(),
        ..Participant::new(Role::Place)
    }
}
