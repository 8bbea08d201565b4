//! The whole application, asked from outside.
