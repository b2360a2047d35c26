import { ok, problem, type Result } from "../../core/index.ts";
import { childOf, integerOf, parseElement, textOf } from "./element.ts";

/** What a client asks of the upload handler. */
export type UploadRequest = SizeRequest | FileUpload;

/** How much of a file is there already? */
export interface SizeRequest {
  readonly kind: "size";
  readonly name: string;
}

/** Bytes of a file follow. */
export interface FileUpload {
  readonly kind: "upload";
  readonly name: string;
  /** The bound that the certificate was made for. */
  readonly maxBytes: number;
  readonly certificate: string;
  /** Size of the whole file. */
  readonly sizeBytes: number;
  /** MD5 of the whole file, 32 hexadecimal digits. */
  readonly md5: string;
  /** Where in the file the data begins. */
  readonly offset: number;
}

/** What stands before an upload's data has at most this many bytes. */
export const maxUploadHeadBytes: number = 16 * 1024;

const dataTag = "<data>\n";
const maxFileBytes = 2 ** 40;
const fileName = /^[\w-]{1,128}$/;

/**
 * Finds where the data of an upload begins.
 *
 * @param start - the first bytes of a request
 * @returns the index of the first byte of data; undefined if it is not among these bytes
 */
export function findUploadData(start: Uint8Array): number | undefined {
  // One character a byte.
  const text = new TextDecoder("latin1").decode(start.subarray(0, maxUploadHeadBytes));
  const at = text.indexOf(dataTag);
  return at === -1 ? undefined : at + dataTag.length;
}

/**
 * Parses a request to the upload handler.
 *
 * @param head - all of the request, or of an upload what stands before its data
 */
export function parseUploadRequest(head: Uint8Array): Result<UploadRequest> {
  const isUpload = findUploadData(head) === head.length;
  // The data is not XML, so an upload's elements are only closed after it.
  const closing = new TextEncoder().encode(isUpload ? "</data></file_upload></data_server_request>" : "");
  const document = new Uint8Array(head.length + closing.length);
  document.set(head);
  document.set(closing, head.length);
  const parsed = parseElement(document, "data_server_request", maxUploadHeadBytes + closing.length);
  if (!parsed.ok) return parsed;
  const upload = childOf(parsed.value, "file_upload");
  if (upload === undefined) {
    const name = textOf(parsed.value, "get_file_size");
    return fileName.test(name) ? ok({ kind: "size", name }) : problem("bad-message", "no file is named");
  }
  const file = childOf(upload, "file_info");
  const name = textOf(file, "name");
  const maxBytes = integerOf(file, "max_nbytes", maxFileBytes);
  const sizeBytes = integerOf(upload, "nbytes", maxFileBytes);
  const offset = integerOf(upload, "offset", maxFileBytes);
  const md5 = textOf(upload, "md5_cksum");
  if (!fileName.test(name)) return problem("bad-message", "no file is named");
  if (!isUpload || maxBytes === undefined || sizeBytes === undefined || offset === undefined || offset > sizeBytes)
    return problem("bad-message", "the sizes of the upload are wrong");
  if (!/^[\da-f]{32}$/.test(md5)) return problem("bad-message", "the MD5 is not 32 hexadecimal digits");
  const certificate = textOf(file, "xml_signature").replace(/\s+/g, "");
  return ok({ kind: "upload", name, maxBytes, certificate, sizeBytes, md5, offset });
}

/** Whether a client should go on, try again later, or give the file up. */
export type UploadStatus = "ok" | "retry" | "refused";

const statusNumbers: Readonly<Record<UploadStatus, number>> = { ok: 0, retry: 1, refused: -1 };

/**
 * Writes the upload handler's answer.
 *
 * @param message - why it is not `ok`; a plain sentence
 * @param sizeBytes - of what is there of the file, for a question of its size
 */
export function formatUploadReply(status: UploadStatus, message: string = "", sizeBytes?: number): string {
  const lines = ["<data_server_reply>", `<status>${statusNumbers[status]}</status>`];
  if (message !== "") lines.push(`<message>${message}</message>`);
  if (sizeBytes !== undefined) lines.push(`<file_size>${sizeBytes}</file_size>`);
  lines.push("</data_server_reply>", "");
  return lines.join("\n");
}
