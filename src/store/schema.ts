/** The statements that lead from each version of the schema to the next; `user_version` counts those that were run. */
export const migrations: readonly string[] = [
  `CREATE TABLE site (
    id INTEGER PRIMARY KEY,
    origin TEXT NOT NULL UNIQUE,
    mirror TEXT NOT NULL,
    generation INTEGER NOT NULL DEFAULT 0,
    epoch TEXT,
    publication INTEGER,
    types_key TEXT,
    since INTEGER,
    index_path TEXT,
    index_etag TEXT,
    index_modified TEXT,
    robots_body TEXT,
    robots_etag TEXT,
    robots_modified TEXT,
    robots_confirmed INTEGER
  ) STRICT;
  -- Bodies that are held.
  CREATE TABLE page (
    site INTEGER NOT NULL,
    path TEXT NOT NULL,
    size INTEGER NOT NULL,
    digest TEXT NOT NULL,
    modified INTEGER NOT NULL,
    media_type TEXT NOT NULL,
    seen INTEGER NOT NULL,
    PRIMARY KEY (site, path)
  ) STRICT, WITHOUT ROWID;
  -- Changes that are known and not yet carried out.
  CREATE TABLE work (
    site INTEGER NOT NULL,
    path TEXT NOT NULL,
    kind TEXT NOT NULL,
    size INTEGER,
    digest TEXT,
    modified INTEGER,
    media_type TEXT,
    state TEXT NOT NULL DEFAULT 'due',
    trouble TEXT,
    strikes INTEGER NOT NULL DEFAULT 0,
    seen INTEGER NOT NULL,
    PRIMARY KEY (site, path)
  ) STRICT, WITHOUT ROWID;`,
  `-- The newest payload of each URL in the site's WARC files, and the record that holds its bytes.
  CREATE TABLE warc_record (
    site INTEGER NOT NULL,
    url TEXT NOT NULL,
    payload TEXT NOT NULL,
    -- Of the page; NULL once the page was withdrawn.
    digest TEXT,
    size INTEGER NOT NULL,
    record TEXT NOT NULL,
    target TEXT NOT NULL,
    date INTEGER NOT NULL,
    file TEXT NOT NULL,
    offset INTEGER NOT NULL,
    PRIMARY KEY (site, url)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX warc_payload ON warc_record (site, payload);`,
];
