import { readFileSync } from "node:fs";
import { join } from "node:path";
import { omitUndefined, wrapSystemError } from "../../core/index.ts";
import { readSeeds } from "../../crawler/index.ts";
import {
  isKeyOf,
  makeBoincProject,
  makeProject,
  makeSigningKey,
  type OpenProjectOptions,
  openVolunteerProject,
  type ProjectCounts,
  parseKey,
  readProjectFile,
  serveBoincProject,
} from "../../fleet/index.ts";
import { maxResultBytes } from "../../formats/work-unit/index.ts";
import { createDurably, makeMissingFolder, writeDurably } from "../../fs/index.ts";
import { serveVolunteers } from "../../server/index.ts";
import { printEvent, printSummary, type RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-code.ts";
import { ProgressLine } from "../terminal/progress-line.ts";
import { formatNoun } from "../terminal/quantity.ts";
import { readTaskProgram } from "../work/task-program.ts";

interface InitArguments {
  readonly action: "init";
  readonly folder: string;
  readonly userAgent?: string;
  readonly volunteers: readonly string[];
  /** File of the key that signs the application of BOINC's clients. */
  readonly signingKey?: string;
}

interface ServeArguments extends Omit<OpenProjectOptions, "into" | "seeds" | "userAgent" | "ca"> {
  readonly action: "serve";
  readonly folder: string;
  readonly seedsFile: string;
  readonly host: string;
  readonly port: number;
  /** Files. */
  readonly cert?: string;
  readonly certKey?: string;
  readonly ca?: string;
  /** Where BOINC's clients reach the server. */
  readonly boincUrl?: string;
  readonly boincDelayMs?: number;
}

export type VolunteersArguments = InitArguments | ServeArguments;

function readText(file: string, what: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw wrapSystemError(error, `read the ${what} ${file}`, { file });
  }
}

/** Makes a project and keys, or serves units. */
export async function runVolunteers(options: VolunteersArguments, context: RunContext): Promise<ExitCode> {
  return options.action === "init" ? await runInit(options, context) : await runServe(options, context);
}

async function runInit(options: InitArguments, context: RunContext): Promise<ExitCode> {
  const { folder, userAgent, volunteers, signingKey } = options;
  const made = await makeProject(folder, { userAgent, volunteers });
  const boinc = signingKey === undefined ? undefined : await makeBoinc(folder, signingKey);
  printSummary(context, { ...made, ...omitUndefined({ boinc }) }, () => {
    const keys = Object.entries(made.keys).map(([name, file]) => `${file}: secret; for ${name}\n`);
    const project = `${made.file}: the project, with the hashes of its volunteers' keys\n${keys.join("")}`;
    return boinc === undefined ? project : `${project}${formatBoinc(boinc)}`;
  });
  return exitCodes.done;
}

/** What BOINC's clients need. */
interface BoincSummary {
  /** Number of the application's version. */
  readonly version: number;
  readonly platforms: readonly string[];
  readonly signingKey: string;
  /** File of the account key of each volunteer. */
  readonly accounts: Readonly<Record<string, string>>;
}

async function makeBoinc(folder: string, signingKey: string): Promise<BoincSummary> {
  const program = readTaskProgram();
  await createDurably(signingKey, makeSigningKey(), { mode: 0o600 });
  const names = readProjectFile(folder).volunteers.keys();
  const made = await makeBoincProject(folder, program, readText(signingKey, "signing key"), names);
  makeMissingFolder(join(folder, "keys"));
  const accounts: Record<string, string> = {};
  for (const [name, key] of Object.entries(made.accountKeys)) {
    const file = join(folder, "keys", `${name}.boinc`);
    await writeDurably(file, `${key}\n`, { mode: 0o600 });
    accounts[name] = file;
  }
  return { version: made.versionNum, platforms: [...program.natives.keys()], signingKey, accounts };
}

function formatBoinc({ version, platforms, signingKey, accounts }: BoincSummary): string {
  const keys = Object.entries(accounts).map(([name, file]) => `${file}: secret; the account key of ${name}\n`);
  return `version ${version} of the application for BOINC, for ${platforms.join(", ")}\n${signingKey}: secret; signed it. Keep it off the server\n${keys.join("")}`;
}

/** Serves until a signal comes, which is how it is meant to end. */
async function runServe(options: ServeArguments, context: RunContext): Promise<ExitCode> {
  const {
    folder,
    seedsFile,
    host,
    port,
    cert,
    certKey,
    ca,
    boincUrl,
    boincDelayMs = 60_000,
    action: _,
    ...more
  } = options;
  const { err, json, quiet, signal } = context;
  const file = readProjectFile(folder);
  const tls =
    cert === undefined || certKey === undefined
      ? undefined
      : { cert: readText(cert, "certificate"), key: readText(certKey, "key of the certificate") };
  const seeds = await readSeeds(seedsFile);
  const failed = new AbortController();
  let failure: unknown;
  const progress = new ProgressLine(err, quiet);
  await using opened = await openVolunteerProject({
    ...more,
    ...omitUndefined({ ca: ca === undefined ? undefined : readText(ca, "certificates") }),
    ...{ into: folder, seeds, userAgent: file.userAgent, knownPages: file.knownPages },
    onEvent: (event) => printEvent(context, event),
    onError: (error) => {
      failure = error;
      failed.abort();
    },
  });
  const { project } = opened;
  for (const volunteer of file.volunteers.keys()) project.register(volunteer, Date.now());
  using boinc =
    boincUrl === undefined
      ? undefined
      : serveBoincProject(folder, {
          ...{
            name: new URL(boincUrl).host,
            masterUrl: new URL("/", boincUrl).href,
            requestDelaySeconds: Math.ceil(boincDelayMs / 1000),
          },
          ...{ volunteers: file.volunteers.keys(), dispatcher: project, now: Date.now },
          onEvent: (event) => printEvent(context, event),
        });
  await using server = await serveVolunteers({
    ...{ host, port, tls, maxResultBytes, dispatcher: project, boinc },
    volunteerOf: (text) => {
      const key = parseKey(text);
      return key !== undefined && isKeyOf(file, key) ? key.volunteer : undefined;
    },
  });
  printEvent(context, { event: "listening", url: server.url, port: server.port });
  if (!json && !quiet)
    err.write(`units for ${formatNoun(file.volunteers.size, "volunteer")} at ${server.url} (Ctrl-C ends)\n`);
  const ending = AbortSignal.any([signal, failed.signal]);
  const shown = setInterval(() => progress.show(() => formatCounts(project.counts)), 1000);
  try {
    if (!ending.aborted) await new Promise((resolve) => ending.addEventListener("abort", resolve, { once: true }));
  } finally {
    clearInterval(shown);
  }
  if (failure !== undefined) throw failure;
  printSummary(context, project.counts, () => `${formatCounts(project.counts)}\n`);
  return exitCodes.done;
}

function formatCounts(counts: ProjectCounts): string {
  const { assigned, accepted, refused, pages, links, ownPages } = counts;
  return `${formatNoun(assigned, "copy", "copies")} of units, ${accepted} accepted, ${refused} refused; ${formatNoun(pages, "page")}, ${formatNoun(links, "link")}; ${formatNoun(ownPages, "page")} by own visits`;
}
