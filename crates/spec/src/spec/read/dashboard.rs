//! Fields of dashboards that exclude each other.

use super::exclusive::Exclusive;
use super::place;
use crate::spec::{Dashboard, Panel, PanelKind, Series};
use slosmith_text::diag::Diagnostic;
use slosmith_text::source::{Span, Spanned};

impl Exclusive<'_> {
    pub(super) fn dashboard(&mut self, dashboard: &Dashboard) {
        self.some(&dashboard.rows, "a dashboard must have at least one row");
        for row in &dashboard.rows.value {
            self.some(&row.value.panels, "a row must have at least one panel");
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
        let reading = p.fields();
        let (slo, text) = (place(p.slo.as_ref()), place(p.text.as_ref()));
        match kind {
            PanelKind::Slo => self.only(panel.span, ("slo", slo), "SLO"),
            PanelKind::Text => self.only(panel.span, ("text", text), "text"),
            PanelKind::Alerts => {}
            PanelKind::Graph(_) => {
                self.exactly_one("the panel", panel.span, &content);
                if p.series.is_none() {
                    self.readings(&reading);
                }
            }
        }
        if !matches!(kind, PanelKind::Graph(_)) {
            let thresholds = ("thresholds", place(p.thresholds.as_ref()));
            let unfit = content.into_iter().chain(reading.all());
            self.reject(
                unfit.chain([thresholds]),
                match kind {
                    PanelKind::Slo => "cannot be set for a panel with `kind: slo`",
                    PanelKind::Text => "cannot be set for a panel with `kind: text`",
                    _ => "cannot be set for a panel with `kind: alerts`",
                },
            );
        }
        let slo = slo.filter(|_| kind != PanelKind::Slo);
        self.reject([("slo", slo)], "needs `kind: slo`");
        let text = text.filter(|_| kind != PanelKind::Text);
        self.reject([("text", text)], "needs `kind: text`");
        if let Some(list) = &p.series {
            self.some(list, "`series` must have at least one entry");
            self.reject(
                reading.own(),
                "cannot be set next to `series`: set it inside each series",
            );
            list.value.iter().for_each(|series| self.series(series));
        }
        if let Some(stat) = p.stat.as_ref().filter(|stat| stat.value.0.is_empty()) {
            let message = "`stat` must have at least one entry";
            self.sink
                .push(Diagnostic::error("empty-list", stat.span, message));
        }
    }

    fn only(&mut self, panel: Span, (name, value): (&str, Option<Span>), what: &str) {
        if value.is_none() {
            let message = format!("this {what} panel lacks the field `{name}`");
            self.sink
                .push(Diagnostic::error("missing-field", panel, message));
        }
    }

    fn series(&mut self, series: &Spanned<Series>) {
        let s = &series.value;
        let content = [
            ("signal", place(s.signal.as_ref())),
            ("promql", place(s.promql.as_ref())),
        ];
        self.exactly_one("the series", series.span, &content);
        self.reading(&s.reading);
    }
}
