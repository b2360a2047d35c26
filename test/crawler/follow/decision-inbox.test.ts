import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { DecisionInbox, type InboxOutcome, type SiteDecision } from "../../../src/crawler/follow/decision-inbox.ts";
import { makeTempFolder } from "../../temp-folder.ts";

const site = "https://a.example";

class Trial implements Disposable {
  readonly #folder = makeTempFolder();
  readonly inbox: DecisionInbox = new DecisionInbox(this.#folder.path);
  readonly path: string = join(this.#folder.path, ".tidemark", "inbox");
  readonly decided: SiteDecision[] = [];
  readonly refused: string[] = [];

  constructor() {
    this.inbox.open();
  }

  take(decide: (decision: SiteDecision) => void = (decision) => this.decided.push(decision)): void {
    this.inbox.take({
      isFollowed: (one) => one === site,
      decide,
      onOutcome: (outcome: InboxOutcome) => {
        if (outcome.kind === "refused") this.refused.push(outcome.message);
      },
    });
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }
}

describe("DecisionInbox", () => {
  it("makes each decision once, in their order", async () => {
    using trial = new Trial();
    for (const [at, priority] of [
      [2000, 7],
      [1000, 3],
      [10_000, 9],
    ] as const)
      await trial.inbox.put({ site, priority }, at);
    trial.take();
    trial.take();
    assert.deepEqual(
      trial.decided.map(({ priority }) => priority),
      [3, 7, 9],
    );
    assert.deepEqual([trial.refused, readdirSync(trial.path)], [[], []]);
  });

  it("takes that a site is to be visited now", async () => {
    using trial = new Trial();
    await trial.inbox.put({ site, isDue: true }, 1);
    trial.take();
    assert.deepEqual([trial.decided, trial.refused], [[{ site, isDue: true }], []]);
  });

  it("leaves a decision where it is that could not be made", async () => {
    using trial = new Trial();
    const name = await trial.inbox.put({ site, isPaused: true }, 1);
    assert.throws(
      () =>
        trial.take(() => {
          throw new Error("disk full");
        }),
      /disk full/,
    );
    assert.ok(trial.inbox.has(name));
    trial.take();
    assert.deepEqual(trial.decided, [{ site, isPaused: true }]);
  });

  const malformed: ReadonlyArray<readonly [string, string]> = [
    ["nothing", ""],
    ["half a decision", '{"site":"https://a.exa'],
    ["no object", "[]"],
    ["null", "null"],
    ["no site", '{"isPaused":true}'],
    ["a site that is no origin", '{"site":"https://a.example/x","isPaused":true}'],
    ["a site of another kind", '{"site":"file://","isPaused":true}'],
    ["nothing decided", `{"site":"${site}"}`],
    ["a priority beyond all", `{"site":"${site}","priority":11}`],
    ["a priority between two", `{"site":"${site}","priority":1.5}`],
    ["a pause that is no yes or no", `{"site":"${site}","isPaused":"no"}`],
    ["a visit that is no yes", `{"site":"${site}","isDue":false}`],
    ["something more", `{"site":"${site}","isPaused":true,"x":1}`],
    ["too much", `{"site":"${site}","isPaused":true}${" ".repeat(4096)}`],
    ["a site that is not followed", '{"site":"https://b.example","isPaused":true}'],
  ];
  for (const [name, text] of malformed)
    it(`refuses ${name}, says so and removes it`, () => {
      using trial = new Trial();
      writeFileSync(join(trial.path, "1.json"), text);
      trial.take();
      assert.deepEqual([trial.decided, trial.refused.length, readdirSync(trial.path)], [[], 1, []]);
      assert.match(trial.refused[0] ?? "", /"1\.json" in the inbox is /);
    });

  it("refuses what is no file, and follows no link", () => {
    using trial = new Trial();
    using outside = makeTempFolder();
    const kept = join(outside.path, "kept.json");
    writeFileSync(kept, JSON.stringify({ site, isPaused: true }));
    symlinkSync(kept, join(trial.path, "link.json"));
    symlinkSync(outside.path, join(trial.path, "linked-folder"));
    mkdirSync(join(trial.path, "folder"));
    spawnSync("mkfifo", [join(trial.path, "pipe")]);
    trial.take();
    assert.deepEqual([trial.decided, trial.refused.length, readdirSync(trial.path)], [[], 4, []]);
    assert.deepEqual(readdirSync(outside.path), ["kept.json"]);
  });

  it("waits for what is being written, and clears what a writer left at the next start", () => {
    using trial = new Trial();
    writeFileSync(join(trial.path, "1.json.tmp"), "{");
    trial.take();
    assert.deepEqual([trial.refused, readdirSync(trial.path)], [[], ["1.json.tmp"]]);
    trial.inbox.open();
    assert.deepEqual(readdirSync(trial.path), []);
  });
});
