import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import type { FetchOutcome, FetchRequest } from "../core/index.ts";
import { publishedFolder } from "../formats/archive/index.ts";

const publishedName = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,250}$/;

/**
 * Answers requests for a site's archives from its document root, without a server.
 *
 * Only files directly in the published folder are there; of everything else, robots.txt too, there is none.
 */
export class SiteFolder {
  readonly #folder: string;

  /** @param docroot - folder that the web server shows as the site's root */
  constructor(docroot: string) {
    this.#folder = join(docroot, publishedFolder.slice(1));
  }

  /** Reads what a GET would give; what cannot be read is a branch of the outcome. */
  async get(request: FetchRequest): Promise<FetchOutcome> {
    const { path, maxBytes } = request;
    const name = path.startsWith(publishedFolder) ? path.slice(publishedFolder.length) : "";
    const gone: FetchOutcome = { kind: "gone", status: 404, receivedBytes: 0, requests: 0 };
    const failed = (reason: "too-large" | "protocol" | "aborted", message: string): FetchOutcome => {
      return { kind: "failed", reason, message, receivedBytes: 0, requests: 0 };
    };
    if (!publishedName.test(name)) return gone;
    if (request.signal?.aborted === true) return failed("aborted", "stopped before the end");
    let handle: FileHandle | undefined;
    try {
      // A pipe in the place of a file must not make us wait.
      handle = await open(join(this.#folder, name), constants.O_RDONLY | constants.O_NONBLOCK);
      const status = await handle.stat();
      if (!status.isFile()) return failed("protocol", `${name} is no file`);
      if (status.size > maxBytes) return failed("too-large", `${name} has ${status.size} bytes`);
      const body = Buffer.alloc(status.size);
      let receivedBytes = 0;
      while (receivedBytes < body.length) {
        const { bytesRead } = await handle.read(body, receivedBytes, body.length - receivedBytes, receivedBytes);
        if (bytesRead === 0) return failed("protocol", `${name} became shorter while it was read`);
        receivedBytes += bytesRead;
      }
      const facts = { validators: {}, contentType: undefined, contentEncoding: undefined, cacheControl: undefined };
      return { kind: "fetched", status: 200, receivedBytes, requests: 0, body, finalPath: path, ...facts };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return gone;
      return failed("protocol", `${name} cannot be read: ${(error as Error).message}`);
    } finally {
      await handle?.close();
    }
  }
}
