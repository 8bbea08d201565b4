//! Connections to EHRs, lookups in charts and filing into them, with the sample practice over HTTP.

mod charts;
mod connections;
mod login;
mod lookups;
mod world;
