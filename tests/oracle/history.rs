//! From requests to what a family of metrics is about: events and levels, in real time. Nothing is lost or rounded here;
//! what a page says of it, and Prometheus reads, is made in `scrape.rs`.

use std::collections::BTreeMap;

use crate::fleet::{CACHE, Fleet, Life, Replica, Request, SLOTS};

/// Labels of a series.
pub(crate) type Labels = BTreeMap<String, String>;

/// What one exporter counts or measures under one set of labels.
pub(crate) struct Track {
    /// Labels that the scrape adds, and those of the page.
    pub(crate) labels: Labels,
    /// The processes that serve it.
    pub(crate) lives: Vec<Life>,
    pub(crate) unread: Vec<(f64, f64)>,
    pub(crate) phase: f64,
    pub(crate) data: Data,
}

pub(crate) enum Data {
    /// When, and what was added or observed; ascending. A lazy series is on the page from its first event on only.
    Events { events: Vec<(f64, f64)>, lazy: bool },
    /// From when on it has which value; ascending.
    Level(Vec<(f64, f64)>),
}

/// The tracks of a family, if the fleet has anything that it could measure.
pub(crate) fn tracks(fleet: &Fleet, family: &str) -> Option<Vec<Track>> {
    let mut tracks = measured(fleet, family)?;
    for track in &mut tracks {
        let is = |name: &str| {
            ["job", "pod"]
                .iter()
                .any(|l| track.labels.get(*l).is_some_and(|v| v == name))
        };
        let gone = fleet.gone.iter().find(|(name, _)| is(name));
        if let Some((_, minute)) = gone {
            track.end(minute * 60.0);
        }
    }
    Some(tracks)
}

impl Track {
    /// Nobody measures it from then on.
    fn end(&mut self, time: f64) {
        self.lives.retain(|life| life.from < time);
        for life in &mut self.lives {
            life.to = life.to.min(time);
        }
        if let Data::Events { events, .. } = &mut self.data {
            events.retain(|(at, _)| *at < time);
        }
    }
}

fn measured(fleet: &Fleet, family: &str) -> Option<Vec<Track>> {
    let engine = |what: fn(&Request) -> Vec<(f64, f64)>| Some(per_engine(fleet, what));
    let gateway = |labels: &[&str], what: fn(&Request) -> Option<(f64, f64)>| {
        Some(per_gateway(fleet, labels, what))
    };
    match family {
        "vllm:time_to_first_token_seconds" => engine(|r| vec![(r.first, r.first - r.arrival)]),
        "vllm:inter_token_latency_seconds" => engine(pauses),
        "vllm:e2e_request_latency_seconds" => engine(|r| vec![(r.end, r.end - r.arrival)]),
        "vllm:request_queue_time_seconds" => engine(|r| vec![(r.start, r.start - r.arrival)]),
        "vllm:request_prefill_time_seconds" => engine(|r| vec![(r.end, r.first - r.start)]),
        "vllm:request_decode_time_seconds" => engine(|r| vec![(r.end, r.end - r.first)]),
        "vllm:request_prompt_tokens" => engine(|r| vec![(r.end, r.prompt)]),
        "vllm:request_generation_tokens" => engine(|r| vec![(r.end, r.tokens.len() as f64 + 1.0)]),
        "vllm:prompt_tokens_total" => engine(|r| vec![(r.first, r.prompt)]),
        "vllm:prefix_cache_queries_total" => engine(|r| vec![(r.start, r.prompt)]),
        "vllm:prefix_cache_hits_total" => engine(|r| vec![(r.start, r.cached)]),
        "vllm:generation_tokens_total" => engine(|r| {
            [r.first]
                .iter()
                .chain(&r.tokens)
                .map(|t| (*t, 1.0))
                .collect()
        }),
        "vllm:num_preemptions_total" => {
            engine(|r| r.preempted.then_some((r.first, 1.0)).into_iter().collect())
        }
        "vllm:request_success_total" => Some(finished(fleet)),
        "http_requests_total" => Some(answered(fleet)),
        "vllm:num_requests_running" => Some(levels(fleet, |r| (r.start, r.end, 1.0), |v| v)),
        "vllm:num_requests_waiting" => Some(levels(fleet, |r| (r.arrival, r.start, 1.0), |v| v)),
        "vllm:kv_cache_usage_perc" => Some(levels(
            fleet,
            |r| (r.start, r.end, r.prompt + r.tokens.len() as f64),
            |v| (v / CACHE).min(1.0),
        )),
        "DCGM_FI_DEV_GPU_UTIL" => Some(gpu(levels(
            fleet,
            |r| (r.start, r.end, 1.0),
            |v| (100.0 * v / SLOTS as f64).min(100.0),
        ))),
        "DCGM_FI_DEV_FB_USED" => Some(gpu(memory(fleet))),
        "probe_success" => Some(probes(fleet)),
        "mangaassist_requests_total" => gateway(&["adapter_id", "status"], |r| Some((r.end, 1.0))),
        "mangaassist_ttft_seconds" => gateway(&["adapter_id"], |r| {
            (r.status != 503).then_some((r.first, r.first - r.arrival))
        }),
        "mangaassist_queue_wait_seconds" => gateway(&["adapter_id"], |r| {
            (r.status != 503).then_some((r.start, r.start - r.arrival))
        }),
        "mangaassist_generation_seconds" => gateway(&["adapter_id"], |r| {
            (r.status == 200).then_some((r.end, r.end - r.start))
        }),
        "mangaassist_prefix_cache_hit_total" => gateway(&["adapter_id"], |r| {
            (r.status == 200 && r.cached > 0.55 * r.prompt).then_some((r.end, 1.0))
        }),
        "mangaassist_oom_caught_total" => gateway(&["adapter_id"], |r| {
            (r.status == 500 && r.prompt > 600.0).then_some((r.end, 1.0))
        }),
        _ => None,
    }
}

fn pauses(r: &Request) -> Vec<(f64, f64)> {
    let mut before = r.first;
    let pause = |time: &f64| {
        let pause = *time - before;
        before = *time;
        (*time, pause)
    };
    r.tokens.iter().map(pause).collect()
}

fn labels(pairs: &[(&str, &str)]) -> Labels {
    pairs
        .iter()
        .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
        .collect()
}

fn engine_labels(replica: &Replica) -> Labels {
    labels(&[
        ("job", "vllm"),
        ("instance", &format!("{}:8000", replica.pod)),
        ("cluster", replica.cluster),
        ("namespace", "serving"),
        ("pod", &replica.pod),
        ("model_name", replica.model),
        ("engine", "0"),
    ])
}

fn of_replica(replica: &Replica, labels: Labels, data: Data) -> Track {
    Track {
        labels,
        lives: replica.lives.clone(),
        unread: replica.unread.clone(),
        phase: replica.phase,
        data,
    }
}

/// What the process that took a request lived to see.
fn seen_by(replica: &Replica, r: &Request, events: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let life = replica.lives.iter().find(|l| l.holds(r.arrival));
    let death = life.map_or(0.0, |l| l.to);
    events
        .into_iter()
        .filter(|(time, _)| *time < death)
        .collect()
}

fn sorted(mut events: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    events.sort_by(|a, b| a.0.total_cmp(&b.0));
    events
}

fn per_engine(fleet: &Fleet, what: fn(&Request) -> Vec<(f64, f64)>) -> Vec<Track> {
    let track = |(i, replica): (usize, &Replica)| {
        let own = fleet.requests.iter().filter(|r| r.replica == Some(i));
        let events = own.flat_map(|r| seen_by(replica, r, what(r))).collect();
        let data = Data::Events {
            events: sorted(events),
            lazy: false,
        };
        of_replica(replica, engine_labels(replica), data)
    };
    fleet.replicas.iter().enumerate().map(track).collect()
}

/// Tracks of every replica, split by one label more.
fn split(
    fleet: &Fleet,
    label: &str,
    lazy: bool,
    page: impl Fn(&Replica) -> Labels,
    of: impl Fn(&Request) -> &'static str,
    values: &[&str],
) -> Vec<Track> {
    let mut all = Vec::new();
    for (i, replica) in fleet.replicas.iter().enumerate() {
        for value in values {
            let own = fleet
                .requests
                .iter()
                .filter(|r| r.replica == Some(i) && of(r) == *value);
            let events = own
                .flat_map(|r| seen_by(replica, r, vec![(r.end, 1.0)]))
                .collect();
            let mut labels = page(replica);
            labels.insert(label.to_owned(), (*value).to_owned());
            let data = Data::Events {
                events: sorted(events),
                lazy,
            };
            all.push(of_replica(replica, labels, data));
        }
    }
    all
}

fn finished(fleet: &Fleet) -> Vec<Track> {
    let reason = |r: &Request| if r.status == 200 { "stop" } else { "abort" };
    split(
        fleet,
        "finished_reason",
        false,
        engine_labels,
        reason,
        &["stop", "abort"],
    )
}

fn answered(fleet: &Fleet) -> Vec<Track> {
    let page = |replica: &Replica| {
        let mut labels = engine_labels(replica);
        labels.retain(|label, _| label != "model_name" && label != "engine");
        labels.insert("handler".into(), "/v1/chat/completions".into());
        labels.insert("method".into(), "POST".into());
        labels
    };
    let status = |r: &Request| if r.status == 200 { "2xx" } else { "5xx" };
    split(fleet, "status", true, page, status, &["2xx", "5xx"])
}

/// The sum of what each request takes from one moment to another, as a level.
fn levels(
    fleet: &Fleet,
    span: fn(&Request) -> (f64, f64, f64),
    shown: fn(f64) -> f64,
) -> Vec<Track> {
    let track = |(i, replica): (usize, &Replica)| {
        let mut changes = Vec::new();
        for r in fleet.requests.iter().filter(|r| r.replica == Some(i)) {
            let (from, to, amount) = span(r);
            let life = replica.lives.iter().find(|l| l.holds(r.arrival));
            let to = to.min(life.map_or(to, |l| l.to));
            if from < to {
                changes.extend([(from, amount), (to, -amount)]);
            }
        }
        let mut now = 0.0;
        let level = |(time, change): (f64, f64)| {
            now += change;
            (time, shown(now))
        };
        let steps = [(0.0, 0.0)].into_iter().chain(sorted(changes)).map(level);
        of_replica(
            replica,
            engine_labels(replica),
            Data::Level(steps.collect()),
        )
    };
    fleet.replicas.iter().enumerate().map(track).collect()
}

/// The GPU below each replica: its exporter lives on when the engine does not.
fn gpu(tracks: Vec<Track>) -> Vec<Track> {
    let below = |mut track: Track| {
        let pod = track.labels["pod"].clone();
        let cluster = track.labels["cluster"].clone();
        track.labels = labels(&[
            ("job", "dcgm-exporter"),
            ("instance", &format!("{pod}-host:9400")),
            ("cluster", &cluster),
            ("namespace", "gpu"),
            ("pod", &format!("dcgm-{pod}")),
            ("Hostname", &format!("{pod}-host")),
            ("gpu", "0"),
        ]);
        track.lives = always();
        track
    };
    tracks.into_iter().map(below).collect()
}

fn always() -> Vec<Life> {
    vec![Life {
        from: -600.0,
        to: f64::INFINITY,
        release: String::new(),
    }]
}

fn memory(fleet: &Fleet) -> Vec<Track> {
    let (from, per_hour) = fleet.leak.unwrap_or((0.0, 0.0));
    let level = |minute: u64| {
        let grown = (minute as f64 - from).max(0.0) / 60.0 * per_hour;
        (minute as f64 * 60.0, (60_000.0 + grown).floor())
    };
    let steps: Vec<_> = (0..=fleet.minutes).map(level).collect();
    let track = |r: &Replica| of_replica(r, engine_labels(r), Data::Level(steps.clone()));
    fleet.replicas.iter().map(track).collect()
}

/// `/ping` of a cluster is answered while one of its replicas lives.
fn probes(fleet: &Fleet) -> Vec<Track> {
    let track = |cluster: &str| {
        let lives = fleet
            .replicas
            .iter()
            .filter(|r| r.cluster == cluster)
            .flat_map(|r| &r.lives);
        let lives: Vec<_> = lives.collect();
        let mut times: Vec<_> = lives.iter().flat_map(|l| [l.from, l.to]).collect();
        times.sort_by(f64::total_cmp);
        let up = |time: &f64| {
            (
                *time,
                f64::from(u8::from(lives.iter().any(|l| l.holds(*time)))),
            )
        };
        let steps = times.iter().map(up).collect();
        let job = "mangaassist-ping";
        let data = Data::Level(steps);
        lonely(
            labels(&[
                ("job", job),
                ("instance", "http://ping"),
                ("cluster", cluster),
            ]),
            data,
        )
    };
    clusters(fleet).into_iter().map(track).collect()
}

fn clusters(fleet: &Fleet) -> Vec<&'static str> {
    let mut all: Vec<_> = fleet.replicas.iter().map(|r| r.cluster).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn lonely(labels: Labels, data: Data) -> Track {
    Track {
        labels,
        lives: always(),
        unread: Vec::new(),
        phase: 3.0,
        data,
    }
}

/// What the gateway of each cluster counts, by labels of the request; its series are born by their first event.
fn per_gateway(fleet: &Fleet, by: &[&str], what: fn(&Request) -> Option<(f64, f64)>) -> Vec<Track> {
    let mut all: BTreeMap<Labels, Vec<(f64, f64)>> = BTreeMap::new();
    for r in &fleet.requests {
        let Some(event) = what(r) else { continue };
        let mut own = labels(&[
            ("job", "mangaassist-gateway"),
            ("instance", &format!("gateway-{}:9000", r.cluster)),
            ("cluster", r.cluster),
            ("namespace", "gateway"),
            ("pod", "gateway-0"),
        ]);
        for label in by {
            let value = match *label {
                "adapter_id" => r.adapter.to_owned(),
                _ => r.status.to_string(),
            };
            own.insert((*label).to_owned(), value);
        }
        all.entry(own).or_default().push(event);
    }
    let track = |(labels, events)| {
        lonely(
            labels,
            Data::Events {
                events: sorted(events),
                lazy: true,
            },
        )
    };
    all.into_iter().map(track).collect()
}
