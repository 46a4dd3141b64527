//! Fingerprints of texts: xxHash3, 128 bits, as `xxh128sum` prints them.
//!
//! They find accidents, not forgers: who can edit a generated file can edit the manifest beside it.

use std::fmt;

use twox_hash::XxHash3_128;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Digest(u128);

impl Digest {
    pub fn of(bytes: &[u8]) -> Self {
        Self(XxHash3_128::oneshot(bytes))
    }

    /// Fingerprint of several texts in this order. Their lengths count, so that no two lists are alike.
    pub fn of_all<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut hasher = XxHash3_128::new();
        for part in parts {
            hasher.write(&part.len().to_le_bytes());
            hasher.write(part);
        }
        Self(hasher.finish_128())
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        let digits = text.len() == 32 && text.bytes().all(|b| b.is_ascii_hexdigit());
        digits
            .then(|| u128::from_str_radix(text, 16).ok())?
            .map(Self)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_what_xxh128sum_prints() {
        // printf '' | xxh128sum; printf abc | xxh128sum
        let empty = "99aa06d3014798d86001c324468d497f";
        assert_eq!(Digest::of(b"").to_string(), empty);
        let abc = "06b05ab6733a618578af5f94892f3950";
        assert_eq!(Digest::of(b"abc").to_string(), abc);
        assert_eq!(Digest::parse(abc), Some(Digest::of(b"abc")));
    }

    #[test]
    fn lists_differ_where_their_parts_do() {
        let of = |parts: &[&str]| Digest::of_all(parts.iter().map(|p| p.as_bytes()));
        assert_ne!(of(&["ab", "c"]), of(&["a", "bc"]));
        assert_ne!(of(&["a"]), of(&["a", ""]));
        assert_eq!(of(&["a", "b"]), of(&["a", "b"]));
    }

    #[test]
    fn only_32_digits_are_one() {
        assert_eq!(Digest::parse("+6b05ab6733a618578af5f94892f3950"), None);
        assert_eq!(Digest::parse("06b0"), None);
    }
}
