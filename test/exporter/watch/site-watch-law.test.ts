import assert from "node:assert/strict";
import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import type { WatchRound } from "../../../src/exporter/watch/watch-round.ts";
import { fc } from "../../property.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { everyType } from "../walk/walked.ts";
import { takeTurns, WatchedSite } from "./watched-site.ts";

/** Folders to what stands in them, as somebody knows it who looks only where a round says. */
class KnownSite {
  readonly #root: string;
  readonly folders = new Map<string, readonly string[]>();

  constructor(root: string) {
    this.#root = root;
  }

  apply(round: WatchRound): void {
    if (round.kind === "scan") {
      this.look("/");
      return;
    }
    for (const tree of round.trees) this.look(tree);
    for (const folder of round.folders) {
      const children = this.#list(folder);
      if (children === undefined) this.#forget(folder);
      else {
        const known = [...this.folders.keys()].filter(
          (path) => path !== folder && `${dirname(path)}/` === folder.replace(/^\/$/, "//"),
        );
        for (const path of known) if (!children.includes(path)) this.#forget(path);
        for (const path of children) if (!this.folders.has(path)) this.look(path);
      }
    }
  }

  /** Looks at all below a folder. */
  look(path: string): void {
    this.#forget(path);
    for (const child of this.#list(path) ?? []) this.look(child);
  }

  #forget(path: string): void {
    for (const known of [...this.folders.keys()]) if (known.startsWith(path)) this.folders.delete(known);
  }

  #list(path: string): readonly string[] | undefined {
    const place = join(this.#root, path);
    if (!isFolder(place)) return undefined;
    const children: string[] = [];
    const entries = readdirSync(place).map((name) => {
      const { ino, mtimeNs, size, ctimeNs, mode } = lstatSync(join(place, name), { bigint: true });
      const isSubfolder = (mode & 0o170000n) === 0o040000n;
      if (isSubfolder) children.push(`${path}${name}/`);
      return isSubfolder ? `${name}/ ${ino}` : `${name} ${ino} ${mtimeNs} ${ctimeNs} ${size}`;
    });
    this.folders.set(path, entries.sort());
    return children;
  }
}

function isFolder(place: string): boolean {
  try {
    return lstatSync(place).isDirectory();
  } catch {
    // Nothing is there, or a file is where the folder was (ENOTDIR).
    return false;
  }
}

const names = ["a", "b", "c"];
const path = fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
const operation = fc.oneof(
  fc.record({ op: fc.constant("write" as const), at: path }),
  fc.record({ op: fc.constant("rename" as const), at: path, to: path }),
  fc.record({ op: fc.constant("remove" as const), at: path }),
  fc.record({ op: fc.constant("fill" as const), at: path }),
  fc.record({ op: fc.constant("make again" as const), at: path }),
  fc.record({ op: fc.constant("wait" as const), turns: fc.integer({ min: 1, max: 6 }) }),
  fc.record({ op: fc.constant("round" as const) }),
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

function perform(root: string, task: Exclude<Operation, { op: "wait" | "round" }>): void {
  const place = join(root, task.at);
  try {
    if (task.op === "write") writeFileSync(join(place, "page.html"), "x");
    else if (task.op === "rename") renameSync(place, join(root, task.to));
    else rmSync(place, { recursive: true, force: task.op === "fill" });
    if (task.op === "make again") mkdirSync(place);
    if (task.op === "fill") {
      mkdirSync(join(place, "b/c"), { recursive: true });
      writeFileSync(join(place, "b/c/page.html"), "x");
      writeFileSync(join(place, "a"), "a file where a folder may have been");
    }
  } catch {
    // Not every operation is possible in every tree.
  }
}

test("whoever looks only where the rounds say knows the site as it is", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 40 }), async (operations) => {
      using temp = makeTempFolder();
      for (const at of ["a/b", "b/a/c", "c"]) perform(temp.path, { op: "fill", at });
      await using site = await WatchedSite.open(temp.path, { include: everyType });
      const known = new KnownSite(temp.path);
      known.look("/");
      const takeRounds = async () => {
        for (let round = await site.roundWithin(2000); round !== undefined; round = await site.roundWithin(2000))
          known.apply(round);
      };
      const check = () => {
        const actual = new KnownSite(temp.path);
        actual.look("/");
        const sorted = ({ folders }: KnownSite) => [...folders].sort(([a], [b]) => (a < b ? -1 : 1));
        assert.deepEqual(sorted(known), sorted(actual));
        assert.deepEqual(site.watch.counts, { folders: actual.folders.size, watched: actual.folders.size });
      };
      for (const task of operations) {
        if (task.op === "wait") await takeTurns(task.turns);
        else if (task.op === "round") await takeRounds();
        else perform(temp.path, task);
      }
      await takeRounds();
      check();
      // The watches stand where the folders are now.
      for (const folder of known.folders.keys()) writeFileSync(join(temp.path, folder, "later.html"), "x");
      await takeRounds();
      check();
    }),
    { numRuns: 60 },
  );
});
