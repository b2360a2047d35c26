import { gzipSync } from "node:zlib";
import type { LabPorts } from "./lab/index.ts";
import { TidemarkError } from "./model/index.ts";

/**
 * What experiments use of the world.
 *
 * @param scratchFolder - where sites are exported to for a while
 */
export function createLabPorts(scratchFolder: string): LabPorts {
  return {
    measureSite: (root) => Promise.reject(new TidemarkError("not-found", `${scratchFolder} ${root}`)),
    readHistory: (file) => Promise.reject(new TidemarkError("not-found", file)),
    gzipBytes: (text) => gzipSync(Buffer.from(text, "latin1"), { level: 6 }).length,
  };
}
