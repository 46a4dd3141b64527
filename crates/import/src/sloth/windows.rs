//! Catalogues of alert windows (`AlertWindows`), which sloth takes from `--slo-period-windows-path`.

use crate::context::Cx;
use crate::document;
use crate::fields::{Fields, start};
use crate::model::{Burn, Tier};
use crate::{tiers, values};
use slosmith_text::diag::Diagnostic;
use slosmith_text::source::{FileId, Span};
use slosmith_text::units::{Duration, parse_decimal};

const DAY: u64 = 86_400;

#[derive(Debug)]
pub(crate) struct Windows {
    pub(super) period: Duration,
    pub(super) tiers: Vec<Tier>,
}

impl Windows {
    /// Chooses the catalogue of the period; without a period, that of the only catalogue, or sloth's own of 30 days.
    pub(crate) fn choose(cx: &mut Cx<'_>, files: &[FileId]) -> Option<Self> {
        let mut known = Vec::new();
        for file in files {
            known.extend(catalogue(cx, *file)?);
        }
        let wanted = cx.options.period;
        let found = match (wanted, known.len()) {
            (None, 1) => known.pop(),
            (wanted, _) => {
                let period = wanted.unwrap_or(Duration::from_secs(30 * DAY));
                let own = known.into_iter().find(|windows| windows.period == period);
                own.or_else(|| Self::built_in(period))
            }
        };
        if found.is_none()
            && let (Some(period), Some(file)) = (wanted, cx.options.first_file)
        {
            let message =
                format!("sloth has no built-in alert windows for an SLO window of {period}");
            let error = Diagnostic::error("no-tiers", Span::new(file, 0..0), message);
            cx.sink
                .push(error.help("pass a sloth file with alert windows: `--windows FILE`"));
        }
        found
    }

    /// What sloth knows without a catalogue.
    fn built_in(period: Duration) -> Option<Self> {
        let tiers = tiers::workbook();
        [28, 30]
            .contains(&(period.as_secs() / DAY))
            .then_some(Self { period, tiers })
    }
}

fn catalogue(cx: &mut Cx<'_>, file: FileId) -> Option<Vec<Windows>> {
    let mut found = Vec::new();
    let text = cx.text_of(file);
    for (body, root) in document::all(cx, file, text)?.roots() {
        let mut fields = Fields::of(cx, &body, root, "")?;
        if document::says(root, "kind") != Some("AlertWindows") {
            let at = start(fields.span());
            cx.error(
                "unknown-format",
                at,
                "this file must be an alert windows catalog (`kind: AlertWindows`)",
            );
            return None;
        }
        fields.skip(&["apiVersion", "kind", "metadata"]);
        let mut spec = fields.required_map(cx, "spec")?;
        let period = spec.required(cx, "sloPeriod")?;
        let period = values::duration(cx, &period)?;
        let mut tiers = Vec::new();
        for (key, is_page) in [("page", true), ("ticket", false)] {
            let mut severity = spec.required_map(cx, key)?;
            for speed in ["quick", "slow"] {
                let mut window = severity.required_map(cx, speed)?;
                tiers.push(tier(cx, &mut window, is_page)?);
                window.finish(cx);
            }
            severity.finish(cx);
        }
        spec.finish(cx);
        fields.finish(cx);
        found.push(Windows { period, tiers });
    }
    Some(found)
}

fn tier(cx: &mut Cx<'_>, fields: &mut Fields<'_>, is_page: bool) -> Option<Tier> {
    let percent = fields.required(cx, "errorBudgetPercent")?;
    let [short, long] = ["shortWindow", "longWindow"].map(|key| {
        let text = fields.required(cx, key)?;
        values::duration(cx, &text)
    });
    let share = parse_decimal(&percent.value);
    if let Err(error) = &share {
        cx.error("wrong-type", percent.span, error.to_string());
    }
    Some(Tier {
        burn: Burn::Consumes(share.ok()? / 100),
        long: long?,
        short: short?,
        is_page,
        at: Some(fields.span()),
    })
}
