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
  // The numbers of the site's clocks, as JSON.
  "ALTER TABLE site ADD COLUMN clock TEXT",
];
