import type { Sql } from "postgres";
import { noFleet, refuseNewerSchema } from "./schema-version.ts";

/**
 * What each version of the schema adds to the one before. Versions only add: a program that knows fewer of them goes on while
 * others migrate.
 */
const versions: readonly string[] = [
  `CREATE TABLE worker (
     id text PRIMARY KEY, host text NOT NULL, version text NOT NULL, started timestamptz NOT NULL DEFAULT now(),
     seen timestamptz NOT NULL DEFAULT now(), is_draining boolean NOT NULL DEFAULT false,
     lost_leases bigint NOT NULL DEFAULT 0, metrics json NOT NULL DEFAULT '{}');
   CREATE TABLE site_origin (
     site bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, origin text NOT NULL UNIQUE, note text NOT NULL);
   CREATE TABLE site (
     id bigint PRIMARY KEY, next_at timestamptz NOT NULL DEFAULT now(), lease_until timestamptz,
     epoch bigint NOT NULL DEFAULT 0, state_epoch bigint NOT NULL DEFAULT 0, priority smallint NOT NULL,
     state_version smallint NOT NULL DEFAULT 0, state_blocks integer NOT NULL DEFAULT 0, owner text, address text,
     is_parked boolean NOT NULL DEFAULT false)
     WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
       autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0.1);
   CREATE INDEX site_due ON site (priority DESC, next_at, state_version);
   CREATE INDEX site_held ON site (lease_until) WHERE owner IS NOT NULL;
   CREATE INDEX site_held_address ON site (address) WHERE owner IS NOT NULL;
   CREATE INDEX site_parked ON site (address, priority DESC, next_at) WHERE is_parked;
   CREATE TABLE address (name text PRIMARY KEY, free_at timestamptz NOT NULL DEFAULT now())
     WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
       autovacuum_vacuum_cost_delay = 0);
   CREATE TABLE site_state (
     site bigint NOT NULL, number integer NOT NULL, bytes bytea NOT NULL, PRIMARY KEY (site, number));
   ALTER TABLE site_state ALTER bytes SET STORAGE EXTERNAL;
   CREATE TABLE page (
     site bigint NOT NULL, key bytea NOT NULL, path text NOT NULL, size bigint NOT NULL, digest text NOT NULL,
     modified bigint NOT NULL, media_type text NOT NULL, fetched bigint NOT NULL, PRIMARY KEY (site, key));
   CREATE TABLE web_event (
     id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, site bigint NOT NULL, path text NOT NULL, kind text NOT NULL,
     at bigint NOT NULL);
   CREATE TABLE visit (
     id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, site bigint NOT NULL, epoch bigint NOT NULL, worker text NOT NULL,
     at timestamptz NOT NULL DEFAULT now(), summary json NOT NULL);
   CREATE TABLE handed_url (
     id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, site bigint NOT NULL, key bytea NOT NULL, path text NOT NULL,
     note text NOT NULL, priority double precision NOT NULL, UNIQUE (site, key));
   CREATE INDEX handed_url_order ON handed_url (site, priority DESC, id);
   CREATE TABLE handed_site (id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, site bigint NOT NULL)
     WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
   CREATE INDEX handed_site_site ON handed_site (site);`,
  `ALTER TABLE fleet ADD COLUMN needs_version integer NOT NULL DEFAULT 1, ADD COLUMN history_days integer NOT NULL DEFAULT 400;`,
];

/**
 * Brings the schema to the newest version: one program at a time, all of it or nothing.
 *
 * @throws TidemarkError `not-found` if there is none and one must be, `state-version` if a newer program has changed what this one needs
 */
export async function migrate(sql: Sql, schema: string, mustExist: boolean): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`tidemark fleet ${schema}`}, 0))`;
  const [there] = await sql<{ has: boolean }[]>`SELECT to_regclass(${`"${schema}".fleet`}) IS NOT NULL AS has`;
  if (there?.has !== true) {
    if (mustExist) throw noFleet(`the schema ${schema}`);
    await sql`CREATE SCHEMA IF NOT EXISTS ${sql(schema)}`;
    await sql`CREATE TABLE fleet (
      is_one boolean PRIMARY KEY DEFAULT true CHECK (is_one), schema_version integer NOT NULL,
      identity uuid NOT NULL DEFAULT gen_random_uuid(), is_paused boolean NOT NULL DEFAULT false)`;
    await sql`INSERT INTO fleet (schema_version) VALUES (0)`;
  }
  const [fleet] = await sql<{ version: number }[]>`SELECT schema_version AS version FROM fleet`;
  const known = fleet?.version ?? 0;
  for (const statements of versions.slice(known)) await sql.unsafe(statements);
  if (known < versions.length) await sql`UPDATE fleet SET schema_version = ${versions.length}`;
  const [needed] = await sql<{ version: number }[]>`SELECT needs_version AS version FROM fleet`;
  refuseNewerSchema(needed?.version ?? 0, versions.length, `the schema ${schema}`);
}
