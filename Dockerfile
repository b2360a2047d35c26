# docker build --tag tidemark . && docker run --rm --read-only --tmpfs /tmp --volume mirror:/data tidemark crawl https://example.org/ --into /data
FROM alpine:3.22 AS build
# hadolint ignore=DL3018
RUN apk add --no-cache nodejs npm
WORKDIR /build
COPY . .
# npm cannot tell the C libraries apart, so it installs SQLite for both: Alpine has musl.
RUN npm ci --ignore-scripts --no-audit --no-fund \
  && npm run build \
  && npm pack --ignore-scripts --pack-destination /tmp \
  && npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
  && mkdir /program \
  && tar -xzf /tmp/tidemark-*.tgz -C /program --strip-components=1 \
  && rm -rf node_modules/@libsql/*-gnu* /program/dist/types \
  && mv node_modules /program/

FROM alpine:3.22
# hadolint ignore=DL3018
RUN apk add --no-cache nodejs \
  && addgroup -S -g 10001 tidemark \
  && adduser -S -D -H -h /data -u 10001 -G tidemark tidemark \
  && ln -s /program/bin/tidemark.js /usr/local/bin/tidemark \
  && mkdir /data \
  && chown tidemark:tidemark /data
COPY --from=build /program /program
ENV NODE_ENV=production HOME=/data
USER 10001:10001
VOLUME /data
WORKDIR /data
ENTRYPOINT ["tidemark"]
CMD ["--help"]
