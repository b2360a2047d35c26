import { existsSync, mkdirSync, readdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Control groups of a process's own, that vanish with their scope. */
export interface ControlGroup {
  /** Moves a process into them. */
  readonly add: (pid: number) => void;
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
 * not share one. Of use only where the host runs no systemd, which would do this itself.
 */
export function makeControlGroup(name: string): ControlGroup {
  const folders = mounts.filter((mount) => existsSync(mount)).map((mount) => join(mount, name));
  for (const folder of folders) mkdirSync(folder);
  return {
    add: (pid) => {
      for (const folder of folders) writeFileSync(join(folder, "cgroup.procs"), String(pid));
    },
    [Symbol.dispose]: () => {
      for (const folder of folders) removeTree(folder);
    },
  };
}
