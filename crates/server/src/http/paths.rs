//! Spellings of paths by API users: a trailing slash is ignored, capital letters of documented paths may be lower
//! case, and OData identifies a record with parentheses.

use axum::{
    extract::Request,
    http::{Uri, uri::PathAndQuery},
};
use std::borrow::Cow;

/// The documented paths with capital letters outside their parameters.
pub struct DocumentedPaths(Vec<Vec<Segment>>);

enum Segment {
    Literal(String),
    Parameter,
}

impl DocumentedPaths {
    pub fn new<'a>(templates: impl Iterator<Item = &'a String>) -> Self {
        let has_capital = |segments: &Vec<Segment>| {
            let capital = |s: &Segment| matches!(s, Segment::Literal(text) if text.contains(|c: char| c.is_ascii_uppercase()));
            segments.iter().any(capital)
        };
        Self(templates.map(|template| segments(template)).filter(has_capital).collect())
    }

    /// Converts a request's path to the spelling of the registered routes.
    pub fn rewrite(&self, mut request: Request) -> Request {
        if let Some(uri) = self.rewritten(request.uri()) {
            *request.uri_mut() = uri;
        }
        request
    }

    fn rewritten(&self, uri: &Uri) -> Option<Uri> {
        let path = self.documented(&with_keys_as_segments(uri.path()));
        if path == uri.path() {
            return None;
        }
        let text = match uri.query() {
            Some(query) => format!("{path}?{query}"),
            None => path,
        };
        let mut parts = uri.clone().into_parts();
        parts.path_and_query = Some(PathAndQuery::try_from(text).ok()?);
        Uri::from_parts(parts).ok()
    }

    fn documented(&self, path: &str) -> String {
        let trimmed = path.trim_end_matches('/');
        if trimmed.is_empty() {
            return "/".into();
        }
        let given: Vec<&str> = trimmed.split('/').collect();
        match self.0.iter().find(|template| fits(template, &given)) {
            Some(template) => template.iter().zip(&given).map(written).collect::<Vec<_>>().join("/"),
            None => trimmed.to_owned(),
        }
    }
}

/// `/odata/messages(7)/files` as `/odata/messages/7/files`; OData 4.01 allows both (URL Conventions 4.3.5).
fn with_keys_as_segments(path: &str) -> Cow<'_, str> {
    if !path.starts_with("/odata/") || !path.contains('(') {
        return path.into();
    }
    let with_key = |segment: &str| match segment.strip_suffix(')').and_then(|rest| rest.split_once('(')) {
        Some((name, key)) => format!("{name}/{key}"),
        None => segment.to_owned(),
    };
    path.split('/').map(with_key).collect::<Vec<_>>().join("/").into()
}

fn segments(template: &str) -> Vec<Segment> {
    let segment = |text: &str| {
        if text.starts_with('{') { Segment::Parameter } else { Segment::Literal(text.to_owned()) }
    };
    template.split('/').map(segment).collect()
}

fn fits(template: &[Segment], given: &[&str]) -> bool {
    template.len() == given.len()
        && template.iter().zip(given).all(|(segment, text)| match segment {
            Segment::Literal(literal) => literal.eq_ignore_ascii_case(text),
            Segment::Parameter => true,
        })
}

fn written<'a>((segment, given): (&'a Segment, &'a &str)) -> &'a str {
    match segment {
        Segment::Literal(literal) => literal,
        Segment::Parameter => given,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(path: &str) -> String {
        let templates = ["/api/entitysettings/Brand/{brandId}".to_owned(), "/api/users/{id}".to_owned()];
        let paths = DocumentedPaths::new(templates.iter());
        let request = Request::builder().uri(path).body(axum::body::Body::empty()).expect("a request");
        paths.rewrite(request).uri().to_string()
    }

    #[test]
    fn documented_capitals_may_be_small_and_parameters_stay_as_they_are() {
        assert_eq!(rewritten("/api/entitysettings/brand/AbC"), "/api/entitysettings/Brand/AbC");
        assert_eq!(rewritten("/api/entitysettings/Brand/AbC?Q=r"), "/api/entitysettings/Brand/AbC?Q=r");
    }

    #[test]
    fn a_key_in_parentheses_is_a_segment_of_odata_alone() {
        assert_eq!(rewritten("/odata/messages(7)/files?$top=2"), "/odata/messages/7/files?$top=2");
        assert_eq!(rewritten("/odata/messages"), "/odata/messages");
        assert_eq!(rewritten("/api/users(7)"), "/api/users(7)");
    }

    #[test]
    fn trailing_slashes_are_ignored_and_the_query_stays() {
        assert_eq!(rewritten("/api/users/7//?a=b/"), "/api/users/7?a=b/");
        assert_eq!(rewritten("/"), "/");
    }
}
