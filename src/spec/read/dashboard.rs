//! Fields of dashboards that exclude each other.

use super::exclusive::Exclusive;
use super::place;
use crate::diag::Diagnostic;
use crate::source::{Span, Spanned};
use crate::spec::{Dashboard, Panel, PanelKind, Series};

impl Exclusive<'_> {
    pub(super) fn dashboard(&mut self, dashboard: &Dashboard) {
        self.some(&dashboard.rows, "a dashboard without rows shows nothing");
        for row in &dashboard.rows.value {
            self.some(&row.value.panels, "a row without panels shows nothing");
            for panel in &row.value.panels.value {
                self.panel(panel);
            }
        }
    }

    fn some<T>(&mut self, list: &Spanned<Vec<T>>, message: &str) {
        if list.value.is_empty() {
            self.sink
                .push(Diagnostic::error("empty-list", list.span, message));
        }
    }

    fn panel(&mut self, panel: &Spanned<Panel>) {
        let p = &panel.value;
        let kind = p.kind.map_or(PanelKind::default(), |kind| kind.value);
        let content = [
            ("signal", place(p.signal.as_ref())),
            ("promql", place(p.promql.as_ref())),
            ("series", place(p.series.as_ref())),
        ];
        let reading = [
            ("unit", place(p.unit.as_ref())),
            ("stats", place(p.stats.as_ref())),
            ("window", place(p.window.as_ref())),
            ("by", p.by.first().map(|by| by.span)),
            ("where", p.matchers.keys().next().map(|key| key.span)),
            ("thresholds", place(p.thresholds.as_ref())),
        ];
        let (slo, text) = (place(p.slo.as_ref()), place(p.text.as_ref()));
        match kind {
            PanelKind::Slo => self.only(panel.span, ("slo", slo), "SLO"),
            PanelKind::Text => self.only(panel.span, ("text", text), "text"),
            PanelKind::Alerts => {}
            PanelKind::Graph(_) => {
                self.exactly_one(panel.span, &content);
                if p.series.is_none() {
                    self.raw_panel(p);
                }
            }
        }
        if !matches!(kind, PanelKind::Graph(_)) {
            self.reject_all(content.into_iter().chain(reading), "a panel of this kind");
        }
        let own = [
            ("slo", slo.filter(|_| kind != PanelKind::Slo)),
            ("text", text.filter(|_| kind != PanelKind::Text)),
        ];
        self.reject_all(own.into_iter(), "a panel over signals");
        if let Some(list) = &p.series {
            self.some(list, "a panel without series shows nothing");
            self.reject_all(reading[..2].iter().copied(), "a list of series");
            self.reject_all(reading[3..5].iter().copied(), "a list of series");
            list.value.iter().for_each(|series| self.series(series));
        }
        if let Some(stats) = &p.stats {
            self.some(stats, "an empty list of stats shows nothing");
        }
    }

    fn only(&mut self, panel: Span, (name, value): (&str, Option<Span>), what: &str) {
        if value.is_none() {
            let message = format!("this {what} panel lacks the field `{name}`");
            self.sink
                .push(Diagnostic::error("missing-field", panel, message));
        }
    }

    /// Raw PromQL is read and grouped as it is written; only it needs a unit.
    fn raw_panel(&mut self, p: &Panel) {
        let (stats, unit) = (place(p.stats.as_ref()), place(p.unit.as_ref()));
        let by = p.by.first().map(|by| by.span);
        let matchers = p.matchers.keys().next().map(|key| key.span);
        self.raw_fields(
            p.promql.is_some(),
            unit,
            [("stats", stats), ("by", by), ("where", matchers)],
        );
    }

    fn series(&mut self, series: &Spanned<Series>) {
        let s = &series.value;
        let content = [
            ("signal", place(s.signal.as_ref())),
            ("promql", place(s.promql.as_ref())),
        ];
        self.exactly_one(series.span, &content);
        let (stat, unit) = (place(s.stat.as_ref()), place(s.unit.as_ref()));
        let by = s.by.first().map(|by| by.span);
        let matchers = s.matchers.keys().next().map(|key| key.span);
        self.raw_fields(
            s.promql.is_some(),
            unit,
            [("stat", stat), ("by", by), ("where", matchers)],
        );
    }

    fn raw_fields(&mut self, raw: bool, unit: Option<Span>, reading: [(&str, Option<Span>); 3]) {
        if raw {
            self.reject_all(reading.into_iter(), "raw PromQL");
        } else {
            self.reject_all([("unit", unit)].into_iter(), "a signal, which has its own");
        }
    }

    fn reject_all<'n>(
        &mut self,
        fields: impl Iterator<Item = (&'n str, Option<Span>)>,
        what: &str,
    ) {
        for (name, span) in fields {
            if let Some(span) = span {
                self.error(
                    name,
                    span,
                    format!("`{name}` cannot be combined with {what}"),
                );
            }
        }
    }
}
