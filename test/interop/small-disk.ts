import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeTempFolder } from "../temp-folder.ts";
import { findProgram } from "./programs.ts";

/** A small file system that vanishes with its scope. */
export interface SmallDisk {
  readonly path: string;
  /** Fills it so that only about so much is left, in KiB; 0 leaves nothing. Again: with other room. */
  readonly leave: (roomKiB: number) => void;
  /** Makes it larger. */
  readonly grow: (sizeKiB: number) => void;
  readonly [Symbol.dispose]: () => void;
}

/** What `node:test` takes as `skip` where no file system can be mounted: never in CI by root. */
export function skipWithoutMount(): string | false {
  if (process.getuid?.() !== 0) return "needs root to mount a tmpfs";
  return findProgram("mount") === undefined ? "no mount" : false;
}

/** Mounts a tmpfs of so many KiB. @param over - an empty folder in whose place it is to be; default one of its own */
export function mountSmallDisk(sizeKiB: number, over?: string): SmallDisk {
  const temp = makeTempFolder("small-disk");
  const path = over ?? join(temp.path, "disk");
  mkdirSync(path, { recursive: true });
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${sizeKiB}k,mode=755`, "tmpfs", path]);
  const filler = join(path, "filler.tmp");
  return {
    path,
    leave: (roomKiB) => {
      rmSync(filler, { force: true });
      const { bavail, bsize } = statfsSync(path);
      const bytes = bavail * bsize - roomKiB * 1024;
      try {
        if (bytes > 0) writeFileSync(filler, Buffer.alloc(bytes, "x"));
      } catch (error) {
        // What others write meanwhile takes room too.
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
      }
    },
    grow: (newSizeKiB) => {
      rmSync(filler, { force: true });
      execFileSync("mount", ["-o", `remount,size=${newSizeKiB}k`, path]);
    },
    [Symbol.dispose]: () => {
      execFileSync("umount", ["-l", path]);
      temp[Symbol.dispose]();
    },
  };
}
