//! Recorded metrics pages, indexed by family and release.

pub mod exposition;
mod shape;

pub use shape::{DeclaredFamily, MetricType, Shape};
