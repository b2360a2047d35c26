# In place of docker.io/library/postgres where no registry of images can be reached: Debian's server, with as much of that image as container/compose.yaml uses.
FROM debian:trixie-slim
RUN apt-get update \
  && apt-get install --yes --no-install-recommends postgresql-17 \
  && rm -rf /var/lib/apt/lists/*
COPY postgres-entrypoint.sh /usr/local/bin/
ENV PATH=/usr/lib/postgresql/17/bin:$PATH PGDATA=/var/lib/postgresql/data
VOLUME /var/lib/postgresql/data
ENTRYPOINT ["postgres-entrypoint.sh"]
