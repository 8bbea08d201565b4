//! Dependencies of the product: the bill of materials, and security advisories.

use crate::configuration::text;
use serde_json::Value;
use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Output},
};

fn script(name: &str) -> Command {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut command = Command::new("python3");
    command.arg(root.join("script").join(name)).current_dir(root);
    command
}

#[test]
fn the_bill_of_materials_names_crates_and_packages_with_licence_and_checksum() {
    let output = script("sbom").output().expect("python3 runs");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let bill: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&bill["bomFormat"], &bill["specVersion"]), (&"CycloneDX".into(), &"1.6".into()));
    let all = bill["components"].as_array().expect("components");
    let find = |start: &str| {
        let is_it = |one: &&Value| one["purl"].as_str().is_some_and(|purl| purl.starts_with(start));
        all.iter().find(is_it).unwrap_or_else(|| panic!("{start} is missing"))
    };
    for (start, scope) in [
        ("pkg:cargo/axum@", "required"),
        ("pkg:npm/react@", "required"),
        ("pkg:cargo/proptest@", "excluded"),
        ("pkg:npm/vitest@", "excluded"),
    ] {
        let found = find(start);
        assert_eq!(found["scope"], scope, "{start}");
        assert!(found["licenses"][0]["expression"].is_string() && found["hashes"][0]["content"].is_string());
    }
}

/// Runs `script/advisories` with replacements for the programs that query advisory databases.
fn with_programs(programs: &[(&str, &str)]) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, says) in programs {
        let path: PathBuf = folder.path().join(name);
        fs::write(&path, format!("#!/bin/sh\n{says}\n")).expect("the program is written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it can be run");
    }
    let python = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
    let python = python.expect("python3 runs");
    let mut command = Command::new(text(&python.stdout).trim());
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    command.arg(root.join("script/advisories")).env("PATH", folder.path());
    command.output().expect("python3 runs")
}

const NO_CRATES: &str = r#"echo '{"vulnerabilities":{"list":[]}}'"#;
const NO_PACKAGES: &str = r#"echo '{"vulnerabilities":{}}'"#;

#[test]
fn an_advisory_is_a_failure_unless_it_is_accepted() {
    let of = |id: &str| {
        format!(
            r#"echo '{{"vulnerabilities":{{"list":[{{"advisory":{{"id":"{id}","title":"Late"}},"package":{{"name":"rsa","version":"0.9.8"}}}}]}}}}'; exit 1"#
        )
    };
    let clean = with_programs(&[("cargo-audit", NO_CRATES), ("npm", NO_PACKAGES)]);
    assert_eq!(clean.status.code(), Some(0), "{}", text(&clean.stdout));
    let accepted = with_programs(&[("cargo-audit", &of("RUSTSEC-2023-0071")), ("npm", NO_PACKAGES)]);
    assert_eq!(accepted.status.code(), Some(0), "{}", text(&accepted.stdout));
    let found = with_programs(&[("cargo-audit", &of("RUSTSEC-2026-0001")), ("npm", NO_PACKAGES)]);
    assert_eq!(found.status.code(), Some(1));
    assert!(text(&found.stdout).contains("RUSTSEC-2026-0001 rsa 0.9.8: Late"), "{}", text(&found.stdout));
}

#[test]
fn without_a_database_nothing_counts_as_checked() {
    let offline = r#"echo '{"error":{"summary":"no network"}}'; exit 1"#;
    let output = with_programs(&[("cargo-audit", "echo 'no network' >&2; exit 1"), ("npm", offline)]);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(text(&output.stdout).matches("not checked (no network)").count(), 2);
    let missing = with_programs(&[("npm", NO_PACKAGES)]);
    assert_eq!(missing.status.code(), Some(3));
}
