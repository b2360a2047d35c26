import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chownSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { repositoryFolder } from "../repository-folder.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { Containers } from "./containers.ts";
import { readDocumentCode } from "./document-code.ts";
import { requireCached, skipWithoutCached } from "./programs.ts";

const file = join(repositoryFolder(), "Dockerfile");
const stages = readFileSync(file, "utf8")
  .split(/^(?=FROM )/m)
  .slice(1);

test("hadolint finds nothing to say of the Dockerfile", { skip: skipWithoutCached("hadolint-1") }, () => {
  const { status, stdout } = spawnSync(join(requireCached("hadolint-1"), "bin", "hadolint"), [file], {
    encoding: "utf8",
  });
  assert.equal(stdout, "");
  assert.equal(status, 0);
});

test("the last stage of the image is without npm and not as root", () => {
  assert.equal(stages.length, 3);
  const last = stages.at(-1) ?? "";
  assert.match(last, /^USER [1-9]\d*:[1-9]\d*$/m);
  assert.doesNotMatch(last, /npm/);
  assert.deepEqual(last.match(/^COPY .*$/gm), ["COPY --from=build /program /program"]);
});

test("what the build may see is there, and all that the package takes", () => {
  const lines = readFileSync(join(repositoryFolder(), ".dockerignore"), "utf8").trim().split("\n");
  assert.equal(lines[0], "*");
  const seen = lines.slice(1).map((line) => line.replace(/^!/, ""));
  const absent = seen.filter((path) => !existsSync(join(repositoryFolder(), path)));
  assert.deepEqual(absent, []);
  const { files } = JSON.parse(readFileSync(join(repositoryFolder(), "package.json"), "utf8")) as { files: string[] };
  const unseen = files.filter((path) => !path.startsWith("dist/") && !seen.some((one) => path.startsWith(one)));
  assert.deepEqual(unseen, []);
});

test("nginx of the compose file serves with the lines of docs/nginx.md", () => {
  const own = readFileSync(join(repositoryFolder(), "container", "nginx.conf"), "utf8");
  const lines = readDocumentCode("docs/nginx.md", "nginx")
    .trim()
    .replaceAll(/^(?=.)/gm, "  ");
  assert.ok(own.includes(lines));
});

const image = "localhost/tidemark";
const user = 10_001;

/** Waits until something is as it should be; what is not after half a minute fails with its own error. */
async function eventually(check: () => void): Promise<void> {
  for (let tries = 60; ; tries--) {
    try {
      return check();
    } catch (error) {
      if (tries === 0) throw error;
      await delay(500);
    }
  }
}

describe("the image, built and run by podman", { skip: Containers.skip(), timeout: 240_000 }, () => {
  const project = `tidemark-${process.pid}`;
  const folder = makeTempFolder("container");
  const site = join(folder.path, "site");
  const containers = new Containers({ SITE: site, POSTGRES_PASSWORD: "only here" });
  const alone = ["run", "--rm", "--read-only", "--tmpfs", "/tmp", "--cap-drop", "all"];
  const inNetwork = ["--network", `${project}_default`];

  before(() => {
    mkdirSync(site);
    cpSync(join(repositoryFolder(), "fixtures", "demo"), site, { recursive: true });
    for (const path of [site, ...readdirSync(site).map((name) => join(site, name))]) chownSync(path, user, user);
    containers.build(image);
  });

  after(() => {
    containers.compose(project, "down", "--volumes", "--timeout", "2");
    containers.podman("image", "prune", "--force");
    folder[Symbol.dispose]();
  });

  it("runs as its user, who can write below /data and /tmp and nowhere else", () => {
    const run = [...alone, "--network", "none"];
    assert.match(containers.podman(...run, image, "--version"), /^\d+\.\d+\.\d+\n$/);
    const script =
      "id -u; id -g; touch /data/a /tmp/a && echo written; for to in / /program /usr/bin /etc; do touch $to/a; done";
    const { output } = containers.tryPodman(...run, "--entrypoint", "sh", image, "-c", script);
    assert.match(output, new RegExp(`^${user}\n${user}\nwritten\n`));
    assert.equal(output.match(/Read-only file system/g)?.length, 4, output);
    // With a root that can be written to, what belongs to root still cannot.
    const writable = ["run", "--rm", "--network", "none", "--entrypoint", "sh", image, "-c", "touch /program/a"];
    assert.match(containers.tryPodman(...writable).output, /Permission denied/);
  });

  it("has no npm, no sources and nothing that only a build needs", () => {
    const script = "ls /program /program/node_modules; command -v npm";
    const { output } = containers.tryPodman(...alone, "--network", "none", "--entrypoint", "sh", image, "-c", script);
    assert.match(output, /^libsql$/m);
    for (const unwanted of ["src", "test", "lab", "typescript", "esbuild", "npm"])
      assert.doesNotMatch(output, new RegExp(`^(?:.*/)?${unwanted}$`, "m"));
  });

  it("publishes a site beside nginx, goes on to watch it, and crawls it", async () => {
    containers.compose(project, "up", "--detach");
    const crawl = [...alone, ...inNetwork, "--volume", `${project}-mirror:/data`, image];
    const visit = (): string =>
      containers.podman(...crawl, "crawl", "http://site/", "--into", "/data", "--source", "archives", "--json");
    const countOf = (): { created: number; updated: number } => JSON.parse(visit().trim().split("\n").at(-1) ?? "");
    const pages = readdirSync(site).filter((name) => !name.startsWith(".") && name !== "robots.txt").length;
    await eventually(() => assert.equal(countOf().created, pages));
    writeFileSync(join(site, "page.html"), "<!doctype html><title>Another text</title>");
    await eventually(() => assert.equal(countOf().updated, 1));
    assert.equal(countOf().updated, 0);
    containers.podman("volume", "rm", "--force", `${project}-mirror`);
  });

  it("crawls it with three workers that share it by PostgreSQL, and keeps its pages once", async () => {
    const ask = (sql: string): string =>
      containers
        .podman("exec", `${project}_database_1`, "psql", "-h", "/run/postgresql", "-U", "tidemark", "-Atc", sql)
        .trim();
    await eventually(() => {
      assert.equal(ask("SELECT count(*) FROM tidemark_fleet.worker"), "3");
      assert.equal(ask("SELECT count(*) FROM tidemark_fleet.visit"), "1");
    });
    const pages = ask("SELECT count(*) FROM tidemark_fleet.page");
    assert.ok(Number(pages) >= readdirSync(join(repositoryFolder(), "fixtures", "demo")).length, pages);
    const objects = containers.podman(
      ...alone,
      "--volume",
      `${project}_crawl:/data`,
      "--entrypoint",
      "sh",
      image,
      "-c",
      "find /data/pages/*/bodies -type f | wc -l",
    );
    assert.equal(objects.trim(), pages);
    const log = containers.podman("logs", `${project}_site_1`);
    assert.match(log, /"GET \/page\.html HTTP\/1\.1" 200/);
  });
});
