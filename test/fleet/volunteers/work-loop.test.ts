import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { test } from "node:test";
import { TidemarkError } from "../../../src/core/index.ts";
import { type WorkEvent, workFor } from "../../../src/fleet/volunteers/work-loop.ts";
import { formatWorkUnit, parseWorkResult } from "../../../src/formats/work-unit/index.ts";
import { listenSite } from "../../site-server.ts";

const key = `ann:${"k".repeat(43)}`;

/** Works for a server that answers like this, until it was idle some times. */
async function work(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  idleTimes: number,
): Promise<{ readonly events: readonly WorkEvent[]; readonly requests: readonly string[] }> {
  await using server = await listenSite(answer);
  const events: WorkEvent[] = [];
  const stop = new AbortController();
  await workFor({
    ...{ from: `${server.origin}/`, key, signal: stop.signal, allowPrivate: true, delay: async () => undefined },
    onEvent: (event) => {
      events.push(event);
      if (events.filter((one) => one.event === "idle").length >= idleTimes) stop.abort();
    },
  });
  return { events, requests: server.requests };
}

const whyIdle = (events: readonly WorkEvent[]): string[] =>
  events.flatMap((event) => (event.event === "idle" ? [event.why] : []));

test("a server that sends what is no unit is asked again later, and its unit is given back", {
  timeout: 20_000,
}, async () => {
  const { events, requests } = await work((request, response) => {
    if (request.url === "/unit") response.setHeader("tidemark-unit", "u1").end("rm -rf /\n");
    else response.end();
  }, 2);
  assert.match(whyIdle(events)[0] ?? "", /no work unit: /);
  assert.deepEqual(requests, ["POST /unit", "POST /fail?unit=u1", "POST /unit", "POST /fail?unit=u1"]);
});

const troubles: readonly (readonly [string, (response: ServerResponse) => void, RegExp])[] = [
  ["a unit without a name", (response) => response.end("x"), /status 200/],
  ["a name that is none", (response) => response.setHeader("tidemark-unit", "../x").end("x"), /status 200/],
  ["a redirect", (response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(), /status 302/],
  ["an error", (response) => response.writeHead(500).end(), /status 500/],
  ["too many requests", (response) => response.writeHead(429, { "retry-after": "1e9" }).end(), /status 429/],
  [
    "a unit without an end",
    (response) => response.setHeader("tidemark-unit", "u1").write("x".repeat(2e6)),
    /longer than 1048576 bytes/,
  ],
  ["no answer", (response) => response.destroy(), /./],
];
for (const [what, answer, said] of troubles)
  test(`a server that sends ${what} is asked again later`, { timeout: 20_000 }, async () => {
    const { events, requests } = await work((_, response) => void answer(response), 2);
    const why = whyIdle(events);
    assert.equal(why.length, 2);
    for (const one of why) assert.match(one, said);
    assert.ok(requests.every((request) => request === "POST /unit"));
    for (const event of events) if (event.event === "idle") assert.ok(event.seconds >= 1 && event.seconds <= 600);
  });

test("a result is sent again when the server is in trouble, and a key that it does not know ends the work", {
  timeout: 20_000,
}, async () => {
  await using site = await listenSite((_, response) => response.setHeader("content-type", "text/html").end("a page"));
  const issuedAt = Math.floor(Date.now() / 1000);
  const unit = formatWorkUnit({
    ...{ nonce: "0".repeat(32), issuedAt, deadline: issuedAt + 600, origin: site.origin, userAgent: "tidemark/1.0" },
    ...{ crawlDelayMs: 0, pageBytes: 1e6, timeMs: 60_000, pageLinks: 10, paths: ["/a"] },
  });
  const bodies: string[] = [];
  let units = 0;
  await using server = await listenSite(async (request, response) => {
    if (request.url === "/unit") {
      if (units++ === 0) response.setHeader("tidemark-unit", "u1").end(unit);
      else response.writeHead(401).end();
      return;
    }
    bodies.push(Buffer.concat(await request.toArray()).toString());
    response.writeHead(bodies.length < 3 ? 503 : 200).end("accepted\n");
  });
  const events: WorkEvent[] = [];
  const working = workFor({
    ...{ from: server.origin, key, signal: new AbortController().signal, allowPrivate: true },
    ...{ delay: async () => undefined, onEvent: (event: WorkEvent) => void events.push(event) },
  });
  await assert.rejects(working, (error) => error instanceof TidemarkError && error.code === "bad-option");
  assert.equal(bodies.length, 3);
  assert.equal(new Set(bodies).size, 1);
  assert.ok(parseWorkResult(Buffer.from(bodies[0] ?? "")).ok);
  assert.deepEqual(events.at(-1), { event: "result", unit: "u1", answer: "accepted" });
});
