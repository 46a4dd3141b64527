//! The ground under everything: files that users pass ([`input`]), places in them ([`source`]), findings about them and the
//! renderers of findings ([`diag`]), exact quantities ([`units`]), and a YAML reader that keeps the position of every byte ([`yaml`]).

pub mod diag;
pub mod input;
pub mod source;
pub mod units;
pub mod yaml;
