//! Systems that may send documents by HL7 v2 and XDR, and their refused messages.

mod connections;
mod refusals;

pub(crate) use connections::ConnectionRecord;

use platform::api::Api;

pub fn api() -> Api {
    connections::api().merge(refusals::api())
}
