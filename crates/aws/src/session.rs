//! Credentials, region and a runtime: what a command needs to work on an account.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use aws_config::retry::RetryConfig;
use aws_config::timeout::TimeoutConfig;
use aws_config::{AppName, BehaviorVersion, Region, SdkConfig};
use aws_credential_types::provider::ProvideCredentials;
use aws_sdk_cloudwatch::Client;
use aws_sdk_cloudwatch::config::RuntimeComponents;
use aws_sdk_cloudwatch::config::SharedHttpClient;
use aws_smithy_http_client::Connector;
use aws_smithy_http_client::proxy::ProxyConfig;
use aws_smithy_http_client::tls::{Provider, rustls_provider::CryptoMode};
use serde_json::Value;
use thiserror::Error;
use tokio::runtime::{Builder, Runtime};
#[cfg(unix)]
use tokio::signal::unix::{SignalKind, signal};

use super::account::{Account, Others, Outcome, Watch};
use super::error::{CallError, in_words};
use super::object::{Desired, State};
use super::order::Wave;
use super::pace::Pace;

const CONNECT: Duration = Duration::from_secs(5);

#[derive(Clone, Debug, Default)]
pub struct Settings {
    pub region: String,
    pub profile: Option<String>,
    /// Another address than AWS's own.
    pub endpoint: Option<String>,
    pub endpoints: Endpoints,
    pub pace: Pace,
}

/// Other addresses of other services; `endpoint` may lead to CloudWatch alone.
#[derive(Clone, Debug, Default)]
pub struct Endpoints {
    pub sts: Option<String>,
    pub tagging: Option<String>,
}

#[derive(Debug, Error)]
pub enum SessionError {
    #[error("cannot start the network runtime")]
    Runtime(#[from] io::Error),
    #[error("no AWS credentials: {0}")]
    Credentials(String),
}

/// An account, for callers that wait.
#[derive(Debug)]
pub struct Session {
    runtime: Runtime,
    account: Account,
    number: Option<String>,
}

impl Session {
    /// Finds credentials in the usual places: the environment, profiles, single sign-on, processes, containers, instances.
    pub fn open(settings: &Settings) -> Result<Self, SessionError> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let config = runtime.block_on(config(settings));
        Self::with(runtime, &config, &settings.endpoints, settings.pace)
    }

    /// The same with credentials, region and address that are known already.
    pub fn of(config: &SdkConfig, pace: Pace) -> Result<Self, SessionError> {
        Self::with(
            Builder::new_current_thread().enable_all().build()?,
            config,
            &Endpoints::default(),
            pace,
        )
    }

    fn with(
        runtime: Runtime,
        config: &SdkConfig,
        endpoints: &Endpoints,
        pace: Pace,
    ) -> Result<Self, SessionError> {
        let credentials = match config.credentials_provider() {
            Some(provider) => runtime.block_on(async { provider.provide_credentials().await }),
            None => {
                return Err(SessionError::Credentials(
                    "no credentials provider is configured".to_owned(),
                ));
            }
        };
        let credentials =
            credentials.map_err(|error| SessionError::Credentials(in_words(&error)))?;
        let number = credentials.account_id().map(|id| id.as_str().to_owned());
        let region = config.region().map_or("an unknown region", Region::as_ref);
        let address = config.endpoint_url().map(str::to_owned);
        let address = address.unwrap_or_else(|| format!("AWS in {region}"));
        let account = Account::new(
            client(config, pace),
            others(config, endpoints, pace),
            address,
            pace,
        );
        Ok(Self {
            runtime,
            account,
            number,
        })
    }

    /// The number of the account, where the credentials tell it.
    pub fn number(&self) -> Option<&str> {
        self.number.as_deref()
    }

    /// The same, asked of AWS.
    pub fn ask_number(&self) -> Result<String, CallError> {
        self.runtime.block_on(self.account.number())
    }

    /// The objects of the account that matter to `desired`.
    pub fn read(&self, desired: &Desired, watch: Watch<'_>) -> Result<State, CallError> {
        self.runtime.block_on(self.account.read(desired, watch))
    }

    pub fn read_all(&self, watch: Watch<'_>) -> Result<State, CallError> {
        self.runtime.block_on(self.account.read_all(watch))
    }

    /// The metrics of namespaces, as a file for `lint` that says it is of today.
    pub fn list_metrics(&self, namespaces: &[String], today: &str) -> Result<Value, CallError> {
        let listing = self.account.list_metrics(namespaces, today);
        self.runtime.block_on(listing)
    }

    /// Makes calls. An interrupt (Ctrl-C) or SIGTERM lets those that wait for an answer end, and begins no other.
    pub fn apply(&self, waves: Vec<Wave>, watch: Watch<'_>) -> Outcome {
        let stopped = self.account.stopped();
        self.runtime.block_on(async {
            #[cfg(unix)]
            tokio::spawn({
                let stopped = Arc::clone(&stopped);
                async move {
                    if let Ok(mut terminated) = signal(SignalKind::terminate()) {
                        terminated.recv().await;
                        stopped.store(true, Ordering::Relaxed);
                    }
                }
            });
            tokio::spawn(async move {
                if tokio::signal::ctrl_c().await.is_ok() {
                    stopped.store(true, Ordering::Relaxed);
                }
            });
            self.account.apply(waves, watch).await
        })
    }
}

/// TLS as in the rest of slosmith, through the proxy that the environment names.
pub(crate) fn http() -> SharedHttpClient {
    aws_smithy_http_client::Builder::new().build_with_connector_fn(|settings, components| {
        let mut connector = Connector::builder()
            .tls_provider(Provider::Rustls(CryptoMode::Ring))
            .proxy_config(ProxyConfig::from_env());
        if let Some(settings) = settings {
            connector = connector.connector_settings(settings.clone());
        }
        connector.set_sleep_impl(components.and_then(RuntimeComponents::sleep_impl));
        connector.build()
    })
}

async fn config(settings: &Settings) -> SdkConfig {
    let mut loader = aws_config::defaults(BehaviorVersion::latest())
        .region(Region::new(settings.region.clone()))
        .http_client(http());
    if let Some(profile) = &settings.profile {
        loader = loader.profile_name(profile);
    }
    if let Some(endpoint) = &settings.endpoint {
        loader = loader.endpoint_url(endpoint);
    }
    loader.load().await
}

fn times(pace: Pace) -> TimeoutConfig {
    TimeoutConfig::builder()
        .connect_timeout(CONNECT.min(pace.patience))
        .operation_attempt_timeout(pace.patience)
        .build()
}

/// The services that know whose credentials these are, and what has which tags.
fn others(config: &SdkConfig, endpoints: &Endpoints, pace: Pace) -> Others {
    let mut sts = aws_sdk_sts::config::Builder::from(config)
        .http_client(http())
        .retry_config(RetryConfig::disabled())
        .timeout_config(times(pace));
    if let Some(url) = &endpoints.sts {
        sts = sts.endpoint_url(url);
    }
    let mut tagging = aws_sdk_resourcegroupstagging::config::Builder::from(config)
        .http_client(http())
        .retry_config(RetryConfig::disabled())
        .timeout_config(times(pace));
    if let Some(url) = &endpoints.tagging {
        tagging = tagging.endpoint_url(url);
    }
    Others {
        sts: aws_sdk_sts::Client::from_conf(sts.build()),
        tagging: aws_sdk_resourcegroupstagging::Client::from_conf(tagging.build()),
    }
}

fn client(config: &SdkConfig, pace: Pace) -> Client {
    let mut config = aws_sdk_cloudwatch::config::Builder::from(config)
        .http_client(http())
        // Attempts take turns here, so that they count against the quotas.
        .retry_config(RetryConfig::disabled())
        .timeout_config(times(pace));
    config.set_app_name(AppName::new("slosmith").ok());
    Client::from_conf(config.build())
}
