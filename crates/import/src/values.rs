//! Numbers of a source.

use super::context::Cx;
use slosmith_spec::spec::Text;
use slosmith_text::units::{Duration, Number, parse_decimal};

pub(super) fn share(cx: &mut Cx<'_>, text: &Text, whole: i128) -> Option<Number> {
    let number = parse_decimal(text.value.trim().trim_end_matches('%'));
    let share = number.ok().map(|number| number / whole);
    let found = share.filter(|share| *share > 0.into() && *share <= 1.into());
    if found.is_none() {
        let message = format!("the objective must be above 0 and at most {whole}; found `{text}`");
        cx.error("objective-out-of-range", text.span, message);
    }
    found
}

pub(super) fn duration(cx: &mut Cx<'_>, text: &Text) -> Option<Duration> {
    let found = text.value.trim().parse::<Duration>();
    if let Err(error) = &found {
        cx.error("wrong-type", text.span, error.to_string());
    }
    found.ok()
}
