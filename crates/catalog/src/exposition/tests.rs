use proptest::prelude::*;

use super::*;

fn kinds(page: &Page) -> Vec<(usize, ProblemKind)> {
    page.problems.iter().map(|p| (p.line, p.kind)).collect()
}

fn names(page: &Page) -> Vec<&str> {
    page.families.iter().map(|f| f.name.as_str()).collect()
}

#[test]
fn classic_page_with_all_types() {
    let page = parse(concat!(
        "# HELP vllm:ttft_seconds a \\\\ b\\nc\n",
        "# TYPE vllm:ttft_seconds histogram\n",
        "vllm:ttft_seconds_bucket{le=\"0.001\",m=\"a\\\"b\\\\c\\nd\"} 0\n",
        "vllm:ttft_seconds_bucket{le=\"+Inf\",m=\"x\"} 3 1700000000000\n",
        "vllm:ttft_seconds_sum{m=\"x\"} NaN\n",
        "vllm:ttft_seconds_count {m=\"x\",} 3\n",
        "# just a remark\n",
        "# TYPE r_total counter\n",
        "r_total 1e+06\n",
        "bare -Inf\n",
    ));
    assert_eq!(kinds(&page), []);
    assert_eq!(names(&page), ["vllm:ttft_seconds", "r_total", "bare"]);
    let family = &page.families[0];
    assert_eq!(family.help.as_deref(), Some("a \\ b\nc"));
    assert_eq!(family.labels(), ["m"]);
    assert_eq!(family.values()["m"], ["a\"b\\c\nd", "x"]);
    assert_eq!(family.buckets(), ["0.001", "+Inf"]);
    assert_eq!(family.samples[1].timestamp, Some(1.7e12));
    assert_eq!(page.families[1].kind, MetricType::Counter);
    assert_eq!(page.families[2].kind, MetricType::Untyped);
    assert_eq!(page.families[2].samples[0].value, f64::NEG_INFINITY);
}

#[test]
fn openmetrics_counters_are_named_as_they_are_queried() {
    let page = parse(concat!(
        "# TYPE foo counter\n# UNIT foo requests\n",
        "foo_total{a=\"b\"} 17.0 1520879607.789 # {trace_id=\"KOO5\"} 0.67 1520879607.8\n",
        "foo_created{a=\"b\"} 1520430000.123\n",
        "# TYPE build info\nbuild_info{v=\"1\"} 1\n",
        "# TYPE empty counter\n# EOF\n",
    ));
    assert_eq!(kinds(&page), []);
    assert_eq!(names(&page), ["foo_total", "build_info", "empty_total"]);
    let foo = &page.families[0];
    assert_eq!(foo.kind, MetricType::Counter);
    assert_eq!(foo.unit.as_deref(), Some("requests"));
    assert_eq!(foo.samples.len(), 2);
    let exemplar = foo.samples[0].exemplar.as_ref().expect("exemplar");
    assert_eq!(exemplar.labels[0].1, "KOO5");
    assert_eq!(exemplar.timestamp, Some(1_520_879_607.8));
}

#[test]
fn quoted_names() {
    let page = parse("# TYPE \"a.b\" gauge\n{\"a.b\", x=\"y\", \"l.m\"=\"z\"} 1\n{\"c\"} 2\n");
    assert_eq!(kinds(&page), []);
    assert_eq!(names(&page), ["a.b", "c"]);
    assert_eq!(page.families[0].kind, MetricType::Gauge);
    assert_eq!(page.families[0].labels(), ["l.m", "x"]);
}

#[test]
fn every_fault_is_reported_and_reading_goes_on() {
    let page = parse(concat!(
        "late 1\r\n",
        "# TYPE late gauge\n",
        "# TYPE late counter\n",
        "# HELP late a\n# HELP late b\n",
        "other 1\n",
        "late{a=\"1\"} 2\n",
        "late{a=\"1\"} 3\n",
        "{} 3\n",
        "x{a=\"unfinished} 3\n",
        "x{a=\"1\",a=\"2\"} 3\n",
        "x 1 2 3\n",
        "x abc\n",
        "# TYPE y speed\n",
        "9x 1\n",
        "# EOF\n",
        "tail 1\n",
    ));
    use ProblemKind::*;
    let wanted = [
        (1, CarriageReturn),
        (2, TypeAfterSamples),
        (3, DuplicateType),
        (5, DuplicateHelp),
        (7, Interleaved),
        (8, DuplicateSeries),
        (9, Malformed),
        (10, Malformed),
        (11, Malformed),
        (12, Malformed),
        (13, Malformed),
        (14, UnknownType),
        (15, Malformed),
        (17, AfterEof),
    ];
    assert_eq!(kinds(&page), wanted);
    let late = page.family("late").expect("kept");
    assert_eq!((late.kind, late.samples.len()), (MetricType::Gauge, 3));
    assert_eq!(late.help.as_deref(), Some("a"));
    assert_eq!(page.family("tail").map(|f| f.samples.len()), Some(1));
}

#[test]
fn offsets_point_into_the_page() {
    let text = "a 1\nb{c=\"d\"} x\n";
    let problem = &parse(text).problems[0];
    assert_eq!(&text[problem.offset..], "x\n");
}

fn label_value() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{0,4}",
        any::<String>().prop_map(|s| s.replace('\r', ""))
    ]
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(f64::INFINITY),
        Just(f64::NEG_INFINITY),
        any::<i32>().prop_map(f64::from),
        proptest::num::f64::NORMAL,
    ]
}

fn stamp() -> impl Strategy<Value = Option<f64>> {
    proptest::option::of((0..2_000_000_000_u32).prop_map(f64::from))
}

fn labels() -> impl Strategy<Value = Vec<(String, String)>> {
    proptest::collection::btree_map("[a-z]{1,3}(\\.[a-z])?", label_value(), 0..3)
        .prop_map(|map| map.into_iter().collect())
}

fn sample(name: String) -> impl Strategy<Value = Sample> {
    (labels(), number(), stamp()).prop_map(move |(labels, value, timestamp)| Sample {
        name: name.clone(),
        labels,
        value,
        timestamp,
        exemplar: None,
    })
}

fn family(name: String) -> impl Strategy<Value = PageFamily> {
    use MetricType::{Counter, Gauge, Histogram, Summary, Untyped};
    let kind = prop_oneof![
        Just(Counter),
        Just(Gauge),
        Just(Histogram),
        Just(Summary),
        Just(Untyped)
    ];
    kind.prop_flat_map(move |kind| {
        let name = match kind {
            Counter => format!("{name}_total"),
            _ => name.clone(),
        };
        let suffix = kind.suffixes().last().copied().unwrap_or_default();
        let samples = proptest::collection::vec(sample(format!("{name}{suffix}")), 0..4);
        let help = proptest::option::of("[a-z\\\\\"]{1,9}");
        (help, samples).prop_map(move |(help, samples)| PageFamily {
            name: name.clone(),
            kind,
            help,
            unit: None,
            samples,
        })
    })
}

fn page() -> impl Strategy<Value = Vec<PageFamily>> {
    let names = proptest::collection::btree_set("[a-z]:x[a-z]{1,4}(\\.[a-z])?", 0..4);
    names.prop_flat_map(|names| names.into_iter().map(family).collect::<Vec<_>>())
}

proptest! {
    #[test]
    fn printing_then_reading_changes_nothing(families in page()) {
        for dialect in [Dialect::Classic, Dialect::OpenMetrics] {
            let read = parse(&print(&families, dialect));
            let faults = read.problems.iter().filter(|p| p.kind != ProblemKind::DuplicateSeries);
            prop_assert_eq!(faults.count(), 0);
            prop_assert_eq!(&read.families, &families);
        }
    }

    #[test]
    fn any_text_is_survived(text in ".{0,80}(\n.{0,40}){0,3}") {
        let page = parse(&text);
        prop_assert!(page.problems.iter().all(|p| text.is_char_boundary(p.offset)));
    }
}
