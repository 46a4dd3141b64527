//! The examples under `--help`. A test reads each command line as the shell and the program would.

pub(super) const INIT: &str = "\
Examples:
  slosmith init                               # prompts for all values
  slosmith init --name chat --owner inference --ci gitlab
  slosmith init --metrics http://localhost:8000/metrics  # with a running server";

pub(super) const IMPORT_SLOTH: &str = "\
Examples:
  slosmith import sloth slos/*.yml --out specs
  slosmith import sloth slos/shop.yml --period 28d";

pub(super) const IMPORT_OPENSLO: &str = "\
Examples:
  slosmith import openslo slos/*.yaml --out specs";

pub(super) const IMPORT_PYRRA: &str = "\
Examples:
  slosmith import pyrra slos/*.yaml --service shop --out specs";

pub(super) const IMPORT_RULES: &str = "\
Examples:
  slosmith import rules rules/*.yaml --service shop --out specs
  slosmith import rules rules/vllm.yaml --service chat --vllm '>=0.20,<0.34'";

pub(super) const IMPORT_DASHBOARD: &str = "\
Examples:
  slosmith import dashboard grafana/*.json --service shop --out specs
  slosmith import dashboard vllm.json --service chat --vllm '>=0.20,<0.34'";

pub(super) const DOCTOR: &str = "\
Examples:
  slosmith doctor
  slosmith doctor --format json";

pub(super) const BUILD: &str = "\
Examples:
  slosmith build                              # all specs of the project
  slosmith build --check                      # in CI: exits with 1 on a difference
  slosmith build --watch                      # builds again after each change
  slosmith build specs/chat.yaml --out /tmp/out --target prometheus";

pub(super) const MIGRATE: &str = "\
Examples:
  slosmith migrate                            # all specs below this folder
  slosmith migrate --diff                     # shows the changes
  slosmith migrate --check                    # in CI: exits with 1 if a spec is old";

pub(super) const PREVIEW: &str = "\
Examples:
  slosmith preview specs/chat.yaml --out preview
  slosmith preview --watch                    # reloads in the browser";

pub(super) const LINT: &str = "\
Examples:
  slosmith lint rules/ dashboards/ --vllm '>=0.20,<0.34'
  slosmith lint . --diff                      # shows what --fix would change
  slosmith lint . --format sarif --out slosmith.sarif
  cat rules.yaml | slosmith lint -";

pub(super) const LSP: &str = "\
Examples:
  slosmith lsp                                # started by the editor";

pub(super) const DRIFT: &str = "\
Examples:
  slosmith drift --from 0.10.2 --to 0.33.0 rules/ dashboards/
  slosmith drift --from 0.10.2 --to 0.33.0 --format markdown";

pub(super) const HEALTH: &str = "\
Examples:
  slosmith health http://localhost:8000/metrics --spec specs/chat.yaml
  slosmith health b.prom --since a.prom --interval 60s --spec specs/chat.yaml";

pub(super) const BACKTEST: &str = "\
Examples:
  slosmith backtest specs/chat.yaml --prometheus http://localhost:9090
  slosmith backtest --prometheus http://localhost:9090 --against origin/main";

pub(super) const SUGGEST: &str = "\
Examples:
  slosmith suggest specs/chat.yaml --prometheus http://localhost:9090
  slosmith suggest --prometheus http://localhost:9090 --pages-per-week 0.5 --write";

pub(super) const GATE: &str = "\
Examples:
  slosmith gate result.json --spec specs/chat.yaml --scenario peak
  slosmith gate --before a.prom --after b.prom --spec specs/chat.yaml";

#[cfg(not(feature = "aws"))]
pub(super) const CLOUDWATCH: &str = "\
Examples:
  slosmith cloudwatch plan   # after cargo install --locked --path . --features aws";

#[cfg(feature = "aws")]
pub(super) const CLOUDWATCH_PLAN: &str = "\
Examples:
  slosmith cloudwatch plan                    # exits with 1 on changes
  slosmith cloudwatch plan specs/chat.yaml --out plan.json";

#[cfg(feature = "aws")]
pub(super) const CLOUDWATCH_APPLY: &str = "\
Examples:
  slosmith cloudwatch apply plan.json --yes
  slosmith cloudwatch apply specs/chat.yaml --prune";

#[cfg(feature = "aws")]
pub(super) const CLOUDWATCH_LIST_METRICS: &str = "\
Examples:
  slosmith cloudwatch list-metrics --region us-east-1 --namespace N --out m.json
  slosmith lint generated/ m.json";

#[cfg(feature = "aws")]
pub(super) const CLOUDWATCH_PULL: &str = "\
Examples:
  slosmith cloudwatch pull --region us-east-1 --out account";

pub(super) const LIST: &str = "\
Examples:
  slosmith list
  slosmith list specs/chat.yaml
  slosmith list --format csv";

pub(super) const DIFF: &str = "\
Examples:
  slosmith diff                               # what is not committed yet
  slosmith diff origin/main --format markdown # for a pull request
  slosmith diff ../main                       # another copy of the project";

pub(super) const EXPLAIN: &str = "\
Examples:
  slosmith explain                            # lists all codes
  slosmith explain unknown-metric
  slosmith explain never-firing";

pub(super) const CATALOG_LIST: &str = "\
Examples:
  slosmith catalog list
  slosmith catalog list --release 0.33.0 --profile spec-decode";

pub(super) const CATALOG_SHOW: &str = "\
Examples:
  slosmith catalog show vllm:gpu_cache_usage_perc";

pub(super) const CATALOG_DIFF: &str = "\
Examples:
  slosmith catalog diff 0.10.2 0.33.0";

pub(super) const CATALOG_RECORD: &str = "\
Examples:
  slosmith catalog record http://localhost:8000/metrics --out recordings
  slosmith catalog record metrics.prom --version 1.4.0 --out recordings";

pub(super) const CATALOG_UPDATE: &str = "\
Examples:
  slosmith catalog update https://a.example/vllm.json --public-key slosmith.pub
  slosmith catalog update vllm.json --public-key slosmith.pub";

pub(super) const SIGNALS: &str = "\
Examples:
  slosmith signals --vllm '>=0.20,<0.34'
  slosmith signals vllm.time_to_first_token   # shows its metrics and buckets";

pub(super) const TEMPLATES_EXPORT: &str = "\
Examples:
  slosmith templates export my-templates prometheus/rules.yaml
  slosmith build --templates my-templates";

pub(super) const SCHEMA: &str = "\
Examples:
  slosmith schema > slosmith.schema.json
  slosmith schema --beta > slosmith-beta.schema.json";

pub(super) const COMPLETIONS: &str = "\
Examples:
  source <(slosmith completions bash)         # in ~/.bashrc
  source <(slosmith completions zsh)          # in ~/.zshrc, after compinit
  slosmith completions fish > ~/.config/fish/completions/slosmith.fish";

pub(super) const MAN: &str = "\
Examples:
  slosmith man ~/.local/share/man/man1
  man slosmith-lint";
