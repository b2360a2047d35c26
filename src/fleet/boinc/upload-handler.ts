import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import {
  type FileUpload,
  findUploadData,
  formatUploadReply,
  maxUploadHeadBytes,
  parseUploadRequest,
} from "../../formats/boinc/index.ts";
import { syncFolder } from "../../fs/index.ts";
import { type BoincProject, taskOfOutput } from "./project.ts";
import { isSameText } from "./project-secret.ts";

const openFlags = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW;

/** Takes outputs of tasks into a folder, piece by piece, from those who have a certificate for them. */
export class UploadHandler {
  readonly #project: BoincProject;
  readonly #busy = new Set<string>();

  constructor(project: BoincProject) {
    this.#project = project;
  }

  /**
   * @param onKnown - is told once somebody who has a certificate sends the data of a file, which goes to the disk piece by piece
   * @returns the body of the answer, of status 200
   */
  async answer(request: IncomingMessage, onKnown: () => void): Promise<string> {
    const body = request[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    const { head, rest } = await readHead(body);
    const parsed = parseUploadRequest(head);
    if (!parsed.ok) return this.#refuse("", parsed.error.message);
    if (parsed.value.kind === "size")
      return formatUploadReply("ok", "", await sizeOf(join(this.#project.uploadFolder, parsed.value.name)));
    const upload = parsed.value;
    const reason = this.#findFault(upload);
    if (reason !== undefined) return this.#refuse(upload.name, reason);
    if (this.#busy.has(upload.name)) return formatUploadReply("retry", "the file is being uploaded");
    this.#busy.add(upload.name);
    onKnown();
    try {
      return await this.#take(upload, rest, body);
    } finally {
      this.#busy.delete(upload.name);
    }
  }

  #refuse(file: string, reason: string): string {
    this.#project.onEvent({ event: "boinc-upload-refused", file, reason });
    return formatUploadReply("refused", "the upload is refused");
  }

  #findFault({ name, maxBytes, certificate, sizeBytes, md5 }: FileUpload): string | undefined {
    const { secret, store, now } = this.#project;
    if (!isSameText(certificate, secret.certificate(name, maxBytes))) return "the certificate is not of this file";
    if (sizeBytes > maxBytes) return "the file is larger than its certificate allows";
    const taskName = taskOfOutput(this.#project, name);
    const task = taskName === undefined ? undefined : store.findTask(taskName);
    if (task === undefined) return "there is no such task";
    if (task.isReported) return "the task is reported already";
    if (task.deadline < now()) return "the task is past its deadline";
    if (task.outputMd5 !== null && task.outputMd5 !== md5) return "the file is there already, with other bytes";
    return undefined;
  }

  async #take(upload: FileUpload, first: Uint8Array, body: AsyncIterator<Buffer>): Promise<string> {
    const handle = await open(join(this.#project.uploadFolder, upload.name), openFlags, 0o600);
    try {
      const { size } = await handle.stat();
      if (upload.offset > size) return formatUploadReply("retry", "bytes before these are missing");
      const end = await append(handle, upload, first, body);
      if (end === undefined) return this.#refuse(upload.name, "it has more bytes than it says");
      if (end < upload.sizeBytes) return formatUploadReply("retry", "bytes are missing");
      await handle.truncate(end);
      if ((await md5Of(handle, end)) !== upload.md5) {
        await handle.truncate(0);
        return formatUploadReply("retry", "the MD5 is another one");
      }
      await handle.sync();
      await syncFolder(this.#project.uploadFolder);
      this.#project.store.markUploaded(taskOfOutput(this.#project, upload.name) ?? "", upload.md5);
      return formatUploadReply("ok");
    } finally {
      await handle.close();
    }
  }
}

async function readHead(body: AsyncIterator<Buffer>): Promise<{ head: Uint8Array; rest: Uint8Array }> {
  let bytes: Buffer = Buffer.alloc(0);
  while (bytes.length < maxUploadHeadBytes) {
    const { value, done } = await body.next();
    if (done) return { head: bytes, rest: Buffer.alloc(0) };
    bytes = Buffer.concat([bytes, value]);
    const at = findUploadData(bytes);
    if (at !== undefined) return { head: bytes.subarray(0, at), rest: bytes.subarray(at) };
  }
  return { head: bytes.subarray(0, maxUploadHeadBytes + 1), rest: Buffer.alloc(0) };
}

/** @returns where the data ends; undefined if there is more of it than the file should have */
async function append(
  handle: FileHandle,
  { offset, sizeBytes }: FileUpload,
  first: Uint8Array,
  body: AsyncIterator<Buffer>,
): Promise<number | undefined> {
  let at = offset;
  for (let piece: Uint8Array | undefined = first; piece !== undefined; ) {
    if (at + piece.length > sizeBytes) return undefined;
    const end = at + piece.length;
    for (let from = 0; at < end; from = piece.length - (end - at))
      at += (await handle.write(piece, from, end - at, at)).bytesWritten;
    const next: IteratorResult<Buffer> = await body.next();
    piece = next.done ? undefined : next.value;
  }
  return at;
}

async function md5Of(handle: FileHandle, size: number): Promise<string> {
  const hash = createHash("md5");
  const piece = Buffer.alloc(256 * 1024);
  for (let at = 0; at < size; ) {
    const { bytesRead } = await handle.read(piece, 0, piece.length, at);
    if (bytesRead === 0) break;
    hash.update(piece.subarray(0, bytesRead));
    at += bytesRead;
  }
  return hash.digest("hex");
}

async function sizeOf(path: string): Promise<number> {
  try {
    const found = await stat(path);
    return found.isFile() ? found.size : 0;
  } catch {
    return 0;
  }
}
