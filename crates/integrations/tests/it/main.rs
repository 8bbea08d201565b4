//! Connections to EHRs, lookups in charts and filing into them, with the sample practice over HTTP.

mod charts;
mod connections;
mod failures;
mod filing_rules;
mod hospital;
mod login;
mod lookups;
mod services;
mod world;
