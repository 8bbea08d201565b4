//! Writing of metadata. The elements have the prefix `rim`, which [`submit_objects`] declares. Values are escaped here;
//! ids and `content` are written as they are.

use super::{APPROVED, HAS_MEMBER, IdScheme, LCM, OBJECT_TYPE, RIM, document_entry};
use xml::escaped;

/// A request to submit these objects (ebRS 3.0).
pub fn submit_objects(objects: &str) -> String {
    format!(
        "<lcm:SubmitObjectsRequest xmlns:lcm=\"{LCM}\" xmlns:rim=\"{RIM}\"><rim:RegistryObjectList>{objects}\
         </rim:RegistryObjectList></lcm:SubmitObjectsRequest>"
    )
}

/// A document entry with its slots, name and parts.
pub fn document_entry(id: &str, media_type: &str, content: &str) -> String {
    format!(
        "<rim:ExtrinsicObject id=\"{id}\" mimeType=\"{}\" objectType=\"{}\" status=\"{APPROVED}\">{content}\
         </rim:ExtrinsicObject>",
        escaped(media_type),
        document_entry::STABLE
    )
}

/// A package with its slots, name and parts: a submission set, if [`node`] classifies it as one.
pub fn registry_package(id: &str, content: &str) -> String {
    format!("<rim:RegistryPackage id=\"{id}\" status=\"{APPROVED}\">{content}</rim:RegistryPackage>")
}

/// The association of a submission set with a document entry that it brings.
pub fn member(id: &str, set: &str, entry: &str) -> String {
    format!(
        "<rim:Association id=\"{id}\" associationType=\"{HAS_MEMBER}\" sourceObject=\"{set}\" targetObject=\"{entry}\" \
         objectType=\"{OBJECT_TYPE}Association\">{}</rim:Association>",
        slot("SubmissionSetStatus", ["Original"])
    )
}

/// The classification of an object by a node.
pub fn node(id: &str, object: &str, node: &str) -> String {
    format!(
        "<rim:Classification id=\"{id}\" classifiedObject=\"{object}\" classificationNode=\"{node}\" \
         objectType=\"{OBJECT_TYPE}Classification\"/>"
    )
}

/// A slot and its values.
pub fn slot<T: AsRef<str>>(name: &str, values: impl IntoIterator<Item = T>) -> String {
    let values: String =
        values.into_iter().map(|value| format!("<rim:Value>{}</rim:Value>", escaped(value))).collect();
    format!("<rim:Slot name=\"{name}\"><rim:ValueList>{values}</rim:ValueList></rim:Slot>")
}

/// The name of an object.
pub fn name(text: &str) -> String {
    format!("<rim:Name><rim:LocalizedString value=\"{}\"/></rim:Name>", escaped(text))
}

/// Writes the classifications and external identifiers of one object, each with an id of its own.
#[derive(Debug)]
pub struct Parts<'a> {
    object: &'a str,
    prefix: String,
    count: usize,
}

impl<'a> Parts<'a> {
    /// Their ids begin with `prefix`, which is different for each object.
    pub fn new(object: &'a str, prefix: impl Into<String>) -> Self {
        Self { object, prefix: prefix.into(), count: 0 }
    }

    fn id(&mut self) -> String {
        self.count += 1;
        format!("{}-{}", self.prefix, self.count)
    }

    /// A code with its name.
    pub fn code(&mut self, scheme: &str, code: &str, coding_scheme: &str, title: &str) -> String {
        self.classification(scheme, code, &(slot("codingScheme", [coding_scheme]) + &name(title)))
    }

    /// An author, whose slots are the content.
    pub fn author(&mut self, scheme: &str, content: &str) -> String {
        self.classification(scheme, "", content)
    }

    fn classification(&mut self, scheme: &str, code: &str, content: &str) -> String {
        format!(
            "<rim:Classification id=\"{}\" classificationScheme=\"{scheme}\" classifiedObject=\"{}\" \
             nodeRepresentation=\"{}\">{content}</rim:Classification>",
            self.id(),
            self.object,
            escaped(code)
        )
    }

    pub fn identifier(&mut self, scheme: IdScheme, value: &str) -> String {
        format!(
            "<rim:ExternalIdentifier id=\"{}\" identificationScheme=\"{}\" registryObject=\"{}\" value=\"{}\">{}\
             </rim:ExternalIdentifier>",
            self.id(),
            scheme.id,
            self.object,
            escaped(value),
            name(scheme.name)
        )
    }
}
