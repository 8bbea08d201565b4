//! Texts with rules. A form states its rules once, by the types of its fields: the same rule is in the API
//! description, is checked with the request body ([`crate::checks`]), and is checked by the web app during typing.

use crate::fields::{
    DEFAULT_FIELD_ERROR, is_email, is_loinc, is_npi, is_oid, is_secure_url, phone_digits, street_problem,
};
use regex::Regex;
use serde_json::Value;
use std::{borrow::Cow, collections::BTreeSet};
use utoipa::openapi::{
    Object, ObjectBuilder, RefOr, Schema, extensions::Extensions, schema::SchemaFormat, schema::SchemaType,
    schema::Type,
};

/// Checks beyond a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Email,
    /// A National Provider Identifier: 10 digits including a check digit, optionally after 80840.
    Npi,
    /// Ten digits, with or without punctuation.
    Phone,
    /// An object identifier, with or without `urn:oid:`.
    Oid,
    /// A LOINC code, including its check digit.
    Loinc,
    /// A street address: no post office box.
    Street,
    /// An https address with a host; http for this machine only.
    SecureUrl,
    /// A password, code or token: any text; capture never stores a body with one.
    Secret,
}

impl Format {
    const ALL: [Self; 8] = [
        Self::Email,
        Self::Npi,
        Self::Phone,
        Self::Oid,
        Self::Loinc,
        Self::Street,
        Self::SecureUrl,
        Self::Secret,
    ];

    /// Its name in the API description.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::Npi => "npi",
            Self::Phone => "phone",
            Self::Oid => "oid",
            Self::Loinc => "loinc",
            Self::Street => "street",
            Self::SecureUrl => "secure-url",
            Self::Secret => "password",
        }
    }

    fn fits(self, text: &str) -> bool {
        match self {
            Self::Email => is_email(text),
            Self::Npi => is_npi(text),
            Self::Phone => phone_digits(text).is_some(),
            Self::Oid => is_oid(text),
            Self::Loinc => is_loinc(text),
            Self::Secret => true,
            // Returns its own error.
            Self::Street => true,
            Self::SecureUrl => is_secure_url(text),
        }
    }

    /// Error of a text that matches otherwise, if the format has its own text.
    fn problem(self, text: &str) -> Option<&'static str> {
        (self == Self::Street).then(|| street_problem(text)).flatten()
    }
}

/// Rule of a text. Lengths are in characters of the trimmed text.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    pub min: usize,
    pub max: usize,
    /// Pattern of the whole text, with the same meaning in Rust and ECMAScript (flag `u`).
    pub pattern: Option<&'static str>,
    pub format: Option<Format>,
    /// Allowed characters as a class of a pattern. Others are named: "Invalid characters in field: ! _".
    pub characters: Option<&'static str>,
    /// Allows line breaks and tabs.
    pub has_lines: bool,
    /// Error of the field.
    pub message: &'static str,
}

impl Rule {
    /// One line of text.
    pub const fn line(min: usize, max: usize) -> Self {
        let message = DEFAULT_FIELD_ERROR;
        Self { min, max, pattern: None, format: None, characters: None, has_lines: false, message }
    }

    /// Text of several lines.
    pub const fn lines(min: usize, max: usize) -> Self {
        Self { has_lines: true, ..Self::line(min, max) }
    }

    pub const fn pattern(self, pattern: &'static str) -> Self {
        Self { pattern: Some(pattern), ..self }
    }

    pub const fn format(self, format: Format) -> Self {
        Self { format: Some(format), ..self }
    }

    pub const fn characters(self, class: &'static str) -> Self {
        Self { characters: Some(class), ..self }
    }

    pub const fn says(self, message: &'static str) -> Self {
        Self { message, ..self }
    }

    /// Compiles the rule for repeated use.
    pub fn compile(&self) -> TextCheck {
        let Self { min, max, format, has_lines, .. } = *self;
        let (pattern, characters) = (self.pattern.map(whole), self.characters.map(whole));
        TextCheck { min, max, pattern, format, characters, has_lines, message: self.message.into() }
    }

    /// The pattern of the whole text for JSON Schema. An empty text always matches.
    fn described(&self, pattern: &str) -> String {
        format!("^(?:{pattern}){}$", if self.min == 0 { "?" } else { "" })
    }

    /// Its schema in the API description. `x-message`, `x-lines` (text of several lines) or `x-characters` (with the
    /// default message) marks texts that [`crate::checks`] checks.
    pub fn schema(&self) -> RefOr<Schema> {
        // Only one extension each: the order of several would differ from run to run.
        let extensions = match self.characters {
            Some(class) => Extensions::builder().add("x-characters", class),
            None if self.has_lines => Extensions::builder().add("x-lines", self.message),
            None => Extensions::builder().add("x-message", self.message),
        };
        let mut object: Object = ObjectBuilder::new()
            .schema_type(SchemaType::new(Type::String))
            .max_length(Some(self.max))
            .pattern(self.pattern.map(|pattern| self.described(pattern)))
            .format(self.format.map(|format| SchemaFormat::Custom(format.name().into())))
            .build();
        object.min_length = (self.min > 0).then_some(self.min);
        object.extensions = Some(extensions.build());
        RefOr::T(Schema::Object(object))
    }
}

fn whole(pattern: &str) -> Regex {
    Regex::new(&format!("^(?:{pattern})$")).expect("a pattern of a rule")
}

/// A [`Rule`] with its compiled pattern.
pub struct TextCheck {
    min: usize,
    max: usize,
    pattern: Option<Regex>,
    format: Option<Format>,
    characters: Option<Regex>,
    has_lines: bool,
    message: Cow<'static, str>,
}

impl TextCheck {
    /// The rule of a schema from [`Rule::schema`]; `None` for other schemas.
    pub(crate) fn of_schema(schema: &Value) -> Option<Self> {
        let characters = schema["x-characters"].as_str();
        let lines = schema["x-lines"].as_str();
        let default = characters.map(|_| DEFAULT_FIELD_ERROR);
        let message = schema["x-message"].as_str().or(lines).or(default)?.to_owned().into();
        let number = |name: &str| schema[name].as_u64().and_then(|n| usize::try_from(n).ok());
        let format = |name: &str| Format::ALL.into_iter().find(|format| format.name() == name);
        Some(Self {
            min: number("minLength").unwrap_or(0),
            max: number("maxLength").unwrap_or(usize::MAX),
            pattern: schema["pattern"].as_str().map(whole),
            format: schema["format"].as_str().and_then(format),
            characters: characters.map(whole),
            has_lines: lines.is_some(),
            message,
        })
    }

    pub(crate) fn is_required(&self) -> bool {
        self.min > 0
    }

    /// The error of a trimmed text, if any.
    pub fn problem(&self, text: &str) -> Option<Cow<'static, str>> {
        if !self.fits(text) {
            return Some(self.message.clone());
        }
        if let Some(problem) = self.format.filter(|_| !text.is_empty()).and_then(|f| f.problem(text)) {
            return Some(problem.into());
        }
        let allowed = self.characters.as_ref()?;
        let wrong: BTreeSet<char> =
            text.chars().filter(|c| !allowed.is_match(c.encode_utf8(&mut [0; 4]))).collect();
        let wrong: Vec<String> = wrong.into_iter().map(String::from).collect();
        (!wrong.is_empty()).then(|| format!("Invalid characters in field: {}", wrong.join(" ")).into())
    }

    /// An optional text that is empty needs no pattern.
    fn fits(&self, text: &str) -> bool {
        if text.is_empty() {
            return self.min == 0;
        }
        let is_allowed = |c: char| !c.is_control() || (self.has_lines && matches!(c, '\n' | '\r' | '\t'));
        // Characters are only counted if the text is short enough.
        text.len() <= self.max.saturating_mul(4)
            && (self.min..=self.max).contains(&text.chars().count())
            && text.chars().all(is_allowed)
            && self.format.is_none_or(|format| format.fits(text))
            && self.pattern.as_ref().is_none_or(|pattern| pattern.is_match(text))
    }
}

/// Defines types of texts, each with its [`Rule`]:
///
/// ```
/// platform::text! {
///     /// What a network is called.
///     pub NetworkName = platform::text::Rule::line(3, 100);
/// }
/// assert!(NetworkName::new("  Meridian Exchange ").is_ok());
/// ```
///
/// A value from a request matches its rule. The default is empty, even if the rule requires more: it represents a
/// missing field, which [`crate::checks`] refuses.
#[macro_export]
macro_rules! text {
    ($($(#[$doc:meta])* $vis:vis $name:ident = $rule:expr;)+) => { $(
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis struct $name(String);

        impl $name {
            pub const RULE: $crate::text::Rule = $rule;

            /// The trimmed text, or its error.
            pub fn new(text: &str) -> Result<Self, std::borrow::Cow<'static, str>> {
                static CHECK: std::sync::LazyLock<$crate::text::TextCheck> =
                    std::sync::LazyLock::new(|| $name::RULE.compile());
                let text = text.trim();
                match CHECK.problem(text) {
                    None => Ok(Self(text.to_owned())),
                    Some(problem) => Err(problem),
                }
            }
        }

        impl std::ops::Deref for $name {
            type Target = str;

            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl From<$name> for String {
            fn from(text: $name) -> Self {
                text.0
            }
        }

        impl $crate::serde::Serialize for $name {
            fn serialize<S: $crate::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> $crate::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str> as $crate::serde::Deserialize>::deserialize(deserializer)?;
                Self::new(&text).map_err($crate::serde::de::Error::custom)
            }
        }

        impl $crate::utoipa::PartialSchema for $name {
            fn schema() -> $crate::utoipa::openapi::RefOr<$crate::utoipa::openapi::Schema> {
                Self::RULE.schema()
            }
        }

        impl $crate::utoipa::ToSchema for $name {}
    )+ };
}

text! {
    /// A National Provider Identifier, or empty. See [`crate::fields::npi`] for its stored form.
    pub Npi = Rule::line(0, 15).format(Format::Npi);
    /// A telephone or fax number with area code, or empty.
    pub PhoneNumber = Rule::line(0, 30).format(Format::Phone);
    /// A telephone number with area code.
    pub RequiredPhoneNumber = Rule::line(1, 30).format(Format::Phone);
    /// An e-mail address.
    pub EmailAddress = Rule::line(1, 255).format(Format::Email);
    /// A line of at most 255 characters: part of an address, or a title.
    pub Line = Rule::line(0, 255);
    /// A line of 1 to 255 characters.
    pub RequiredLine = Rule::line(1, 255);
    /// Search words.
    pub SearchWords = Rule::line(0, 255);
    /// A postal code.
    pub PostalCode = Rule::line(0, 10);
    /// A required postal code.
    pub RequiredPostalCode = Rule::line(1, 10);
    /// Two letters (ISO 3166-1 alpha-2), in either case.
    pub CountryCode = Rule::line(2, 2).pattern("[A-Za-z]{2}");
    /// An object identifier.
    pub ObjectIdentifier = Rule::line(0, 255).format(Format::Oid);
    /// A required object identifier.
    pub RequiredObjectIdentifier = Rule::line(1, 255).format(Format::Oid);
    /// A LOINC code, or empty.
    pub LoincCode = Rule::line(0, 20).format(Format::Loinc)
        .says("This is not a valid LOINC code. Please check its digits (example: 11488-4).");
    /// A note of up to 2,000 characters.
    pub Note = Rule::lines(0, 2_000);
}

#[cfg(test)]
mod tests {
    use super::*;

    text! {
        Initials = Rule::line(1, 3).pattern(r"\p{Lu}+").says("Please enter capital letters.");
        Mailbox = Rule::line(0, 20).format(Format::Email);
        Plain = Rule::line(0, 50).characters(r"[\p{L}\p{N} ]");
    }

    #[test]
    fn characters_that_do_not_fit_are_named() {
        let wrong = Err("Invalid characters in field: ! _".into());
        assert_eq!(Plain::new("Best_Care! Clinic_"), wrong);
        assert!(Plain::new("Bäder Łódź").is_ok());
    }

    #[test]
    fn a_text_becomes_a_string() {
        assert_eq!(String::from(Initials::new(" ŁÄ ").expect("initials")), "ŁÄ");
    }

    #[test]
    fn a_text_is_trimmed_and_counted_in_characters() {
        assert_eq!(RequiredLine::new("  Łukasz \n").as_deref(), Ok("Łukasz"));
        assert!(RequiredLine::new("   ").is_err() && Line::new("   ").is_ok());
        assert!(Line::new(&"ł".repeat(255)).is_ok() && Line::new(&"ł".repeat(256)).is_err());
    }

    #[test]
    fn control_characters_fit_no_line_and_only_breaks_fit_lines() {
        assert!(Line::new("two\nlines").is_err() && Line::new("nul\0").is_err());
        assert!(Note::new("two\nlines\tand a tab").is_ok() && Note::new("nul\0 inside").is_err());
    }

    #[test]
    fn a_pattern_describes_the_whole_text_and_an_empty_one_needs_none() {
        assert_eq!(Initials::new("ab"), Err("Please enter capital letters.".into()));
        assert!(Initials::new("ŁÄ").is_ok() && Initials::new("Ab").is_err());
        assert!(
            Mailbox::new("").is_ok() && Mailbox::new("a@b.example").is_ok() && Mailbox::new("a@b").is_err()
        );
    }
}
