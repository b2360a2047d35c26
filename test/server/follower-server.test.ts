import assert from "node:assert/strict";
import { type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { describe, it } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { TidemarkError } from "../../src/core/error.ts";
import type { SiteDecision } from "../../src/crawler/follow/decision-inbox.ts";
import { type FollowerServer, serveFollower } from "../../src/server/follower-server.ts";
import { parseOpenMetrics } from "../cli/open-metrics.ts";
import { exampleStatus } from "../example-status.ts";

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
}

class Trial implements AsyncDisposable {
  readonly server: FollowerServer;
  readonly decisions: SiteDecision[];

  constructor(server: FollowerServer, decisions: SiteDecision[]) {
    this.server = server;
    this.decisions = decisions;
  }

  static async open(host = "127.0.0.1", allowedHosts: readonly string[] = []): Promise<Trial> {
    const decisions: SiteDecision[] = [];
    const decide = async (decision: SiteDecision): Promise<void> => {
      if (decision.site === "https://other.example") throw new TidemarkError("not-found", "it is not followed");
      decisions.push(decision);
    };
    return new Trial(await serveFollower({ host, port: 0, allowedHosts, decide }), decisions);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
  }

  /** A request with whatever header fields: `fetch` would not send some of them. */
  ask(path: string, headers: Readonly<Record<string, string>> = {}, method = "GET", body = ""): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const asked = request(`http://127.0.0.1:${this.server.port}${path}`, { method, headers }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      });
      asked.on("error", reject).end(body);
    });
  }

  async token(): Promise<string> {
    const { text } = await this.ask("/");
    return /name="token" value="([\w-]+)"/.exec(text)?.[1] ?? assert.fail("the page has no token");
  }

  async send(form: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const type = { "content-type": "application/x-www-form-urlencoded" };
    return await this.ask("/control", { ...type, ...headers }, "POST", String(new URLSearchParams(form)));
  }
}

/** Listens to a server's events, and takes nothing while it is paused. */
async function listen(trial: Trial): Promise<{ response: IncomingMessage; text: () => string }> {
  let text = "";
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(`http://127.0.0.1:${trial.server.port}/events`, { agent: false }, resolve).on("error", reject).end();
  });
  response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  response.on("error", () => undefined);
  return { response, text: () => text };
}

const site = "https://a.example";

describe("serveFollower", () => {
  it("serves OpenMetrics to those who ask for it, and the older text to others", async () => {
    await using trial = await Trial.open();
    const before = await trial.ask("/metrics");
    assert.match(before.text, /^tidemark_follower_up 0$/m);
    trial.server.show(exampleStatus());
    const open = await trial.ask("/metrics", { accept: "application/openmetrics-text;version=1.0.0,*/*;q=0.1" });
    assert.equal(open.headers["content-type"], "application/openmetrics-text; version=1.0.0; charset=utf-8");
    assert.equal(open.headers.vary, "Accept");
    assert.equal(parseOpenMetrics(open.text).find(({ name }) => name === "tidemark_follower_sites")?.value, 2007);
    const plain = await trial.ask("/metrics");
    assert.equal(plain.headers["content-type"], "text/plain; version=0.0.4; charset=utf-8");
    assert.match(plain.text, /^# TYPE tidemark_follower_visits_total counter$/m);
    assert.doesNotMatch(plain.text, /# EOF/);
    const head = await trial.ask("/metrics", {}, "HEAD");
    assert.deepEqual([head.status, head.text, head.headers["content-length"]], [200, "", String(plain.text.length)]);
  });

  it("has a page that nothing else may act in, and that loads nothing from elsewhere", async () => {
    await using trial = await Trial.open();
    trial.server.show(exampleStatus());
    const { headers, text } = await trial.ask("/");
    assert.match(
      String(headers["content-security-policy"]),
      /^default-src 'none'; style-src 'self'; script-src 'self';/,
    );
    assert.match(String(headers["content-security-policy"]), /frame-ancestors 'none'/);
    assert.equal(headers["referrer-policy"], "same-origin", "or a form would be sent without its origin");
    assert.deepEqual([...text.matchAll(/ (?:src|href)="([^"]*)"/g)].map(([, url]) => url).sort(), [
      ...["", "/script.js", "/style.css"],
    ]);
    assert.doesNotMatch(text, / (?:style|on\w+)=/, "the policy lets in no such attribute");
    for (const [path, type] of [
      ["/style.css", "text/css; charset=utf-8"],
      ["/script.js", "text/javascript; charset=utf-8"],
    ] as const)
      assert.equal((await trial.ask(path)).headers["content-type"], type);
    assert.equal((await trial.ask("/favicon.ico")).status, 204);
  });

  it("answers nothing but what is there", async () => {
    await using trial = await Trial.open();
    for (const path of ["/nothing", "/..%2f", "/constructor", "/metrics/", "//", "//metrics/metrics"])
      assert.equal((await trial.ask(path)).status, 404, path);
    for (const [path, method, allow] of [
      ["/", "POST", "GET, HEAD"],
      ["/metrics", "DELETE", "GET, HEAD"],
      ["/control", "GET", "POST"],
    ] as const) {
      const { status, headers } = await trial.ask(path, {}, method);
      assert.deepEqual([status, headers.allow], [405, allow], path);
    }
  });

  it("refuses those who were led here by a name of somebody else, whatever they ask for", async () => {
    await using trial = await Trial.open();
    for (const path of ["/", "/metrics", "/events", "/script.js"])
      assert.equal((await trial.ask(path, { host: "evil.example" })).status, 421, path);
    const token = await trial.token();
    const sent = await trial.send({ token, site, action: "pause" }, { host: "evil.example:80" });
    assert.deepEqual([sent.status, trial.decisions], [421, []]);
  });

  it("passes on controls of its own page", async () => {
    await using trial = await Trial.open();
    const token = await trial.token();
    const own = { origin: `http://127.0.0.1:${trial.server.port}`, "sec-fetch-site": "same-origin" };
    for (const action of ["pause", "resume", "visit"]) {
      const { status, headers } = await trial.send({ token, site: ` ${site}/some/page `, action }, own);
      assert.deepEqual([status, headers.location], [303, "/"]);
    }
    assert.deepEqual(trial.decisions, [
      { site, isPaused: true },
      { site, isPaused: false },
      { site, isDue: true },
    ]);
  });

  it("refuses controls that another site sends, or that are none", async () => {
    await using trial = await Trial.open();
    const token = await trial.token();
    const good = { token, site, action: "pause" };
    const refused: ReadonlyArray<
      readonly [number, Readonly<Record<string, string>>, Readonly<Record<string, string>>?]
    > = [
      [403, good, { origin: "http://evil.example" }],
      [403, good, { origin: "null" }],
      [403, good, { "sec-fetch-site": "cross-site" }],
      [403, { ...good, token: "" }],
      [403, { ...good, token: token.replace(/^./, (first) => (first === "a" ? "b" : "a")) }],
      [415, good, { "content-type": "text/plain" }],
      [415, good, { "content-type": "multipart/form-data; boundary=x" }],
      [413, { ...good, more: "x".repeat(5000) }],
      [400, { ...good, site: "javascript:alert(1)" }],
      [400, { ...good, site: "" }],
      [400, { ...good, action: "delete" }],
      [404, { ...good, site: "https://other.example/" }],
    ];
    for (const [status, form, headers] of refused)
      assert.equal((await trial.send(form, headers)).status, status, JSON.stringify([form, headers]).slice(0, 200));
    assert.deepEqual(trial.decisions, []);
  });

  it("listens for others only by a name for it, and then takes no controls", async () => {
    await assert.rejects(serveFollower({ host: "0.0.0.0", port: 0, decide: async () => undefined }), (error) => {
      assert.ok(error instanceof TidemarkError);
      assert.equal(error.code, "bad-option");
      assert.match(error.hint ?? "", /--allow-host/);
      return true;
    });
    for (const name of ["crawler.example.net:9464", "http://crawler.example.net", "[::1]", "", "a b"])
      await assert.rejects(Trial.open("127.0.0.1", [name]), { code: "bad-option" }, name);
    await using trial = await Trial.open("0.0.0.0", ["Crawler.example.net", "::ffff:1.2.3.4"]);
    trial.server.show(exampleStatus());
    const { status, text } = await trial.ask("/", { host: "crawler.example.net:9464" });
    assert.equal(status, 200);
    assert.doesNotMatch(text, /<form|<button|token/);
    assert.equal((await trial.send({ site, action: "pause", token: "" })).status, 403);
    assert.equal((await trial.ask("/", { host: "10.0.0.5" })).status, 421);
  });

  it("says which port is taken, and what to do", async () => {
    await using trial = await Trial.open();
    const again = serveFollower({ host: "127.0.0.1", port: trial.server.port, decide: async () => undefined });
    await assert.rejects(again, (error) => {
      assert.ok(error instanceof TidemarkError);
      assert.equal(error.code, "address-in-use");
      assert.match(error.message, new RegExp(`127.0.0.1 port ${trial.server.port}`));
      assert.match(error.hint ?? "", /--listen/);
      return true;
    });
  });

  it("sends a listener what has changed, and ends its connection with the server", async () => {
    const trial = await Trial.open();
    const status = exampleStatus();
    trial.server.show(status);
    const { response, text } = await listen(trial);
    assert.equal(response.headers["content-type"], "text/event-stream; charset=utf-8");
    while (!text().includes("data: ")) await wait(5);
    const [first] = text().match(/(?<=^data: ).*$/m) ?? [];
    assert.deepEqual(Object.keys(JSON.parse(first ?? "")), [
      ...["life", "totals", "freshness", "troubled", "visiting", "next", "paused"],
    ]);
    await wait(950);
    trial.server.show({ ...status, visits: 9999 });
    while (text().split("data: ").length < 3) await wait(5);
    const last = JSON.parse(text().split("data: ")[2] ?? "");
    assert.deepEqual(Object.keys(last), ["totals"]);
    assert.match(last.totals, /9,999/);
    const closed = new Promise((resolve) => response.once("close", resolve));
    await trial[Symbol.asyncDispose]();
    await closed;
  });

  it("has so many listeners and no more, and goes on when they leave", async () => {
    await using trial = await Trial.open();
    trial.server.show(exampleStatus());
    const listeners = await Promise.all(Array.from({ length: 32 }, () => listen(trial)));
    const refused = await trial.ask("/events");
    assert.deepEqual([refused.status, refused.headers["retry-after"]], [503, "60"]);
    assert.equal((await trial.ask("/metrics")).status, 200, "others are served");
    for (const { response } of listeners.splice(0, 10)) response.destroy();
    for (let status = 503; status === 503; await wait(5)) {
      const { response } = await listen(trial);
      status = response.statusCode ?? 0;
    }
  });

  it("closes the connection of a form that never ends", async () => {
    await using trial = await Trial.open();
    const socket = connect(trial.server.port, "127.0.0.1");
    const type = "content-type: application/x-www-form-urlencoded";
    socket.write(
      `POST /control HTTP/1.1\r\nhost: localhost\r\n${type}\r\ncontent-length: 1000000\r\n\r\n${"x".repeat(5000)}`,
    );
    let text = "";
    socket.on("error", () => undefined).on("data", (piece) => (text += piece));
    await new Promise((resolve) => socket.once("close", resolve));
    assert.match(text, /^HTTP\/1\.1 413 /);
  });
});
