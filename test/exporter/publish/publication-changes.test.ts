import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { pathOf } from "../../../src/core/index.ts";
import { exportSite } from "../../../src/exporter/export-site.ts";
import { readPublication } from "../../../src/exporter/publish/publication-changes.ts";
import { listPurgeUrls } from "../../../src/exporter/publish/purge-urls.ts";
import { makeTempFolder } from "../../temp-folder.ts";

async function gather<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

it("the changes of each of the last publications are read, and no others, also beside mergers and new bases", async () => {
  using folder = makeTempFolder();
  const documentRoot = join(folder.path, "site");
  mkdirSync(documentRoot);
  await assert.rejects(readPublication({ documentRoot }).next(), { code: "no-archives" });
  const publications: Array<readonly [number, string[]]> = [];
  const read = async (publication?: number): Promise<string[]> => {
    const changes = await gather(
      readPublication({ documentRoot, ...(publication === undefined ? {} : { publication }) }),
    );
    return changes.map((change) => `${change.kind} ${pathOf(change)}`).sort();
  };
  for (let at = 0; at < 24; at++) {
    const expected = [`created /${at}.html`];
    writeFileSync(join(documentRoot, `${at}.html`), String(at));
    if (at > 2) {
      writeFileSync(join(documentRoot, `${at - 1}.html`), `again ${at}`);
      rmSync(join(documentRoot, `${at - 2}.html`));
      expected.push(`updated /${at - 1}.html`, `deleted /${at - 2}.html`);
    }
    const { publication } = await exportSite({
      docroot: documentRoot,
      baseUrl: "https://a.example/",
      stateDir: join(folder.path, "state"),
      segmentSize: 8,
      clock: () => 1_800_000_000_000 + at * 1000,
    });
    publications.push([publication, expected.sort()]);
    assert.deepEqual(await read(), expected);
  }
  for (const [publication, expected] of publications.slice(-16)) assert.deepEqual(await read(publication), expected);
  await assert.rejects(read(1), { code: "no-archives" });
  const urls = await gather(listPurgeUrls({ documentRoot, baseUrl: "https://a.example/" }));
  assert.deepEqual(
    urls.sort(),
    [21, 22, 23].map((at) => `https://a.example/${at}.html`),
  );
});

it("with clean URLs each form under which a server may show a page is listed, and no other of what is no page", async () => {
  using folder = makeTempFolder();
  const documentRoot = join(folder.path, "site");
  mkdirSync(documentRoot);
  for (const name of ["about.html", "v1.2.html", "old.htm", "a.css"]) writeFileSync(join(documentRoot, name), name);
  const stateDir = join(folder.path, "state");
  const options = { docroot: documentRoot, baseUrl: "https://a.example/", stateDir, cleanUrls: true };
  await exportSite({ ...options, clock: () => 1_800_000_000_000 });
  const list = async (): Promise<string[]> => {
    const urls = await gather(listPurgeUrls({ documentRoot, baseUrl: "https://a.example/", cleanUrls: true }));
    return urls
      .map((url) => new URL(url).pathname)
      .filter((path) => !/tidemark|robots/.test(path))
      .sort();
  };
  const formsOf = (path: string): string[] => [path, `${path}.htm`, `${path}.html`];
  assert.deepEqual(await list(), ["/a.css", ...formsOf("/about"), ...formsOf("/old"), ...formsOf("/v1.2")]);
  rmSync(join(documentRoot, "v1.2.html"));
  await exportSite({ ...options, clock: () => 1_800_000_001_000 });
  assert.deepEqual(await list(), formsOf("/v1.2"));
});
