import assert from "node:assert/strict";
import { test } from "node:test";
import type { CrawlVisit } from "../../../../src/crawler/engine/discovery/crawl-visit.ts";
import { SettlementBatch } from "../../../../src/crawler/engine/pipeline/settlement-batch.ts";
import { openStore } from "../../../../src/storage/state/store.ts";
import { keptAs } from "../../../storage/state/settled.ts";
import { makeTempFolder } from "../../../temp-folder.ts";

test("a result is held until it is durable, also while its batch is written", async () => {
  using temp = makeTempFolder();
  using store = openStore({ into: temp.path });
  const { urls } = store.openSite("https://example.org");
  urls.note([{ path: "/a", depth: 0, lastmod: undefined }], 0);
  let end = (): void => undefined;
  const written = new Promise<void>((resolve) => {
    end = resolve;
  });
  const bodies = { flush: () => written };
  const plan = { settlesAtOnce: true };
  const visit = { ports: { urls, bodies, timing: { now: () => 1000 } }, plan } as unknown as CrawlVisit;
  const batch = new SettlementBatch(visit);
  const url = urls.find("/a");
  assert.ok(url !== undefined);
  assert.equal(batch.holds("/a"), false);
  await batch.add(keptAs(url, { path: "/a", sizeBytes: 1, digest: "d", lastModified: 1, mediaType: "text/html" }));
  assert.deepEqual([batch.holds("/a"), urls.find("/a")?.askedAt], [true, undefined]);
  end();
  await batch.finish();
  assert.deepEqual([batch.holds("/a"), urls.find("/a")?.askedAt], [false, 1]);
});
