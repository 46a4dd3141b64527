//! The part of a link to a dashboard that is known when an alert fires: the time to show, and the alert's labels as the
//! dashboard's variables.

use super::view::Pairs;
use slosmith_plan::plan::Links;
use slosmith_text::units::Duration;

/// What is shown at least.
const LEAST: Duration = Duration::from_mins(60);

#[derive(Clone, Debug)]
pub(super) struct Chosen {
    range: String,
    labels: Vec<String>,
}

impl Chosen {
    /// The labels of an alert that has looked so long, among those that its dashboard knows.
    pub(super) fn new(links: &Links, labels: &[String], looked: Duration) -> Self {
        let first = if links.dashboard.contains('?') {
            '&'
        } else {
            '?'
        };
        let known = links.variables.iter().filter(|v| labels.contains(v));
        Self {
            range: format!("{first}from=now-{}&to=now", ago(looked)),
            labels: known.cloned().collect(),
        }
    }

    pub(super) fn template(&self) -> String {
        let one = |label: &String| {
            format!(
                "{{{{ with $labels.{label} }}}}&var-{label}={{{{ . | urlquery }}}}{{{{ end }}}}"
            )
        };
        self.range.clone() + &self.labels.iter().map(one).collect::<String>()
    }

    pub(super) fn shown(&self, labels: &Pairs) -> String {
        let one = |label: &String| {
            let value = labels.get(label).filter(|value| !value.is_empty())?;
            Some(format!("&var-{label}={}", escaped(value)))
        };
        self.range.clone() + &self.labels.iter().filter_map(one).collect::<String>()
    }
}

fn ago(looked: Duration) -> String {
    let minutes = (looked.mins_up() * 2).max(LEAST.mins_up());
    match minutes {
        m if m.is_multiple_of(24 * 60) => format!("{}d", m / (24 * 60)),
        m if m.is_multiple_of(60) => format!("{}h", m / 60),
        m => format!("{m}m"),
    }
}

/// Go's `urlquery`.
fn escaped(text: &str) -> String {
    let one = |byte: u8| match byte {
        b' ' => "+".to_owned(),
        b if b.is_ascii_alphanumeric() || b"-_.~".contains(&b) => char::from(b).to_string(),
        b => format!("%{b:02X}"),
    };
    text.bytes().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links() -> Links {
        Links {
            elsewhere: false,
            runbook: String::new(),
            page: None,
            dashboard: "https://grafana.example/d/chat?viewPanel=3".into(),
            variables: vec!["cluster".into(), "model_name".into()],
        }
    }

    #[test]
    fn labels_that_the_dashboard_knows_are_chosen() {
        let labels = ["model_name".to_owned(), "pod".to_owned()];
        let chosen = Chosen::new(&links(), &labels, Duration::from_mins(45));
        assert_eq!(
            chosen.template(),
            "&from=now-90m&to=now{{ with $labels.model_name }}&var-model_name={{ . | urlquery }}{{ end }}"
        );
        // As promtool 2.42 prints it.
        let pairs = [("model_name".to_owned(), "a b/c&d=é+~*(x)".to_owned())];
        assert_eq!(
            chosen.shown(&pairs.into()),
            "&from=now-90m&to=now&var-model_name=a+b%2Fc%26d%3D%C3%A9%2B~%2A%28x%29"
        );
        assert_eq!(chosen.shown(&Pairs::default()), "&from=now-90m&to=now");
    }

    #[test]
    fn the_time_is_in_one_unit() {
        for (minutes, text) in [(0, "1h"), (5, "1h"), (60, "2h"), (45, "90m"), (720, "1d")] {
            assert_eq!(ago(Duration::from_mins(minutes)), text);
        }
    }
}
