//! Identifiers of resources, from names that may become alike.
//!
//! `night-1` and `night_1` are both `night_1` in Terraform: the second becomes `night_1_2`.

use std::collections::BTreeSet;

pub(super) struct Unique {
    taken: BTreeSet<String>,
    /// Between an identifier and its number.
    sign: &'static str,
}

impl Unique {
    pub(super) fn numbered_with(sign: &'static str) -> Self {
        Self {
            taken: BTreeSet::new(),
            sign,
        }
    }

    pub(super) fn take(&mut self, base: String) -> String {
        let mut own = base.clone();
        let mut n = 1;
        while !self.taken.insert(own.clone()) {
            n += 1;
            own = format!("{base}{}{n}", self.sign);
        }
        own
    }
}
