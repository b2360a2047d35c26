import { createHash } from "node:crypto";
import type { ProjectSecret } from "./project-secret.ts";

function digestOf(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

/** The volunteers of a project as BOINC's clients know them: each has an account key. */
export class Accounts {
  readonly #keys: ReadonlyMap<string, string>;
  // By a digest: how long a look-up takes says nothing of a key then.
  readonly #volunteers: ReadonlyMap<string, string>;

  constructor(secret: ProjectSecret, volunteers: Iterable<string>) {
    const keys = [...volunteers].map((volunteer) => [volunteer, secret.accountKey(volunteer)] as const);
    this.#keys = new Map(keys);
    this.#volunteers = new Map(keys.map(([volunteer, key]) => [digestOf(key), volunteer]));
  }

  /** @returns the account key of a volunteer; undefined if there is none of this name */
  keyOf(volunteer: string): string | undefined {
    return this.#keys.get(volunteer);
  }

  /** @returns whose account key it is; undefined if it is nobody's */
  volunteerOf(key: string): string | undefined {
    return this.#volunteers.get(digestOf(key));
  }
}
