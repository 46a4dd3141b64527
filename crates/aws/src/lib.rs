//! CloudWatch alarms, mute rules and dashboards of a live account: what must change, and changing it.
//!
//! ```text
//! spec → Desired ─┐
//!                 ├─ Changes ─ waves of calls ─ Account
//! account → State ┘
//! ```
//!
//! Only `account`, `session` and `signer` talk to AWS; all decisions are made before, by functions of values.

mod account;
mod api;
mod changes;
mod cost;
mod desired;
mod error;
mod fields;
mod listing;
mod normal;
mod object;
mod order;
mod pace;
mod saved;
mod session;
mod signer;

/// What [`Session::of`] takes.
pub use {aws_config, aws_credential_types};

pub use account::{Account, Outcome, Watch};
pub use changes::{Action, Allowed, Change, Changes, Problem, hash};
pub use desired::DesiredError;
pub use error::CallError;
pub use fields::{FieldChange, differences};
pub use normal::normal;
pub use object::{
    Desired, HASH_TAG, Key, Kind, Object, SERVICE_TAG, SPEC_TAG, Space, State, Tags, Wanted, parts,
};
pub use order::{Call, Wave, waves};
pub use pace::{Operation, Pace};
pub use saved::{Saved, SavedError};
pub use session::{Endpoints, Session, SessionError, Settings};
pub use signer::{Identity, Signer};
