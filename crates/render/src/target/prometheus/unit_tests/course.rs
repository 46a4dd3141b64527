//! The steps of a test whose input is searched for.

/// Steps of a course: a past without fault, a fault, and the time after it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Course {
    pub(super) history: u64,
    pub(super) fault: u64,
    pub(super) after: u64,
    /// How much earlier parts with a fixed bound may be at fault.
    pub(super) lead: u64,
}

impl Course {
    /// The last step of the fault.
    pub(super) fn stop(&self) -> u64 {
        self.history + self.fault
    }

    /// The last step.
    pub(super) fn end(&self) -> u64 {
        self.stop() + self.after
    }
}
