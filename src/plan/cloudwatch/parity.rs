//! Parity: how far Prometheus and CloudWatch say the same, and the words for it.
//!
//! `Verdict::There(vec![Difference::OneForAll(vec!["adapter_id".into()]).at(Grade::Weaker)])` is the line *weaker:
//! one alarm for all of `adapter_id`* of `parity.md`.

use std::fmt::{self, Display, Formatter};

use crate::cloudwatch::{MOST_METRICS, MOST_WIDGETS, Statistic};
use crate::spec::{Across, Baseline};
use crate::units::{Duration, Number, decimal};

/// How far both back ends say the same of one thing.
#[derive(Clone, Debug)]
pub struct Parity {
    /// What it is.
    pub what: What,
    /// Its name.
    pub name: String,
    /// In Prometheus, or Grafana.
    pub prometheus: Verdict,
    /// In CloudWatch.
    pub cloudwatch: Verdict,
    /// The alarms or the dashboard that were made from it there.
    pub resources: Vec<String>,
}

/// What parity is reported of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// A burn-rate tier, or an objective's own alert.
    Slo,
    /// An alert.
    Alert,
    /// A panel.
    Panel,
}

impl What {
    /// The word for people and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            What::Slo => "slo",
            What::Alert => "alert",
            What::Panel => "panel",
        }
    }
}

/// How well CloudWatch says what Prometheus says. Of several, the greatest counts: a missed page is graver than one more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// The same.
    Identical,
    /// An alarm that fires in the same minutes, give or take [`TOLERANCE`]; a panel with the same values in another form.
    Equivalent,
    /// An alarm that fires earlier, or where Prometheus does not; a panel that shows more.
    Stronger,
    /// An alarm that fires later, or not where Prometheus does; a panel that shows less.
    Weaker,
    /// Nothing is there.
    Absent,
}

/// How far the beginnings and ends of equivalent alarms may lie apart.
pub const TOLERANCE: Duration = Duration::from_secs(120);

impl Grade {
    /// All, from the best.
    pub const ALL: [Grade; 5] = [
        Grade::Identical,
        Grade::Equivalent,
        Grade::Stronger,
        Grade::Weaker,
        Grade::Absent,
    ];

    /// The word for people and reports.
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

/// A difference, and what it does.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// What it does.
    pub grade: Grade,
    /// What it is.
    pub difference: Difference,
}

/// How well a back end says what the spec says.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It is there, and differs in these ways.
    There(Vec<Note>),
    /// Not at all: why.
    Absent(Vec<NotExpressible>),
}

impl Verdict {
    /// The same as the other back end's.
    pub const IDENTICAL: Verdict = Verdict::There(Vec::new());

    /// True unless it is not said at all.
    pub fn is_expressible(&self) -> bool {
        matches!(self, Verdict::There(_))
    }

    /// The grade of the whole: that of the gravest difference.
    pub fn grade(&self) -> Grade {
        match self {
            Verdict::There(notes) => {
                let grades = notes.iter().map(|note| note.grade);
                grades.max().unwrap_or(Grade::Identical)
            }
            Verdict::Absent(_) => Grade::Absent,
        }
    }

    /// How, or why not, the gravest first; each with its grade.
    pub fn notes(&self) -> Vec<(Grade, String)> {
        match self {
            Verdict::There(notes) => {
                let mut notes: Vec<_> = notes.iter().collect();
                notes.sort_by_key(|note| std::cmp::Reverse(note.grade));
                let notes = notes.into_iter();
                notes
                    .map(|note| (note.grade, note.difference.to_string()))
                    .collect()
            }
            Verdict::Absent(why) => vec![(Grade::Absent, NotExpressible::joined(why))],
        }
    }
}

/// How one back end differs from the other.
#[derive(Clone, Debug, PartialEq)]
pub enum Difference {
    /// Replicas are not added up, but this is taken of them.
    OfSingleReplicas(Statistic),
    /// The groups are watched for these values of a label: label, values.
    OneForEach(Vec<(String, Vec<String>)>),
    /// This is taken of the samples of all replicas, in place of one value of each.
    OfAllReplicas {
        /// What is taken.
        statistic: Statistic,
        /// What Prometheus makes of the values of replicas.
        across: Across,
    },
    /// Growth is that between two points.
    GrowthOfTwoPoints,
    /// One alarm has no groups.
    OneForAll(Vec<String>),
    /// A line covers all values of these labels together.
    OneLineForAll(Vec<String>),
    /// The metric is only found under more dimensions than are asked for.
    OneLineForEach(Vec<String>),
    /// A search cannot join the names that a family had.
    OneLineForEachName(Vec<String>),
    /// Silence is only seen when all groups are silent.
    AllSilent,
    /// Silence counts from the first moment on, and never ends by itself.
    LastingSilence,
    /// What a series begins with is counted.
    CountsBeginnings,
    /// A band in place of a multiple of the past.
    LearntBand {
        /// Its width in standard deviations.
        width: Number,
        /// Times the past, in Prometheus.
        factor: Number,
        /// Which past.
        baseline: Baseline,
    },
    /// A band learnt from other data than that of this window.
    LearntFrom(Duration),
    /// Parts of a condition are joined without labels.
    PartsNotJoined,
    /// The author wants another look-back than the alert's own.
    AuthorsTiming {
        /// The statistic.
        statistic: Statistic,
        /// Over which time.
        period: Duration,
        /// Points that must be beyond the threshold.
        datapoints: u32,
        /// Points that are looked at.
        evaluate: u32,
    },
    /// Some points in a row, where Prometheus looks at every evaluation.
    HoldsByPoints {
        /// Points that must be beyond the threshold, all that are looked at.
        points: u32,
        /// Time of a point.
        period: Duration,
        /// How long it must hold in Prometheus.
        hold: Duration,
    },
    /// It fires earlier, up to this.
    Earlier(Duration),
    /// It fires later, up to this.
    Later(Duration),
    /// Only so often is an alarm looked at that looks back more than a day.
    Hourly,
    /// Silence fires too.
    SilenceFires,
    /// Prometheus interpolates a percentile between two boundaries.
    Interpolated {
        /// The bound as written.
        bound: String,
        /// The boundary below it, for people.
        below: String,
        /// The boundary above it, for people.
        above: String,
    },
    /// There are no heatmaps.
    PercentilesForHeatmap,
    /// A gauge needs an end of its scale.
    NumberForGauge,
    /// Only the time that is shown is known, not this one.
    OfTimeShown(Duration),
    /// Some line of a panel is not there.
    LineMissing(NotExpressible),
}

impl Difference {
    /// The difference with what it does.
    pub fn at(self, grade: Grade) -> Note {
        Note {
            grade,
            difference: self,
        }
    }
}

impl Display for Difference {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Difference::OfSingleReplicas(statistic) => write!(
                f,
                "{statistic} of single replicas, where Prometheus adds them up: with N replicas the value is up to N times smaller"
            ),
            Difference::OfAllReplicas { statistic, across } => write!(
                f,
                "{statistic} of all replicas together, where Prometheus takes {} of their values",
                combined(*across)
            ),
            Difference::OneForEach(known) => {
                f.write_str("one alarm for each listed value of ")?;
                for (i, (label, values)) in known.iter().enumerate() {
                    let and = if i == 0 { "" } else { " and " };
                    write!(f, "{and}`{label}` ({})", code(values))?;
                }
                f.write_str("; Prometheus also covers new values")
            }
            Difference::GrowthOfTwoPoints => {
                f.write_str("growth between two data points instead of a regression")
            }
            Difference::OneForAll(labels) => write!(f, "one alarm for all of {}", code(labels)),
            Difference::OneLineForAll(labels) => write!(f, "one line for all of {}", code(labels)),
            Difference::OneLineForEach(set) => {
                write!(f, "one line for each combination of {}", set.join(", "))
            }
            Difference::OneLineForEachName(names) => {
                write!(f, "one line for each of the names {}", code(names))
            }
            Difference::AllSilent => f.write_str(
                "fires if all groups are silent, where Prometheus fires for each group that disappears",
            ),
            Difference::LastingSilence => f.write_str(
                "fires from the start and until data arrives, where Prometheus fires only for series that were there in the last hour",
            ),
            Difference::CountsBeginnings => f.write_str(
                "counts the event that a new series starts with, which Prometheus does not see",
            ),
            Difference::LearntBand {
                width,
                factor,
                baseline,
            } => write!(
                f,
                "the anomaly detection band of CloudWatch ({} standard deviations; no test can measure it), where Prometheus takes {} times {}",
                decimal(*width),
                decimal(*factor),
                past(*baseline)
            ),
            Difference::LearntFrom(window) => write!(
                f,
                "a band learnt from up to two weeks, where Prometheus takes mean and deviation of {window}"
            ),
            Difference::PartsNotJoined => f.write_str("the parts need not hold for the same group"),
            Difference::AuthorsTiming {
                statistic,
                period,
                datapoints,
                evaluate,
            } => write!(
                f,
                "set by `cloudwatch`: {statistic} over {period}, {datapoints} of {evaluate} values"
            ),
            Difference::HoldsByPoints {
                points,
                period,
                hold,
            } => write!(
                f,
                "{points} values of {period} in a row, where Prometheus requires every evaluation to hold for {hold}"
            ),
            Difference::Earlier(by) => write!(f, "fires up to {by} earlier"),
            Difference::Later(by) => write!(f, "fires up to {by} later"),
            Difference::Hourly => f.write_str(
                "evaluated once an hour, as every alarm that looks back more than a day: fires and clears up to 59m later",
            ),
            Difference::SilenceFires => {
                f.write_str("also fires without data, where Prometheus does not")
            }
            Difference::Interpolated {
                bound,
                below,
                above,
            } => write!(
                f,
                "{bound} is interpolated between the buckets {below} and {above}"
            ),
            Difference::PercentilesForHeatmap => {
                f.write_str("three percentiles instead of a heatmap")
            }
            Difference::NumberForGauge => {
                f.write_str("a number instead of a gauge: the scale has no end")
            }
            Difference::OfTimeShown(period) => {
                write!(f, "of the time that the dashboard shows, not of {period}")
            }
            Difference::LineMissing(why) => write!(f, "a line is missing: {why}"),
        }
    }
}

/// Why CloudWatch cannot say something.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotExpressible {
    /// This signal is PromQL of the author's.
    #[error("`{0}` is PromQL from the spec")]
    AuthorsSignal(String),
    /// This is PromQL of the author's.
    #[error("it is PromQL from the spec")]
    AuthorsPromQl,
    /// An objective asks how long this signal is good.
    #[error("no statistic is the share of time in which `{0}` is good")]
    ShareOfTime(String),
    /// Only PromQL draws this panel, for this reason.
    #[error("{0}")]
    OnlyPromQl(&'static str),
    /// The signal arrives by OpenTelemetry.
    #[error("`{0}` arrives by OpenTelemetry, so only PromQL can query it")]
    ByOpenTelemetry(String),
    /// The agent drops this histogram.
    #[error("the CloudWatch agent drops histograms, and `{0}` is one")]
    HistogramDropped(String),
    /// The signal has no binding.
    #[error("`{0}` has no `cloudwatch` binding")]
    Unbound(String),
    /// The signal is selected by a pattern.
    #[error("`{signal}` is selected by a pattern on `{label}`, but a dimension has one value")]
    SelectedByPattern {
        /// The signal.
        signal: String,
        /// The label.
        label: String,
    },
    /// The metric is not published under this label.
    #[error("`{label}` is not a dimension of `{metric}`")]
    NoDimension {
        /// The metric.
        metric: String,
        /// The label.
        label: String,
    },
    /// This dimension is selected by a value that none can have.
    #[error(
        "`{0}` is selected by a value that no dimension can have: they are ASCII, not blank, and neither `.` nor `...`"
    )]
    DimensionValue(String),
    /// The metric is only published under dimensions.
    #[error("`{0}` is not published without dimensions")]
    OnlyUnderDimensions(String),
    /// The metric is not published under exactly these dimensions.
    #[error("`{metric}` is not published under {} alone", code(dimensions))]
    NotPublishedAlone {
        /// The metric.
        metric: String,
        /// The dimensions.
        dimensions: Vec<String>,
    },
    /// The metric is not published under all these dimensions.
    #[error("`{metric}` is not published under {}", dimensions.join(", "))]
    NotPublished {
        /// The metric.
        metric: String,
        /// The dimensions.
        dimensions: Vec<String>,
    },
    /// The signal is computed, so that there are no series to find.
    #[error("`{0}` is computed, and cannot be searched")]
    Computed(String),
    /// This name cannot be used in a search.
    #[error("the name of `{0}` cannot be used in a search")]
    Unsearchable(String),
    /// An alarm does not look back as far as this.
    #[error("an alarm looks back at most a week, not {0}")]
    BeyondWeek(Duration),
    /// An alarm with a point a minute does not look back as far as this.
    #[error("with one point per minute an alarm looks back at most a day, not {0}")]
    BeyondDay(Duration),
    /// An alarm on PromQL does not look back as far as this.
    #[error("PromQL looks back at most {most}, not {wanted}")]
    PromQlBeyond {
        /// How far it looks.
        most: Duration,
        /// How far it should.
        wanted: Duration,
    },
    /// A bucket of this histogram is selected outside a sum.
    #[error(
        "`{0}` arrives without buckets: only a `sum` of the `rate` of one bucket can be asked for"
    )]
    SingleBucket(String),
    /// This function cannot read a histogram's count or sum.
    #[error("`{0}()` reads no histogram, and there are no series `_count` and `_sum`")]
    HistogramSamples(String),
    /// A query has more characters than this.
    #[error("its query has more than {0} characters")]
    QueryTooLong(usize),
    /// Only Prometheus records what PromQL would need.
    #[error("PromQL would need series that only Prometheus records")]
    NeedsRecords,
    /// Only Prometheus records what the author's PromQL reads.
    #[error("it reads `{0}`, a name of recording rules: no page delivers it")]
    ReadsRecord(String),
    /// There is no correlation.
    #[error("CloudWatch computes no correlation")]
    Correlation,
    /// There is no alarm whose state could be shown.
    #[error("there is no alarm")]
    NoAlarm,
    /// Alarms are named by their account, which is not known.
    #[error("the states of alarms need `cloudwatch.account`")]
    NoAccount,
    /// A dashboard of CloudWatch has no room for it.
    #[error(
        "a dashboard has at most {} widgets and {} metrics",
        MOST_WIDGETS,
        MOST_METRICS
    )]
    DashboardFull,
    /// An objective on a percentile has no budget.
    #[error("it has no budget")]
    NoBudget,
    /// It is made of several signals.
    #[error("only the alarm has all of it")]
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
        Baseline::Offset(ago) => format!("its value {ago} ago"),
        Baseline::AvgOver(window) => format!("its mean over {window}"),
    }
}

fn combined(across: Across) -> &'static str {
    match across {
        Across::Sum => "the sum",
        Across::Max => "the highest",
        Across::Min => "the lowest",
        Across::Avg => "the mean",
    }
}
