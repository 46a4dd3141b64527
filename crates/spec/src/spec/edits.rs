//! Edits of a spec's text that add or remove a field.

use super::Document;
use slosmith_text::diag::Edit;
use slosmith_text::source::Span;

impl Document {
    /// Removes the field `name` with its value.
    pub fn without(&self, name: &str, value: Span) -> Option<Edit> {
        let text = self.files.text_of(value.file)?;
        let key = self.key(value, name);
        let (start, end) = (key.range().start, value.range().end);
        let (before, after) = (text.get(..start)?, text.get(end..)?);
        let blanks = |part: &str| part.len() - part.trim_start_matches(' ').len();
        let range = if after.trim_start_matches(' ').starts_with(',') {
            let comma = end + blanks(after) + 1;
            start..comma + blanks(text.get(comma..)?)
        } else if let Some(before) = before.trim_end().strip_suffix(',') {
            before.len()..end
        } else {
            let line = before.rfind('\n').map_or(0, |at| at + 1);
            let rest = after.find('\n').map_or(after.len(), |at| at + 1);
            let alone = before[line..].trim().is_empty() && after[..rest].trim().is_empty();
            if !alone {
                return None;
            }
            line..end + rest
        };
        (key != value).then(|| Edit::delete(Span::new(value.file, range)))
    }

    /// Writes `field` behind the field `name` with its value.
    pub fn beside(&self, name: &str, value: Span, field: &str) -> Option<Edit> {
        let text = self.files.text_of(value.file)?;
        let key = self.key(value, name);
        let before = text.get(..key.range().start)?;
        let line = before.rfind('\n').map_or(0, |at| at + 1);
        let end = value.range().end;
        let new = match before.trim_end().ends_with(['{', ',']) {
            true => format!(", {field}"),
            false => format!("\n{}{field}", " ".repeat(before.len() - line)),
        };
        // A comment stays on its line.
        let at = match new.starts_with('\n') {
            true => {
                end + text
                    .get(end..)?
                    .find(['\r', '\n'])
                    .unwrap_or(text.len() - end)
            }
            false => end,
        };
        (key != value).then(|| Edit::replace(Span::new(value.file, at..at), new))
    }
}
