import { closeSync, constants, fstatSync, openSync, realpathSync, type Stats } from "node:fs";
import { sep } from "node:path";
import { isHidden } from "./request-path.ts";

export type Found =
  | { readonly kind: "file"; readonly file: ServedFile }
  | { readonly kind: "folder" }
  | { readonly kind: "missing" }
  | { readonly kind: "forbidden" };

export interface ServedFile {
  readonly fd: number;
  readonly stats: Stats;
}

const missing = new Set(["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG", "EINVAL", "ENXIO"]);
const forbidden = new Set(["EACCES", "EPERM"]);

/**
 * Opens what lies at a path below the folder, if it lies inside.
 *
 * @param root - the folder's real path, one character a byte
 * @param names - as `parseRequestPath` gives them; an empty last name stands for `index.html`
 * @param mayBeHidden - whether dot files are found
 * @throws the system's error if it is neither that nothing is there nor that it may not be read
 */
export function openServedFile(root: string, names: readonly string[], mayBeHidden: boolean = false): Found {
  const last = names.at(-1) === "" ? [...names.slice(0, -1), "index.html"] : names;
  try {
    const asked = Buffer.from([root, ...last].join(sep), "latin1");
    const path = realpathSync.native(asked, { encoding: "buffer" }).toString("latin1");
    if (path !== root && !path.startsWith(root.endsWith(sep) ? root : root + sep)) return { kind: "missing" };
    if (!mayBeHidden && isHidden(path.slice(root.length).split(sep).filter(Boolean))) return { kind: "missing" };
    // NONBLOCK: a named pipe must not hold up the server; it is found out below.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const fd = openSync(Buffer.from(path, "latin1"), flags);
    let isHandedOn = false;
    try {
      const stats = fstatSync(fd);
      isHandedOn = stats.isFile();
      if (isHandedOn) return { kind: "file", file: { fd, stats } };
      return { kind: stats.isDirectory() ? "folder" : "missing" };
    } finally {
      if (!isHandedOn) closeSync(fd);
    }
  } catch (error) {
    const code = String((error as { code?: unknown }).code);
    if (missing.has(code)) return { kind: "missing" };
    if (forbidden.has(code)) return { kind: "forbidden" };
    throw error;
  }
}
