//! Webhooks from the view of administrators and endpoints.

mod endpoint;
mod sending;
mod settings;
