//! Parity: how closely CloudWatch matches Prometheus, and the texts about it.
//!
//! `Verdict::There(vec![Difference::OneForAll(vec!["adapter_id".into()]).at(Grade::Weaker)])` is the cell *weaker:
//! one alarm for all values of `adapter_id` together, …* of `parity.md`.

use crate::plan::Signal;
use slosmith_cloudwatch::{MOST_METRICS, MOST_WIDGETS, Statistic};
use slosmith_spec::spec::{Across, Baseline};
use slosmith_text::diag::count;
use slosmith_text::units::{Duration, Number, decimal};

/// How closely both back ends match for one SLO, alert or panel.
#[derive(Clone, Debug)]
pub struct Parity {
    pub what: What,
    pub name: String,
    pub prometheus: Verdict,
    pub cloudwatch: Verdict,
    pub resources: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    Slo,
    Alert,
    Panel,
}

impl What {
    pub fn as_str(self) -> &'static str {
        match self {
            What::Slo => "slo",
            What::Alert => "alert",
            What::Panel => "panel",
        }
    }
}

/// How closely CloudWatch matches Prometheus. The worst difference decides: a missed alert is worse than an extra alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    Identical,
    /// An alarm that fires in the same minutes, within [`TOLERANCE`]; a panel with the same values in another form.
    Equivalent,
    /// An alarm that may fire earlier, or when Prometheus does not; a panel that shows more.
    Stronger,
    /// An alarm that may fire later, or not when Prometheus does; a panel that shows less.
    Weaker,
    Absent,
}

/// How far the beginnings and ends of equivalent alarms may lie apart.
pub const TOLERANCE: Duration = Duration::from_secs(120);

impl Grade {
    pub const ALL: [Grade; 5] = [
        Grade::Identical,
        Grade::Equivalent,
        Grade::Stronger,
        Grade::Weaker,
        Grade::Absent,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Grade::Identical => "identical",
            Grade::Equivalent => "equivalent",
            Grade::Stronger => "stronger",
            Grade::Weaker => "weaker",
            Grade::Absent => "absent",
        }
    }
}

/// What an alarm or panel is compared with: without a Prometheus form, with the words of the spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reference {
    Prometheus,
    Spec,
}

impl Reference {
    pub fn as_str(self) -> &'static str {
        match self {
            Reference::Prometheus => "Prometheus",
            Reference::Spec => "the spec",
        }
    }

    /// The end of "the alarm also fires when …".
    pub fn at_rest(self) -> &'static str {
        match self {
            Reference::Prometheus => "Prometheus does not",
            Reference::Spec => "the condition does not hold",
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    pub grade: Grade,
    pub difference: Difference,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    There(Vec<Note>),
    Absent(Vec<NotExpressible>),
}

impl Verdict {
    /// The same as the other back end's.
    pub const IDENTICAL: Verdict = Verdict::There(Vec::new());

    pub fn of_prometheus<'s>(signals: impl IntoIterator<Item = &'s Signal>) -> Verdict {
        let missing = signals.into_iter().filter(|signal| !signal.is_stored());
        let mut missing: Vec<_> = missing
            .map(|signal| NotExpressible::NotStored(signal.name.clone()))
            .collect();
        missing.dedup();
        match missing.is_empty() {
            true => Verdict::IDENTICAL,
            false => Verdict::Absent(missing),
        }
    }

    /// With this as Prometheus's verdict: what CloudWatch is compared with.
    pub fn reference(&self) -> Reference {
        match self {
            Verdict::There(_) => Reference::Prometheus,
            Verdict::Absent(_) => Reference::Spec,
        }
    }

    pub fn is_expressible(&self) -> bool {
        matches!(self, Verdict::There(_))
    }

    pub fn grade(&self) -> Grade {
        match self {
            Verdict::There(notes) => {
                let grades = notes.iter().map(|note| note.grade);
                grades.max().unwrap_or(Grade::Identical)
            }
            Verdict::Absent(_) => Grade::Absent,
        }
    }

    /// Differences from `reference` or reasons, the worst first, each with its grade.
    pub fn notes(&self, reference: Reference) -> Vec<(Grade, String)> {
        match self {
            Verdict::There(notes) => {
                let mut notes: Vec<_> = notes.iter().collect();
                notes.sort_by_key(|note| std::cmp::Reverse(note.grade));
                let notes = notes.into_iter();
                notes
                    .map(|note| (note.grade, note.difference.from(reference)))
                    .collect()
            }
            Verdict::Absent(why) => vec![(Grade::Absent, NotExpressible::joined(why))],
        }
    }
}

/// Stands in a text for [`Reference::as_str`]. Texts of specs contain no private-use characters.
const OTHER: char = '\u{E002}';
/// Stands in a text for [`Reference::at_rest`].
const AT_REST: char = '\u{E003}';

const NEWEST: &str = ", each with its newest value";

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Difference {
    /// Replicas are not added up, but this is taken of them.
    #[error(
        "CloudWatch uses the value of one replica ({0}), but {OTHER} uses the sum of all replicas: with N replicas, the value can be N times smaller"
    )]
    OfSingleReplicas(Statistic),
    /// One alarm for each of these values of a label: label, values.
    #[error("one alarm for each listed value of {}: {OTHER} also covers values that are not listed", listed(.0))]
    OneForEach(Vec<(String, Vec<String>)>),
    /// This is taken of the samples of all replicas, in place of one value of each.
    #[error("CloudWatch uses the {statistic} of the samples of all replicas, but {OTHER} uses {}", combined(*across))]
    OfAllReplicas {
        statistic: Statistic,
        across: Across,
    },
    /// This is taken of everything that the processes published, in place of the newest value of each.
    #[error("CloudWatch uses the {statistic} of all samples that are published in a period, but {OTHER} uses {}{NEWEST}", combined(*across))]
    OfAllSamples {
        statistic: Statistic,
        across: Across,
    },
    /// Metric math combines this of each listed process.
    #[error("CloudWatch uses the {} of the {statistic} of each listed `{label}`, but {OTHER} uses {}{NEWEST}; a `{label}` that is not listed does not count", mean_or_sum(*across), combined(*across))]
    OfListed {
        label: String,
        statistic: Statistic,
        across: Across,
    },
    #[error("growth from two data points, not from a regression")]
    GrowthOfTwoPoints,
    #[error("one alarm for all values of {} together, but {OTHER} alerts for each value", code(.0))]
    OneForAll(Vec<String>),
    #[error("one line for all values of {} together", code(.0))]
    OneLineForAll(Vec<String>),
    /// A search cannot join the names that a family had.
    #[error("one line for each metric name: {}", code(.0))]
    OneLineForEachName(Vec<String>),
    #[error(
        "the alarm fires only when no label set has data, but {OTHER} alerts for each label set without data"
    )]
    AllSilent,
    /// Missing data counts from the first moment on, and until data arrives; the rule forgets a label set after this time.
    #[error(
        "the alarm fires until data arrives, but {OTHER} forgets a label set {0} after its last data"
    )]
    LastingSilence(Duration),
    #[error("CloudWatch also counts the first event of a new series, but {OTHER} does not")]
    CountsBeginnings,
    #[error("CloudWatch compares with its anomaly detection band ({} standard deviations, not tested by slosmith), but {OTHER} compares with {} × {}", decimal(*width), decimal(*factor), past(*baseline))]
    LearntBand {
        width: Number,
        factor: Number,
        baseline: Baseline,
    },
    /// A band learnt from other data than this window.
    #[error(
        "CloudWatch learns its anomaly detection band from up to two weeks, but {OTHER} uses mean and standard deviation over {0}"
    )]
    LearntFrom(Duration),
    #[error(
        "the conditions may hold for different label sets, but {OTHER} requires the same label set"
    )]
    PartsNotJoined,
    /// The spec sets another timing than the alert's own.
    #[error("timing set in the spec: {datapoints} of {} ({statistic} over {period})", count(*evaluate as usize, "data point"))]
    AuthorsTiming {
        statistic: Statistic,
        period: Duration,
        datapoints: u32,
        evaluate: u32,
    },
    /// Some data points in a row, where Prometheus uses every evaluation.
    #[error(
        "CloudWatch requires {points} data points of {period} in a row, but {OTHER} requires every evaluation for {hold}"
    )]
    HoldsByPoints {
        /// Points that must be beyond the threshold, all that are looked at.
        points: u32,
        period: Duration,
        hold: Duration,
    },
    #[error("the alarm can fire up to {0} earlier")]
    Earlier(Duration),
    #[error("the alarm can fire up to {0} later")]
    Later(Duration),
    /// An alarm has no time that it keeps firing after its condition.
    #[error("the alarm ends with its condition, but the alert keeps firing for {0}")]
    EndsEarlier(Duration),
    /// Without data, the alarm ends after its short window; a burn-rate alert is kept for this long.
    #[error("the alarm ends when the data ends, but {OTHER} keeps the alert for up to {0}")]
    EndsWithData(Duration),
    /// CloudWatch evaluates alarms that look back more than a day once an hour.
    #[error(
        "CloudWatch evaluates the alarm once an hour, because the alarm looks back more than a day: it can fire and resolve up to 59m later"
    )]
    Hourly,
    #[error("the alarm also fires without data, but {AT_REST}")]
    SilenceFires,
    /// No event leaves no data point, like no publisher.
    #[error(
        "without events there are no data points: the alarm also fires when nothing publishes, but {AT_REST}"
    )]
    StoppedFires,
    /// The same for an alarm on the absence of the signal.
    #[error(
        "without events there are no data points: the alarm also fires in idle periods, but {AT_REST}"
    )]
    NoEventFires,
    /// Of the condition in `unless`.
    #[error("condition in `unless`: {0}")]
    OfExcuse(Box<Difference>),
    /// The spec treats the absence of events as fine.
    #[error(
        "without events there are no data points, which `missing` in the spec treats as fine: the alarm cannot fire then"
    )]
    QuietIsFine,
    /// Prometheus estimates a percentile between two bucket boundaries.
    #[error(
        "the threshold {bound} is between the bucket boundaries {below} and {above}, so {OTHER} estimates the percentile"
    )]
    Interpolated {
        bound: String,
        below: String,
        above: String,
    },
    #[error("percentiles replace the heatmap")]
    PercentilesForHeatmap,
    #[error("a number replaces the gauge: the scale has no upper end")]
    NumberForGauge,
    #[error("stacked areas replace the bars")]
    AreasForBars,
    /// CloudWatch only knows the time range of the dashboard, not this window.
    #[error("covers the time range of the dashboard, not the SLO window of {0}")]
    OfTimeShown(Duration),
    #[error("one line is missing ({0})")]
    LineMissing(NotExpressible),
}

impl Difference {
    pub fn at(self, grade: Grade) -> Note {
        Note {
            grade,
            difference: self,
        }
    }

    fn from(&self, reference: Reference) -> String {
        let text = self.to_string().replace(OTHER, reference.as_str());
        text.replace(AT_REST, reference.at_rest())
    }
}

impl Note {
    /// The same of a condition in `unless`: where it holds without reason, an alert is missed.
    pub fn of_excuse(self) -> Self {
        let grade = match self.grade {
            Grade::Stronger => Grade::Weaker,
            grade => grade,
        };
        Difference::OfExcuse(Box::new(self.difference)).at(grade)
    }
}

/// `` `adapter_id` (`base`, `tuned`) and … ``
fn listed(known: &[(String, Vec<String>)]) -> String {
    let labels = known.iter();
    let labels = labels.map(|(label, values)| format!("`{label}` ({})", code(values)));
    labels.collect::<Vec<_>>().join(" and ")
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotExpressible {
    #[error("signal `{0}` is PromQL from the spec")]
    AuthorsSignal(String),
    #[error("the query is PromQL from the spec")]
    AuthorsPromQl,
    #[error("no CloudWatch statistic measures the share of time in which `{0}` is good")]
    ShareOfTime(String),
    #[error("{0}")]
    OnlyPromQl(&'static str),
    #[error("`{0}` arrives by OpenTelemetry: only PromQL can query it")]
    ByOpenTelemetry(String),
    #[error("`{0}` is a histogram, and the CloudWatch agent drops histograms")]
    HistogramDropped(String),
    #[error("signal `{0}` has no `prometheus` binding")]
    NotStored(String),
    #[error("signal `{0}` has no `cloudwatch` binding")]
    Unbound(String),
    #[error(
        "`{signal}` selects `{label}` by a pattern, but a CloudWatch dimension needs one exact value"
    )]
    SelectedByPattern { signal: String, label: String },
    #[error("`{label}` is not a dimension of `{metric}`")]
    NoDimension { metric: String, label: String },
    #[error(
        "the value of `{0}` cannot be a dimension: CloudWatch accepts only ASCII values that are not blank, `.` or `...`"
    )]
    DimensionValue(String),
    #[error("`{0}` is published only with dimensions")]
    OnlyUnderDimensions(String),
    #[error(
        "`{metric}` is not published with exactly the dimensions {}",
        code(dimensions)
    )]
    NotPublishedAlone {
        metric: String,
        dimensions: Vec<String>,
    },
    #[error("`{metric}` is not published with the dimensions {}", dimensions.join(", "))]
    NotPublished {
        metric: String,
        dimensions: Vec<String>,
    },
    #[error(
        "`{0}` is computed from several metrics, and a CloudWatch search finds only single metrics"
    )]
    Computed(String),
    #[error("the name of `{0}` cannot be used in a search")]
    Unsearchable(String),
    #[error("CloudWatch looks back at most a week, but {0} are needed")]
    BeyondWeek(Duration),
    /// An alarm with a point a minute does not look back as far as this.
    #[error(
        "with one data point per minute, CloudWatch looks back at most a day, but {0} are needed"
    )]
    BeyondDay(Duration),
    #[error("PromQL in CloudWatch looks back at most {most}, but {wanted} are needed")]
    PromQlBeyond { most: Duration, wanted: Duration },
    #[error("a range in PromQL of CloudWatch is at most {most}, but {wanted} are needed")]
    PromQlRange { most: Duration, wanted: Duration },
    #[error("an alarm on PromQL waits at most {most}, but {wanted} are needed")]
    PromQlWait { most: Duration, wanted: Duration },
    #[error(
        "`{0}` arrives without bucket series: a query can only use the `sum` of the `rate` of one bucket"
    )]
    SingleBucket(String),
    #[error("`{0}()` cannot read histograms, and CloudWatch has no series `_count` and `_sum`")]
    HistogramSamples(String),
    #[error("the query has more than {0} characters")]
    QueryTooLong(usize),
    #[error("the query needs recorded series, which only Prometheus has")]
    NeedsRecords,
    #[error("the query reads `{0}`, a recorded series that only Prometheus has")]
    ReadsRecord(String),
    #[error("CloudWatch cannot compute correlations")]
    Correlation,
    #[error("the service has no CloudWatch alarm")]
    NoAlarm,
    #[error("alarm states need `cloudwatch.account` in the spec")]
    NoAccount,
    #[error(
        "a dashboard has at most {} widgets and {} metrics",
        MOST_WIDGETS,
        MOST_METRICS
    )]
    DashboardFull,
    #[error("only the alarm covers the whole condition")]
    Several,
}

impl NotExpressible {
    /// Several reasons in one sentence.
    pub fn joined(all: &[Self]) -> String {
        let all: Vec<_> = all.iter().map(ToString::to_string).collect();
        all.join("; ")
    }
}

/// `` `a`, `b` ``
fn code(words: &[String]) -> String {
    let words: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
    words.join(", ")
}

fn past(baseline: Baseline) -> String {
    match baseline {
        Baseline::Offset(ago) => format!("the value {ago} ago"),
        Baseline::AvgOver(window) => format!("the {window} mean"),
    }
}

fn mean_or_sum(across: Across) -> &'static str {
    match across {
        Across::Avg => "mean",
        _ => "sum",
    }
}

fn combined(across: Across) -> &'static str {
    match across {
        Across::Sum => "the sum of all replicas",
        Across::Max => "the highest of all replicas",
        Across::Min => "the lowest of all replicas",
        Across::Avg => "the mean of all replicas",
    }
}
