//! Versioned migrations, one schema for both databases.

mod m0001_initial;
mod m0002_append_only_audit;
mod m0003_names_of_blobs;
mod m0004_lists_by_kind;
mod m0005_email;
mod m0006_search_by_number;
mod m0007_sign_in;
mod m0008_onboarding;
mod m0009_directory;
mod m0010_lists_by_address;
mod m0011_trust_changes;
mod m0012_users;
mod m0013_networks;
mod m0014_single_sign_on;
mod m0015_notifications;
mod m0017_address_indexes;
mod m0019_address_statistics;
mod m0020_fax;
mod m0021_directory_address;
mod m0022_reports;
mod m0023_carequality_entries;
mod m0024_directory_places;
mod m0025_fax_cancel;
mod m0026_brand_cover;
mod m0027_directory_words_in_places;
mod m0028_versions_and_codes;
mod m0029_directory_pairs;
mod m0030_no_attachment_hash;
mod m0031_mail_in_its_row;
mod m0032_vocabulary;
mod m0033_lists;
mod m0034_console;
mod m0035_people;
mod m0036_health;
mod m0037_known_browsers;
mod m0038_strangers;
mod m0039_revocation;
mod m0040_lanes;
mod m0043_versions_of_sources;
mod m0046_brands;
mod m0050_sts_policies;
mod m0051_service_accounts;
mod m0052_generated_reports;
mod m0053_organization_names;
mod m0057_imports;
mod m0058_retries;
mod m0063_webhooks;
mod m0064_support_tickets;
mod m0070_runs;
mod m0071_message_numbers;
mod m0080_features;
mod m0081_audit_search;
mod m0082_integrations;
mod m0083_licences;
mod m0084_api_capture;
mod m0090_failed_messages;
mod m0091_own_release_types;
mod m0100_intake_desk;
mod m0110_intake_rules;
mod m0111_conversations;
mod m0120_conversions;
mod m0125_triage;
mod m0126_triage_and_contents;
mod m0127_readers_of_addresses;
mod m0130_routing;
mod m0140_alerts;
mod m0141_partial_routes;
mod m0142_interfaces;
mod m0145_trust_versions;
mod m0150_cached_documents;
mod m0155_export_tasks;
mod m0160_signatures;
mod m0161_bulk_jobs;
mod m0165_malware;
mod m0166_known_patients;
mod m0167_filing_evidence;
mod m0168_messages_of_documents;
mod m0170_console;
mod m0172_restricted_documents;
mod m0173_text_of_documents;
mod m0174_deleted_messages;
mod m0175_used_assertions;
mod m0178_patient_doubts;
mod m0179_desk;
mod m0180_patients;
mod m0182_binding_terms;
mod m0183_own_document_types;
mod m0184_preferred_group_names;
mod m0185_types_of_applications;
mod m0186_prescription_networks;
mod m0187_steps_that_end_a_process;
mod m0188_loose_assertions;
mod m0190_forgotten_captures;
mod m0191_strong_single_sign_on;
mod m0192_trail_by_type;
mod m0193_permissions;
mod m0194_one_send_type;
mod m0195_integrations;
mod m0196_feeds;
mod m0197_signed_documents;
mod m0198_filing_rules;
mod m0199_integration_members;

use sea_orm_migration::prelude::*;

/// Applies the migrations in order. [`crate::Store::migrate`] holds the lock that separates nodes starting together.
pub struct Migrator;

impl Migrator {
    /// Names of the applied migrations of a database.
    pub async fn applied_names(db: &impl sea_orm::ConnectionTrait) -> Result<Vec<String>, DbErr> {
        let select = Query::select().column("version").from("seaql_migrations").to_owned();
        let rows = db.query_all(&select).await?;
        rows.iter().map(|row| row.try_get("", "version")).collect()
    }
}

#[async_trait::async_trait]
impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![
            Box::new(m0001_initial::Migration),
            Box::new(m0002_append_only_audit::Migration),
            Box::new(m0003_names_of_blobs::Migration),
            Box::new(m0004_lists_by_kind::Migration),
            Box::new(m0005_email::Migration),
            Box::new(m0006_search_by_number::Migration),
            Box::new(m0007_sign_in::Migration),
            Box::new(m0008_onboarding::Migration),
            Box::new(m0009_directory::Migration),
            Box::new(m0010_lists_by_address::Migration),
            Box::new(m0011_trust_changes::Migration),
            Box::new(m0012_users::Migration),
            Box::new(m0013_networks::Migration),
            Box::new(m0014_single_sign_on::Migration),
            Box::new(m0015_notifications::Migration),
            Box::new(m0017_address_indexes::Migration),
            Box::new(m0019_address_statistics::Migration),
            Box::new(m0020_fax::Migration),
            Box::new(m0021_directory_address::Migration),
            Box::new(m0022_reports::Migration),
            Box::new(m0023_carequality_entries::Migration),
            Box::new(m0024_directory_places::Migration),
            Box::new(m0025_fax_cancel::Migration),
            Box::new(m0026_brand_cover::Migration),
            Box::new(m0027_directory_words_in_places::Migration),
            Box::new(m0028_versions_and_codes::Migration),
            Box::new(m0029_directory_pairs::Migration),
            Box::new(m0030_no_attachment_hash::Migration),
            Box::new(m0031_mail_in_its_row::Migration),
            Box::new(m0032_vocabulary::Migration),
            Box::new(m0033_lists::Migration),
            Box::new(m0034_console::Migration),
            Box::new(m0035_people::Migration),
            Box::new(m0036_health::Migration),
            Box::new(m0037_known_browsers::Migration),
            Box::new(m0038_strangers::Migration),
            Box::new(m0039_revocation::Migration),
            Box::new(m0040_lanes::Migration),
            Box::new(m0043_versions_of_sources::Migration),
            Box::new(m0046_brands::Migration),
            Box::new(m0050_sts_policies::Migration),
            Box::new(m0051_service_accounts::Migration),
            Box::new(m0052_generated_reports::Migration),
            Box::new(m0053_organization_names::Migration),
            Box::new(m0057_imports::Migration),
            Box::new(m0058_retries::Migration),
            Box::new(m0063_webhooks::Migration),
            Box::new(m0064_support_tickets::Migration),
            Box::new(m0070_runs::Migration),
            Box::new(m0071_message_numbers::Migration),
            Box::new(m0080_features::Migration),
            Box::new(m0081_audit_search::Migration),
            Box::new(m0082_integrations::Migration),
            Box::new(m0083_licences::Migration),
            Box::new(m0084_api_capture::Migration),
            Box::new(m0090_failed_messages::Migration),
            Box::new(m0091_own_release_types::Migration),
            Box::new(m0100_intake_desk::Migration),
            Box::new(m0110_intake_rules::Migration),
            Box::new(m0111_conversations::Migration),
            Box::new(m0120_conversions::Migration),
            Box::new(m0125_triage::Migration),
            Box::new(m0126_triage_and_contents::Migration),
            Box::new(m0127_readers_of_addresses::Migration),
            Box::new(m0130_routing::Migration),
            Box::new(m0140_alerts::Migration),
            Box::new(m0141_partial_routes::Migration),
            Box::new(m0142_interfaces::Migration),
            Box::new(m0145_trust_versions::Migration),
            Box::new(m0150_cached_documents::Migration),
            Box::new(m0155_export_tasks::Migration),
            Box::new(m0160_signatures::Migration),
            Box::new(m0161_bulk_jobs::Migration),
            Box::new(m0165_malware::Migration),
            Box::new(m0166_known_patients::Migration),
            Box::new(m0167_filing_evidence::Migration),
            Box::new(m0168_messages_of_documents::Migration),
            Box::new(m0170_console::Migration),
            Box::new(m0172_restricted_documents::Migration),
            Box::new(m0173_text_of_documents::Migration),
            Box::new(m0174_deleted_messages::Migration),
            Box::new(m0175_used_assertions::Migration),
            Box::new(m0178_patient_doubts::Migration),
            Box::new(m0179_desk::Migration),
            Box::new(m0180_patients::Migration),
            Box::new(m0182_binding_terms::Migration),
            Box::new(m0183_own_document_types::Migration),
            Box::new(m0184_preferred_group_names::Migration),
            Box::new(m0185_types_of_applications::Migration),
            Box::new(m0186_prescription_networks::Migration),
            Box::new(m0187_steps_that_end_a_process::Migration),
            Box::new(m0188_loose_assertions::Migration),
            Box::new(m0190_forgotten_captures::Migration),
            Box::new(m0191_strong_single_sign_on::Migration),
            Box::new(m0192_trail_by_type::Migration),
            Box::new(m0193_permissions::Migration),
            Box::new(m0194_one_send_type::Migration),
            Box::new(m0195_integrations::Migration),
            Box::new(m0196_feeds::Migration),
            Box::new(m0197_signed_documents::Migration),
            Box::new(m0198_filing_rules::Migration),
            Box::new(m0199_integration_members::Migration),
        ]
    }
}
