import { escapeXml } from "../sitemap/index.ts";

/** A file that a client downloads. */
export interface DownloadedFile {
  readonly name: string;
  readonly url: string;
  readonly sizeBytes: number;
  /** MD5, 32 hexadecimal digits. */
  readonly md5: string;
}

/** A file of an application. */
export interface ApplicationFile extends DownloadedFile {
  /** As {@link formatHexLines} writes it. */
  readonly signature: string;
  /** Whether the client starts it. */
  readonly isMain: boolean;
}

/** An application for a platform. */
export interface ApplicationVersion {
  readonly versionNum: number;
  readonly platform: string;
  readonly files: readonly ApplicationFile[];
}

/** A task: a unit of work, the file that it reads and the file that it writes. */
export interface Task {
  readonly name: string;
  readonly input: DownloadedFile;
  readonly output: {
    readonly name: string;
    readonly maxBytes: number;
    readonly uploadUrl: string;
    /** The upload certificate, given back with the file. */
    readonly certificate: string;
  };
  /** Seconds that it may take, as an estimate. */
  readonly estimatedSeconds: number;
  /** Seconds since 1970. */
  readonly deadline: number;
  /** Platform and number of the version of the application that runs it. */
  readonly platform: string;
  readonly versionNum: number;
  readonly planClass: string;
}

/** What the scheduler answers. */
export interface SchedulerReply {
  /** Must be the URL that the client is attached to. */
  readonly masterUrl: string;
  readonly projectName: string;
  readonly requestDelaySeconds: number;
  readonly userName?: string;
  /** Given to a new host only. */
  readonly hostId?: number;
  /** For the user to read. */
  readonly message?: { readonly text: string; readonly isNotice: boolean };
  /** Given if the client's differs. */
  readonly codeSignKey?: string;
  /** Names of tasks whose report was taken. */
  readonly acknowledged: readonly string[];
  readonly appName?: string;
  readonly version?: ApplicationVersion;
  readonly tasks: readonly Task[];
}

/** Operations a second that tasks are estimated with: as the work waits for servers, it is only a unit of time. */
const opsPerSecond = 1e9;
// Crawling waits: a task takes a quarter of a processor at most.
const averageProcessors = "0.25";
const memoryBytes = 500e6;
const diskBytes = 500e6;

function field(name: string, value: string | number): string {
  return `<${name}>${typeof value === "number" ? String(value) : escapeXml(value)}</${name}>`;
}

function block(name: string, lines: readonly string[]): string[] {
  return [`<${name}>`, ...lines, `</${name}>`];
}

/** Writes a reply. The client reads it line by line: each element has a line. */
export function formatSchedulerReply(reply: SchedulerReply): string {
  const lines = [field("scheduler_version", 720), field("master_url", reply.masterUrl)];
  lines.push(field("request_delay", reply.requestDelaySeconds), field("project_name", reply.projectName));
  if (reply.userName !== undefined) lines.push(field("user_name", reply.userName));
  if (reply.hostId !== undefined) lines.push(field("hostid", reply.hostId));
  if (reply.message !== undefined) {
    const priority = reply.message.isNotice ? "notice" : "low";
    lines.push(`<message priority="${priority}">${escapeXml(reply.message.text)}</message>`);
  }
  if (reply.codeSignKey !== undefined) lines.push(...block("code_sign_key", [reply.codeSignKey.trimEnd()]));
  for (const name of reply.acknowledged) lines.push(...block("result_ack", [field("name", name)]));
  if (reply.appName !== undefined && reply.tasks.length > 0) {
    lines.push(
      ...block("app", [field("name", reply.appName), field("user_friendly_name", "Tidemark: one site's pages")]),
    );
    if (reply.version !== undefined) lines.push(...formatVersion(reply.appName, reply.version));
    for (const task of reply.tasks) lines.push(...formatTask(reply.appName, task));
  }
  return `${block("scheduler_reply", lines).join("\n")}\n`;
}

function formatDownload(file: DownloadedFile, more: readonly string[] = []): string[] {
  return block("file_info", [
    field("name", file.name),
    field("url", file.url),
    ...more,
    field("nbytes", file.sizeBytes),
    field("md5_cksum", file.md5),
  ]);
}

function formatVersion(appName: string, version: ApplicationVersion): string[] {
  const files = version.files.flatMap((file) =>
    formatDownload(file, ["<executable/>", ...block("file_signature", [file.signature.trimEnd()])]),
  );
  const references = version.files.flatMap((file) =>
    block("file_ref", [field("file_name", file.name), ...(file.isMain ? ["<main_program/>"] : [])]),
  );
  return [
    ...files,
    ...block("app_version", [
      field("app_name", appName),
      field("version_num", version.versionNum),
      field("platform", version.platform),
      `<avg_ncpus>${averageProcessors}</avg_ncpus>`,
      field("flops", opsPerSecond),
      ...references,
    ]),
  ];
}

function formatTask(appName: string, task: Task): string[] {
  const { name, input, output } = task;
  return [
    ...formatDownload(input),
    ...block("file_info", [
      field("name", output.name),
      "<generated_locally/>",
      "<upload_when_present/>",
      field("max_nbytes", output.maxBytes),
      field("url", output.uploadUrl),
      ...block("xml_signature", [output.certificate]),
    ]),
    ...block("workunit", [
      field("name", name),
      field("app_name", appName),
      field("version_num", task.versionNum),
      field("rsc_fpops_est", task.estimatedSeconds * opsPerSecond),
      // The deadline bounds a task, not its operations.
      field("rsc_fpops_bound", "1e18"),
      field("rsc_memory_bound", memoryBytes),
      field("rsc_disk_bound", diskBytes),
      ...block("file_ref", [field("file_name", input.name), field("open_name", "unit"), "<copy_file/>"]),
    ]),
    ...block("result", [
      field("name", name),
      field("wu_name", name),
      field("platform", task.platform),
      field("version_num", task.versionNum),
      ...(task.planClass === "" ? [] : [field("plan_class", task.planClass)]),
      field("report_deadline", task.deadline),
      ...block("file_ref", [field("file_name", output.name), field("open_name", "result"), "<copy_file/>"]),
    ]),
  ];
}
