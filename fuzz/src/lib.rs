//! What must hold for any input: the fuzz targets and a stable test (`tests/it/fuzz.rs`) both ask this.

pub mod properties;
pub mod seeds;
