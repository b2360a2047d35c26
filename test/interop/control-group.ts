import { existsSync, mkdirSync, readdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";

/** Control groups of a process's own, that vanish with their scope. */
export interface ControlGroup {
  /** The words of a command that runs another in them. */
  readonly wrap: (...command: readonly string[]) => string[];
  readonly [Symbol.dispose]: () => void;
}

const mounts = ["/sys/fs/cgroup/systemd", "/sys/fs/cgroup/unified"];

function removeTree(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeTree(join(folder, entry.name));
  rmdirSync(folder);
}

/**
 * Makes a control group in each hierarchy that a machine's systemd wants to work in, so that two machines do
 * not share one. None where the host runs a systemd, which does this itself.
 */
export function makeControlGroup(name: string): ControlGroup {
  const own = existsSync("/run/systemd/system") ? [] : mounts.filter((mount) => existsSync(mount));
  const folders = own.map((mount) => join(mount, name));
  for (const folder of folders) mkdirSync(folder);
  return {
    wrap: (...command) => {
      const enter = folders.map((folder) => `echo $$ >${folder}/cgroup.procs; `).join("");
      return ["sh", "-c", `${enter}exec "$@"`, "sh", ...command];
    },
    [Symbol.dispose]: () => {
      for (const folder of folders) removeTree(folder);
    },
  };
}
