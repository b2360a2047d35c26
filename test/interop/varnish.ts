import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeTempFolder } from "../temp-folder.ts";
import { readDocumentCode } from "./document-code.ts";
import { requireProgram } from "./programs.ts";
import { findFreePort, getRaw, waitUntilUp } from "./web-server.ts";

/** A real Varnish in front of a server, with the configuration of docs/caches.md. */
export interface Varnish extends AsyncDisposable {
  readonly port: number;
  /** Objects that were purged since the start. */
  readonly countPurged: () => number;
  /** Method and path of the requests since the start or the last call, such as `PURGE /about/`. */
  readonly takeLog: () => Promise<string[]>;
}

/** Starts Varnish and waits until it answers. It keeps for a day what has no lifetime of its own. */
export async function startVarnish(backendPort: number): Promise<Varnish> {
  const temp = makeTempFolder("varnish");
  const port = await findFreePort();
  const folder = join(temp.path, "varnish");
  const vcl = join(temp.path, "site.vcl");
  writeFileSync(vcl, readDocumentCode("docs/caches.md", "vcl").replace('"8080"', `"${backendPort}"`));
  const listen = ["-F", "-j", "none", "-n", folder, "-f", vcl, "-a", `127.0.0.1:${port}`, "-T", "none"];
  const args = [...listen, "-s", "malloc,16m", "-p", "default_ttl=86400"];
  const child = spawn(requireProgram("varnishd"), args, { stdio: ["ignore", "ignore", "pipe"] });
  const exited = once(child, "exit");
  await waitUntilUp(child, `http://127.0.0.1:${port}/`);
  const read = (program: string, ...more: readonly string[]): string =>
    execFileSync(requireProgram(program), ["-n", folder, ...more], { encoding: "utf8" });
  let marks = 0;
  let taken = 0;
  return {
    port,
    countPurged: () => Number(/n_obj_purged\s+(\d+)/.exec(read("varnishstat", "-1", "-f", "MAIN.n_obj_purged"))?.[1]),
    takeLog: async () => {
      // A line is written after the client has its answer: ours is the last.
      const mark = `GET /mark-${++marks}`;
      await getRaw(port, mark.slice(4));
      for (;;) {
        const lines = read("varnishncsa", "-d", "-F", "%m %U").trim().split("\n");
        const end = lines.indexOf(mark);
        if (end === -1) continue;
        const since = lines.slice(taken, end);
        taken = end + 1;
        return since;
      }
    },
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGTERM");
      await exited;
      temp[Symbol.dispose]();
    },
  };
}
