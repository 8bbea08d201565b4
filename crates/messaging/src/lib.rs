//! messaging
