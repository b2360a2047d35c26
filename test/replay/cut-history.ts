import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { type HistoryEvent, readHistory } from "../bench/replay/history.ts";

/** Which part of a history is kept. */
export interface HistoryPart {
  /** Seconds since 1970: events before are not kept. */
  readonly from: number;
  /** Seconds since 1970: events from then on are not kept. */
  readonly until: number;
  /** One in so many paths is kept, chosen by a hash of the path. */
  readonly onePathIn: number;
}

/** FNV-1a of a path's bytes, mixed so that each residue is as frequent. */
function hashPath(path: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < path.length; at++) hash = Math.imul(hash ^ path.charCodeAt(at), 0x01000193);
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0;
}

/** The events of a part of a history. A page that is there when the part begins is added at that moment. */
export function cutHistory(events: readonly HistoryEvent[], part: HistoryPart): HistoryEvent[] {
  const { from, until, onePathIn } = part;
  const wanted = events.filter(({ path }) => hashPath(path) % onePathIn === 0);
  const before = new Map<string, HistoryEvent>();
  for (const event of wanted) {
    if (event.time >= from) break;
    before.delete(event.path);
    if (event.sizeBytes !== undefined) before.set(event.path, { ...event, time: from });
  }
  return [...before.values(), ...wanted.filter(({ time }) => time >= from && time < until)];
}

/** The lines of a history's file. */
export function formatHistory(events: readonly HistoryEvent[]): string {
  const known = new Set<string>();
  const lines = events.map(({ time, path, sizeBytes }) => {
    const kind = sizeBytes === undefined ? "D" : known.has(path) ? "M" : "A";
    if (sizeBytes === undefined) known.delete(path);
    else known.add(path);
    return `${time}\t${kind}\t${sizeBytes ?? 0}\t${path}\n`;
  });
  return `#unix_seconds\top(A added, M modified, D deleted)\tsize_bytes\tpath\n${lines.join("")}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [source = "", target = "", from = "", until = "", onePathIn = ""] = process.argv.slice(2);
  const part = { from: Date.parse(from) / 1000, until: Date.parse(until) / 1000, onePathIn: Number(onePathIn) };
  const { events } = await readHistory(source, source);
  writeFileSync(target, gzipSync(Buffer.from(formatHistory(cutHistory(events, part)), "latin1"), { level: 9 }));
}
