//! The catalog against its recordings.

mod index;
