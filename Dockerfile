# An image with slosmith, for CI: docker build -t slosmith . && docker run --rm -v "$PWD:/work" slosmith lint .
FROM rust:1-bookworm AS build
WORKDIR /src
COPY Cargo.toml Cargo.lock build.rs ./
COPY src src
COPY crates crates
COPY templates templates
COPY schemas schemas
COPY catalog catalog
COPY benches benches
RUN cargo build --release --locked --features aws --bin slosmith

FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates git \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --uid 65532 --create-home slosmith
COPY --from=build /src/target/release/slosmith /usr/local/bin/slosmith
USER 65532
WORKDIR /work
ENTRYPOINT ["slosmith"]
CMD ["--help"]
