import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { GroupSync } from "../../../src/fs/file-sync.ts";
import { FileThread } from "../../../src/storage/mirror/file-thread.ts";
import { Mirror } from "../../../src/storage/mirror/mirror.ts";
import { makeTempFolder } from "../../temp-folder.ts";

/** A mirror in a temporary folder. */
export interface OpenMirror extends Disposable {
  readonly bodies: Mirror;
  readonly root: string;
  readonly temporary: string;
  /** Ends the thread that makes its files, if it has begun. */
  endThread(): void;
}

/** @param isHeld - whether a page is known as held; default: none is */
export function openMirror(isHeld: (path: string) => boolean = () => false): OpenMirror {
  const temp = makeTempFolder();
  const root = join(temp.path, "example.org");
  const temporary = join(temp.path, "temporary");
  mkdirSync(temporary);
  let thread: FileThread | undefined;
  const begin = (): FileThread => {
    thread ??= new FileThread();
    return thread;
  };
  const endThread = (): void => thread?.close();
  return {
    bodies: new Mirror(root, temporary, isHeld, { sync: new GroupSync(temp.path), thread: begin }),
    root,
    temporary,
    endThread,
    [Symbol.dispose]: () => {
      endThread();
      temp[Symbol.dispose]();
    },
  };
}
