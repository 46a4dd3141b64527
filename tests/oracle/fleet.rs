//! A small fleet and the requests it served. Nothing here knows of metrics.

use crate::chance::Chance;

/// What the world does, until a minute.
#[derive(Clone, Debug)]
pub(crate) struct Spell {
    pub(crate) until: f64,
    /// Requests per second that each service gets.
    pub(crate) load: f64,
    /// How many times slower than usual the engine is.
    pub(crate) slow: f64,
    /// Share of requests that fail.
    pub(crate) errors: f64,
    /// How many times longer than usual prompts are.
    pub(crate) prompts: f64,
    /// Share of a prompt that is found in the prefix cache.
    pub(crate) cached: f64,
}

impl Spell {
    pub(crate) fn until(minute: f64) -> Self {
        Self {
            until: minute,
            load: 0.4,
            slow: 1.0,
            errors: 0.0005,
            prompts: 1.0,
            cached: 0.6,
        }
    }
}

/// One process of a replica, in seconds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Life {
    pub(crate) from: f64,
    pub(crate) to: f64,
    /// The vLLM release.
    pub(crate) release: String,
}

impl Life {
    pub(crate) fn holds(&self, time: f64) -> bool {
        self.from <= time && time < self.to
    }
}

/// One engine.
#[derive(Clone, Debug)]
pub(crate) struct Replica {
    pub(crate) cluster: &'static str,
    pub(crate) model: &'static str,
    pub(crate) pod: String,
    pub(crate) lives: Vec<Life>,
    /// Spans of time in which nobody could read its page.
    pub(crate) unread: Vec<(f64, f64)>,
    /// Seconds by which its page is read before a full scrape interval.
    pub(crate) phase: f64,
}

/// What happened to one request, in seconds.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) arrival: f64,
    /// The replica that got it; none was alive otherwise.
    pub(crate) replica: Option<usize>,
    pub(crate) cluster: &'static str,
    pub(crate) start: f64,
    pub(crate) first: f64,
    pub(crate) end: f64,
    /// When each token after the first came.
    pub(crate) tokens: Vec<f64>,
    pub(crate) prompt: f64,
    pub(crate) cached: f64,
    pub(crate) status: u16,
    pub(crate) adapter: &'static str,
    pub(crate) preempted: bool,
}

/// Everything that happened.
pub(crate) struct Fleet {
    pub(crate) minutes: u64,
    pub(crate) replicas: Vec<Replica>,
    pub(crate) requests: Vec<Request>,
    /// MiB of GPU memory gained per hour from a minute on.
    pub(crate) leak: Option<(f64, f64)>,
    /// Jobs and pods that are taken out of what Prometheus scrapes, and at which minute.
    pub(crate) gone: Vec<(&'static str, f64)>,
}

/// Requests that a replica works on at a time.
pub(crate) const SLOTS: usize = 8;

/// Tokens that fit into its cache.
pub(crate) const CACHE: f64 = 12_000.0;

/// Lets every service live through the spells.
pub(crate) fn simulate(
    minutes: u64,
    replicas: Vec<Replica>,
    spells: &[Spell],
    chance: &mut Chance,
) -> Fleet {
    let mut services: Vec<_> = replicas.iter().map(|r| (r.cluster, r.model)).collect();
    services.sort_unstable();
    services.dedup();
    let mut free = vec![[0.0; SLOTS]; replicas.len()];
    let mut requests = Vec::new();
    for service in services {
        let mut from = 0.0;
        for spell in spells {
            let mut time = from + chance.pause(spell.load.max(1e-9));
            while time < spell.until * 60.0 {
                let taken = (service.0, time, spell);
                requests.push(serve(taken, service.1, &replicas, &mut free, chance));
                time += chance.pause(spell.load.max(1e-9));
            }
            from = spell.until * 60.0;
        }
    }
    requests.sort_by(|a, b| a.arrival.total_cmp(&b.arrival));
    Fleet {
        minutes,
        replicas,
        requests,
        leak: None,
        gone: Vec::new(),
    }
}

/// One request: to a replica that lives, into its queue, through its engine.
fn serve(
    (cluster, arrival, spell): (&'static str, f64, &Spell),
    model: &str,
    replicas: &[Replica],
    free: &mut [[f64; SLOTS]],
    chance: &mut Chance,
) -> Request {
    let lives = |r: &Replica| r.lives.iter().any(|life| life.holds(arrival));
    let of_service = |r: &Replica| r.cluster == cluster && r.model == model;
    let able: Vec<_> = (0..replicas.len())
        .filter(|i| of_service(&replicas[*i]) && lives(&replicas[*i]))
        .collect();
    let adapter = ["base", "tuned"][chance.below(2)];
    let prompt = (300.0 * spell.prompts * chance.spread()).ceil();
    let mut request = Request {
        arrival,
        replica: None,
        cluster,
        start: arrival,
        first: arrival,
        end: arrival,
        tokens: Vec::new(),
        prompt,
        cached: (prompt * (spell.cached * chance.between(0.8, 1.2)).min(1.0)).floor(),
        status: 503,
        adapter,
        preempted: false,
    };
    if able.is_empty() {
        return request;
    }
    let index = *chance.pick(&able);
    request.replica = Some(index);
    let slot = free[index].iter_mut().min_by(|a, b| a.total_cmp(b));
    let slot = slot.expect("a slot");
    request.start = arrival.max(*slot);
    let computed = prompt - request.cached;
    request.first = request.start + (0.03 + computed / 3_000.0) * spell.slow * chance.spread();
    request.preempted = spell.slow > 5.0 && chance.happens(0.5);
    let mut now = request.first;
    for _ in 0..(12.0 * chance.spread()) as usize {
        now += 0.02 * spell.slow * chance.spread();
        request.tokens.push(now);
    }
    request.end = now + 0.001;
    request.status = if chance.happens(spell.errors) {
        500
    } else {
        200
    };
    let life = replicas[index].lives.iter().find(|l| l.holds(arrival));
    let death = life.map_or(f64::INFINITY, |l| l.to);
    if request.end > death {
        request.status = 502;
        request.end = death;
        *slot = death;
    } else {
        *slot = request.end;
    }
    request
}
