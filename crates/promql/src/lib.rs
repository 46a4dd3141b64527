//! PromQL: lexer, parser, syntax tree, types, labels and printer, all with byte spans.
//!
//! ```
//! use slosmith_promql::{Dialect, parse_with, usage::comparisons};
//!
//! let query = "sum(rate(errors[$__rate_interval])) * 60 > 5";
//! let expr = parse_with(query, Dialect::Grafana).expect("a query");
//! let [comparison] = &comparisons(&expr)[..] else { panic!("one comparison") };
//! assert_eq!(&query[comparison.subject.span.clone()], "sum(rate(errors[$__rate_interval]))");
//! assert_eq!(&query[comparison.constant_span.clone()], "5");
//! ```
//!
//! Accepts and refuses what Prometheus 3.16 does with all its feature flags; [`experimental`] tells what needs a flag,
//! [`requirements`] what needs a certain release. `tools/promql-differential` holds it to Prometheus's own parser.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod ast;
pub mod build;
mod check;
mod deep;
mod duration;
mod error;
mod experimental;
mod functions;
pub mod labels;
mod lexer;
mod names;
mod parser;
pub mod placeholder;
mod printer;
mod regex;
pub mod rewrite;
mod room;
pub mod sampled;
mod series;
mod since;
pub mod usage;
pub mod visit;

pub use check::{known_type, value_type};
pub use error::SyntaxError;
pub use experimental::experimental;
pub use functions::{Extra, Function, ValueType};
pub use labels::{Kept, kept_labels, label_flow};
pub use lexer::is_function;
pub use parser::{parse, parse_recovering, parse_untyped, parse_with, reach};
pub use placeholder::Dialect;
pub use printer::pretty;
pub use regex::{alternatives, is_literal as is_literal_pattern, matcher, matches};
pub use room::with_room;
pub use series::{Series, split_series};
pub use since::{Release, Requirement, requirements};
pub use visit::selectors;
