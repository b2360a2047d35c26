import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { UrlQueue } from "../../../src/storage/queue/url-queue.ts";
import { longer } from "../../long-run.ts";
import { makeTempFolder } from "../../temp-folder.ts";

interface Told {
  readonly known?: number;
  readonly waiting?: number;
  readonly added?: readonly string[];
  readonly finished?: readonly string[];
}

/** Runs the filler and kills it after so many lines. */
async function fillAndKill(folder: string, first: number, lines: number): Promise<Told[]> {
  const program = fileURLToPath(new URL("../state/url-queue-filler.js", import.meta.url));
  const child = spawn(process.execPath, [program, folder, `${first}`], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const told: Told[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    told.push(JSON.parse(line) as Told);
    if (told.length === lines) child.kill("SIGKILL");
  }
  assert.deepEqual(await ended, [null, "SIGKILL"]);
  return told;
}

test("a queue that is killed again and again loses no URL that was durable, and gives none that was finished", async () => {
  using temp = makeTempFolder();
  const rounds = longer(3, 6);
  const added = new Set<string>();
  const finished = new Set<string>();
  for (let round = 0; round < rounds; round++) {
    const told = await fillAndKill(temp.path, round * 1_000_000, 20 + round * 13);
    assert.ok((told[0]?.known ?? 0) >= added.size, `${told[0]?.known} of ${added.size} are known`);
    assert.ok((told[0]?.waiting ?? 0) >= added.size - finished.size - 50);
    for (const one of told) {
      for (const url of one.added ?? []) added.add(url);
      for (const url of one.finished ?? []) finished.add(url);
    }
  }
  const queue = new UrlQueue(temp.path);
  const given = new Set<string>();
  for (let site = 0; site < queue.sites; site++) {
    for (let page = queue.take(site); page !== undefined; page = queue.take(site)) {
      const url = queue.urlOf(page) ?? "";
      assert.ok(!given.has(url), `${url} is given twice`);
      given.add(url);
    }
  }
  queue.close();
  assert.ok(added.size > rounds * 160 && finished.size > rounds * 80);
  // Of what was added before the process was killed and finished after it spoke last, nobody knows here.
  const lost = [...added].filter((url) => !given.has(url) && !finished.has(url));
  assert.ok(lost.length <= rounds * 30, `${lost.length} are lost`);
  assert.deepEqual(
    [...finished].filter((url) => given.has(url)),
    [],
  );
});
