import assert from "node:assert/strict";
import { on } from "node:events";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { it } from "node:test";
import { exitCodes } from "../../../src/cli/terminal/exit-code.ts";
import { IndexNowServer } from "../../indexnow/index-now-server.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { endOf, startProgram } from "../run-program.ts";

interface Line {
  readonly event: string;
  readonly [key: string]: unknown;
}

it("a watch takes its configuration again when it is edited; one with mistakes or that is gone is told, and ends nothing", {
  timeout: 120_000,
}, async () => {
  using folder = makeTempFolder();
  for (const name of ["a", "b"]) {
    mkdirSync(join(folder.path, name));
    for (const page of ["1.html", "2.html"]) writeFileSync(join(folder.path, name, page), page);
  }
  const siteOf = (name: string, more: object = {}): object => {
    return { baseUrl: `https://${name}.example/`, docroot: name, stateDir: `state-${name}`, ...more };
  };
  const file = join(folder.path, "tidemark.json");
  const write = (sites: readonly object[]): void => {
    writeFileSync(`${file}.new`, JSON.stringify({ sites }));
    renameSync(`${file}.new`, file);
  };
  write([siteOf("a")]);
  const child = startProgram(["export", "--config", file, "--watch", "--settle", "50ms", "--json"]);
  const ended = endOf(child);
  assert.ok(child.stdout !== null);
  const lines = on(createInterface({ input: child.stdout }), "line");
  const told = async (isWanted: (line: Line) => boolean): Promise<Line> => {
    for (;;) {
      const { value } = await lines.next();
      const line = JSON.parse(value[0]) as Line;
      if (isWanted(line)) return line;
    }
  };
  const published = (site: string, pages: number): ((line: Line) => boolean) => {
    return (line) => line.event === "round" && line.site === `https://${site}.example/` && line.pages === pages;
  };
  await told(published("a", 2));
  // Another site; the first goes on.
  write([siteOf("a"), siteOf("b")]);
  assert.equal((await told(({ event }) => event === "sites")).sites, 2);
  await told(published("b", 2));
  writeFileSync(join(folder.path, "a", "3.html"), "3");
  assert.equal((await told(published("a", 3))).because, "changes");
  // Half of it, and a document root that is not there.
  writeFileSync(file, '{"sites": [');
  assert.match(String((await told(({ code }) => code === "config-file")).message), /tidemark\.json/);
  write([siteOf("a"), siteOf("b", { docroot: "none" })]);
  assert.match(String((await told(({ code }) => code === "config-file")).message), /none/);
  rmSync(file);
  assert.match(String((await told(({ code }) => code === "config-file")).message), /tidemark\.json/);
  writeFileSync(join(folder.path, "a", "4.html"), "4");
  await told(published("a", 4));
  // Back, with other settings.
  write([siteOf("a", { exclude: ["4.html"] })]);
  await told(published("a", 3));
  child.kill("SIGTERM");
  const { code, stderr } = await ended;
  assert.equal(code, exitCodes.done, stderr);
});

it("a watch that waits to tell search engines goes on with an edited configuration, and ends in order", {
  timeout: 60_000,
}, async () => {
  using folder = makeTempFolder();
  await using engine = await IndexNowServer.open();
  for (let call = 0; call < 10; call++) engine.misdeeds.push({ status: 429, fields: { "retry-after": "30" } });
  mkdirSync(join(folder.path, "a"));
  writeFileSync(join(folder.path, "a", "1.html"), "1");
  const file = join(folder.path, "tidemark.json");
  const write = (more: object): void => {
    const site = { baseUrl: "https://a.example/", docroot: "a", stateDir: "state", ...more };
    writeFileSync(`${file}.new`, JSON.stringify({ sites: [site] }));
    renameSync(`${file}.new`, file);
  };
  write({});
  const telling = ["--index-now", "--index-now-endpoint", engine.url];
  const child = startProgram(["export", "--config", file, "--watch", "--settle", "50ms", "--json", ...telling]);
  const ended = endOf(child);
  assert.ok(child.stdout !== null);
  const lines = on(createInterface({ input: child.stdout }), "line");
  const told = async (key: string, value: unknown): Promise<void> => {
    for (;;) {
      const { value: line } = await lines.next();
      if ((JSON.parse(line[0]) as Line)[key] === value) return;
    }
  };
  await told("step", "begun");
  writeFileSync(join(folder.path, "a", "2.html"), "2");
  await told("step", "retrying");
  write({ exclude: ["1.html"] });
  await told("pages", 1);
  await told("step", "retrying");
  child.kill("SIGTERM");
  const { code, stderr } = await ended;
  assert.equal(code, exitCodes.done, stderr);
});
