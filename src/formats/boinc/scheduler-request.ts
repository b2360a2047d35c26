import { ok, problem, type Result } from "../../core/index.ts";
import { childOf, childrenOf, type Element, integerOf, numberOf, parseElement, textOf } from "./element.ts";

/** What a client says of a task that has ended. */
export interface ReportedResult {
  readonly name: string;
  /** Whether its files are uploaded; otherwise it failed, or was aborted. */
  readonly isUploaded: boolean;
}

/** A version of an application that a client brings itself (`app_info.xml`). */
export interface ClientAppVersion {
  readonly appName: string;
  readonly versionNum: number;
  readonly platform: string;
  readonly planClass: string;
}

/** What a client asks of the scheduler. */
export interface SchedulerRequest {
  /** The account key. */
  readonly authenticator: string;
  /** 0 for a host that has none yet. */
  readonly hostId: number;
  /** Grows with each request of a host. */
  readonly seqno: number;
  /** For how many seconds the client wants work; 0 for none. */
  readonly workSeconds: number;
  /** `anonymous` if the client brings its own application. */
  readonly platform: string;
  /** Other platforms whose programs run there too. */
  readonly otherPlatforms: readonly string[];
  /** The key that the client checks applications with, white space removed; empty if it has none. */
  readonly codeSignKey: string;
  readonly appVersions: readonly ClientAppVersion[];
  readonly results: readonly ReportedResult[];
  /** Names of all tasks that the client has, without those that it reports. */
  readonly otherResults: readonly string[];
}

/** A scheduler request has at most this many bytes. One of an idle client has 6 KiB. */
export const maxSchedulerRequestBytes: number = 1024 * 1024;

const maxNumber = 2 ** 31 - 1;
const maxWorkSeconds = 1e9;
// The client's enum of states of a task, lib/common_defs.h.
const stateUploaded = 5;
const hexKey = /^[\da-f]{32}$/;
const taskName = /^[\w-]{1,128}$/;

/** Parses what a client POSTs to the scheduler. What is missing or wrong and matters is a problem; the rest is ignored. */
export function parseSchedulerRequest(bytes: Uint8Array): Result<SchedulerRequest> {
  const parsed = parseElement(bytes, "scheduler_request", maxSchedulerRequestBytes);
  if (!parsed.ok) return parsed;
  const request = parsed.value;
  const authenticator = textOf(request, "authenticator");
  if (!hexKey.test(authenticator)) return problem("bad-account-key", "the account key is not 32 hexadecimal digits");
  const hostId = integerOf(request, "hostid", maxNumber);
  const seqno = integerOf(request, "rpc_seqno", maxNumber);
  if (hostId === undefined || seqno === undefined) return problem("bad-message", "hostid or rpc_seqno is no number");
  return ok({
    authenticator,
    hostId,
    seqno,
    workSeconds: numberOf(request, "work_req_seconds", maxWorkSeconds) ?? 0,
    platform: textOf(request, "platform_name"),
    otherPlatforms: childrenOf(request, "alt_platform").map((platform) => textOf(platform, "name")),
    codeSignKey: textOf(request, "code_sign_key").replace(/\s+/g, ""),
    appVersions: childrenOf(childOf(request, "app_versions"), "app_version").flatMap(readAppVersion),
    results: childrenOf(request, "result").flatMap(readResult),
    otherResults: childrenOf(childOf(request, "other_results"), "other_result")
      .map((other) => textOf(other, "name"))
      .filter((name) => taskName.test(name)),
  });
}

function readAppVersion(element: Element): ClientAppVersion[] {
  const versionNum = integerOf(element, "version_num", maxNumber);
  if (versionNum === undefined) return [];
  return [
    {
      appName: textOf(element, "app_name"),
      versionNum,
      platform: textOf(element, "platform"),
      planClass: textOf(element, "plan_class"),
    },
  ];
}

function readResult(element: Element): ReportedResult[] {
  const name = textOf(element, "name");
  if (!taskName.test(name)) return [];
  const exit = textOf(element, "exit_status");
  const isUploaded = integerOf(element, "state", maxNumber) === stateUploaded && (exit === "0" || exit === "");
  return [{ name, isUploaded }];
}
