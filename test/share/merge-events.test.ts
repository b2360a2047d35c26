import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import Database from "libsql";
import { TidemarkError } from "../../src/core/error.ts";
import { formatWebEvent } from "../../src/formats/web-events/day-file.ts";
import { serveFolder } from "../../src/server/folder-server.ts";
import { firstTrust } from "../../src/share/engine/trust/peer-trust.ts";
import { mergeEvents } from "../../src/share/merge-events.ts";
import { shareEvents } from "../../src/share/share-events.ts";
import { openStore } from "../../src/storage/state/store.ts";
import { Crawler } from "../crawler/engine/site-visit.ts";
import { countsOf, Merger, Peer } from "./merger.ts";

test("a merged change is requested first, a merged URL is found, and nothing of what is held changes", async () => {
  await using merger = await Merger.open();
  const { crawler } = merger;
  const before = merger.rows();
  merger.say(merger.event("/c"), merger.event("/new"), merger.event("/a", { kind: "deleted" }));
  assert.deepEqual(countsOf(await merger.merge()), [1, 2, 0, 0, 0, 0]);
  const held = (rows: readonly unknown[]): unknown[][] =>
    (rows as unknown[][]).map(([path, , , , digest]) => [path, digest]);
  assert.deepEqual(
    held(merger.rows()).filter(([path]) => path !== "/new"),
    held(before),
  );
  crawler.site.set({ "/c": "changed", "/new": "new" });
  const { requests, summary } = await crawler.visit({ sources: ["links"], budget: 3 });
  assert.deepEqual([...requests.filter((line) => !line.endsWith("robots.txt"))].sort(), [
    "200 /c",
    "200 /new",
    "304 /a",
  ]);
  // The peer lied about /a: that cost one conditional request.
  assert.deepEqual([summary.created, summary.updated, summary.deleted], [1, 1, 0]);
  // What was requested since is no news any more.
  assert.deepEqual(countsOf(await merger.merge()).slice(0, 3), [0, 0, 0]);
});

test("a lifetime that a peer gives puts a poll off, and a change that another one tells calls for it again", async () => {
  await using merger = await Merger.open();
  merger.trust();
  const held = (merger.rows() as [string][]).find(([path]) => path === "/a");
  assert.ok(held !== undefined);
  const database = new Database(join(merger.crawler.folder.path, ".tidemark", "state.db"));
  const [modifiedAt, sizeBytes] = database
    .prepare("SELECT modified, size FROM url WHERE path = '/a'")
    .raw()
    .get() as number[];
  database.close();
  const known = { modifiedAt: modifiedAt ?? 0, sizeBytes: sizeBytes ?? 0 };
  const promise = merger.event("/a", { ...known, lifetimeSeconds: 3600 });
  merger.say(promise);
  assert.deepEqual(countsOf(await merger.merge()), [0, 0, 1, 0, 0, 0]);
  const dueOf = (): unknown[] => (merger.rows() as unknown[][]).find(([path]) => path === "/a")?.slice(2, 4) ?? [];
  assert.deepEqual(dueOf(), [0, merger.seconds + 3600]);
  merger.say(merger.event("/a"));
  await merger.merge();
  assert.deepEqual(dueOf(), [1, 0]);
  merger.say(promise);
  await merger.merge();
  assert.deepEqual(dueOf(), [1, 0]);
});

test("the order in which events come does not matter, nor does their coming twice", async () => {
  await using merger = await Merger.open();
  merger.trust();
  const { crawler } = merger;
  const into = crawler.folder.path;
  const kinds = ["created", "updated", "deleted"] as const;
  const event = fc.record(
    {
      path: fc.constantFrom("/", "/a", "/b", "/new", "/new2"),
      kind: fc.constantFrom(...kinds),
      modifiedAt: fc.integer({ min: merger.seconds - 7200, max: merger.seconds }),
      polledAt: fc.integer({ min: merger.seconds - 7200, max: merger.seconds }),
      lifetimeSeconds: fc.constantFrom(0, 100, 1e6),
    },
    { noNullPrototype: true },
  );
  const database = new Database(join(into, ".tidemark", "state.db"));
  const reset = (): void => {
    database.exec(
      "UPDATE url SET unconfirmed = 0, due = 0; DELETE FROM url WHERE state = 'new'; DELETE FROM peer; DELETE FROM peer_claim",
    );
  };
  const events = fc.array(event, { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(events, async (some) => {
      const said = some.map(({ path, ...more }) => merger.event(path, more));
      const results: unknown[] = [];
      for (const order of [said, [...said].reverse(), [...said, ...said]]) {
        reset();
        merger.say(...order);
        await merger.merge({ days: 1 });
        results.push(merger.rows());
      }
      assert.deepEqual(results[1], results[0]);
      assert.deepEqual(results[2], results[0]);
    }),
    { numRuns: 8 },
  );
  database.close();
});

test("days since the last merge are asked for, conditionally and compressed; one that is missing is no error", async () => {
  await using merger = await Merger.open();
  const { crawler, peer } = merger;
  const asked: (string | undefined)[] = [];
  const file = `/share/${merger.today}.dat`;
  const text = formatWebEvent(merger.event("/c")).repeat(50);
  peer.answers.set(file, (request, response) => {
    asked.push(request.headers["if-none-match"]);
    if (request.headers["if-none-match"] === '"1"') response.writeHead(304).end();
    else {
      assert.match(request.headers["accept-encoding"] ?? "", /gzip/);
      response.writeHead(200, { etag: '"1"', "content-encoding": "gzip" }).end(gzipSync(text));
    }
  });
  const [first] = (await merger.merge({ days: 4 })).peers;
  assert.deepEqual([first?.files, first?.missing, first?.events, first?.crawler], [1, 3, 50, "peer.example:80 peer/1"]);
  assert.ok((first?.receivedBytes ?? 0) < text.length / 10);
  const days = [3, 2, 1, 0].map((back) => `/share/${merger.today - back}.dat`);
  assert.deepEqual(peer.requests.splice(0), ["/robots.shr", ...days]);
  const [second] = (await merger.merge({ days: 4 })).peers;
  assert.deepEqual([second?.files, second?.unmodified, second?.missing], [0, 1, 1]);
  assert.deepEqual(asked, [undefined, '"1"']);
  crawler.now += 2 * 86_400_000;
  peer.requests.splice(0);
  await merger.merge({ days: 10 });
  assert.deepEqual(
    peer.requests,
    ["/robots.shr"].concat([3, 2, 1, 0].map((back) => `/share/${merger.today - back}.dat`)),
  );
});

test("events of other sites, of share files, and beyond the bounds are left out", async () => {
  await using merger = await Merger.open();
  merger.trust();
  const events = Array.from({ length: 20 }, (_, at) => merger.event(`/n${at}`));
  merger.say(merger.event("/a", { url: "http://other.example/" }), merger.event("/robots.shr"), ...events);
  assert.deepEqual(countsOf(await merger.merge({ maxNewPerSite: 5 })), [5, 0, 0, 1, 1, 15]);
});

test("a file beyond the bounds is read up to them at most, and does not keep the merge from later days", async () => {
  await using merger = await Merger.open();
  merger.trust();
  const { crawler } = merger;
  const many = Array.from({ length: 20 }, (_, at) => merger.event(`/n${at}`));
  for (const [bound, problem, added] of [
    [{ maxEvents: 10 }, /more than 10 events/, 10],
    // The server announces the length, so that nothing is read.
    [{ maxFileBytes: 1000 }, /\.dat: /, 0],
  ] as const) {
    merger.say(...many.map(({ url, ...event }) => ({ ...event, url: `${url}-${added}`, polledAt: merger.seconds })));
    crawler.now += 86_400_000;
    merger.say(merger.event(`/later-${added}`));
    const merged = await merger.merge({ ...bound, days: 3 });
    assert.match(merged.peers[0]?.problem ?? "", problem);
    assert.equal(merged.added, added + 1);
  }
});

test("the patterns of the crawl are asked about the URLs that a peer added", async () => {
  await using merger = await Merger.open();
  const { crawler } = merger;
  const exclude = ["/secret*"];
  await crawler.visit({ sources: ["links"], exclude });
  merger.say(
    merger.event("/secret1", { polledAt: merger.seconds }),
    merger.event("/open", { polledAt: merger.seconds }),
  );
  await merger.merge();
  crawler.site.set({ "/secret1": "s", "/open": "o" });
  const { requests } = await crawler.visit({ sources: ["links"], exclude });
  assert.deepEqual(
    requests.filter((line) => /secret|open/.test(line)),
    ["200 /open"],
  );
});

test("a site that publishes its changes itself is left to them", async () => {
  await using crawler = await Crawler.open({ "/": "index", "/a": "a" });
  await crawler.visit();
  await using peer = await Peer.open();
  const merger = new Merger(crawler, peer);
  crawler.now += 3_600_000;
  merger.say(merger.event("/a"), merger.event("/new"));
  assert.deepEqual(countsOf(await merger.merge()), [0, 0, 0, 2, 0, 0]);
});

// What a peer answers, and what is said of it.
const misbehaviours: readonly (readonly [string, (peer: Peer, file: string, cutOff: string) => void, RegExp])[] = [
  ["has no robots.shr", ({ answers }) => answers.delete("/robots.shr"), /^robots\.shr: the server answered 404/],
  [
    "has another version",
    ({ answers }) => answers.set("/robots.shr", "version: 2\ncrawler: a:1 a\nrepository: /"),
    /version "2"/,
  ],
  ["has half a robots.shr", ({ answers }) => answers.set("/robots.shr", "version: 1.0"), /no field crawler/],
  ["has a large robots.shr", ({ answers }) => answers.set("/robots.shr", "x: y\n".repeat(50_000)), /^robots\.shr: /],
  [
    "redirects",
    ({ answers }, file) => answers.set(file, (_, response) => response.writeHead(302, { location: "/" }).end()),
    /\.dat: /,
  ],
  [
    "is overloaded",
    ({ answers }, file) => answers.set(file, (_, response) => response.writeHead(503).end()),
    /answered 503/,
  ],
  [
    "breaks off",
    ({ answers }, file, cutOff) =>
      answers.set(file, (_, response) => {
        response.writeHead(200, { "content-length": "1000" });
        response.write(cutOff, () => response.destroy());
      }),
    /\.dat: /,
  ],
  [
    "sends a bomb",
    ({ answers }, file) =>
      answers.set(file, (_, response) =>
        response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(4e6))),
      ),
    /\.dat: /,
  ],
];
for (const [what, misbehave, problem] of misbehaviours)
  test(`of a peer that ${what}, the day comes again at the next merge`, { timeout: 30_000 }, async () => {
    await using merger = await Merger.open();
    const cutOff = formatWebEvent(merger.event("/cut-off")).trimEnd();
    misbehave(merger.peer, `/share/${merger.today}.dat`, cutOff);
    const first = await merger.merge({ days: 1, maxFileBytes: 1e6 });
    assert.match(first.peers[0]?.problem ?? "", problem);
    assert.equal(first.added, 0);
    merger.peer.answers.set("/robots.shr", "version: 1.0\ncrawler: peer.example:80 peer/1\nrepository: /share/\n");
    merger.say(merger.event("/c"));
    const second = await merger.merge({ days: 1 });
    assert.deepEqual([second.peers[0]?.problem, second.sooner], [undefined, 1]);
  });

test("two crawlers tell each other what they saw, and echoes end", async () => {
  await using crawler = await Crawler.open();
  crawler.site.set({ "/": '<a href="/a">a</a><a href="/b">b</a>', "/a": "a", "/b": "b" });
  crawler.site.answers.set("/", (_, response) => response.setHeader("content-type", "text/html"));
  const folders = ["one", "two"].map((name) => join(crawler.folder.path, name));
  const clock = (): number => crawler.now;
  const visit = async (into: string) => await crawler.visit({ into, sources: ["links"] });
  for (const into of folders) await visit(into);
  const [one = "", two = ""] = folders;
  const into = join(crawler.folder.path, "shared");
  mkdirSync(into);
  await using served = await serveFolder({ folder: into });
  crawler.now += 40 * 86_400_000;
  crawler.site.set({ "/a": "changed" });
  await visit(one);
  await shareEvents({ from: one, into, url: served.url, moniker: "one/1", clock });
  const merged = await mergeEvents({ peers: [served.url], into: two, clock, days: 3 });
  assert.deepEqual([merged.sooner, merged.added], [1, 0]);
  const echo = await mergeEvents({ peers: [served.url], into: one, clock, days: 3 });
  assert.deepEqual([echo.sooner, echo.added, echo.later], [0, 0, 0]);
  const { requests } = await crawler.visit({ into: two, sources: ["links"], budget: 1 });
  assert.ok(requests.includes("200 /a"), requests.join());
});

test("what a peer found unchanged is polled after all other pages, and is no news although no server says when it changed", async () => {
  await using crawler = await Crawler.open();
  crawler.site.set({ "/": '<a href="/a">a</a><a href="/b">b</a>', "/a": "a", "/b": "b" });
  crawler.site.answers.set("/", (_, response) => response.setHeader("content-type", "text/html"));
  const clock = (): number => crawler.now;
  const [one, two, into] = ["one", "two", "shared"].map((name) => join(crawler.folder.path, name)) as [
    string,
    string,
    string,
  ];
  const visit = async (of: string, budget = 10) => {
    crawler.now += 3_600_000;
    return await crawler.visit({ into: of, sources: ["links"], planner: "round-robin", budget });
  };
  for (const folder of [two, one]) await visit(folder);
  mkdirSync(into);
  await using served = await serveFolder({ folder: into });
  const share = async () => {
    // What was answered is written a little later.
    crawler.now += 10_000;
    await shareEvents({ from: one, into, url: served.url, moniker: "one/1", clock });
    return await mergeEvents({ peers: [served.url], into: two, clock, days: 3, random: () => 0.5 });
  };
  {
    using store = openStore({ into: two });
    const trust = { ...firstTrust, good: 60, at: Math.floor(crawler.now / 1000) };
    store.claims.settleClaims({ done: [], states: [[new URL("/", served.url).href, trust]], withdrawnOf: [] });
  }
  // The first crawler saw all pages an hour after the second.
  const first = await share();
  assert.deepEqual([first.sooner, first.later], [0, 3]);
  assert.deepEqual((await visit(one, 2)).requests.slice(-2), ["304 /", "304 /a"]);
  const second = await share();
  assert.deepEqual([second.sooner, second.later, second.peers[0]?.events], [0, 2, 2]);
  assert.deepEqual((await visit(two, 1)).requests.slice(-1), ["304 /b"]);
  assert.equal((await share()).peers[0]?.unmodified, 1);
  // What changed and was found unchanged after that is one event.
  crawler.site.set({ "/a": "changed" });
  await visit(one);
  await visit(one);
  const third = await share();
  assert.deepEqual([third.sooner, third.later, third.peers[0]?.problem], [1, 2, undefined]);
});

test("sites that a peer knows especially well are left to it once its claims have proved true, a day at a time", async () => {
  await using crawler = await Crawler.open();
  const names = Array.from({ length: 30 }, (_, at) => `/p${at}`);
  crawler.site.set({ "/": names.map((name) => `<a href="${name}">x</a>`).join("") });
  crawler.site.answers.set("/", (_, response) => response.setHeader("content-type", "text/html"));
  const set = (text: string) => crawler.site.set(Object.fromEntries(names.map((name) => [name, name + text])));
  set("");
  const clock = (): number => crawler.now;
  const [one, two, into] = ["one", "two", "shared"].map((name) => join(crawler.folder.path, name)) as [
    string,
    string,
    string,
  ];
  const visit = async (of: string) => {
    crawler.now += 3_600_000;
    const { requests } = await crawler.visit({ into: of, sources: ["links"], planner: "round-robin", budget: 100 });
    return requests.filter((request) => !request.endsWith("robots.txt"));
  };
  for (const folder of [two, one]) await visit(folder);
  mkdirSync(into);
  await using served = await serveFolder({ folder: into });
  const share = async (special: readonly string[] = [`${crawler.site.origin}/p`]) => {
    crawler.now += 10_000;
    await shareEvents({ from: one, into, url: served.url, moniker: "one/1", clock, special });
    return await mergeEvents({ peers: [served.url], into: two, clock, days: 3 });
  };
  set("changed");
  await visit(one);
  // An unknown peer may not claim more of one site.
  assert.equal((await share()).sooner, 16);
  await visit(two);
  set("changed again");
  await visit(one);
  assert.equal((await share()).sooner, 30);
  assert.equal((await visit(two)).length, 31);
  await visit(one);
  const merged = await share();
  // Some are requested to see whether the peer still tells the truth. The start page is not below its special URL.
  const requests = (await visit(two)).map((request) => request.replace(/^\d+ /, ""));
  assert.ok(merged.sooner < 20 && requests.includes("/"), `${merged.sooner}: ${requests.join(" ")}`);
  assert.ok(requests.length === merged.sooner || requests.length === merged.sooner + 1, requests.join(" "));
  crawler.now += 86_400_000;
  assert.equal((await visit(two)).length, 31);
  // A peer that knows none of them especially well only makes them wait behind others.
  await visit(one);
  await share([]);
  assert.equal((await visit(two)).length, 31);
});

test("crawlers that a peer names are told, at most twenty, and asked for nothing", async () => {
  await using merger = await Merger.open();
  await using other = await Peer.open();
  const many = Array.from({ length: 30 }, (_, at) => `X-Tidemark-Peer: http://c${at}.example/robots.shr\n`);
  const named = [`x-tidemark-peer: ${other.url}share/\n`, `x-tidemark-peer: ${merger.peer.url}\n`, ...many, ...many];
  merger.peer.answers.set(
    "/robots.shr",
    `version: 1.0\ncrawler: peer.example:80 peer/1\nrepository: /share/\nx-tidemark-peer: none\n${named.join("")}`,
  );
  const { peers } = await merger.merge();
  assert.deepEqual(peers[0]?.named, [other.url, ...Array.from({ length: 19 }, (_, at) => `http://c${at}.example/`)]);
  assert.deepEqual(other.requests, []);
});

test("crawlers that a proven peer names are merged up to a bound, as unknown ones, and what they name is not", async () => {
  await using merger = await Merger.open();
  await using other = await Peer.open();
  await using third = await Peer.open();
  const name = (peer: Peer, ...named: readonly Peer[]): void => {
    const fields = named.map(({ url }) => `x-tidemark-peer: ${url}\n`).join("");
    peer.answers.set("/robots.shr", `version: 1.0\ncrawler: peer.example:80 peer/1\nrepository: /share/\n${fields}`);
  };
  name(merger.peer, other);
  name(other, third);
  const control = "version: 1.0\ncrawler: third.example:80 c/1\nrepository: /share/\nx-tidemark-ed25519: ";
  third.answers.set("/robots.shr", `${control}${"A".repeat(43)}\n`);
  const event = formatWebEvent(merger.event("/a"));
  other.answers.set(`/share/${merger.today}.dat`, event);
  const merge = (more: object) => merger.merge({ maxNamed: 5, allowPrivate: true, ...more });
  const merged = async (more = {}) => (await merge(more)).peers.map(({ peer }) => peer);
  assert.deepEqual(await merged(), [merger.peer.url], "nothing was proved of who names");
  merger.trust();
  assert.deepEqual(await merged({ maxNamed: 0 }), [merger.peer.url]);
  assert.deepEqual(other.requests, []);
  const { peers, sooner } = await merge({});
  assert.deepEqual(
    peers.map(({ peer, trust }) => [peer, trust.isProven]),
    [
      [merger.peer.url, true],
      [other.url, false],
    ],
  );
  assert.equal(sooner, 1);
  merger.trust(other.url);
  assert.deepEqual(await merged(), [merger.peer.url, other.url, third.url]);
  assert.deepEqual(await merged({ maxNamed: 1 }), [merger.peer.url, other.url]);
  // What a peer names is not the operator's choice.
  third.answers.set("/robots.shr", `${control}E${"A".repeat(42)}\n`);
  assert.match((await merge({ isAcceptingKey: true })).peers[2]?.problem ?? "", /its key is E/);
  assert.deepEqual(
    (await merge({ allowPrivate: false })).peers.map(({ problem = "" }) => /address is special/.test(problem)),
    [false, true, true],
  );
  merger.distrust(other.url);
  assert.deepEqual(await merged(), [merger.peer.url]);
});

test("a store that a crawl holds, and a folder without a state, are refused", async () => {
  await using merger = await Merger.open();
  const refuses = (code: string) => (error: unknown) => error instanceof TidemarkError && error.code === code;
  await assert.rejects(merger.merge({ into: join(merger.crawler.folder.path, "none") }), refuses("not-found"));
  using _store = openStore({ into: merger.crawler.folder.path });
  await assert.rejects(merger.merge(), refuses("locked"));
});
