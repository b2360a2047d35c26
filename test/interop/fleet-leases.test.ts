import { after, before, describe, it } from "node:test";
import postgres from "postgres";
import { openFleet } from "../../src/fleet/index.ts";
import { type TestDatabase, testLeases } from "../fleet/lease-cases.ts";
import { testLeaseModel } from "../fleet/lease-model.ts";
import { type PostgresServer, startPostgres } from "../postgres-server.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { skipWithout } from "./programs.ts";

describe("leases in PostgreSQL", { skip: skipWithout("pg_ctlcluster") }, () => {
  const folder = makeTempFolder("fleet");
  let server: PostgresServer;
  let schemas = 0;

  before(async () => {
    server = await startPostgres(folder.path);
  });

  after(async () => {
    await server[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  async function makeDatabase(): Promise<TestDatabase> {
    const schema = `fleet_${schemas++}`;
    const sql = postgres(server.url, { max: 1, connection: { search_path: schema } });
    return {
      open: async (options) => openFleet(`${server.url}?schema=${schema}`, options),
      elapse: async (ms) => {
        const span = sql`${ms}::double precision * interval '1 millisecond'`;
        await sql`UPDATE site SET next_at = next_at - ${span}, lease_until = lease_until - ${span}`;
        await sql`UPDATE address SET free_at = free_at - ${span}`;
      },
      [Symbol.asyncDispose]: async () => sql.end(),
    };
  }

  testLeases("PostgreSQL", makeDatabase);

  it("any steps of several workers agree with a model", { timeout: 120_000 }, async () => {
    await testLeaseModel(makeDatabase, 40);
  });
});
