import { createHash } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { type EpochMs, omitUndefined } from "../../core/index.ts";
import type { ReportedResult, SchedulerReply, SchedulerRequest, Task } from "../../formats/boinc/index.ts";
import type { Submission } from "../volunteers/unit-dispatcher.ts";
import { applicationName } from "./application.ts";
import { type BoincProject, outputNameOf, paths } from "./project.ts";
import type { Host, StoredTask } from "./task-store.ts";

/** More tasks are never given at once: what a client loses with a reply waits for its deadline. */
const maxTasksPerReply = 50;
const maxDelaySeconds = 24 * 3600;
/** Of the time until its deadline a task is said to take this part, so that a client does not take too many. */
const estimatedPart = 0.25;

/** Which version of the application a client runs. */
interface Runner {
  readonly platform: string;
  readonly versionNum: number;
  readonly planClass: string;
  readonly isDownloaded: boolean;
}

/** Takes what a client reports and gives it work. */
export async function answerScheduler(project: BoincProject, request: SchedulerRequest): Promise<SchedulerReply> {
  const volunteer = project.accounts.volunteerOf(request.authenticator);
  if (volunteer === undefined)
    return refuse(
      project,
      "",
      "No account has this account key. Attach with the key that you were given.",
      maxDelaySeconds,
    );
  const known = request.hostId === 0 ? undefined : project.store.findHost(request.hostId, volunteer);
  const host = known ?? project.store.addHost(volunteer);
  const isNew = known === undefined;
  if (!isNew && !project.store.advanceHost(host.id, request.seqno)) {
    // The client's folder is a copy or was restored, or somebody sent a request again: it goes on as another host.
    const reply = refuse(
      project,
      volunteer,
      "This request is not newer than the last one.",
      project.requestDelaySeconds,
    );
    return { ...reply, hostId: project.store.addHost(volunteer).id };
  }
  const failures = await takeReports(project, host, request.results);
  const { tasks, runner, why } = giveWork(project, { ...host, failures }, request);
  return {
    ...emptyReply(project, delayAfter(project, failures)),
    userName: volunteer,
    ...omitUndefined({ hostId: isNew ? host.id : undefined, message: why }),
    ...(request.codeSignKey === "" ? { codeSignKey: project.application.codeSignKey } : {}),
    acknowledged: request.results.map(({ name }) => name),
    appName: applicationName,
    ...(runner?.isDownloaded ? { version: describeVersion(project, runner.platform) } : {}),
    tasks: runner === undefined ? [] : tasks.map((task) => describeTask(project, task, runner)),
  };
}

function emptyReply(project: BoincProject, requestDelaySeconds: number): SchedulerReply {
  const { masterUrl, name } = project;
  return { masterUrl, projectName: name, requestDelaySeconds, acknowledged: [], tasks: [] };
}

function refuse(project: BoincProject, volunteer: string, text: string, delaySeconds: number): SchedulerReply {
  project.onEvent({ event: "boinc-refused", volunteer, reason: text });
  return { ...emptyReply(project, delaySeconds), message: { text, isNotice: true } };
}

// A host without Node would fail all units there are, one after the other.
function delayAfter(project: BoincProject, failures: number): number {
  return Math.min(project.requestDelaySeconds * 2 ** Math.min(failures, 20), maxDelaySeconds);
}

/** @returns how many tasks failed one after the other by now */
async function takeReports(project: BoincProject, host: Host, results: readonly ReportedResult[]): Promise<number> {
  let failures = host.failures;
  for (const result of results) {
    const outcome = await takeReport(project, host.volunteer, result);
    project.onEvent({ event: "boinc-result", volunteer: host.volunteer, task: result.name, outcome });
    if (outcome === "failed") failures++;
    else if (outcome === "accepted") failures = 0;
  }
  if (failures !== host.failures) project.store.countFailures(host.id, failures);
  return failures;
}

async function takeReport(
  project: BoincProject,
  volunteer: string,
  { name, isUploaded }: ReportedResult,
): Promise<Submission | "failed"> {
  const { store, dispatcher } = project;
  const task = store.findTask(name);
  if (task === undefined || task.volunteer !== volunteer) return "unknown";
  if (task.isReported) return "duplicate";
  const file = join(project.uploadFolder, outputNameOf(project, name));
  let outcome: Submission | "failed" = "failed";
  const output = isUploaded && task.outputMd5 !== null ? await readOutput(file) : undefined;
  if (output !== undefined) outcome = dispatcher.submit(name, volunteer, output, project.now());
  else dispatcher.fail(name, volunteer, project.now());
  store.markReported(name);
  await rm(file, { force: true });
  return outcome;
}

/** @returns undefined if the file is gone: its task counts as failed, and the host goes on */
async function readOutput(file: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function giveWork(
  project: BoincProject,
  host: Host,
  request: SchedulerRequest,
): { tasks: readonly StoredTask[]; runner?: Runner; why?: { text: string; isNotice: boolean } } {
  if (request.workSeconds === 0) return { tasks: [] };
  const { codeSignKey } = project.application;
  if (request.codeSignKey !== "" && request.codeSignKey !== codeSignKey.replace(/\s+/g, ""))
    return {
      tasks: [],
      why: { text: "The project has another signing key: remove it and attach again.", isNotice: true },
    };
  const runner = chooseRunner(project, request);
  if (runner === undefined)
    return { tasks: [], why: { text: `There is no ${applicationName} for this platform.`, isNotice: true } };
  const now = project.now();
  // A reply that was lost took tasks with it.
  const held = new Set([...request.otherResults, ...request.results.map(({ name }) => name)]);
  const lost = project.store.listOpenTasks(host.id, now).filter(({ name }) => !held.has(name));
  const tasks = lost.length > 0 ? lost : assign(project, host, request.workSeconds, now);
  if (tasks.length === 0) return { tasks, why: { text: "There is no work now.", isNotice: false } };
  project.onEvent({
    event: "boinc-tasks",
    volunteer: host.volunteer,
    host: host.id,
    tasks: tasks.map(({ name }) => name),
  });
  return { tasks, runner };
}

function assign(project: BoincProject, host: Host, workSeconds: number, now: EpochMs): readonly StoredTask[] {
  const { volunteer } = host;
  const first = project.dispatcher.assign(volunteer, 1, now);
  const [unit] = first;
  if (unit === undefined) return [];
  // Who failed last gets one task to show that it works now.
  const wanted = host.failures > 0 ? 1 : Math.ceil(workSeconds / estimateSeconds(unit.deadline, now));
  const more = Math.min(wanted, maxTasksPerReply) - 1;
  const units = more > 0 ? [...first, ...project.dispatcher.assign(volunteer, more, now)] : first;
  project.store.addTasks(host, units);
  return units.flatMap(({ name }) => project.store.findTask(name) ?? []);
}

function estimateSeconds(deadline: EpochMs, now: EpochMs): number {
  return Math.max(Math.round(((deadline - now) / 1000) * estimatedPart), 1);
}

function chooseRunner(project: BoincProject, request: SchedulerRequest): Runner | undefined {
  const { versionNum, platforms } = project.application;
  if (request.platform === "anonymous") {
    const own = request.appVersions.filter(({ appName }) => appName === applicationName);
    const [latest] = own.sort((one, other) => other.versionNum - one.versionNum);
    return latest === undefined ? undefined : { ...latest, isDownloaded: false };
  }
  const platform = [request.platform, ...request.otherPlatforms].find((name) => Object.hasOwn(platforms, name));
  return platform === undefined ? undefined : { platform, versionNum, planClass: "", isDownloaded: true };
}

function describeVersion(project: BoincProject, platform: string): NonNullable<SchedulerReply["version"]> {
  const { versionNum, platforms } = project.application;
  const urlOf = (name: string): string => new URL(`${paths.application}${name}`, project.masterUrl).href;
  return {
    versionNum,
    platform,
    files: (platforms[platform] ?? []).map((file) => ({ ...file, url: urlOf(file.name) })),
  };
}

function describeTask(project: BoincProject, task: StoredTask, runner: Runner): Task {
  const { name, unit, deadline, maxBytes } = task;
  const { secret, masterUrl } = project;
  const output = outputNameOf(project, name);
  return {
    name,
    input: {
      name: `${name}_unit`,
      url: new URL(`${paths.unit}${name}/${secret.token("input", name)}`, masterUrl).href,
      sizeBytes: unit.length,
      md5: createHash("md5").update(unit).digest("hex"),
    },
    output: {
      name: output,
      maxBytes,
      uploadUrl: new URL(paths.upload, masterUrl).href,
      certificate: secret.certificate(output, maxBytes),
    },
    estimatedSeconds: estimateSeconds(deadline, project.now()),
    deadline: Math.floor(deadline / 1000),
    ...runner,
  };
}
