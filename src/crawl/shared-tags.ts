import type { Validators } from "../model/index.ts";

/** So many different bodies under one entity tag, and it is no tag of a body. */
const minBodies = 3;
const maxTags = 10_000;

/** Finds entity tags that a server gives to pages that differ: a 304 for one of them says nothing. Memory is bounded. */
export class SharedTags {
  readonly #digests = new Map<string, Set<string>>();
  readonly #shared = new Set<string>();

  /** Tags that were found. */
  get shared(): readonly string[] {
    return [...this.#shared];
  }

  /**
   * Notes what came with a body.
   *
   * @returns what of it can be sent with the next request
   */
  judge(validators: Validators, digest: string): Validators {
    const { etag, ...others } = validators;
    if (etag === undefined) return validators;
    if (this.#shared.has(etag)) return others;
    let digests = this.#digests.get(etag);
    if (digests === undefined) {
      if (this.#digests.size >= maxTags) this.#digests.clear();
      digests = new Set();
      this.#digests.set(etag, digests);
    }
    digests.add(digest);
    if (digests.size < minBodies) return validators;
    this.#digests.delete(etag);
    this.#shared.add(etag);
    return others;
  }
}
