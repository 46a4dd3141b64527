//! PromQL: lexer, parser, syntax tree, types, labels and printer, all with byte spans.
//!
//! Accepts and rejects what Prometheus 3 does on stable syntax.

pub mod ast;
