//! Why a call failed, and whether it may work later.

use std::error::Error;
use std::io;

use aws_sdk_cloudwatch::error::{ProvideErrorMetadata, SdkError};
use thiserror::Error as ThisError;

use super::object::Key;
use super::pace::Operation;

/// Codes of temporary errors: too many calls, a concurrent change, faults of the service.
const PASSING: [&str; 10] = [
    "ConcurrentModificationException",
    "ConflictException",
    "InternalServiceError",
    "RequestLimitExceeded",
    "RequestTimeout",
    "ResourceConflict",
    "ServiceUnavailable",
    "Throttling",
    "ThrottlingException",
    "TooManyRequestsException",
];

const MISSING: [&str; 3] = [
    "DashboardNotFoundError",
    "ResourceNotFound",
    "ResourceNotFoundException",
];

#[derive(Clone, Debug, PartialEq, Eq, ThisError)]
pub enum CallError {
    #[error("{operation:?}: {code}: {message}")]
    Refused {
        operation: Operation,
        code: String,
        message: String,
        passing: bool,
    },
    #[error("{operation:?}: {why}")]
    NoAnswer {
        operation: Operation,
        why: String,
        passing: bool,
    },
    /// It was not made: its name is taken since the account was read.
    #[error("{0} was created after the account was read; slosmith did not overwrite it")]
    Taken(Key),
    #[error("stopped")]
    Stopped,
}

fn causes<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}

pub(super) fn in_words(error: &(dyn Error + 'static)) -> String {
    let mut words: Vec<_> = causes(error).map(ToString::to_string).collect();
    words.dedup();
    words.join(": ")
}

/// True when no server listens at the address.
fn is_closed(error: &(dyn Error + 'static)) -> bool {
    let mut io = causes(error).filter_map(|error| error.downcast_ref::<io::Error>());
    io.any(|error| error.kind() == io::ErrorKind::ConnectionRefused)
}

impl CallError {
    pub(super) fn new<E>(operation: Operation, error: &SdkError<E>) -> Self
    where
        E: ProvideErrorMetadata + Error + 'static,
    {
        let status = error
            .raw_response()
            .map(|response| response.status().as_u16());
        let passing = status.is_some_and(|status| status == 429 || status >= 500);
        if let SdkError::ServiceError(refused) = error {
            let code = refused
                .err()
                .code()
                .unwrap_or("an error without a code")
                .to_owned();
            return Self::Refused {
                operation,
                passing: passing || PASSING.contains(&code.as_str()),
                message: refused.err().message().unwrap_or_default().to_owned(),
                code,
            };
        }
        let passing = match error {
            SdkError::TimeoutError(_) | SdkError::ResponseError(_) => true,
            // A closed port stays closed for the next seconds.
            SdkError::DispatchFailure(failure) if !is_closed(error) => {
                failure.is_io() || failure.is_timeout()
            }
            _ => passing,
        };
        Self::NoAnswer {
            operation,
            why: in_words(error),
            passing,
        }
    }

    pub(super) fn is_passing(&self) -> bool {
        match self {
            Self::Refused { passing, .. } | Self::NoAnswer { passing, .. } => *passing,
            Self::Taken(_) | Self::Stopped => false,
        }
    }

    pub(super) fn is_missing(&self) -> bool {
        matches!(self, Self::Refused { code, .. } if MISSING.contains(&code.as_str()))
    }
}
