//! How calls fail: by chance, the same for the same seed.

use std::time::Duration;

use serde_json::Value;

use super::answers::Refusal;
use super::http::Connection;

/// How long a hanging answer takes: longer than any client of the tests waits.
const HANG: Duration = Duration::from_millis(600);

/// Which calls fail.
#[derive(Clone, Debug, Default)]
pub(crate) struct Faults {
    seed: u64,
    /// Of a hundred calls, so many fail.
    share: u64,
    /// Calls before the server answers no more.
    until: Option<usize>,
}

/// What happens to one call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Fault {
    None,
    Throttled,
    Conflict,
    /// Status 500, before or after the call had its effect.
    Broken {
        after: bool,
    },
    /// No answer in time.
    Hangs {
        after: bool,
    },
    /// The connection ends.
    Dropped {
        after: bool,
    },
    /// The connection ends in the middle of the answer.
    Half,
}

impl Faults {
    pub(crate) fn random(seed: u64, share: u64) -> Self {
        Self {
            seed: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
            share,
            until: None,
        }
    }

    /// After so many calls every connection ends, until other faults are set.
    pub(crate) fn then_dead(self, after: usize) -> Self {
        Self {
            until: Some(after),
            ..self
        }
    }

    fn random_number(&mut self) -> u64 {
        // xorshift64
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        self.seed >> 16
    }

    pub(super) fn next(&mut self) -> Fault {
        if let Some(left) = &mut self.until {
            if *left == 0 {
                return Fault::Dropped { after: false };
            }
            *left -= 1;
        }
        if self.share == 0 || self.random_number() % 100 >= self.share {
            return Fault::None;
        }
        let after = self.random_number().is_multiple_of(2);
        match self.random_number() % 12 {
            0..=3 => Fault::Throttled,
            4 => Fault::Conflict,
            5..=7 => Fault::Broken { after },
            8 => Fault::Hangs { after },
            9 | 10 => Fault::Dropped { after },
            _ => Fault::Half,
        }
    }
}

impl Fault {
    /// Answers, or not; true while the connection lives.
    pub(super) fn play(
        self,
        connection: &mut Connection,
        answer: impl FnOnce() -> Result<Value, Refusal>,
    ) -> bool {
        let answer = match self {
            Self::None => answer(),
            Self::Throttled => Err(Refusal::throttled()),
            Self::Conflict => Err(Refusal::new(
                "ConflictException",
                "somebody else changes it",
            )),
            Self::Broken { after } => {
                if after {
                    drop(answer());
                }
                Err(Refusal::broken())
            }
            Self::Hangs { after } => {
                if after {
                    drop(answer());
                }
                std::thread::sleep(HANG);
                return false;
            }
            Self::Dropped { after } => {
                if after {
                    drop(answer());
                }
                return false;
            }
            Self::Half => {
                drop(answer());
                // The client may be gone already.
                let _ = connection.answer_half();
                return false;
            }
        };
        connection.answer(answer).is_ok()
    }
}
