//! What the rules of a service would have done on the history of a Prometheus server: when each alert would have fired, and how much of each
//! error budget was spent.
//!
//! Each expression that reads what was scraped is asked of the server at each evaluation ([`ask`]). What reads recorded series is evaluated
//! here, from the answers ([`evaluate`]), so that a window of three days costs the server no more than one of five minutes. The result is what
//! a server would have recorded in `ALERTS` that had these rules all the time, and evaluated them at whole steps.

pub mod ask;
mod curve;
mod error;
pub mod evaluate;
mod firing;
mod incidents;
mod needs;
mod plot;
mod prepare;
mod readers;
pub mod report;
mod split;
pub mod suggest;
mod tries;

pub use ask::{Answer, Failure, Range, Server, patiently};
pub use error::{Error, count_of};
pub use evaluate::{Also, backtest};
pub use incidents::compare;
pub use plot::COLUMNS;
pub use prepare::{Planned, planned};
pub use report::{
    Alert, Curve, Firing, Found, Gap, Incident, Incidents, Line, Objective, Outcome, Page, Plot,
    Report, Tier,
};
pub use suggest::{Advice, Rates, Suggestions, Verdict, Wish, suggest};
pub use tries::{Change, What};
