import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { TidemarkError } from "../../core/index.ts";
import { makeMissingFolder } from "../../fs/index.ts";
import { acquireLock } from "../../storage/index.ts";

/** A folder of one worker alone, until it is disposed of. */
export interface WorkerPlace extends Disposable {
  readonly name: string;
  /** For what is needed while it works. */
  readonly scratch: string;
  /** For the links of the pages that it visits. */
  readonly links: string;
}

const mostWorkers = 1000;
const nameForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/**
 * Takes the folder of a worker below the folder of the crawl. Without a name it is that of this machine with the first free number, so
 * that a worker takes over what a killed one left.
 *
 * @throws TidemarkError `bad-option` if the name is none, `locked` if a worker of this name is at work
 */
export function openWorkerPlace(into: string, name: string | undefined): WorkerPlace {
  if (name !== undefined) return openPlace(into, name);
  const host =
    hostname()
      .replace(/[^A-Za-z0-9._-]/g, "-")
      .slice(0, 48) || "worker";
  for (let number = 1; number < mostWorkers; number++) {
    try {
      return openPlace(into, `${host}-${number}`);
    } catch (error) {
      if (!(error instanceof TidemarkError && error.code === "locked")) throw error;
    }
  }
  throw new TidemarkError("locked", `There are ${mostWorkers} workers on this machine.`, {
    hint: "Name this one: --worker NAME.",
  });
}

function openPlace(into: string, name: string): WorkerPlace {
  if (!nameForm.test(name))
    throw new TidemarkError("bad-option", `Not the name of a worker: ${JSON.stringify(name)}.`, {
      hint: "Use up to 64 letters, digits, dots, hyphens and underscores, a letter or digit first.",
    });
  const scratch = join(resolve(into), ".tidemark", "workers", name);
  makeMissingFolder(scratch);
  const lock = acquireLock(join(scratch, "worker.lock"));
  return {
    ...{ name, scratch, links: join(resolve(into), "links", name) },
    [Symbol.dispose]: () => lock.release(),
  };
}
