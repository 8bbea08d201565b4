//! The generated files in the repository match the routes.

use server::openapi;
use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
};

fn committed(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}. Run script/generate"))
}

#[test]
fn the_committed_api_description_is_fresh() {
    assert!(committed("openapi.json") == openapi::json(), "openapi.json is stale. Run script/generate");
}

#[test]
fn the_committed_access_table_is_fresh() {
    assert!(
        committed("docs/access.md") == openapi::access_table(),
        "docs/access.md is stale. Run script/generate"
    );
}

#[test]
fn every_operation_has_a_name_of_its_own_and_says_who_may_call_it() {
    let mut names = HashSet::new();
    for operation in openapi::operations() {
        let what = format!("{} {}", operation.method, operation.path);
        assert!(!operation.id.is_empty() && names.insert(operation.id.clone()), "{what}: {}", operation.id);
        assert!(!operation.roles.is_empty(), "{what} names no roles");
    }
}

/// SES-R-304
#[test]
fn what_stands_under_admin_is_closed_to_the_people_of_an_organization() {
    let of_console = openapi::operations().into_iter().filter(|o| o.path.starts_with("/api/admin/"));
    // Except for fax numbers, which administrators manage for their own organization.
    let of_console = of_console.filter(|o| !o.path.starts_with("/api/admin/documentsources"));
    let open: Vec<String> = of_console
        .filter(|o| o.roles.iter().any(|role| ["public", "user", "admin"].contains(&role.as_str())))
        .map(|o| o.path)
        .collect();
    assert!(open.is_empty(), "{open:?}");
    assert!(openapi::operations().iter().any(|o| o.path.starts_with("/api/admin/")), "there is a console");
}

/// The files in a folder and its subfolders.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
fn every_file_of_rules_is_told_in_the_documentation() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("a folder");
    let told = committed("docs/rules.md");
    let rules: Vec<_> = files(&crates).into_iter().filter(|path| path.ends_with("rules.rs")).collect();
    assert!(rules.len() > 10, "{rules:?}");
    for path in rules {
        let name = path.strip_prefix(&crates).expect("below it").display().to_string();
        assert!(told.contains(&format!("`{name}`")), "{name} is missing in docs/rules.md");
    }
}
