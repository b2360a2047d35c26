import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { repositoryFolder } from "./repository-folder.ts";

interface Entry {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
}

const read = (name: string) => JSON.parse(readFileSync(join(repositoryFolder(), name), "utf8"));
const packages = Object.entries(read("package-lock.json").packages as Record<string, Entry>);

test("each package of package-lock.json has the digest that npm checks it by", () => {
  assert.ok(packages.length > 300);
  // Each form of SHA-512 in Base64: what npm would take otherwise, or not look at, is as good as none.
  const unchecked = packages.filter(
    ([path, { link, integrity = "" }]) =>
      path !== "" && link !== true && !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity),
  );
  assert.deepEqual(
    unchecked.map(([path]) => path),
    [],
  );
});

test("package-lock.json names no registry: each package comes from the one that npm is set to", () => {
  const resolved = packages.flatMap(([, entry]) => entry.resolved ?? []);
  assert.deepEqual(resolved, []);
});
