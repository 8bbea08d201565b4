//! Webhooks as administrators and endpoints meet them.

mod endpoint;
mod sending;
mod settings;
