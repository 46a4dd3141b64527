//! Spec, library and catalog → plan, or findings.

mod tiers;
