//! Which lines of a page are code.

#[derive(Default)]
pub(super) struct Fences<'t> {
    open: Option<&'t str>,
}

impl<'t> Fences<'t> {
    pub(super) fn is_code(&mut self, line: &'t str) -> bool {
        let line = line.trim();
        let sign = line.chars().next().filter(|c| matches!(c, '`' | '~'));
        let length = sign.map_or(0, |sign| line.len() - line.trim_start_matches(sign).len());
        let (fence, rest) = line.split_at(length);
        match self.open {
            Some(open) => {
                if fence.starts_with(open) && rest.is_empty() {
                    self.open = None;
                }
                true
            }
            None if length >= 3 && !(sign == Some('`') && rest.contains('`')) => {
                self.open = Some(fence);
                true
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_ends_with_its_own_signs() {
        let mut fences = Fences::default();
        let lines = [
            "a",
            "````sh",
            "```",
            "~~~",
            "````",
            "b",
            "``` `c` ```",
            "  ~~~",
            "d",
            "~~~",
            "e",
        ];
        let code: Vec<_> = lines.iter().filter(|line| fences.is_code(line)).collect();
        assert_eq!(
            code,
            [&"````sh", &"```", &"~~~", &"````", &"  ~~~", &"d", &"~~~"]
        );
    }
}
