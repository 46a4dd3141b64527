//! `slosmith build` as a person runs it: the real binary, in a folder of its own.

mod committed;
mod configured;
mod extends;
mod kubernetes;
mod names;
mod one_for_all;
mod refused;
mod rulers;
mod servers;
mod services;
mod strangers;
mod templates;
mod twice;
