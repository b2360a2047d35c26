import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { listenNames } from "../../dns-server.ts";
import { findCli } from "../../interop/command.ts";
import { findFreePort } from "../../interop/web-server.ts";
import { startNginxHosts } from "../follow/nginx-hosts.ts";
import { type MeteredCost, meterProcess } from "../peers/metered-process.ts";
import { type DocumentSite, documentDomain } from "./documents.ts";

/** A command of the sequence, and what it took and said. */
export interface Step extends MeteredCost {
  readonly command: string;
}

/** Pages that failed, such as links to what a package lacks. */
const incomplete = 3;

/**
 * From a crawl to a graph, its figures, ranks and a list of what to crawl next: docs/graphs.md has the same commands.
 *
 * @param folder - empty; afterwards it has `web`, `graph`, `graph.html`, `ranks.tsv.gz` and `next.tsv`
 */
export async function crawlDocuments(sites: readonly DocumentSite[], folder: string): Promise<Step[]> {
  const port = await findFreePort();
  const server = join(folder, "nginx");
  mkdirSync(server);
  // The packages lie in a home folder, which other users need not see.
  await using _ = await startNginxHosts(sites, port, server, "root");
  const addresses = new Map(sites.map(({ host, address }) => [host, address]));
  await using names = await listenNames((name) => {
    const address = addresses.get(name);
    return address === undefined ? "no-name" : [address];
  });
  const seeds = sites.flatMap(({ host, entries }) => entries.map((path) => `http://${host}:${port}${path}\n`));
  writeFileSync(join(folder, "seeds.txt"), seeds.join(""));
  const inFolder = (name: string): string => join(folder, name);
  const [graph, web] = [inFolder("graph"), inFolder("web")];
  const commands: ReadonlyArray<readonly [readonly string[], readonly number[]]> = [
    [
      [
        "crawl",
        "--web",
        inFolder("seeds.txt"),
        "--into",
        web,
        "--keep",
        "none",
        "--scope-domain",
        documentDomain,
      ].concat("--name-server", names.address),
      [0, incomplete],
    ],
    [["graph", "import", graph, "--crawl", web], [0]],
    [["graph", "stats", graph, "--html", inFolder("graph.html")], [0]],
    [
      ["graph", "rank", graph, "--into", inFolder("ranks.tsv.gz"), "--work", inFolder("next.tsv")].concat(
        "--visits",
        join(graph, "visits.tsv"),
      ),
      [0],
    ],
  ];
  const steps: Step[] = [];
  for (const [args, codes] of commands) {
    const cost = await meterProcess([process.execPath, findCli(), ...args], codes);
    steps.push({
      ...cost,
      command: args
        .filter((word) => !word.startsWith("/"))
        .slice(0, 2)
        .join(" "),
    });
  }
  return steps;
}
