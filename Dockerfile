# docker build --tag tidemark . && docker run --rm --read-only --tmpfs /tmp --volume mirror:/data tidemark crawl https://example.org/ --into /data
ARG BASE=debian:trixie-slim
FROM ${BASE} AS base
# hadolint ignore=DL3008
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates nodejs \
  && rm -rf /var/lib/apt/lists/*

FROM base AS build
# hadolint ignore=DL3008
RUN apt-get update \
  && apt-get install --yes --no-install-recommends npm \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
# npm cannot tell the C libraries apart, so it installs SQLite for both: Debian has glibc.
RUN npm run build \
  && npm pack --ignore-scripts --pack-destination /tmp \
  && npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
  && mkdir /program \
  && tar -xzf /tmp/tidemark-*.tgz -C /program --strip-components=1 \
  && rm -rf node_modules/@libsql/*-musl* /program/dist/types \
  && mv node_modules /program/

FROM base
RUN groupadd --system --gid 10001 tidemark \
  && useradd --system --uid 10001 --gid tidemark --home-dir /data --no-create-home --shell /usr/sbin/nologin tidemark \
  && install --directory --owner=tidemark --group=tidemark /data \
  && ln -s /program/bin/tidemark.js /usr/local/bin/tidemark
COPY --from=build /program /program
ENV NODE_ENV=production HOME=/data
USER 10001:10001
VOLUME /data
WORKDIR /data
ENTRYPOINT ["tidemark"]
CMD ["--help"]
