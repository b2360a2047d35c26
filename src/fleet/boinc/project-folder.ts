import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { wrapSystemError } from "../../core/index.ts";
import { makeMissingFolder, writeDurably } from "../../fs/index.ts";
import { applicationName, readApplication, writeApplication } from "./application.ts";
import { readSigningKey } from "./code-signing.ts";
import type { BoincProject } from "./project.ts";
import { ProjectSecret } from "./project-secret.ts";
import { TaskStore } from "./task-store.ts";

const secretBytes = 32;

function placesIn(folder: string): { application: string; uploads: string; secret: string; database: string } {
  return {
    application: join(folder, "application"),
    uploads: join(folder, "uploads"),
    secret: join(folder, "secret"),
    database: join(folder, "boinc.db"),
  };
}

/**
 * Makes the folder of a project, or gives the project that is there another program.
 *
 * @param program - as `writeApplication` takes it
 * @param signingKey - in PEM; it is not kept in the folder, for the server does not need it
 * @returns number of the application's version: a new one if the program is another one
 * @throws TidemarkError `bad-option` for a wrong key, `state-corrupt`, `no-permission`, `disk-full`
 */
export async function makeBoincProject(folder: string, program: Uint8Array, signingKey: string): Promise<number> {
  const key = readSigningKey(signingKey);
  const places = placesIn(folder);
  makeMissingFolder(folder, 0o700);
  makeMissingFolder(places.uploads, 0o700);
  if (!existsSync(places.secret)) await writeDurably(places.secret, randomBytes(secretBytes), { mode: 0o600 });
  const former = existsSync(places.application) ? readApplication(places.application) : undefined;
  const version = former?.application.versionNum ?? 0;
  const formerProgram = former?.applicationBytes.get(`${applicationName}_${version}.mjs`);
  const isSame = formerProgram !== undefined && Buffer.compare(formerProgram, program) === 0;
  return (await writeApplication(places.application, program, isSame ? version : version + 1, key)).versionNum;
}

/** What a server adds to a project's folder. */
export type ServedProject = Omit<
  BoincProject,
  "application" | "applicationBytes" | "uploadFolder" | "store" | "secret"
>;

/** Opens a project that {@link makeBoincProject} made. The caller closes its store. @throws TidemarkError `not-found`, `state-corrupt` */
export function openBoincProject(folder: string, served: ServedProject): BoincProject {
  const places = placesIn(folder);
  const secret = readSecret(places.secret);
  const application = readApplication(places.application);
  return { ...served, ...application, uploadFolder: places.uploads, store: new TaskStore(places.database), secret };
}

function readSecret(file: string): ProjectSecret {
  try {
    return new ProjectSecret(readFileSync(file));
  } catch (error) {
    throw wrapSystemError(error, `read ${file}`, { file });
  }
}

/**
 * Lets somebody attach.
 *
 * @param account - 1 to 58 of `a-z`, `0-9`, `_` and `-`
 * @returns the account key that a client attaches with; the same each time
 */
export function inviteAccount({ store, secret }: Pick<BoincProject, "store" | "secret">, account: string): string {
  const key = secret.accountKey(account);
  store.addAccount(account, key);
  return key;
}
