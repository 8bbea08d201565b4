//! Realistic papers of invented people, for demonstrations and tests.
