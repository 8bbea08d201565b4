//! Which systems may send documents here by HL7 v2 and XDR, and what was refused.

mod connections;
mod refusals;

pub(crate) use connections::ConnectionRecord;

use platform::api::Api;

pub fn api() -> Api {
    connections::api().merge(refusals::api())
}
