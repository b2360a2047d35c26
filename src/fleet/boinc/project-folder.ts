import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { wrapSystemError } from "../../core/index.ts";
import { makeMissingFolder, writeDurably } from "../../fs/index.ts";
import { Accounts } from "./accounts.ts";
import { readApplication, type TaskProgram, writeApplication } from "./application.ts";
import { BoincHandler } from "./boinc-handler.ts";
import { readSigningKey } from "./code-signing.ts";
import type { BoincProject } from "./project.ts";
import { ProjectSecret } from "./project-secret.ts";
import { TaskStore } from "./task-store.ts";

const secretBytes = 32;

function placesIn(folder: string): { application: string; uploads: string; secret: string; database: string } {
  const own = join(folder, "boinc");
  return {
    application: join(own, "application"),
    uploads: join(own, "uploads"),
    secret: join(own, "secret"),
    database: join(own, "boinc.db"),
  };
}

/** What {@link makeBoincProject} made. */
export interface MadeBoincProject {
  /** Number of the application's version. */
  readonly versionNum: number;
  /** The account key of each volunteer. */
  readonly accountKeys: Readonly<Record<string, string>>;
}

/**
 * Lets BOINC's clients work for a project, or gives them another program.
 *
 * @param folder - of the project
 * @param signingKey - in PEM; it is not kept in the folder, for the server does not need it
 * @throws TidemarkError `bad-option` for a wrong key, `state-corrupt`, `no-permission`, `disk-full`
 */
export async function makeBoincProject(
  folder: string,
  program: TaskProgram,
  signingKey: string,
  volunteers: Iterable<string>,
): Promise<MadeBoincProject> {
  const key = readSigningKey(signingKey);
  const places = placesIn(folder);
  makeMissingFolder(folder);
  makeMissingFolder(join(folder, "boinc"), 0o700);
  makeMissingFolder(places.uploads, 0o700);
  if (!existsSync(places.secret)) await writeDurably(places.secret, randomBytes(secretBytes), { mode: 0o600 });
  const secret = readSecret(places.secret);
  const versionNum = await writeApplication(places.application, program, key);
  const keys = [...volunteers].map((volunteer) => [volunteer, secret.accountKey(volunteer)] as const);
  return { versionNum, accountKeys: Object.fromEntries(keys) };
}

/** What a server adds to a project's folder. */
export interface ServedProject
  extends Pick<BoincProject, "name" | "masterUrl" | "dispatcher" | "now" | "onEvent" | "requestDelaySeconds"> {
  /** Who may attach. */
  readonly volunteers: Iterable<string>;
}

/** Opens a project that {@link makeBoincProject} made. The caller closes its store. @throws TidemarkError `not-found`, `state-corrupt` */
export function openBoincProject(folder: string, { volunteers, ...served }: ServedProject): BoincProject {
  const places = placesIn(folder);
  const secret = readSecret(places.secret);
  const application = readApplication(places.application);
  const accounts = new Accounts(secret, volunteers);
  const store = new TaskStore(places.database);
  return { ...served, ...application, uploadFolder: places.uploads, store, secret, accounts };
}

/** Answers BOINC's clients until it is disposed of. */
export interface BoincServer extends Disposable, Pick<BoincHandler, "answer"> {}

/** Opens a project for a server. @throws TidemarkError `not-found`, `state-corrupt` */
export function serveBoincProject(folder: string, served: ServedProject): BoincServer {
  const project = openBoincProject(folder, served);
  const handler = new BoincHandler(project);
  return {
    answer: (request, response) => handler.answer(request, response),
    [Symbol.dispose]: () => project.store.close(),
  };
}

function readSecret(file: string): ProjectSecret {
  try {
    return new ProjectSecret(readFileSync(file));
  } catch (error) {
    throw wrapSystemError(error, `read ${file}`, { file });
  }
}
