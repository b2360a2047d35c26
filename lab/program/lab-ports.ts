import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { mediaTypeOfName } from "../../src/exporter/walk/media-types.ts";
import { judgeName } from "../../src/exporter/walk/name-rules.ts";
import { contentId, digestOf } from "../../src/http/node-adapters.ts";
import type { LabPorts } from "../experiment/ports.ts";
import { crawlWebVirtually } from "../hosts/web-run.ts";
import { readLinkedPages } from "./lab-graph.ts";
import { readHistory } from "./lab-history.ts";
import { exportRealSite } from "./lab-real-site.ts";
import { readLoggedTraffic } from "./lab-traffic.ts";

/** Levels of gzip that the exporter takes. */
const levels = { archive: 5, index: 9 } as const;

/**
 * What experiments use of the world.
 *
 * @param scratchFolder - where sites are exported to for a while
 */
export function createLabPorts(scratchFolder: string): LabPorts {
  return {
    exportSite: (site) => exportRealSite(site, scratchFolder),
    readHistory,
    readLinkedPages,
    readTraffic: readLoggedTraffic,
    crawlWeb: async (web, plan) => {
      const folder = await mkdtemp(join(scratchFolder === "" ? tmpdir() : scratchFolder, "web-"));
      try {
        return await crawlWebVirtually(web, plan, folder);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
    mediaTypeOf: (path) => {
      const names = path.split("/");
      const isWithheld = names.some((name, at) => judgeName(name, at < names.length - 1) !== undefined);
      return isWithheld ? undefined : mediaTypeOfName(names.at(-1) ?? "");
    },
    pack: (content, kind) => {
      const bytes = gzipSync(content, { level: levels[kind], chunkSize: Math.min(128 * 1024, content.length + 1024) });
      return { id: contentId(content), sizeBytes: bytes.length, bytes };
    },
    digestOf,
  };
}
