//! When a condition begins and ends to hold after its signal changed.
//!
//! A window mixes old and new samples. After `k` of `n` steps between `k / (n + 1)` and `k / (n - 1)` of it
//! is new: Prometheus 2 counts the sample at the window's start, Prometheus 3 does not.

/// Steps after a change, from the first at which something may be to the first at which it surely is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Steps {
    pub(super) earliest: u64,
    pub(super) latest: u64,
}

impl Steps {
    /// At the next step.
    pub(super) const NEXT: Steps = Steps {
        earliest: 1,
        latest: 1,
    };

    /// When more than `share` of a window of `n` steps is new.
    pub(super) fn until(share: f64, n: f64) -> Self {
        if n == 0.0 {
            return Self::NEXT;
        }
        // All are small and not negative.
        let floor = |x: f64| x.max(0.0).floor() as u64;
        Self {
            earliest: floor(share * (n - 1.0)).max(1),
            // More than all of a window is never new: then all of it is enough.
            latest: match share < 1.0 {
                true => floor(share * (n + 1.0)) + 1,
                false => (n + 1.0).ceil() as u64,
            },
        }
    }

    /// Anywhere within a window, when the exact share is not known.
    pub(super) fn within(n: f64) -> Self {
        Self {
            earliest: 1,
            latest: Self::until(1.0, n).latest + 2,
        }
    }

    /// When both hold.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            earliest: self.earliest.max(other.earliest),
            latest: self.latest.max(other.latest),
        }
    }

    /// When one of them ends.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            earliest: self.earliest.min(other.earliest),
            latest: self.latest.min(other.latest),
        }
    }
}
