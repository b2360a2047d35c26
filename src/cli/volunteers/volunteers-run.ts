import { readFileSync } from "node:fs";
import { omitUndefined, wrapSystemError } from "../../core/index.ts";
import { readSeeds } from "../../crawler/index.ts";
import {
  isKeyOf,
  makeProject,
  type OpenProjectOptions,
  openVolunteerProject,
  type ProjectCounts,
  parseKey,
  readProjectFile,
} from "../../fleet/index.ts";
import { maxResultBytes } from "../../formats/work-unit/index.ts";
import { serveVolunteers } from "../../server/index.ts";
import { printEvent, printSummary, type RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-code.ts";
import { ProgressLine } from "../terminal/progress-line.ts";
import { formatNoun } from "../terminal/quantity.ts";

interface InitArguments {
  readonly action: "init";
  readonly folder: string;
  readonly userAgent?: string;
  readonly volunteers: readonly string[];
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

async function runInit({ folder, userAgent, volunteers }: InitArguments, context: RunContext): Promise<ExitCode> {
  const made = await makeProject(folder, { userAgent, volunteers });
  printSummary(context, made, () => {
    const keys = Object.entries(made.keys).map(([name, file]) => `${file}: secret; for ${name}\n`);
    return `${made.file}: the project, with the hashes of its volunteers' keys\n${keys.join("")}`;
  });
  return exitCodes.done;
}

/** Serves until a signal comes, which is how it is meant to end. */
async function runServe(options: ServeArguments, context: RunContext): Promise<ExitCode> {
  const { folder, seedsFile, host, port, cert, certKey, ca, action: _, ...more } = options;
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
  await using server = await serveVolunteers({
    ...{ host, port, tls, maxResultBytes, dispatcher: project },
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
