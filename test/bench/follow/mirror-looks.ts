import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { mirrorFolderOf, mirrorPathOf } from "../../../src/storage/mirror/mirror-path.ts";

import { type LivingPage, type LivingWeb, readPageVersion } from "./living-web.ts";

/** The version of a page that lies in a mirror; undefined if none does. */
export function mirroredVersion(into: string, web: LivingWeb, page: LivingPage): number | undefined {
  const file = join(into, mirrorFolderOf(web.originOf(page)), mirrorPathOf(page.path, false));
  return existsSync(file) ? readPageVersion(readFileSync(file, "utf8")) : undefined;
}

/** Compares files of a mirror with those that are served, now and then: what is held, whatever logs say. */
export class MirrorLooks {
  readonly #into: string;
  readonly #web: LivingWeb;
  #looks = 0;
  #fresh = 0;

  constructor(into: string, web: LivingWeb) {
    this.#into = into;
    this.#web = web;
  }

  look(page: LivingPage): void {
    this.#looks++;
    const served = readPageVersion(readFileSync(this.#web.fileOf(page), "utf8"));
    if (mirroredVersion(this.#into, this.#web, page) === served) this.#fresh++;
  }

  get looks(): number {
    return this.#looks;
  }

  get freshness(): number {
    return this.#fresh / this.#looks;
  }
}
