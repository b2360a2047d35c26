const mirrorNames = `-- What had no place in a mirror has one now.
  UPDATE work SET state = 'due', trouble = NULL WHERE trouble = 'mirror';
  UPDATE target SET etag = NULL, modified = NULL, asked_lastmod = NULL, asked = NULL, due = 0 WHERE trouble = 'mirror'`;

const oneTable = `-- The known URLs of all sites: what is held, what is announced, and what requests have shown. Ids count up in the order of
  -- discovery.
  CREATE TABLE url (
    id INTEGER PRIMARY KEY,
    site INTEGER NOT NULL,
    path TEXT NOT NULL,
    -- The body that is held; NULL if none is. Its digest is '' if it is in doubt.
    size INTEGER,
    digest TEXT,
    modified INTEGER,
    media_type TEXT,
    -- Validators of the body as received, and when it last came whole.
    etag TEXT,
    http_modified TEXT,
    fetched INTEGER,
    -- What is announced and not carried out: 'due', 'parked', 'disallowed' or 'delete'. NULL: nothing.
    work TEXT,
    -- The announced record; without work, a record in whose place the held body was accepted.
    said_size INTEGER,
    said_digest TEXT,
    said_modified INTEGER,
    said_type TEXT,
    -- Mark of the reading that listed it last.
    seen INTEGER NOT NULL DEFAULT 0,
    trouble TEXT,
    strikes INTEGER NOT NULL DEFAULT 0,
    -- Of polled URLs 'new', 'known' or 'disallowed'. NULL: known only because it is or was announced.
    state TEXT,
    depth INTEGER NOT NULL DEFAULT 0,
    lastmod TEXT,
    asked_lastmod TEXT,
    -- Mark of the list that names it; 0 if none does.
    listed INTEGER NOT NULL DEFAULT 0,
    rank REAL NOT NULL DEFAULT 0,
    asked INTEGER,
    due INTEGER NOT NULL DEFAULT 0,
    history TEXT,
    interval TEXT,
    -- 1 if no body of it is to be held, but its links are known.
    is_link_only INTEGER NOT NULL DEFAULT 0,
    -- 1 from a change of source until it is requested.
    unconfirmed INTEGER NOT NULL DEFAULT 0,
    -- 1 while the links of the held body are to be read.
    unread INTEGER NOT NULL DEFAULT 0,
    UNIQUE (site, path)
  ) STRICT;
  INSERT INTO url (id, site, path, size, digest, modified, media_type, etag, http_modified, fetched, seen, trouble, strikes,
      state, depth, lastmod, asked_lastmod, listed, rank, asked, due, history, interval, is_link_only, unconfirmed, unread)
    SELECT t.id, t.site, t.path, p.size, p.digest, p.modified, p.media_type,
      iif(p.path IS NOT NULL, p.etag, iif(t.is_passage, t.etag, NULL)),
      iif(p.path IS NOT NULL, p.http_modified, iif(t.is_passage, t.modified, NULL)),
      iif(p.path IS NOT NULL, p.fetched, t.full), coalesce(p.seen, 0), t.trouble, t.strikes,
      t.state, t.depth, t.lastmod, t.asked_lastmod, t.listed, t.rank, t.asked, t.due, nullif(t.history, '[]'), t.interval,
      t.is_passage, t.unconfirmed, t.unread
    FROM target t LEFT JOIN page p ON p.site = t.site AND p.path = t.path ORDER BY t.id;
  INSERT INTO url (site, path, size, digest, modified, media_type, etag, http_modified, fetched, seen)
    SELECT site, path, size, digest, modified, media_type, etag, http_modified, fetched, seen FROM page WHERE true
    ON CONFLICT DO NOTHING;
  INSERT INTO url (site, path, work, said_size, said_digest, said_modified, said_type, seen, trouble, strikes)
    SELECT site, path, iif(kind = 'delete', kind, state), size, digest, modified, media_type, seen, trouble, strikes
    FROM work WHERE true
    ON CONFLICT (site, path) DO UPDATE SET work = excluded.work, said_size = excluded.said_size,
      said_digest = excluded.said_digest, said_modified = excluded.said_modified, said_type = excluded.said_type,
      seen = excluded.seen, trouble = coalesce(excluded.trouble, trouble), strikes = max(excluded.strikes, strikes);
  UPDATE url SET said_size = a.size, said_digest = a.digest, said_modified = a.modified
    FROM accepted a WHERE url.site = a.site AND url.path = a.path AND url.work IS NULL;
  DROP TABLE page;
  DROP TABLE work;
  DROP TABLE accepted;
  DROP TABLE target;
  CREATE INDEX url_work ON url (site, work, path) WHERE work IS NOT NULL;
  CREATE INDEX url_new ON url (site, id) WHERE state = 'new';
  CREATE INDEX url_ranked ON url (site, rank DESC, id) WHERE state = 'new' AND rank > 0;
  CREATE INDEX url_known ON url (site, id) WHERE state = 'known';
  CREATE INDEX url_moved ON url (site, id)
    WHERE state = 'known' AND (lastmod IS NULL OR lastmod IS NOT asked_lastmod OR strikes > 0);
  CREATE INDEX url_hinted ON url (site, id) WHERE state = 'known' AND (lastmod IS NOT asked_lastmod OR strikes > 0);
  CREATE INDEX url_unconfirmed ON url (site, id) WHERE unconfirmed = 1;
  -- Asked for, and to be fetched whole: the held body is in doubt.
  CREATE INDEX url_doubted ON url (site, id) WHERE fetched IS NULL AND asked IS NOT NULL;
  -- Unavailable at the last request: the more often, the later the next.
  CREATE INDEX url_away ON url (site, strikes, id) WHERE trouble = 'unavailable'`;

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
  "ALTER TABLE site ADD COLUMN robots_fresh INTEGER NOT NULL DEFAULT 86400000;",
  `-- URLs of sites that do not publish their changes. Ids count up in the order in which they were found.
  CREATE TABLE target (
    id INTEGER PRIMARY KEY,
    site INTEGER NOT NULL,
    path TEXT NOT NULL,
    depth INTEGER NOT NULL,
    lastmod TEXT,
    asked_lastmod TEXT,
    etag TEXT,
    modified TEXT,
    history TEXT NOT NULL DEFAULT '[]',
    asked INTEGER,
    full INTEGER,
    due INTEGER NOT NULL DEFAULT 0,
    state TEXT NOT NULL DEFAULT 'new',
    trouble TEXT,
    strikes INTEGER NOT NULL DEFAULT 0,
    listed INTEGER NOT NULL DEFAULT 0,
    -- 1 if no body of it is to be held, but links that it led to are known.
    is_passage INTEGER NOT NULL DEFAULT 0,
    UNIQUE (site, path)
  ) STRICT;
  CREATE INDEX target_new ON target (site, id) WHERE state = 'new';
  CREATE INDEX target_moved ON target (site, id) WHERE state = 'known' AND (lastmod IS NULL OR lastmod IS NOT asked_lastmod OR strikes > 0);
  CREATE INDEX target_known ON target (site, id) WHERE state = 'known';
  -- Asked for, and to be fetched whole: what is held of it is in doubt.
  CREATE INDEX target_doubted ON target (site, id) WHERE full IS NULL AND asked IS NOT NULL;
  -- Told with every place in the order of changes: a new state begins a new order.
  CREATE TABLE state_identity (epoch TEXT NOT NULL) STRICT;
  INSERT INTO state_identity VALUES (lower(hex(randomblob(8))));
  -- What each source remembers of a site, as JSON.
  CREATE TABLE source_state (
    site INTEGER NOT NULL,
    source TEXT NOT NULL,
    state TEXT NOT NULL,
    PRIMARY KEY (site, source)
  ) STRICT, WITHOUT ROWID;
  -- The newest change of each page, in the order in which they were seen; deletions stay as tombstones.
  CREATE TABLE seen_change (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    site INTEGER NOT NULL,
    path TEXT NOT NULL,
    born INTEGER NOT NULL,
    is_deleted INTEGER NOT NULL,
    at INTEGER NOT NULL,
    reason TEXT,
    UNIQUE (site, path)
  ) STRICT;
  CREATE INDEX seen_change_unborn ON seen_change (site) WHERE born = 0;
  INSERT INTO seen_change (site, path, born, is_deleted, at) SELECT site, path, 0, 0, unixepoch() FROM page;
  UPDATE seen_change SET born = seq;
  CREATE TABLE visit (
    id INTEGER PRIMARY KEY,
    site INTEGER NOT NULL,
    at INTEGER NOT NULL,
    summary TEXT NOT NULL
  ) STRICT;
  CREATE INDEX visit_site ON visit (site, id);`,
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
  // The numbers of the site's clocks, as JSON.
  "ALTER TABLE site ADD COLUMN clock TEXT",
  `-- Pages that were handed to somebody else, and what became of them is not remembered yet.
  CREATE TABLE handed (
    site INTEGER NOT NULL,
    path TEXT NOT NULL,
    PRIMARY KEY (site, path)
  ) STRICT, WITHOUT ROWID`,
  `-- When sites are visited next, by those who follow many of them. Also of sites that were not visited yet.
  CREATE TABLE visit_plan (
    origin TEXT PRIMARY KEY,
    -- NULL until the first visit has ended; then JSON.
    plan TEXT,
    -- What somebody decided while they were followed; NULL leaves it as it is set.
    priority INTEGER,
    is_paused INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID`,
  // What a planner that steps intervals keeps of a page, as JSON; NULL if none does.
  "ALTER TABLE target ADD COLUMN interval TEXT",
  `-- What pages that were fetched give to it; 0 where no order asks for that, and then the index is empty.
  ALTER TABLE target ADD COLUMN rank REAL NOT NULL DEFAULT 0;
  CREATE INDEX target_ranked ON target (site, rank DESC, id) WHERE state = 'new' AND rank > 0`,
  `-- What another lastmod, a list that names it no more, or trouble calls for.
  CREATE INDEX target_hinted ON target (site, id) WHERE state = 'known' AND (lastmod IS NOT asked_lastmod OR strikes > 0);
  -- What could not be had when it was asked for last: the more often, the later it is asked for again.
  CREATE INDEX target_away ON target (site, strikes, id) WHERE state = 'known' AND trouble = 'unavailable';
  CREATE INDEX work_away ON work (site, strikes, path) WHERE kind = 'fetch' AND trouble = 'unavailable'`,
  `-- Records whose pages are served with other bytes, which are held: the same record is no reason to ask again.
  CREATE TABLE accepted (
    site INTEGER NOT NULL,
    path TEXT NOT NULL,
    size INTEGER,
    digest TEXT,
    modified INTEGER NOT NULL,
    PRIMARY KEY (site, path)
  ) STRICT, WITHOUT ROWID`,
  // The names under which robots.txt was received and obeyed. Earlier versions obeyed it under one, whatever they sent.
  "ALTER TABLE site ADD COLUMN robots_agent TEXT NOT NULL DEFAULT 'tidemark'",
  `-- Payloads that were empty were not noted: what is noted of such a page is what it had before.
  DELETE FROM warc_record WHERE size > 0 AND (site, url) IN (
    SELECT site.id, site.origin || page.path FROM page JOIN site ON site.id = page.site WHERE page.size = 0
    UNION ALL SELECT id, origin || '/robots.txt' FROM site WHERE robots_body = '');
  -- Which fields describe the payload; NULL where that was not noted.
  ALTER TABLE warc_record ADD COLUMN fields TEXT`,
  `-- The source that the pages that are held are followed by. What another remembers of how far it came is void. NULL: not known.
  ALTER TABLE site ADD COLUMN writer TEXT;
  -- Of the body that is held: its validators as they were received, and when it came whole.
  ALTER TABLE page ADD COLUMN etag TEXT;
  ALTER TABLE page ADD COLUMN http_modified TEXT;
  ALTER TABLE page ADD COLUMN fetched INTEGER;
  -- 1 from a change of source until it is asked for.
  ALTER TABLE target ADD COLUMN unconfirmed INTEGER NOT NULL DEFAULT 0;
  -- 1 while the links of the body that is held are to be read.
  ALTER TABLE target ADD COLUMN unread INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX target_unconfirmed ON target (site, id) WHERE unconfirmed = 1;
  -- One source in all visits that are remembered, and no trace of another.
  UPDATE site SET writer = (SELECT iif(min(source) = max(source), max(source), NULL)
    FROM (SELECT summary ->> '$.source' AS source FROM visit WHERE visit.site = site.id) WHERE source <> 'none');
  UPDATE site SET writer = 'archives' WHERE epoch IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM visit WHERE visit.site = site.id AND summary ->> '$.source' <> 'none');
  UPDATE site SET writer = NULL WHERE (writer <> 'archives' AND epoch IS NOT NULL)
    OR (writer <> 'resourcesync' AND EXISTS (SELECT 1 FROM source_state s WHERE s.site = site.id AND s.source = 'resourcesync'))
    OR (writer IN ('archives', 'resourcesync')
      AND EXISTS (SELECT 1 FROM target t WHERE t.site = site.id AND t.asked IS NOT NULL));
  -- Sources that publish changes replaced bodies and left the validators of those before.
  UPDATE page SET (etag, http_modified, fetched) = (SELECT t.etag, t.modified, t.full FROM target t
      WHERE t.site = page.site AND t.path = page.path)
    WHERE site IN (SELECT id FROM site WHERE epoch IS NULL
      AND NOT EXISTS (SELECT 1 FROM source_state s WHERE s.site = site.id AND s.source = 'resourcesync'));`,
  mirrorNames,
  oneTable,
  `-- What the site states about the use of the held body, as values of Content-Usage; NULL if nothing: all of it, and that of
  -- the response alone.
  ALTER TABLE url ADD COLUMN usage TEXT;
  ALTER TABLE url ADD COLUMN served_usage TEXT`,
  `-- What is remembered of crawlers whose events are merged, as JSON, by the address of each.
  CREATE TABLE peer (url TEXT PRIMARY KEY, state TEXT NOT NULL) STRICT, WITHOUT ROWID`,
  // When another crawler last found the version that is held; NULL if none did.
  "ALTER TABLE url ADD COLUMN checked INTEGER",
  `-- How far other crawlers are trusted, as JSON, by the address of each.
  CREATE TABLE peer_trust (peer TEXT PRIMARY KEY, state TEXT NOT NULL) STRICT, WITHOUT ROWID;
  -- What they claimed of pages, until an answer of the page proves or refutes it. Ids count up in the order of the merges.
  CREATE TABLE peer_claim (
    id INTEGER PRIMARY KEY,
    site INTEGER NOT NULL,
    path TEXT NOT NULL,
    peer TEXT NOT NULL,
    kind TEXT NOT NULL,
    source TEXT NOT NULL,
    polled INTEGER NOT NULL,
    merged INTEGER NOT NULL,
    is_open INTEGER NOT NULL,
    -- When the page was answered, and its newest change, before the claim.
    asked INTEGER,
    seen INTEGER,
    UNIQUE (site, path, peer)
  ) STRICT;
  CREATE INDEX peer_claim_peer ON peer_claim (peer, is_open)`,
  `-- The crawl that bodies in a store of objects belong to, and whether the store has its mark.
  CREATE TABLE object_crawl (id TEXT NOT NULL, is_marked INTEGER NOT NULL DEFAULT 0) STRICT;
  -- By how many holders a site was written, one after the other.
  CREATE TABLE object_writer (site INTEGER PRIMARY KEY, epoch INTEGER NOT NULL) STRICT;
  -- The object of each page that is held there: SHA-256 in hexadecimal digits, a dot, and the epoch of its writer.
  CREATE TABLE object_body (
    site INTEGER NOT NULL,
    path TEXT NOT NULL,
    object TEXT NOT NULL,
    size INTEGER NOT NULL,
    PRIMARY KEY (site, path)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX object_body_object ON object_body (site, object);
  -- Objects that no page has any more, to be removed by the next holder.
  CREATE TABLE object_left (
    site INTEGER NOT NULL,
    object TEXT NOT NULL,
    PRIMARY KEY (site, object)
  ) STRICT, WITHOUT ROWID`,
  `-- Pages that redirected to disallowed ones waited like disallowed ones, and cannot be told from them. All are looked at
  -- once more; those that robots.txt disallows are not requested for that.
  UPDATE url SET state = iif(state = 'disallowed', iif(asked IS NULL, 'new', 'known'), state),
    work = iif(work = 'disallowed', 'due', work) WHERE state = 'disallowed' OR work = 'disallowed'`,
];

/** States of earlier versions have mirrors whose files have other names. */
export const mirrorNamesVersion: number = migrations.indexOf(mirrorNames) + 1;
