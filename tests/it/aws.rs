//! `slosmith cloudwatch` against a small CloudWatch on this machine.

mod botocore;
mod command;
mod faults;
mod library;
mod owners;
mod server;
