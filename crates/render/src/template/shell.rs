//! Long commands of a shell over several lines, so that a phone shows them whole.

use std::borrow::Cow;

const WIDTH: usize = 46;

/// The same commands: a line goes on after a backslash where it has a blank outside of quotes.
pub(super) fn broken(text: &str) -> Cow<'_, str> {
    // What follows `<<` is no command, and quotes within `"$(…)"` do not end the outer quotes.
    let nested = ["<<", "\"$(", "`"];
    if text.lines().all(|line| width(line) <= WIDTH) || nested.iter().any(|n| text.contains(n)) {
        return text.into();
    }
    let (mut out, mut quote, mut goes_on) = (String::new(), None, false);
    for line in text.lines() {
        let begin = line.len() - line.trim_start().len();
        let indent = begin + if goes_on { 0 } else { 2 };
        let gaps = gaps(line, &mut quote);
        let mut from = 0;
        while let Some(gap) = next(line, &gaps, from, if from == 0 { 0 } else { indent }) {
            out.push_str(&format!(
                "{} \\\n{:indent$}",
                line[from..gap].trim_end(),
                ""
            ));
            from = gap + 1;
        }
        out.push_str(&line[from..]);
        out.push('\n');
        goes_on = line.ends_with('\\');
    }
    out.into()
}

fn width(text: &str) -> usize {
    text.chars().count()
}

/// Where the line ends that begins at `from`, if it is too long: before a pipe or after `--` at best, else before an option.
fn next(line: &str, gaps: &[usize], from: usize, indent: usize) -> Option<usize> {
    if indent + width(&line[from..]) <= WIDTH {
        return None;
    }
    let left = |gap: &&usize| **gap > from && !line[from..**gap].trim().is_empty();
    let gaps = || gaps.iter().filter(left).copied();
    let rank = |gap: &usize| match (&line[from..*gap], line[*gap..].trim_start()) {
        (_, rest) if rest.starts_with(['|', '&']) => 3,
        (before, _) if before.ends_with(" --") => 3,
        (_, rest) if rest.starts_with('-') => 2,
        _ => 1,
    };
    let fits = |gap: &usize| indent + width(&line[from..*gap]) + 2 <= WIDTH;
    let best = gaps().filter(fits).max_by_key(rank);
    best.or_else(|| gaps().next())
}

/// Blanks between words, outside of quotes and comments. A quote may end on a later line.
fn gaps(line: &str, quote: &mut Option<char>) -> Vec<usize> {
    let (mut found, mut before, mut escaped) = (Vec::new(), ' ', false);
    for (at, c) in line.char_indices() {
        match (c, *quote) {
            _ if escaped => escaped = false,
            ('\\', None | Some('"')) => escaped = true,
            (c, Some(open)) if c == open => *quote = None,
            (_, Some(_)) => {}
            ('\'' | '"', None) => *quote = Some(c),
            ('#', None) if before == ' ' => break,
            (' ', None) => found.push(at),
            _ => {}
        }
        before = c;
    }
    // A backslash at the end goes with the last word.
    if line.ends_with(" \\") {
        found.pop();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_command_goes_on_after_a_backslash() {
        for (text, wanted) in [
            ("kubectl get pods", "kubectl get pods"),
            (
                "kubectl exec deploy/vllm -- curl -s http://localhost:8000/metrics | grep '^vllm:'",
                "kubectl exec deploy/vllm -- \\\n  curl -s http://localhost:8000/metrics \\\n  | grep '^vllm:'\n",
            ),
            (
                "aws application-autoscaling describe-scaling-activities --service-namespace sagemaker --resource-id endpoint/x",
                "aws application-autoscaling \\\n  describe-scaling-activities \\\n  --service-namespace sagemaker \\\n  --resource-id endpoint/x\n",
            ),
            (
                "run one \\\n  --base-url http://localhost:8000 --model meta-llama/Llama-3.3-70B-Instruct \\\n  --last",
                "run one \\\n  --base-url http://localhost:8000 \\\n  --model meta-llama/Llama-3.3-70B-Instruct \\\n  --last\n",
            ),
        ] {
            assert_eq!(broken(text), wanted);
        }
    }

    /// Quotes, comments and what a shell reads by other rules.
    #[test]
    fn what_would_change_stays() {
        let long = ["word"; 20].join(" ");
        for text in [
            format!("echo '{long}'"),
            format!("echo \"{long}\n{long}\""),
            format!("true # {long}"),
            format!("cat <<END\n{long}\nEND"),
            format!("echo \"$(echo \"{long}\")\""),
        ] {
            let kept = broken(&text).replace(" \\\n  ", " ");
            assert_eq!(kept.trim_end(), text);
            assert!(broken(&text).matches("\\\n").count() <= 1, "{text}");
        }
    }
}
