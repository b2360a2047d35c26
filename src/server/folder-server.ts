import { realpathSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { TidemarkError, wrapSystemError } from "../core/index.ts";
import { answerRequest, type PageFinder, sendStatus } from "./answer.ts";
import { isConditional } from "./conditions.ts";
import { endServer, type Listening, listen } from "./listener.ts";
import { isAskedByName, isLoopback } from "./request-guard.ts";

/** One request that was answered. */
export interface ServedRequest {
  readonly method: string;
  /** The target as it was sent, with its query. */
  readonly path: string;
  readonly status: number;
  /** Bytes of the body that were sent. */
  readonly bytes: number;
  /** Whether it carried If-None-Match or If-Modified-Since. */
  readonly conditional: boolean;
}

/** What to serve, and where. */
export interface ServeOptions {
  readonly folder: string;
  /**
   * Address to listen on.
   *
   * @default "127.0.0.1"
   */
  readonly host?: string;
  /** Names and addresses by which it is asked, besides `host` and those of the loopback. Default: on the loopback none, elsewhere any. */
  readonly allowedHosts?: readonly string[];
  /**
   * Port to listen on; 0 for any that is free.
   *
   * @default 0
   */
  readonly port?: number;
  /** Pages whose files and media types are not those of their URLs, as in a mirror. Default: none. */
  readonly pages?: PageFinder | undefined;
  /** Called after each answer, as a line of an access log. */
  readonly onRequest?: (entry: ServedRequest) => void;
  /** Closes the server. */
  readonly signal?: AbortSignal;
}

/** A server that listens. */
export interface FolderServer extends Listening {
  /** Stops at once: answers that are being sent are cut. May be called twice. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Serves a folder's files over HTTP, for trying things out and for tests.
 *
 * GET and HEAD; ETag, Last-Modified, conditional requests and single ranges; `index.html` for a folder; no listings,
 * no dot files but those below `/.well-known/`, nothing outside the folder. Small files are read synchronously. A
 * request for another host than those allowed gets 421: a name of somebody else that leads here (DNS rebinding).
 *
 * @throws TidemarkError `not-found`, `not-a-folder`, `no-permission` for the folder, `address-in-use` for the port,
 *   `aborted`
 * @example
 * ```ts
 * await using server = await serveFolder({ folder: "site" });
 * const answer = await fetch(`${server.url}/index.html`);
 * ```
 */
export async function serveFolder(options: ServeOptions): Promise<FolderServer> {
  const { folder, host = "127.0.0.1", port = 0, allowedHosts = [], onRequest, signal, pages } = options;
  if (signal?.aborted === true) throw new TidemarkError("aborted", "Stopped before the server listened.");
  const root = resolveRoot(folder);
  /** By which it is asked; undefined for any. */
  let names: ReadonlySet<string> | undefined;
  const server = createServer((request, response) => {
    const isAsked = names === undefined || isAskedByName(request.headers, names);
    void answer(root, request, response, onRequest, pages, isAsked);
  });
  const listening = await listen(server, host, port);
  // A name to listen on may lead to the loopback, too.
  const address = new URL(listening.url).hostname.replace(/^\[|\]$/g, "");
  if (isLoopback(address) || allowedHosts.length > 0)
    names = new Set([host, ...allowedHosts].map((name) => name.toLowerCase()));
  const close = (): Promise<void> => {
    signal?.removeEventListener("abort", close);
    return endServer(server);
  };
  signal?.addEventListener("abort", close);
  return { ...listening, close, [Symbol.asyncDispose]: close };
}

function resolveRoot(folder: string): string {
  try {
    const root = realpathSync.native(folder, { encoding: "buffer" });
    if (!statSync(root).isDirectory()) {
      throw new TidemarkError("not-a-folder", `Could not serve ${folder}: it is not a folder.`, {
        hint: "Name the folder that holds the files.",
      });
    }
    return root.toString("latin1");
  } catch (error) {
    throw wrapSystemError(error, `serve ${folder}`, { folder });
  }
}

async function answer(
  root: string,
  request: IncomingMessage,
  response: ServerResponse,
  onRequest: ServeOptions["onRequest"],
  pages: PageFinder | undefined,
  isAsked: boolean,
): Promise<void> {
  let bytes = 0;
  try {
    bytes = isAsked ? await answerRequest(root, request, response, pages) : sendStatus(request, response, 421);
  } catch {
    if (response.headersSent) response.destroy();
    else bytes = sendStatus(request, response, 500);
  }
  onRequest?.({
    method: request.method ?? "",
    path: request.url ?? "",
    status: response.statusCode,
    bytes,
    conditional: isConditional(request.headers),
  });
}
