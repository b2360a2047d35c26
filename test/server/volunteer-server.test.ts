import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { createRandom, TidemarkError } from "../../src/core/index.ts";
import { isKeyOf, parseKey, type WorkEvent, type WorkLoopOptions, workFor } from "../../src/fleet/index.ts";
import { VolunteerProject } from "../../src/fleet/volunteers/volunteer-project.ts";
import { VolunteerStore } from "../../src/fleet/volunteers/volunteer-store.ts";
import { formatWorkResult, type WorkUnit } from "../../src/formats/work-unit/index.ts";
import {
  serveVolunteers,
  type VolunteerServer,
  type VolunteerServerOptions,
} from "../../src/server/volunteer-server.ts";
import { readUnit, SimulatedWeb, SimulatedWork } from "../bench/volunteers/simulated-web.ts";
import { cert, key } from "../http/own-certificate.ts";
import { makeTempFolder } from "../temp-folder.ts";

interface Served extends AsyncDisposable {
  readonly server: VolunteerServer;
  readonly store: VolunteerStore;
  readonly work: SimulatedWork;
  readonly web: SimulatedWeb;
  readonly keys: Readonly<Record<string, string>>;
  /** Visits that the server made itself. */
  readonly visits: WorkUnit[];
}

async function serve(requestsPerMinute = 100_000, tls?: VolunteerServerOptions["tls"]): Promise<Served> {
  const folder = makeTempFolder();
  const web = new SimulatedWeb({ sites: 50, pagesPerSite: 20, linksPerPage: 5, mostRestless: 0, seed: 1 });
  const work = new SimulatedWork(web, { unitPages: 5, restMs: 0 });
  const store = new VolunteerStore(join(folder.path, "volunteers.db"));
  const visits: WorkUnit[] = [];
  const project = new VolunteerProject(
    { userAgent: "tidemark/1.0", crawlDelayMs: 0, restMs: 0, auditShare: 0 },
    {
      ...{ store, work, clock: Date.now, random: createRandom(1, "server") },
      visit: async (unit) => {
        visits.push(unit);
        return web.visit(unit, Date.now());
      },
    },
  );
  const keys = {
    ann: `ann:${randomBytes(32).toString("base64url")}`,
    bob: `bob:${randomBytes(32).toString("base64url")}`,
  };
  const hashOf = (key: string): string => createHash("sha256").update(key.slice(4)).digest("hex");
  const volunteers = new Map(Object.entries(keys).map(([name, key]) => [name, hashOf(key)]));
  for (const name of volunteers.keys()) project.register(name, Date.now());
  const file = { userAgent: "x", knownPages: [], volunteers };
  const server = await serveVolunteers({
    ...{ host: "127.0.0.1", port: 0, dispatcher: project, maxResultBytes: 1_000_000, requestsPerMinute, tls },
    volunteerOf: (text) => {
      const given = parseKey(text);
      return given !== undefined && isKeyOf(file, given) ? given.volunteer : undefined;
    },
  });
  return {
    ...{ server, store, work, web, keys, visits },
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      store[Symbol.dispose]();
      folder[Symbol.dispose]();
    },
  };
}

async function post(
  served: Served,
  path: string,
  key: string | undefined,
  body = "",
  method = "POST",
): Promise<Response> {
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
  return await fetch(served.server.url + path, { method, headers, ...(method === "POST" && { body }) });
}

test("nobody without a key is answered, gets work, or makes the server do anything", { timeout: 20_000 }, async () => {
  await using served = await serve();
  const { ann = "" } = served.keys;
  const others = [
    undefined,
    "",
    "ann",
    "ann:",
    `${ann}x`,
    ann.slice(0, -1),
    ann.replace("ann:", "bob:"),
    ann.replace("ann:", "eve:"),
    "%00",
  ];
  for (const key of others)
    for (const [method, path] of [
      ...[
        ["POST", "/unit"],
        ["POST", "/result?unit=u1-0"],
        ["POST", "/fail?unit=u1-0"],
      ],
      ...[
        ["GET", "/"],
        ["GET", "/unit"],
        ["GET", "/../volunteers.json"],
        ["POST", "/keys/ann.key"],
      ],
    ] as const) {
      const answer = await post(served, path, key, "x".repeat(100), method);
      assert.equal(answer.status, 401, `${method} ${path} with ${key}`);
      assert.equal(await answer.text(), "A volunteer's key is needed.\n");
    }
  assert.equal(served.store.countOut("ann") + served.work.open.size + served.visits.length, 0);
});

test("a volunteer gets a unit and sends its result; that of another's unit is unknown", {
  timeout: 20_000,
}, async () => {
  await using served = await serve();
  const { ann, bob } = served.keys;
  const answer = await post(served, "/unit", ann);
  assert.equal(answer.status, 200);
  const name = answer.headers.get("tidemark-unit") ?? "";
  const unit = readUnit(new Uint8Array(await answer.arrayBuffer()));
  const result = formatWorkResult(served.web.visit(unit, Date.now()));
  const expectations: readonly (readonly [string | undefined, string, number, string])[] = [
    [bob, result, 404, "unknown\n"],
    [ann, "nonsense", 400, "malformed\n"],
    [ann, result, 200, "accepted\n"],
    [ann, result, 409, "duplicate\n"],
  ];
  for (const [key, body, status, text] of expectations) {
    const sent = await post(served, `/result?unit=${name}`, key, body);
    assert.deepEqual([sent.status, await sent.text()], [status, text]);
  }
  const next = (await post(served, "/unit", ann)).headers.get("tidemark-unit");
  const late = (await post(served, "/unit", ann)).headers.get("tidemark-unit") ?? "";
  assert.equal((await post(served, `/fail?unit=${next}`, bob)).status, 204);
  assert.equal(served.store.countOut("ann"), 2, "bob cannot give it back");
  assert.equal((await post(served, `/fail?unit=${next}`, ann)).status, 204);
  assert.equal(served.store.countOut("ann"), 1);
  assert.equal((await post(served, "/unit", ann)).headers.get("tidemark-unit"), null, "who gave one back waits");
  served.store.setCopy(late, "late", Date.now(), undefined);
  assert.equal((await post(served, `/result?unit=${late}`, ann, result)).status, 410);
});

test("requests that are none are refused", { timeout: 20_000 }, async () => {
  await using served = await serve();
  const { ann } = served.keys;
  assert.equal((await post(served, "/other", ann)).status, 404);
  assert.equal((await post(served, "/unit", ann, "", "GET")).status, 405);
  assert.equal((await post(served, "/unit", ann, "a body")).status, 413);
  assert.equal((await post(served, "/result", ann, "x")).status, 400);
  assert.equal((await post(served, "/result?unit=../../etc", ann, "x")).status, 400);
  assert.equal(
    (await post(served, "/result?unit=u1-0", ann, "x".repeat(1_000_001)).catch(() => ({ status: 413 }))).status,
    413,
  );
});

test("who asks too often is told to wait, and nobody else", { timeout: 20_000 }, async () => {
  await using served = await serve(5);
  const { ann, bob } = served.keys;
  const statuses: number[] = [];
  for (let times = 0; times < 7; times++) statuses.push((await post(served, "/result?unit=u1-0", ann, "x")).status);
  assert.deepEqual(statuses, [404, 404, 404, 404, 404, 429, 429]);
  assert.equal((await post(served, "/result?unit=u1-0", bob, "x")).status, 404);
});

test("who finds no work asks again later and later", { timeout: 20_000 }, async () => {
  await using served = await serve();
  const { ann } = served.keys;
  const waits: (string | null)[] = [];
  for (let times = 0; times < 7; times++) waits.push((await post(served, "/unit", ann)).headers.get("retry-after"));
  assert.deepEqual(waits, [null, null, null, null, "1", "2", "4"]);
});

test("keys do not cross the network in the clear", async () => {
  await using served = await serve();
  const dispatcher = {} as never;
  const options = { port: 0, dispatcher, volunteerOf: () => undefined, maxResultBytes: 1 };
  await assert.rejects(
    serveVolunteers({ ...options, host: "0.0.0.0" }),
    (error) => error instanceof TidemarkError && error.code === "bad-option" && /in the clear/.test(error.message),
  );
  await assert.rejects(
    serveVolunteers({ ...options, host: "127.0.0.1", tls: { cert: "x", key: "y" } }),
    (error) => error instanceof TidemarkError && error.code === "bad-option",
  );
  assert.ok(served.server.url.startsWith("http://127.0.0.1:"));
});

test("over HTTPS a volunteer works for a server whose authority he trusts, and for no other", {
  timeout: 20_000,
}, async () => {
  await using served = await serve(100_000, { cert, key });
  assert.ok(served.server.url.startsWith("https://127.0.0.1:"));
  const events: WorkEvent[] = [];
  const stop = new AbortController();
  const options = {
    ...{ from: served.server.url, key: served.keys.ann ?? "", signal: stop.signal, units: 1 },
    // The sites of its units are names that nobody has.
    resolve: ((_name, _options, done) => done(null, [])) as NonNullable<WorkLoopOptions["resolve"]>,
    delay: async () => undefined,
    onEvent: (event: WorkEvent) => {
      events.push(event);
      if (event.event === "idle") stop.abort();
    },
  };
  assert.deepEqual(await workFor({ ...options, ca: cert }), { units: 1, accepted: 1, pages: 5 });
  assert.deepEqual(await workFor(options), { units: 0, accepted: 0, pages: 0 });
  assert.match(JSON.stringify(events.at(-1)), /certificate/);
});

/** Sends bytes as they are, and waits until the server has closed, or for a moment. */
async function sendRaw(port: number, bytes: Uint8Array): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.resume();
  socket.end(bytes);
  await Promise.race([once(socket, "close"), new Promise((resolve) => setTimeout(resolve, 50).unref())]);
  socket.destroy();
}

test("no more results of one volunteer are read at the same time than one has units", async () => {
  await using served = await serve();
  const { ann = "", bob = "" } = served.keys;
  const head = `POST /result?unit=u1-0 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ann}\r\nContent-Length: 900000\r\n\r\nx`;
  const sockets = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const socket = connect(served.server.port, "127.0.0.1").on("error", () => undefined);
      await once(socket, "connect");
      await new Promise((resolve) => socket.write(head, resolve));
      return socket;
    }),
  );
  const status = async (key: string): Promise<number> => (await post(served, "/result?unit=u1-0", key, "x")).status;
  // The last of them may not have arrived yet.
  let found = await status(ann);
  for (let times = 0; found !== 429 && times < 100; times++) found = await status(ann);
  assert.deepEqual([found, await status(bob), (await post(served, "/unit", ann)).status], [429, 404, 200]);
  for (const socket of sockets) socket.destroy();
  for (let times = 0; found === 429 && times < 1000; times++) found = await status(ann);
  assert.equal(found, 404);
});

test("whatever bytes come, with a key or without, the server goes on and no state is spoilt", {
  timeout: 30_000,
}, async () => {
  await using served = await serve();
  const { ann = "" } = served.keys;
  const random = createRandom(7, "fuzz");
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const noise = (most: number): Buffer =>
    Buffer.from(Array.from({ length: Math.floor(random() * most) }, () => Math.floor(random() * 256)));
  const first = await post(served, "/unit", ann);
  const name = first.headers.get("tidemark-unit") ?? "";
  const unit = readUnit(new Uint8Array(await first.arrayBuffer()));
  const good = Buffer.from(formatWorkResult(served.web.visit(unit, Date.now())));
  for (let round = 0; round < 150; round++) {
    const spoilt = Buffer.from(good);
    for (let at = 0; at < 1 + random() * 4; at++)
      spoilt[Math.floor(random() * spoilt.length)] = Math.floor(random() * 256);
    const body = pick([
      noise(300),
      spoilt,
      good.subarray(0, Math.floor(random() * good.length)),
      Buffer.concat([good, noise(20)]),
    ]);
    const path = pick([
      "/unit",
      "/result",
      `/result?unit=${name}`,
      `/fail?unit=${name}x`,
      "/result?unit=%ff",
      "//",
      "/%",
      "*",
      "http://[/",
    ]);
    const key = pick([
      ann,
      `eve${ann.slice(3)}`,
      "",
      noise(20)
        .toString("latin1")
        .replaceAll(/[\r\n]/g, ""),
    ]);
    const length = pick([body.length, body.length + 5, -1, "1e9", 0]);
    const head = `${pick(["POST", "GET", "PUT", "\0"])} ${path} HTTP/${pick(["1.1", "1.0", "9"])}\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n`;
    const field = pick([`Content-Length: ${length}\r\n`, "Transfer-Encoding: chunked\r\n", ""]);
    await sendRaw(
      served.server.port,
      pick([noise(200), Buffer.concat([Buffer.from(`${head + field}\r\n`, "latin1"), body])]),
    );
  }
  assert.equal(served.visits.length, 0);
  assert.equal(served.work.taken.length, 0);
  const { good: right, wrong } = served.store.reputationOf("ann") ?? { good: -1, wrong: -1 };
  assert.deepEqual([right, wrong], [0, 0]);
  assert.equal((await post(served, "/other", ann)).status, 404, "it still answers");
});
