//! The word at a place: the name of a metric, of a signal, of anything.

use std::ops::Range;

/// The bytes of the name that a byte is in or behind: `vllm:num_requests_waiting`, `vllm.kv_cache_usage`, `high-ttft`.
pub(super) fn at(text: &str, offset: usize) -> Range<usize> {
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b':' | b'.' | b'-');
    let bytes = text.as_bytes();
    let before = bytes[..offset].iter().rev().take_while(|b| is_part(b));
    let after = bytes[offset..].iter().take_while(|b| is_part(b));
    let found = offset - before.count()..offset + after.count();
    // `signal: x` and `a - b` have signs that are no part of a name.
    let word = &text[found.clone()];
    let left = word.len() - word.trim_start_matches(['-', '.']).len();
    let right = word.len() - word.trim_end_matches([':', '-', '.']).len();
    match left + right < word.len() {
        true => found.start + left..found.end - right,
        false => offset..offset,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_where_other_signs_begin() {
        let text = "expr: rate(vllm:a_total[5m]) - b";
        assert_eq!(&text[at(text, 2)], "expr");
        assert_eq!(&text[at(text, 15)], "vllm:a_total");
        assert_eq!(&text[at(text, 23)], "vllm:a_total");
        assert_eq!(&text[at(text, 29)], "");
        assert_eq!(&text[at(text, text.len())], "b");
    }
}
