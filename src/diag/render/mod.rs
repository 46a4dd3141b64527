//! How findings are shown: one file per format.

pub mod concise;
pub mod human;
pub mod place;
