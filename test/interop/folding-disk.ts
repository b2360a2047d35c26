import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findProgram } from "./programs.ts";
import { makeTempFolder } from "./temp-folder.ts";

/** A file system on which names that differ in case only are one. */
export interface FoldingDisk {
  readonly path: string;
  readonly [Symbol.dispose]: () => void;
}

/** What `node:test` takes as `skip` where none can be mounted. */
export function skipWithoutFolding(): string | false {
  if (process.getuid?.() !== 0) return "needs root to mount exFAT";
  if (!existsSync("/dev/fuse")) return "no FUSE";
  const missing = ["mkfs.exfat", "mount.exfat-fuse", "losetup"].find((name) => findProgram(name) === undefined);
  return missing === undefined ? false : `no ${missing}`;
}

/** Mounts an exFAT of 64 MiB, which folds case as Windows does, and takes the names that Windows takes. */
export function mountFoldingDisk(): FoldingDisk {
  const temp = makeTempFolder("folding-disk");
  const [image, path] = [join(temp.path, "image"), join(temp.path, "disk")];
  mkdirSync(path);
  writeFileSync(image, "");
  truncateSync(image, 64 * 1024 * 1024);
  execFileSync("mkfs.exfat", [image], { stdio: "ignore" });
  const device = execFileSync("losetup", ["--find", "--show", image], { encoding: "utf8" }).trim();
  execFileSync("mount.exfat-fuse", [device, path], { stdio: "ignore" });
  return {
    path,
    [Symbol.dispose]: () => {
      // A database that was closed may be open until it is collected.
      execFileSync("umount", ["--lazy", path]);
      execFileSync("losetup", ["--detach", device]);
      temp[Symbol.dispose]();
    },
  };
}
