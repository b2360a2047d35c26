import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { digestBytes } from "../../../src/core/page.ts";
import { decodePathSegment } from "../../../src/formats/url/url-path.ts";
import type { Pages } from "./replayed-publisher.ts";

interface SeenFile {
  readonly ino: bigint;
  readonly ctimeNs: bigint;
  readonly sizeBytes: number;
  readonly digest: string;
}

/** Compares mirrors with the site. */
export class MirrorCheck {
  readonly #docroot: string;
  /** By the file's full name: a file whose inode did not change has the bytes that were read of it before. */
  readonly #seen = new Map<string, SeenFile>();
  #pages: Pages = new Map();

  constructor(docroot: string) {
    this.#docroot = docroot;
  }

  /** Says what the site is now. */
  expect(pages: Pages): void {
    this.#pages = pages;
  }

  /** @throws Error unless the mirror has every page with its size and digest, and no other file */
  compare(mirror: string): void {
    const files = listFiles(mirror);
    for (const { path, sizeBytes, digest } of this.#pages.values()) {
      const name = fileNameOf(path);
      if (!files.delete(name)) throw new Error(`${mirror}: ${path} is missing`);
      const file = this.#look(join(mirror, name));
      if (file.sizeBytes !== sizeBytes || file.digest !== digest) throw new Error(`${mirror}: ${path} is not as it is`);
    }
    if (files.size > 0) throw new Error(`${mirror}: ${[...files][0]} is too much`);
  }

  /** @throws Error unless each file of the mirror is byte for byte that of the site */
  compareBytes(mirror: string): void {
    for (const name of listFiles(mirror)) {
      if (!readFileSync(join(mirror, name)).equals(readFileSync(join(this.#docroot, name))))
        throw new Error(`${mirror}: ${name} is not as it is`);
    }
  }

  #look(name: string): SeenFile {
    const { ino, ctimeNs, size } = lstatSync(name, { bigint: true });
    const sizeBytes = Number(size);
    const known = this.#seen.get(name);
    if (known?.ino === ino && known.ctimeNs === ctimeNs && known.sizeBytes === sizeBytes) return known;
    const digest = createHash("sha256").update(readFileSync(name)).digest().subarray(0, digestBytes);
    const file = { ino, ctimeNs, sizeBytes, digest: digest.toString("base64url") };
    this.#seen.set(name, file);
    return file;
  }
}

function fileNameOf(path: string): string {
  return Buffer.from(decodePathSegment(path.slice(1)), "latin1").toString();
}

function listFiles(folder: string): Set<string> {
  const files = new Set<string>();
  const visit = (relative: string): void => {
    for (const entry of readdirSync(join(folder, relative), { withFileTypes: true })) {
      const name = relative === "" ? entry.name : `${relative}/${entry.name}`;
      if (entry.isDirectory()) visit(name);
      else files.add(name);
    }
  };
  visit("");
  return files;
}
