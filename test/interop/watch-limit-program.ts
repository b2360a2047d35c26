import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compileGlobs } from "../../src/exporter/walk/glob-filter.ts";
import { SiteWatch } from "../../src/exporter/watch/site-watch.ts";

/** Watches a folder, changes a page in each of its folders, and prints three rounds as JSON. */
const docroot = process.argv[2] ?? "";
const warnings: string[] = [];
await using watch = new SiteWatch({
  docroot,
  globs: await compileGlobs([], []),
  reader: { uid: -1, gids: new Set() },
  judgePath: () => undefined,
  settleMs: 100,
  fallbackRescanMs: 2000,
  onEvent: (event) => {
    if (event.event === "warning") warnings.push(event.message);
  },
});
await watch.start();
const { counts } = watch;
const rounds: string[] = [];
for (let at = 0; at < 3; at++) {
  const round = await watch.next();
  if (round?.kind === "scan") rounds.push(`scan ${round.reason}`);
  else rounds.push(`folders ${round?.folders.length}`);
  if (at === 0) for (const name of readdirSync(docroot)) writeFileSync(join(docroot, name, "x.html"), "y");
}
process.stdout.write(JSON.stringify({ counts, warnings, rounds }));
