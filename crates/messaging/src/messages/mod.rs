//! Messages as rows: finding, locking and changing them, their lists, notes, and people in their forms.

pub mod assignment_expiry;
pub mod colleagues;
pub mod kinds;
pub mod list;
pub mod notes;
pub mod passes;
pub mod patients;
pub mod plans;
pub mod queries;
pub mod rules;
