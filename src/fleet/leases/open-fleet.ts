import { omitUndefined, parseUrl, TidemarkError } from "../../core/index.ts";
import { EmbeddedFleet } from "./embedded-fleet.ts";
import type { FleetOptions } from "./fleet-options.ts";
import { PostgresFleet } from "./postgres-fleet.ts";
import type { Fleet } from "./site-leases.ts";

const usualSchema = "tidemark_fleet";

/**
 * Opens a fleet's database, and makes it if it is not there.
 *
 * @param address - `postgres://user:password@host:port/database?schema=NAME` (schema `tidemark_fleet` if none is named), or a file,
 *   which processes of one machine share
 * @throws TidemarkError `site-unavailable`, `bad-option`, `not-found`, `state-version`, or what opening a file throws
 */
export async function openFleet(address: string, given: Partial<FleetOptions> = {}): Promise<Fleet> {
  const options = {
    worker: undefined,
    version: "",
    leaseMs: 60_000,
    delayMs: 10_000,
    stateVersion: 1,
    retryMs: 60_000,
    attemptMs: 30_000,
    mustExist: false,
    signal: undefined,
    onWait: undefined,
    ...omitUndefined(given),
  };
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(address)) return new EmbeddedFleet(address, options);
  if (!/^postgres(?:ql)?:\/\//.test(address))
    throw new TidemarkError("bad-option", `A fleet has no database at ${address.split(":", 1)[0]}: addresses.`, {
      hint: "Give postgres://user@host/name, or a file.",
    });
  const url = parseUrl(address);
  if (url === undefined)
    throw new TidemarkError("bad-option", "The address of the fleet's database is not a URL.", {
      hint: "Give postgres://user@host/name; in a name or password, write @ as %40 and / as %2F.",
    });
  const schema = url.searchParams.get("schema") ?? usualSchema;
  url.searchParams.delete("schema");
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema))
    throw new TidemarkError("bad-option", `${schema} is not the name of a schema.`, {
      hint: "Use letters, digits and _, such as ?schema=tidemark_fleet.",
    });
  return await PostgresFleet.open(url, schema, options);
}
