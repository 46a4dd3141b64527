//! The resolved spec, which outputs render ([`plan`]); its signals, events and comparisons as PromQL ([`query`]); and what can be asked
//! of it: an inventory ([`inventory`]), how it maps to CloudWatch ([`parity`]), its conditions on a page of metrics ([`health`]) and on
//! load tests ([`gate`]).

pub mod gate;
pub mod health;
pub mod inventory;
pub mod parity;
pub mod plan;
pub mod query;
