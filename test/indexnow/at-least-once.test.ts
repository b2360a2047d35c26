import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { fewer, longer } from "../long-run.ts";
import { fc } from "../property.ts";
import type { Misdeed } from "./index-now-server.ts";
import { ToldSite } from "./told-site.ts";

const names = ["a.html", "b.html", "c/d.html", "e f.txt"];

const misdeed: fc.Arbitrary<Misdeed> = fc.oneof(
  fc.constantFrom<Misdeed>("reset", "lost-answer"),
  fc.constantFrom(429, 500, 503).map((status) => ({ status })),
  fc.constantFrom("5", "900", "Sun, 06 Nov 1994 08:49:37 GMT", "rubbish").map((text) => ({
    status: 429,
    fields: { "retry-after": text },
  })),
);
const refusal: fc.Arbitrary<Misdeed> = fc.constantFrom(400, 403, 422).map((status) => ({ status }));

type Step =
  | { readonly do: "publish"; readonly name: string; readonly isGone: boolean }
  /** A run; killed when the teller has heard of the nth event, which comes before anything is written. */
  | {
      readonly do: "tell";
      readonly misdeeds: readonly Misdeed[];
      readonly killAt: number;
      readonly urlsPerCall: number;
    }
  | { readonly do: "damage" };

const stepOf = (answer: fc.Arbitrary<Misdeed>): fc.Arbitrary<Step> =>
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant("publish" as const),
        name: fc.constantFrom(...names),
        isGone: fc.boolean(),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant("tell" as const),
        misdeeds: fc.array(answer, { maxLength: 12 }),
        killAt: fc.nat(6),
        urlsPerCall: fc.constantFrom(1, 2, 10_000),
      }),
    },
    { weight: 1, arbitrary: fc.constant({ do: "damage" as const }) },
  );

/** Publishes and tells as the steps say. @returns what was published, URL paths, with the number of the step */
async function play(told: ToldSite, steps: readonly Step[]): Promise<Map<string, number>> {
  const changed = new Map<string, number>();
  const present = new Set<string>();
  for (const [at, step] of steps.entries()) {
    if (step.do === "publish") {
      const isGone = step.isGone && present.has(step.name);
      if (isGone) present.delete(step.name);
      else present.add(step.name);
      await told.publish({ [step.name]: isGone ? undefined : `step ${at}` });
      changed.set(`/${encodeURI(step.name)}`, told.engine.accepted.length);
    } else if (step.do === "damage") {
      told.spoil("position.json", (text) => text.slice(1));
    } else {
      told.engine.misdeeds.splice(0, Number.POSITIVE_INFINITY, ...step.misdeeds);
      let events = 0;
      let copy: ReturnType<ToldSite["keep"]> | undefined;
      await told.tell({
        urlsPerCall: step.urlsPerCall,
        onEvent: () => {
          if (++events === step.killAt) copy = told.keep();
        },
      });
      copy?.restore();
    }
  }
  return changed;
}

/** Runs without trouble until nothing is left to tell. */
async function settle(told: ToldSite): Promise<void> {
  told.engine.misdeeds.splice(0);
  for (let run = 0; run < 3; run++) {
    told.site.nowMs += 8 * 86_400_000;
    await told.tell();
  }
  const before = told.engine.calls.length;
  const { summary } = await told.tell();
  assert.deepEqual([summary.pending, told.engine.calls.length - before], [0, 0]);
}

test("each change is told after it was published, whatever fails and whenever the teller is killed", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(stepOf(misdeed), { minLength: 2, maxLength: 9 }), async (steps) => {
      await using told = await ToldSite.open();
      await told.publish({ "always.html": "1" });
      await told.tell();
      const changed = await play(told, steps);
      await settle(told);
      for (const [path, from] of changed) {
        const urls = told.engine.accepted.slice(from);
        assert.ok(urls.includes(told.origin + path), `${path} was not told after it changed last`);
      }
    }),
    {
      numRuns: longer(2, 25),
      // The position lost before a page went away.
      examples: [
        [
          [
            { do: "publish", name: "e f.txt", isGone: false },
            { do: "damage" },
            { do: "publish", name: "e f.txt", isGone: true },
          ],
        ],
      ],
    },
  );
});

test("what is refused is not repeated for ever, whatever else happens", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(stepOf(fc.oneof(refusal, misdeed)), { minLength: 2, maxLength: 9 }), async (steps) => {
      await using told = await ToldSite.open();
      await told.publish({ "always.html": "1" });
      await told.tell();
      await play(told, steps);
      const before = told.engine.calls.length;
      told.engine.misdeeds.splice(0, Number.POSITIVE_INFINITY, ...Array<Misdeed>(500).fill({ status: 422 }));
      for (let run = 0; run < 20; run++) {
        told.site.nowMs += 8 * 86_400_000;
        await told.tell();
      }
      assert.ok(told.engine.calls.length - before <= 2 * names.length, "refusals are not repeated");
      const after = told.engine.calls.length;
      await told.tell();
      assert.equal(told.engine.calls.length, after);
    }),
    { numRuns: longer(1, 15) },
  );
});

const child = fileURLToPath(new URL("./teller-process.js", import.meta.url));

for (const [what, misdeeds, killAt] of fewer(
  [
    ["before the first answer", ["silence"], 1],
    ["after an answer", [], 2],
    ["while it waits", [{ status: 429, fields: { "retry-after": "30" } }], 1],
  ] as ReadonlyArray<readonly [string, Misdeed[], number]>,
  2,
)) {
  test(`a process that is killed ${what} leaves nothing untold`, async () => {
    await using told = await ToldSite.open();
    await told.publish({ "always.html": "1" });
    await told.tell();
    const pages = Array.from({ length: 5 }, (_, at) => `${at}.html`);
    await told.publish(Object.fromEntries(pages.map((name) => [name, "1"])));
    told.engine.misdeeds.push(...misdeeds);
    const { docroot, stateDir } = told.site;
    const options = JSON.stringify({ docroot, stateDir, baseUrl: `${told.origin}/`, endpoint: told.engine.url });
    const teller = spawn(process.execPath, [child, options], { stdio: "inherit" });
    told.engine.onCall = (count) => count === killAt && teller.kill("SIGKILL");
    const [, signal] = await once(teller, "exit");
    assert.equal(signal, "SIGKILL");
    await settle(told);
    assert.deepEqual(
      [...new Set(told.engine.takeAccepted())],
      pages.map((name) => `/${name}`),
    );
  });
}
