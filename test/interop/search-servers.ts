import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { repositoryFolder } from "../repository-folder.ts";
import { requireCached, requireProgram } from "./programs.ts";

/** A search server of a test's own. */
export interface SearchServer extends AsyncDisposable {
  /** As `--to` takes it, up to the name of a table or an index. */
  readonly to: string;
}

/** Starts OpenSearch with one node over an index in a folder. */
export async function startOpenSearch(folder: string): Promise<SearchServer> {
  const home = join(folder, "opensearch");
  mkdirSync(home);
  const jars = join(requireCached("opensearch-1"), "*");
  const program = join(repositoryFolder(), "test", "interop", "opensearch", "OpenSearchServer.java");
  const child = spawn(requireProgram("java"), ["-Xmx512m", "-cp", jars, program, home], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  for await (const line of createInterface({ input: child.stdout })) {
    const port = /^listening (\d+)$/.exec(line)?.[1];
    if (port === undefined) continue;
    child.stdout.resume();
    return {
      to: `opensearch+http://127.0.0.1:${port}/`,
      [Symbol.asyncDispose]: async () => {
        child.stdin.end("\n");
        await exited;
      },
    };
  }
  throw new Error("OpenSearch did not start");
}
