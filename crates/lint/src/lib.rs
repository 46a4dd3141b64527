//! Files of any origin: their queries, alerts and panels, each with the position of every byte ([`artifact`]), and the rules that check
//! them against recorded metrics ([`lint`]).

pub mod artifact;
pub mod lint;
