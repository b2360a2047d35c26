// Files that change behind equal sizes and times: an image in another's place, whole seconds, an exchanged link.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ExportSummary } from "../../src/core/export-event.ts";
import type { ExportSiteOptions } from "../../src/exporter/export-settings.ts";
import { exportSite } from "../../src/exporter/export-site.ts";
import { PublishedReader } from "../exporter/publish/published-reader.ts";
import { digestOf } from "../exporter/publish/test-site.ts";
import { makeTempFolder, type TempFolder } from "../temp-folder.ts";
import { requireProgram, skipWithout } from "./programs.ts";

const isRoot = process.getuid?.() === 0;
const old = new Date("2026-01-01T00:00:00Z");

function skipWithoutLoop(program: string): string | false {
  return isRoot ? skipWithout(program, "mount", "umount", "losetup") : "needs root to mount an image";
}

class Mounted implements Disposable {
  readonly path: string;

  constructor(path: string, ...args: readonly string[]) {
    this.path = path;
    execFileSync("mount", [...args, path]);
  }

  [Symbol.dispose](): void {
    execFileSync("umount", [this.path]);
  }
}

async function exportTo(temp: TempFolder, options: Partial<ExportSiteOptions>): Promise<ExportSummary> {
  return await exportSite({
    docroot: join(temp.path, "site"),
    baseUrl: "https://example.org/",
    stateDir: join(temp.path, "state"),
    ...options,
  });
}

function digestIn(docroot: string, path: string): string | undefined {
  const reader = new PublishedReader(docroot);
  const holding = reader.readBase();
  reader.follow(holding, reader.index.base.name.to, "shortest");
  return holding.get(path)?.digest;
}

const comparisons = (run: ExportSummary): readonly unknown[] => [run.created, run.updated, run.deleted, run.touched];

test("a page that differs in a new image with equal times, sizes and inodes is published", {
  skip: skipWithoutLoop("mksquashfs"),
}, async () => {
  using temp = makeTempFolder("squashfs");
  const [source, site, robots, published] = ["source", "site", "robots", "published"].map((name) => {
    mkdirSync(join(temp.path, name));
    return join(temp.path, name);
  }) as [string, string, string, string];
  mkdirSync(join(source, ".well-known/tidemark"), { recursive: true });
  writeFileSync(join(source, "b.html"), "the same");
  const makeImage = (name: string, content: string): string => {
    writeFileSync(join(source, "a.html"), content);
    const image = join(temp.path, name);
    execFileSync(
      requireProgram("mksquashfs"),
      [source, image, "-all-time", "0", "-mkfs-time", "0", "-noappend", "-quiet"],
      {
        stdio: "ignore",
      },
    );
    return image;
  };
  const exportImage = async (image: string) => {
    using _image = new Mounted(site, "-o", "loop,ro", image);
    using _output = new Mounted(join(site, ".well-known/tidemark"), "--bind", published);
    const { ino, mtimeMs, ctimeMs, size, dev } = statSync(join(site, "a.html"));
    const summary = await exportTo(temp, { robotsDir: robots });
    return { seen: [ino, mtimeMs, ctimeMs, size], dev, summary, digest: digestIn(site, "/a.html") };
  };
  const first = await exportImage(makeImage("1.squashfs", "one"));
  assert.equal(first.digest, digestOf("one"));
  const again = await exportImage(join(temp.path, "1.squashfs"));
  assert.deepEqual(comparisons(again.summary), [0, 0, 0, 0]);
  const second = await exportImage(makeImage("2.squashfs", "two"));
  assert.deepEqual(second.seen, first.seen, "nothing that stat gives tells them apart");
  assert.equal(second.digest, digestOf("two"));
  assert.deepEqual(comparisons(second.summary), [0, 1, 0, 0]);
  // An image that is built again and holds the same pages publishes nothing.
  const third = await exportImage(makeImage("3.squashfs", "two"));
  assert.equal(third.summary.published, false);
  // In the place of the file, too.
  rmSync(join(temp.path, "3.squashfs"));
  const fourth = await exportImage(makeImage("3.squashfs", "six"));
  assert.equal(fourth.digest, digestOf("six"));
});

test("a page that is rewritten while an export runs is published by the next, where times are whole seconds", {
  skip: skipWithoutLoop("mkfs.ext4"),
}, async () => {
  using temp = makeTempFolder("ext4");
  const image = join(temp.path, "image");
  const site = join(temp.path, "site");
  mkdirSync(site);
  writeFileSync(image, "");
  truncateSync(image, 16 * 1024 * 1024);
  execFileSync(requireProgram("mkfs.ext4"), ["-q", "-I", "128", image], { stdio: "ignore" });
  using _disk = new Mounted(site, "-o", "loop", image);
  rmSync(join(site, "lost+found"), { recursive: true });
  let equal = 0;
  for (let round = 0; round < 12 && equal < 3; round++) {
    const path = join(site, "a.html");
    // With the clock of the file system, near the end of a second no less than at its beginning.
    writeFileSync(path, `early ${round % 10}`);
    const before = statSync(path);
    assert.equal(before.ctimeMs % 1000, 0, "whole seconds");
    await exportTo(temp, {
      onEvent: (event) => {
        if (event.event === "page" && event.path === "/a.html") writeFileSync(path, `later ${round % 10}`);
      },
    });
    const after = statSync(path);
    const isEqual = after.ctimeMs === before.ctimeMs && after.mtimeMs === before.mtimeMs;
    if (!isEqual || readFileSync(path, "utf8").startsWith("early")) continue;
    equal += 1;
    await exportTo(temp, {});
    assert.equal(digestIn(site, "/a.html"), digestOf(`later ${round % 10}`), `round ${round}`);
  }
  assert.ok(equal > 0, "no round fell within a second");
});

test("a link to another folder whose files have equal sizes and times brings its pages", async () => {
  using temp = makeTempFolder("releases");
  const releases = ["one", "two"].map((name) => join(temp.path, name));
  for (const release of releases) mkdirSync(release);
  const paths = releases.map((release) => join(release, "a.html"));
  const write = (): readonly unknown[] => {
    for (const [at, path] of paths.entries()) {
      rmSync(path, { force: true });
      writeFileSync(path, at === 0 ? "one" : "two");
      utimesSync(path, old, old);
    }
    const [first, second] = paths.map((path) => statSync(path));
    return [first?.ctimeMs, second?.ctimeMs];
  };
  // Within one tick of the file system's clock.
  let times = write();
  for (let round = 0; round < 1000 && times[0] !== times[1]; round++) times = write();
  assert.equal(times[0], times[1], "no two files were written within a tick");
  const [site, published, robots] = ["site", "published", "robots"].map((name) => join(temp.path, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(published);
  mkdirSync(robots);
  for (const release of releases) mkdirSync(join(release, ".well-known"));
  // An hour later: nothing is racy.
  const clock = () => Date.now() + 3_600_000;
  symlinkSync("one", site);
  await exportTo(temp, { robotsDir: robots, clock });
  assert.equal(digestIn(site, "/a.html"), digestOf("one"));
  // What is published goes with the site, as deployments do it that link shared folders.
  execFileSync("cp", ["-a", join(temp.path, "one/.well-known/tidemark"), join(temp.path, "two/.well-known/")]);
  symlinkSync("two", `${site}.new`);
  renameSync(`${site}.new`, site);
  const summary = await exportTo(temp, { robotsDir: robots, clock });
  assert.equal(digestIn(site, "/a.html"), digestOf("two"));
  assert.deepEqual(comparisons(summary), [0, 1, 0, 0]);
});

test("files that rsync or a rename replaced by equal ones are read once, and not again", async () => {
  using temp = makeTempFolder("renamed");
  const path = join(temp.path, "site/a.html");
  mkdirSync(join(temp.path, "site"));
  const clock = () => Date.now() + 3_600_000;
  const put = (content: string): void => {
    writeFileSync(`${path}.new`, content);
    utimesSync(`${path}.new`, old, old);
    renameSync(`${path}.new`, path);
  };
  put("equal");
  await exportTo(temp, { clock });
  put("equal");
  assert.deepEqual(comparisons(await exportTo(temp, { clock })), [0, 0, 0, 0]);
  put("other");
  assert.deepEqual(comparisons(await exportTo(temp, { clock })), [0, 1, 0, 0]);
});
