import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { openConnection, prepareStatement, readLinks } from "../../../src/storage/index.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { endOf, runProgram, startProgram } from "../run-program.ts";

const sites = ["127.0.0.1", "127.0.0.2", "127.0.0.3"];
/** So few that nobody gets a record: results of those who have one wait for their next check. */
const pages = 5;

interface SeenVisit {
  readonly beganAt: number;
  endedAt: number;
}

/** Sites on loopback addresses of one port, whose pages link to each other; each connection is a visit. */
interface Sites extends AsyncDisposable {
  readonly port: number;
  readonly visits: Map<string, SeenVisit[]>;
  readonly pages: string[];
}

async function openSites(): Promise<Sites> {
  const visits = new Map<string, SeenVisit[]>(sites.map((site) => [site, []]));
  const seen: string[] = [];
  const servers: Server[] = [];
  let port = 0;
  for (const site of sites) {
    const server = createServer((request, response) => {
      if (request.url === "/robots.txt") return response.end("User-agent: *\nDisallow: /private\n");
      seen.push(site + request.url);
      const number = Number(request.url?.slice(1)) || 0;
      const next = [number * 2 + 1, number * 2 + 2].map((page) => `<a href="/${page % pages}">page</a>`);
      const others = sites.map((other) => `<a href="http://${other}:${port}/${number}">site</a>`);
      return response
        .setHeader("content-type", "text/html")
        .end(`${[...next, ...others].join(" ")} <a href="/private">no</a>`);
    });
    server.on("connection", (socket) => {
      const visit = { beganAt: performance.now(), endedAt: Number.POSITIVE_INFINITY };
      visits.get(site)?.push(visit);
      socket.once("close", () => {
        visit.endedAt = performance.now();
      });
    });
    server.listen(port, site);
    await once(server, "listening");
    port = (server.address() as AddressInfo).port;
    servers.push(server);
  }
  return {
    ...{ port, visits, pages: seen },
    [Symbol.asyncDispose]: async () => {
      for (const server of servers) server.closeAllConnections();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

/** Starts the server of volunteers, and waits until it listens. */
async function startServer(args: readonly string[]): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const child = startProgram([...args, "--json"]);
  child.stderr?.pipe(process.stderr);
  assert.ok(child.stdout);
  for await (const line of createInterface({ input: child.stdout })) {
    const event = JSON.parse(line) as { event: string; url?: string };
    if (event.event !== "listening" || event.url === undefined) continue;
    child.stdout.resume();
    return { child, url: event.url };
  }
  throw new Error("the server did not listen");
}

test("volunteers crawl some sites, while they and the server are killed; a site never has two of them", {
  timeout: 150_000,
}, async () => {
  using folder = makeTempFolder();
  await using web = await openSites();
  const project = join(folder.path, "web");
  const names = ["ann", "bob", "cid"];
  const made = await runProgram(
    "volunteers",
    "init",
    project,
    "--user-agent",
    "tidemark/1.0 (+https://x.example)",
    ...names.flatMap((name) => ["--volunteer", name]),
  );
  assert.equal(made.code, 0, made.stderr);
  const keyOf = (name: string): string => join(project, "keys", `${name}.key`);
  assert.equal(statSync(keyOf("ann")).mode & 0o777, 0o600);
  const [, secret = ""] = readFileSync(keyOf("ann"), "utf8").trim().split(":");
  assert.ok(!readFileSync(join(project, "volunteers.json"), "utf8").includes(secret), "only its hash is kept");

  const seeds = join(folder.path, "seeds.txt");
  writeFileSync(seeds, `http://127.0.0.1:${web.port}/\n`);
  const serve = (port: number): string[] => [
    ...["volunteers", "serve", project, "--seeds", seeds, "--listen", `127.0.0.1:${port}`, "--allow-private"],
    ...["--crawl-delay", "20ms", "--rest", "100ms", "--rest-on-loopback", "--deadline", "3s", "--unit-pages", "4"],
  ];
  let server = await startServer(serve(0));
  const { port } = new URL(server.url);
  const work = (name: string): ChildProcess => {
    const child = startProgram(["work", "--from", server.url, "--key", keyOf(name), "--allow-private"]);
    child.stderr?.pipe(process.stderr);
    child.stdout?.resume();
    return child;
  };
  let workers = names.map(work);
  const stop = async (child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> => {
    const ended = once(child, "close");
    child.kill(signal);
    return (await ended)[0] as number | null;
  };
  const waitFor = async (count: number): Promise<void> => {
    const until = performance.now() + 60_000;
    while (new Set(web.pages).size < count) {
      assert.ok(
        performance.now() < until,
        `${new Set(web.pages).size} of ${count} pages: ${[...new Set(web.pages)].sort().join(" ")}`,
      );
      await delay(50);
    }
  };
  await waitFor(4);
  await Promise.all(workers.map((child) => stop(child, "SIGKILL")));
  workers = names.map(work);
  await waitFor(8);
  await stop(server.child, "SIGKILL");
  server = await startServer(serve(Number(port)));
  await waitFor(sites.length * pages);
  // The last pages have their second copies.
  const connection = openConnection(join(project, ".tidemark", "volunteers.db"));
  const count = prepareStatement(connection, "SELECT count(*) FROM page WHERE url NOT LIKE '%/private'");
  for (
    const until = performance.now() + 30_000;
    (count.get() as [number])[0] < sites.length * pages + 1;
    await delay(100)
  )
    assert.ok(performance.now() < until, `${count.get()} pages are believed`);
  connection.close();
  for (const child of workers) assert.equal(await stop(child, "SIGINT"), 0);
  assert.equal(await stop(server.child, "SIGINT"), 0);

  assert.deepEqual(
    web.pages.filter((page) => page.endsWith("/private")),
    [],
  );
  for (const [site, visits] of web.visits)
    for (const [at, visit] of visits.entries())
      for (const other of visits.slice(at + 1))
        assert.ok(visit.endedAt <= other.beganAt || other.endedAt <= visit.beganAt, `two visits at once at ${site}`);
  const links = new Map([...readLinks(join(project, "links"))].map(({ url, links: to }) => [url, to]));
  for (const site of sites)
    for (let page = 0; page < pages; page++) {
      const found =
        links.get(`http://${site}:${web.port}/${page || ""}`) ?? links.get(`http://${site}:${web.port}/${page}`);
      assert.ok(found !== undefined && found.length >= 4, `${site}/${page}: ${found?.length}`);
    }
  const graph = await runProgram("graph", "import", join(folder.path, "graph"), "--crawl", project);
  assert.equal(graph.code, 0, graph.stderr);
  assert.ok(existsSync(join(folder.path, "graph", "visits.tsv")));
});

test("a key that the server does not know ends the work", { timeout: 30_000 }, async () => {
  using folder = makeTempFolder();
  const project = join(folder.path, "web");
  await runProgram("volunteers", "init", project, "--user-agent", "tidemark/1.0", "--volunteer", "ann");
  const seeds = join(folder.path, "seeds.txt");
  writeFileSync(seeds, "https://site.invalid/\n");
  const server = await startServer(["volunteers", "serve", project, "--seeds", seeds, "--listen", "127.0.0.1:0"]);
  const key = join(folder.path, "eve.key");
  writeFileSync(key, `ann:${"A".repeat(43)}\n`);
  const { code, stderr } = await runProgram("work", "--from", server.url, "--key", key);
  assert.equal(code, 2);
  assert.match(stderr, /does not know the key/);
  const locked = await endOf(
    startProgram(["volunteers", "serve", project, "--seeds", seeds, "--listen", "127.0.0.1:0"]),
  );
  assert.equal(locked.code, 5, "one server a folder");
  const ended = once(server.child, "close");
  server.child.kill("SIGTERM");
  assert.deepEqual(await ended, [0, null]);
});
