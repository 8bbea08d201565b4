//! accounts
