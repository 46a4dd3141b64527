//! Placeholders of Grafana and of Go templates in every place they are put.

use slosmith::promql::ast::{Expr, ExprKind};
use slosmith::promql::placeholder::Placeholder;
use slosmith::promql::visit::{selectors, walk};
use slosmith::promql::{Dialect, parse, parse_with};

const GRAFANA: &[&str] = &[
    "rate(x[$__rate_interval])",
    "rate(x[${__rate_interval}])",
    "rate(x[[[window]]])",
    "rate(x[[[window:raw]]])",
    "max_over_time(x[$__range:$__interval])",
    "max_over_time(x[$__range:])",
    "max_over_time(x[1h:$step])",
    "max_over_time(sum(x)[${a}m:${b}s])",
    "sum_over_time(x[${__range_s}s])",
    "x offset $off",
    "x offset -$off",
    "x[5m] offset ${n}h",
    "x @ ${__to:date:seconds}",
    "x[$__interval * 2]",
    "x / $__range_s",
    "x > $threshold",
    "$a + $b * 2",
    "$query",
    "($query) / 2",
    "${query} > bool 5",
    "vector($n)",
    "topk($n, x)",
    "topk(5, $query)",
    "clamp_max(x, 1${zeros})",
    "histogram_quantile(0.$quantile, sum by (le) (rate(x_bucket[5m])))",
    "histogram_quantile($q, $rate)",
    "x{job=~\"$job\", ns=\"${ns:regex}\", pod=~\"[[pod]].*\"}",
    "x{job=~\"a($job\"}",
    "x{job=${job:doublequote}}",
    "x{$filters}",
    "{$filters}",
    "x{job=\"a\", $filters}",
    "x{job=\"a\" $filters}",
    "x{$a $b}",
    "x{$filters, job=\"a\",}",
    "{$label=\"x\"}",
    "{$label=~\"$value\"}",
    "{${label}_name!=\"\"}",
    "x{\"$label\"=\"y\"}",
    "{\"$metric\"}",
    "{__name__=~\"$metric\"}",
    "$metric{a=\"b\"}",
    "rate($metric[5m])",
    "$metric offset 5m",
    "${prefix}_requests_total",
    "vllm:${x}_seconds_bucket{le=\"1\"}",
    "rate(vllm:[[x]]_total[5m])",
    "sum by ($groupby) (x)",
    "sum by (job, ${groupby:csv}) (x)",
    "sum without ([[g]]) (x)",
    "x * on ($join) group_left ($extra) y",
    "$agg(x)",
    "$agg by (job) (x)",
    "${agg}(x) by (job)",
    "$agg($n, x)",
    "${func}(x[5m])",
    "${func}_over_time(x[5m])",
    "sum(${func}(x[5m])) by (le)",
    "label_replace(x, \"a\", \"$1\", \"b\", \"(.*)$\")",
    "label_replace(x, \"$dst\", \"v\", \"b\", \"($re\")",
    "label_join(x, $dst, \",\", \"a\")",
    "$x and on (a) $y",
    "-$x",
    "$x[5m:1m]",
];

const GO: &[&str] = &[
    "rate(x[{{ .window }}])",
    "rate(x[{{.window}}] offset {{ .Offset }})",
    "x{job=\"{{ $labels.job }}\", a=\"{{ index .m \"k\" }}\"}",
    "x{ {{ .filters }} }",
    "x{{{ .filters }}}",
    "{{ .metric }}{job=\"x\"} > {{ .threshold }}",
    "sum by ({{ .by }}) (rate({{ .prefix }}_total[{{ .n }}m]))",
    "{{ .query }}",
    "({{ .bad }}) / ({{ .total }})",
    "max_over_time({{ .q }}[{{ .Range }}:])",
];

#[test]
fn placeholders_stand_anywhere() {
    for (dialect, queries) in [(Dialect::Grafana, GRAFANA), (Dialect::GoTemplate, GO)] {
        for &text in queries {
            let expr =
                parse_with(text, dialect).unwrap_or_else(|error| panic!("{text}: {error:?}"));
            let line = expr.to_string();
            let back = parse_with(&line, dialect);
            assert_eq!(back.map(|back| back.to_string()), Ok(line), "{text}");
            for placeholder in placeholders(&expr) {
                assert_eq!(&text[placeholder.span.clone()], placeholder.text, "{text}");
            }
        }
    }
}

#[test]
fn the_strict_parser_takes_them_only_in_strings() {
    for text in GRAFANA.iter().chain(GO) {
        // What is left of a query whose strings are emptied shows what is outside of them.
        let outside = text
            .split('"')
            .step_by(2)
            .any(|part| part.contains('$') || part.contains("{{") || part.contains("[["));
        assert!(!outside || parse(text).is_err(), "{text}");
    }
}

/// All placeholders of a tree.
fn placeholders(expr: &Expr) -> Vec<Placeholder> {
    let mut found: Vec<Placeholder> = Vec::new();
    walk(expr, &mut |node| match &node.kind {
        ExprKind::Placeholder(name) => found.extend_from_slice(&name.placeholders),
        ExprKind::String(literal) => found.extend_from_slice(&literal.placeholders),
        ExprKind::Range(range) => found.extend_from_slice(&range.range.placeholders),
        ExprKind::Call(call) => found.extend_from_slice(&call.function.placeholders),
        ExprKind::Subquery(subquery) => {
            found.extend_from_slice(&subquery.range.placeholders);
            if let Some(step) = &subquery.step {
                found.extend_from_slice(&step.placeholders);
            }
        }
        _ => {}
    });
    for selector in selectors(expr) {
        if let Some(name) = &selector.metric {
            found.extend_from_slice(&name.placeholders);
        }
        for matcher in &selector.matchers {
            found.extend_from_slice(&matcher.label.placeholders);
            found.extend_from_slice(&matcher.value.placeholders);
        }
        found.extend_from_slice(&selector.filters);
        if let Some(offset) = &selector.at.offset {
            found.extend_from_slice(&offset.placeholders);
        }
    }
    found
}

#[test]
fn each_place_keeps_its_placeholders() {
    for (text, expected) in [
        ("sum_over_time(x[${n}m])", &["${n}"][..]),
        (
            "$f(a_${b}_c{d=\"e $g\", $h}[$i:$j])",
            &["$f", "$i", "$j", "${b}", "$g", "$h"],
        ),
        ("x offset $o", &["$o"]),
        ("label_join(x, \"$d\")", &[]),
    ] {
        let Ok(expr) = parse_with(text, Dialect::Grafana) else {
            assert_eq!(expected, [""; 0], "{text}");
            continue;
        };
        let found: Vec<_> = placeholders(&expr).into_iter().map(|p| p.text).collect();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn what_is_wrong_whatever_they_stand_for_is_refused() {
    for text in [
        "rate($x)+",
        "rate(x)",
        "sum(x[$__interval])",
        "x{$a=}",
        "x{${a}b}",
        "x{a=\"$b\", c=~\"(\"}",
        "$a and 1",
        "topk($n)",
        "x[$a",
        "nope($x)",
    ] {
        assert!(parse_with(text, Dialect::Grafana).is_err(), "{text}");
    }
}
