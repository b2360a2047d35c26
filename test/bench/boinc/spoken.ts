import { createHash } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { cert } from "../../http/own-certificate.ts";

/** What a server answered. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
  readonly text: string;
}

/** Asks a test's server over HTTPS. */
export async function ask(
  url: string,
  body?: Uint8Array | string,
  options: { readonly method?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Answer> {
  const sent = request(url, { ca: cert, method: body === undefined ? "GET" : "POST", agent: false, ...options });
  sent.end(body);
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  const pieces: Buffer[] = [];
  for await (const piece of answer) pieces.push(piece as Buffer);
  const whole = Buffer.concat(pieces);
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: whole, text: whole.toString() };
}

/** Fields of a scheduler request; the rest has the values of a client that wants work. */
export interface Spoken {
  readonly key: string;
  readonly host?: number;
  readonly seqno?: number;
  readonly seconds?: number;
  readonly platform?: string;
  readonly more?: string;
  /** Tasks that are reported as uploaded. */
  readonly done?: readonly string[];
  readonly failed?: readonly string[];
  /** Tasks that the client still has. */
  readonly held?: readonly string[];
}

/** Writes a scheduler request. */
export function writeSchedulerRequest(spoken: Spoken): string {
  const { key, host = 0, seqno = 0, seconds = 1, platform = "x86_64-pc-linux-gnu", more = "" } = spoken;
  const report = (state: number) => (name: string) =>
    `<result>\n<name>${name}</name>\n<exit_status>0</exit_status>\n<state>${state}</state>\n</result>\n`;
  return [
    "<scheduler_request>",
    `<authenticator>${key}</authenticator>`,
    `<hostid>${host}</hostid>`,
    `<rpc_seqno>${seqno}</rpc_seqno>`,
    `<work_req_seconds>${seconds}</work_req_seconds>`,
    `<platform_name>${platform}</platform_name>`,
    more,
    ...(spoken.done ?? []).map(report(5)),
    ...(spoken.failed ?? []).map(report(3)),
    "<other_results>",
    ...(spoken.held ?? []).map((name) => `<other_result>\n<name>${name}</name>\n</other_result>`),
    "</other_results>",
    "</scheduler_request>",
    "",
  ].join("\n");
}

/** Texts of all elements of a name, in the order in which they stand. */
export function textsOf(text: string, name: string): string[] {
  return [...text.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, "g"))].map(([, found = ""]) => found.trim());
}

/** A task as a reply has it. */
export interface GivenTask {
  readonly name: string;
  readonly inputUrl: string;
  readonly outputName: string;
  readonly certificate: string;
  readonly maxBytes: number;
}

/** The tasks of a reply. */
export function readTasks(reply: string): GivenTask[] {
  const certificates = textsOf(reply, "xml_signature");
  const sizes = textsOf(reply, "max_nbytes");
  const units = textsOf(reply, "url").filter((url) => url.includes("/boinc/unit/"));
  const results = reply.split("<result>").slice(1);
  return results.map((result, at) => ({
    name: textsOf(result, "name")[0] ?? "",
    inputUrl: units[at] ?? "",
    outputName: textsOf(result, "file_name")[0] ?? "",
    certificate: certificates[at] ?? "",
    maxBytes: Number(sizes[at]),
  }));
}

/** What an upload says, where it is not what its data and its task have. */
export interface UploadChange {
  readonly outputName?: string;
  readonly certificate?: string;
  readonly maxBytes?: number;
  readonly sizeBytes?: number;
  readonly md5?: string;
  readonly offset?: number;
}

/** Writes an upload as Debian's client does. */
export function writeUpload(task: GivenTask, data: Uint8Array, change: UploadChange = {}): Buffer {
  const { outputName, certificate, maxBytes } = { ...task, ...change };
  const { sizeBytes = data.length, offset = 0, md5 = createHash("md5").update(data).digest("hex") } = change;
  const head = [
    "<data_server_request>",
    "    <core_client_major_version>7</core_client_major_version>",
    "<file_upload>",
    "<file_info>",
    `<name>${outputName}</name>`,
    "<xml_signature>",
    `${certificate}</xml_signature>`,
    `<max_nbytes>${maxBytes}</max_nbytes>`,
    "</file_info>",
    `<nbytes>${sizeBytes}</nbytes>`,
    `<md5_cksum>${md5}</md5_cksum>`,
    `<offset>${offset}</offset>`,
    "<data>",
    "",
  ];
  return Buffer.concat([Buffer.from(head.join("\n")), data]);
}
