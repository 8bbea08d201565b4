//! Metadata of documents in an ebXML registry (ebRIM 3.0), as IHE profiles them (ITI TF-3, 4.1 and 4.2): the names and
//! identifiers of the standard, and the one place where metadata are read ([`read`]) and written ([`write`]). XDM packages
//! (ITI-32) and requests to provide documents (ITI-41) consist of them.

pub mod read;
pub mod write;

// Namespaces.
pub const RIM: &str = "urn:oasis:names:tc:ebxml-regrep:xsd:rim:3.0";
pub const RS: &str = "urn:oasis:names:tc:ebxml-regrep:xsd:rs:3.0";
pub const LCM: &str = "urn:oasis:names:tc:ebxml-regrep:xsd:lcm:3.0";
pub const XDS: &str = "urn:ihe:iti:xds-b:2007";

/// Action of a request to provide documents (ITI-41).
pub const PROVIDE: &str = "urn:ihe:iti:2007:ProvideAndRegisterDocumentSet-b";

/// Status of a valid object.
pub const APPROVED: &str = "urn:oasis:names:tc:ebxml-regrep:StatusType:Approved";
/// Association of a submission set or folder with what is in it.
pub const HAS_MEMBER: &str = "urn:oasis:names:tc:ebxml-regrep:AssociationType:HasMember";
/// Prefix of the types of objects that are not documents.
pub const OBJECT_TYPE: &str = "urn:oasis:names:tc:ebxml-regrep:ObjectType:RegistryObject:";
/// Prefix of `Success`, `Failure` and `PartialSuccess` in a response.
pub const RESPONSE_STATUS: &str = "urn:oasis:names:tc:ebxml-regrep:ResponseStatusType:";
/// Prefix of `Error` and `Warning` in a response.
pub const SEVERITY: &str = "urn:oasis:names:tc:ebxml-regrep:ErrorSeverityType:";

/// The scheme of an external identifier, and the name that its identifiers have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdScheme {
    pub id: &'static str,
    pub name: &'static str,
}

/// A document entry (ITI TF-3, 4.2.5.2): an `ExtrinsicObject`.
pub mod document_entry {
    use super::IdScheme;

    /// Object type of a stable document.
    pub const STABLE: &str = "urn:uuid:7edca82f-054d-47f2-a032-9b2a5b5186c1";

    // Schemes of classifications.
    pub const AUTHOR: &str = "urn:uuid:93606bcf-9494-43ec-9b4e-a7748d1a838d";
    pub const CLASS: &str = "urn:uuid:41a5887f-8865-4c09-adf7-e362475b143a";
    pub const TYPE: &str = "urn:uuid:f0306f51-975f-434e-a61c-c59651d33983";
    pub const CONFIDENTIALITY: &str = "urn:uuid:f4f85eac-e6cb-4883-b524-f2705394840f";
    pub const FORMAT: &str = "urn:uuid:a09d5840-386c-46f2-b5ad-9c3699a4309d";
    pub const FACILITY_TYPE: &str = "urn:uuid:f33fb8ac-18af-42cc-ae0e-ed0b0bdb91e1";
    pub const PRACTICE_SETTING: &str = "urn:uuid:cccf5598-8b07-4b77-a05e-ae952c785ead";

    pub const PATIENT_ID: IdScheme =
        IdScheme { id: "urn:uuid:58a6f841-87b3-4a3e-92fd-a8ffeff98427", name: "XDSDocumentEntry.patientId" };
    pub const UNIQUE_ID: IdScheme =
        IdScheme { id: "urn:uuid:2e82c1f6-a085-4c72-9da3-8640a32e42ab", name: "XDSDocumentEntry.uniqueId" };
}

/// A submission set (ITI TF-3, 4.2.5.1): a `RegistryPackage`.
pub mod submission_set {
    use super::IdScheme;

    // Nodes by which a package is classified: as a submission set, and as one with limited metadata.
    pub const NODE: &str = "urn:uuid:a54d6aa5-d40d-43f9-88c5-b4633d873bdd";
    pub const LIMITED: &str = "urn:uuid:ab9b591b-83ab-4d03-8f5d-f93b1fb92e85";

    // Schemes of classifications.
    pub const AUTHOR: &str = "urn:uuid:a7058bb9-b4e4-4307-ba5b-e3f0ab85e12d";
    pub const CONTENT_TYPE: &str = "urn:uuid:aa543740-bdda-424e-8c96-df4873be8500";

    pub const UNIQUE_ID: IdScheme =
        IdScheme { id: "urn:uuid:96fdda7c-d067-4183-912e-bf5ee74998a8", name: "XDSSubmissionSet.uniqueId" };
    pub const SOURCE_ID: IdScheme =
        IdScheme { id: "urn:uuid:554ac39e-e3fe-47fe-b233-965d2a147832", name: "XDSSubmissionSet.sourceId" };
    pub const PATIENT_ID: IdScheme =
        IdScheme { id: "urn:uuid:6b5aea1a-874d-4603-a4bc-96a0a7b38446", name: "XDSSubmissionSet.patientId" };
}

/// The `hash` slot of a document: SHA-1 in hexadecimal digits.
pub fn hash(content: &[u8]) -> String {
    openssl::sha::sha1(content).iter().map(|byte| format!("{byte:02x}")).collect()
}
