//! Messages as people and other systems meet them: over HTTP, over SMTP, on both databases.

mod arrivals;
mod attachments;
mod bundles;
mod chores;
mod direct_addresses;
mod events;
mod failures;
mod fallback;
mod faults;
mod fax;
mod fax_admin;
mod fax_arrivals;
mod fax_cancel;
mod fax_cover;
mod fax_limits;
mod fax_modems;
mod fax_non_phi;
mod fax_old;
mod fax_services;
mod hubs;
mod intake;
mod interoperability;
mod journey;
#[path = "../../../fax/tests/it/lines.rs"]
#[allow(dead_code, reason = "tests of crate `fax` do harm to calls, too")]
mod lines;
mod notices;
mod partner;
mod protection;
mod refusals;
mod release_types;
mod summary;
mod support;
