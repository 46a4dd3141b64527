//! Why a call failed, and whether it may work later.

use std::error::Error;
use std::io;

use aws_sdk_cloudwatch::config::http::HttpResponse;
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

/// Characters shown of an answer that cannot be read.
const BEGINNING: usize = 60;

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

/// An answer that is none of AWS's: its status, its beginning, and why it could not be read.
fn unreadable(answer: &HttpResponse, error: &(dyn Error + 'static), address: &str) -> String {
    let status = answer.status().as_u16();
    let body = String::from_utf8_lossy(answer.body().bytes().unwrap_or_default());
    let start: String = body.chars().take(BEGINNING).collect();
    let causes = in_words(error);
    format!(
        "{address} answered with status {status} and `{start}`, which is no answer of AWS: {causes}"
    )
}

impl CallError {
    /// `address` is that of the server, for people.
    pub(super) fn new<E>(operation: Operation, error: &SdkError<E>, address: &str) -> Self
    where
        E: ProvideErrorMetadata + Error + 'static,
    {
        let status = error
            .raw_response()
            .map(|response| response.status().as_u16());
        let passing = status.is_some_and(|status| status == 429 || status >= 500);
        let (why, passing) = match error {
            SdkError::ServiceError(refused) => match refused.err().code() {
                Some(code) => {
                    return Self::Refused {
                        operation,
                        passing: passing || PASSING.contains(&code),
                        message: refused.err().message().unwrap_or_default().to_owned(),
                        code: code.to_owned(),
                    };
                }
                None => (unreadable(refused.raw(), refused.err(), address), passing),
            },
            SdkError::TimeoutError(_) | SdkError::ResponseError(_) => (in_words(error), true),
            SdkError::DispatchFailure(failure) => {
                let why = format!(
                    "cannot reach {address}: {}; check the region, `--endpoint-url`, and proxies (`HTTPS_PROXY`, `NO_PROXY`)",
                    in_words(error)
                );
                // A connection may end before the answer, which the SDK files under others; a closed port stays closed.
                let lost = failure.is_io() || failure.is_timeout() || failure.as_other().is_some();
                (why, lost && !is_closed(error))
            }
            _ => (in_words(error), passing),
        };
        Self::NoAnswer {
            operation,
            why,
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
