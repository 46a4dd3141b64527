#!/usr/bin/env python3
"""A company of many teams in one repository: its adoption of slosmith, and eleven days of its life.

    benches/company.py --slosmith target/release/slosmith                # 60 services, 12 teams, 3 environments
    benches/company.py --slosmith target/release/slosmith --services 600 --keep /tmp/company

Prints a row per day: the lines that people edited, the generated files that changed, the lines that `slosmith diff` shows a reviewer, the
conflicts of a merge that are left after `slosmith build`, the seconds of `build` and `build --check`, and the memory of the build. Ends with
1 if a day misses its bar: a new environment is one block, a moved host one line, the change of an objective one line of `diff`, and no
conflict that `build` does not repair.

--other names a slosmith of another version, for the upgrade of the tool. Needs python3 and git.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

BASE = """\
apiVersion: slosmith/v1
kind: defaults
vars: {host: wiki.example}
severities: {page: {name: critical}, ticket: {name: warning}}
links: {runbooks: "https://${vars.host}/${service.owner}/${service.name}", grafana: https://grafana.example}
prometheus: {group_by: [cluster], scrape_labels: [cluster]}
environments:
  prod: {prometheus: {jobs: {"${service.name}": {selector: {env: prod}}}}}
  staging: {prometheus: {jobs: {"${service.name}": {selector: {env: staging}}}}, severities: {page: {name: info}, ticket: {name: info}}}
  dev: {prometheus: {jobs: {"${service.name}": {selector: {env: dev}}}}, severities: {page: {name: info}, ticket: {name: info}}}
"""

PERF = """\
  perf: {prometheus: {jobs: {"${service.name}": {selector: {env: perf}}}}, severities: {page: {name: info}, ticket: {name: info}}}
"""

SERVICE = """\
apiVersion: slosmith/v1
extends: ../../defaults/base.yaml
service: {name: NAME, owner: TEAM}
signals:
  requests: {title: Requests, kind: counter, unit: requests, has_labels: [code], prometheus: {metric: http_requests_total, job: NAME}}
  failed: {use: requests, title: Failed requests, where: {code: {matches: "5.."}}}
  latency: {title: Response time, kind: histogram, unit: seconds, prometheus: {metric: http_request_duration_seconds, job: NAME, buckets: [100ms, 500ms, 1s]}}
slos:
  availability:
    objective: 99.9%
    period: 30d
    sli: {ratio: {bad: failed, total: requests}}
  latency:
    objective: 99%
    period: 30d
    sli: {latency: {signal: latency, at_most: 500ms}}
alerts:
  Slow:
    severity: ticket
    when: {signal: latency, stat: p95, window: 5m, above: 600ms}
    for: 10m
    summary: Responses are slow
  Busy:
    severity: ticket
    when: {signal: requests, stat: rate, window: 5m, above: 1000/s}
    for: 10m
    summary: Much traffic
"""

POLICY = """\
$schema: https://json-schema.org/draft/2020-12/schema
properties:
  owner: {enum: [OWNERS], description: every service has an owner that Alertmanager has a route for}
  slos:
    contains: {properties: {name: {const: availability}, ratio: {minimum: 0.99}}}
    description: every service has an availability SLO of at least 99%
"""

TOML = """\
[build]
specs = ["specs"]
defaults = ["defaults"]
"""


class Company:
    def __init__(self, args, folder):
        self.slosmith, self.folder, self.failed = args.slosmith, folder, []
        self.teams = [f"team-{i}" for i in range(args.teams)]
        self.names = [f"svc-{i}" for i in range(args.services)]
        self.write("slosmith.toml", TOML)
        self.write("defaults/base.yaml", BASE)
        for name in self.names:
            self.write(self.spec(name), SERVICE.replace("NAME", name).replace("TEAM", self.team(name)))

    def team(self, name):
        return self.teams[int(name.split("-")[1]) % len(self.teams)]

    def spec(self, name):
        return f"specs/{self.team(name)}/{name}.yaml"

    def path(self, name):
        return self.folder / name

    def write(self, name, text):
        self.path(name).parent.mkdir(parents=True, exist_ok=True)
        self.path(name).write_text(text)

    def edit(self, name, old, new):
        text = self.path(name).read_text()
        if old not in text:
            sys.exit(f"{name} has no {old!r}")
        self.write(name, text.replace(old, new, 1))

    def git(self, *command, check=True):
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        done = subprocess.run(["git", *who, *command], cwd=self.folder, capture_output=True, text=True)
        if check and done.returncode:
            sys.exit(f"git {' '.join(command)}: {done.stdout}{done.stderr}")
        return done.stdout

    def run(self, *command, wanted=0, slosmith=None):
        """What a command prints, its seconds, and its peak of memory in MB."""
        started = time.monotonic()
        process = subprocess.Popen([slosmith or self.slosmith, *command], cwd=self.folder, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        out = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if wanted is not None and process.returncode != wanted:
            sys.exit(f"slosmith {' '.join(command)} exits with {process.returncode}, not {wanted}:\n{out[-1500:]}")
        return out, time.monotonic() - started, usage.ru_maxrss / 1024

    def commit(self, message):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)

    def day(self, title, bar=None, extra="", build=()):
        """Builds after an edit, shows the row of the day, and commits."""
        self.git("add", "--all")
        edited = [line.split("\t") for line in self.git("diff", "--cached", "--numstat", "--no-renames").splitlines()]
        lines = sum(int(added) + int(removed) for added, removed, path in edited if not path.startswith("generated/"))
        shown, *_ = self.run("diff", "HEAD") if self.git("rev-list", "--count", "--all").strip() != "0" else ("", 0, 0)
        _, built, memory = self.run("build", *build)
        _, checked, _ = self.run("build", "--check")
        self.git("add", "--all")
        files = sum(path.startswith("generated/") for path in self.git("diff", "--cached", "--name-only", "--no-renames").splitlines())
        told = len(shown.splitlines())
        if bar and not bar(lines, shown):
            self.failed.append(f"{title}: {lines} lines edited; diff:\n{shown[:1500]}")
        print(f"| {title} | {lines} | {files} | {told} | {extra} | {built:.1f} | {checked:.1f} | {memory:.0f} |", flush=True)
        self.commit(title)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--slosmith", default="target/release/slosmith")
    parser.add_argument("--other", help="a slosmith of another version")
    parser.add_argument("--services", type=int, default=60)
    parser.add_argument("--teams", type=int, default=12)
    parser.add_argument("--keep", type=pathlib.Path, help="an empty folder for the repository")
    args = parser.parse_args()
    args.slosmith = str(pathlib.Path(shutil.which(args.slosmith) or sys.exit(f"there is no {args.slosmith}")).resolve())
    with tempfile.TemporaryDirectory(prefix="company-") as folder:
        live(args, args.keep or pathlib.Path(folder))


def live(args, folder):
    company = Company(args, folder)
    company.git("init", "--quiet", "--initial-branch=main")
    print(f"{args.services} services of {args.teams} teams, in three environments\n")
    print("| day | lines edited | generated files changed | lines of `diff` | after a merge | build, s | check, s | memory, MB |")
    print("|---|---|---|---|---|---|---|---|")
    company.day("adoption")
    a, b, c, d = company.names[:4]

    company.edit(company.spec(a), "objective: 99.9%", "objective: 99.95%")
    company.edit(company.spec(a), "service: {name", "environments: {staging: {slos: {availability: {objective: 99.9%}}}, dev: {slos: {availability: {objective: 99.9%}}}}\nservice: {name")
    company.day("an objective of one environment", lambda _, shown: shown.count("→") == 1)

    company.edit("defaults/base.yaml", "  staging:", PERF + "  staging:")
    company.day("a new environment", lambda lines, _: lines == 1)

    company.edit("defaults/base.yaml", "page: {name: critical}", "page: {name: sev1}")
    company.day("a renamed severity", lambda lines, shown: lines == 2 and len(shown.splitlines()) < 50)

    company.edit("defaults/base.yaml", "wiki.example", "runbooks.example")
    company.day("a moved host", lambda lines, shown: lines == 2 and 1 < len(shown.splitlines()) < 10)

    company.write("policy.yaml", POLICY.replace("OWNERS", ", ".join(company.teams[:-1])))
    company.edit("slosmith.toml", "[build]\n", "[build]\npolicy = \"policy.yaml\"\n")
    out, *_ = company.run("build", "--check", wanted=2)
    last = [name for name in company.names if company.team(name) == company.teams[-1]]
    if not all(company.spec(name) in out for name in last):
        company.failed.append(f"the policy does not name the specs of {company.teams[-1]}: {out[:600]}")
    for name in last:
        company.edit(company.spec(name), "service:", "# slosmith: allow(policy) until 2099-01-31 -- until the team has a route\nservice:")
    company.day("a policy, with exceptions that have an end", extra=f"{len(last)} exceptions")

    half = SERVICE.replace("NAME", f"{b}-batch").replace("TEAM", company.team(b))
    company.write(f"specs/{company.team(b)}/{b}-batch.yaml", half)
    company.day("a split of one service into two")

    company.git("mv", company.spec(c), f"specs/{company.team(a)}/{c}.yaml")
    company.edit(f"specs/{company.team(a)}/{c}.yaml", f"owner: {company.team(c)}", f"owner: {company.team(a)}")
    company.day("a move to another team")

    company.edit(company.spec(d), f"name: {d},", f"name: {d}-api, renamed_from: {d},")
    company.day("a new name, with its history", lambda _, shown: "- service" not in shown, build=["--prune"])

    company.git("checkout", "--quiet", "-b", "one")
    company.edit(company.spec(a), "above: 600ms", "above: 800ms")
    company.run("build")
    company.commit("one")
    company.git("checkout", "--quiet", "main")
    company.edit(company.spec(a), "above: 1000/s", "above: 2000/s")
    company.run("build")
    company.commit("two")
    company.git("merge", "one", check=False)
    before = company.git("diff", "--name-only", "--diff-filter=U").splitlines()
    company.run("build")
    company.git("add", "--all")
    left = company.git("grep", "-lE", "^(<<<<<<<|>>>>>>>) ", check=False).splitlines()
    if left or [path for path in before if not path.startswith("generated/")]:
        company.failed.append(f"conflicts that are left: {left} of {before}")
    company.day("two people in one spec", extra=f"{len(before)} conflicts, {len(left)} left")

    company.edit(company.spec(a), "above: 2000/s", "above: 1000/s")
    company.day("a rollback of one change")

    if args.other:
        _, built, _ = company.run("build", slosmith=str(pathlib.Path(args.other).resolve()))
        company.git("add", "--all")
        changed = company.git("diff", "--cached", "--name-only").splitlines()
        print(f"| another slosmith | 0 | {len(changed)} | 0 | | {built:.1f} | | |")
    for failure in company.failed:
        print(f"\nMISSED: {failure}")
    sys.exit(1 if company.failed else 0)


if __name__ == "__main__":
    main()
