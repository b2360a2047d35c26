import { closeSync, createReadStream } from "node:fs";
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import { pipeline } from "node:stream/promises";
import mimeTypes from "mime-types";
import { readAt } from "../fs/index.ts";
import type { MirroredPage } from "../storage/index.ts";
import {
  type ByteRange,
  fileValidators,
  isNotModified,
  isPreconditionFailed,
  isRangeWanted,
  parseRange,
} from "./conditions.ts";
import { pagePathOf, parseRequestPath, type RequestPath } from "./request-path.ts";
import { openServedFile, type ServedFile } from "./served-file.ts";

// Up to here a file is read in one go: faster than a stream, and short enough for the event loop.
const smallBytes = 64 * 1024;

/** Finds the pages of a mirror by their paths with query. */
export interface PageFinder {
  find(path: string): MirroredPage | undefined;
}

/**
 * Answers a request for a file.
 *
 * @param root - the folder's real path, one character a byte
 * @param pages - asked first
 * @returns bytes of body that were sent
 */
export async function answerRequest(
  root: string,
  request: IncomingMessage,
  response: ServerResponse,
  pages?: PageFinder,
): Promise<number> {
  if (request.method !== "GET" && request.method !== "HEAD") {
    response.setHeader("Allow", "GET, HEAD");
    return sendStatus(request, response, 405);
  }
  const page = findPage(pages, request.url ?? "");
  if (page !== undefined) {
    const found = openServedFile(root, page.names.split("/"), true);
    if (found.kind === "file") return sendFile(request, response, page.mediaType, found.file);
  }
  const path = parseRequestPath(request.url ?? "");
  if (typeof path === "number") return sendStatus(request, response, path);
  const found = openServedFile(root, path.names);
  if (found.kind === "folder") return sendFolderRedirect(request, response, path);
  if (found.kind !== "file") return sendStatus(request, response, found.kind === "missing" ? 404 : 403);
  const mediaType = mimeTypes.lookup(path.names.at(-1) || "index.html") || "application/octet-stream";
  return sendFile(request, response, mediaType, found.file);
}

// A page has the path that the crawler asked for, which need not be spelled as others spell it.
function findPage(pages: PageFinder | undefined, target: string): MirroredPage | undefined {
  return pages?.find(target) ?? pages?.find(pagePathOf(target));
}

/** Answers with a status and a line of text that names it. */
export function sendStatus(request: IncomingMessage, response: ServerResponse, status: number): number {
  const text = Buffer.from(`${status} ${STATUS_CODES[status] ?? ""}\n`);
  response.writeHead(status, { "Content-Type": "text/plain; charset=utf-8", "Content-Length": text.length });
  response.end(request.method === "HEAD" ? undefined : text);
  return request.method === "HEAD" ? 0 : text.length;
}

function sendFolderRedirect(request: IncomingMessage, response: ServerResponse, { names, path, query }: RequestPath) {
  // "/dir/" leads to a folder only where "index.html" is one.
  if (names.at(-1) === "") return sendStatus(request, response, 404);
  response.setHeader("Location", `${path}/${query}`);
  return sendStatus(request, response, 301);
}

async function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  mediaType: string,
  { fd, stats }: ServedFile,
): Promise<number> {
  let isHandedOn = false;
  try {
    const now = Date.now();
    const validators = fileValidators(stats.mtimeMs, stats.size, now);
    response.setHeader("ETag", validators.etag);
    response.setHeader("Last-Modified", validators.lastModified);
    if (isPreconditionFailed(request.headers, validators, now)) return sendStatus(request, response, 412);
    if (isNotModified(request.headers, validators, now)) {
      response.writeHead(304).end();
      return 0;
    }
    const asked = request.method === "GET" && isRangeWanted(request.headers, validators);
    const range = asked ? parseRange(request.headers.range, stats.size) : undefined;
    response.setHeader("Accept-Ranges", "bytes");
    if (range === "unsatisfiable") {
      response.setHeader("Content-Range", `bytes */${stats.size}`);
      return sendStatus(request, response, 416);
    }
    if (range !== undefined) response.setHeader("Content-Range", `bytes ${range.first}-${range.last}/${stats.size}`);
    const status = range === undefined ? 200 : 206;
    const { first, last } = range ?? { first: 0, last: stats.size - 1 };
    response.setHeader("Content-Type", mediaType);
    if (request.method === "HEAD") {
      response.writeHead(status, { "Content-Length": stats.size }).end();
      return 0;
    }
    if (last - first < smallBytes) return sendWhole(response, status, readAt(fd, first, last - first + 1));
    isHandedOn = true;
    return await sendStream(response, status, fd, { first, last });
  } finally {
    if (!isHandedOn) closeSync(fd);
  }
}

function sendWhole(response: ServerResponse, status: number, body: Buffer): number {
  response.writeHead(status, { "Content-Length": body.length }).end(body);
  return body.length;
}

async function sendStream(
  response: ServerResponse,
  status: number,
  fd: number,
  { first, last }: ByteRange,
): Promise<number> {
  const sizeBytes = last - first + 1;
  const stream = createReadStream("", { fd, start: first, end: last, highWaterMark: 256 * 1024 });
  response.writeHead(status, { "Content-Length": sizeBytes });
  try {
    await pipeline(stream, response, { end: false });
    if (stream.bytesRead === sizeBytes) response.end();
    // The file was cut while it was sent. Only the end of the connection tells the client so.
    else response.destroy();
  } catch {
    response.destroy();
  }
  return stream.bytesRead;
}
