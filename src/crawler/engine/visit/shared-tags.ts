import type { SiteMemory, Validators } from "../../../core/index.ts";

/** So many different bodies under one entity tag, and it is no tag of a body. */
const minBodies = 3;
const maxTags = 10_000;
/** The newest tags that a site shares; each build of it may bring another. */
const maxRememberedTags = 100;

/**
 * Entity tags that a site is known to give to what differs: those that its pages share, and one that its robots.txt and
 * its index share.
 */
export function readSharedTags(memory: SiteMemory): ReadonlySet<string> {
  const { robots, position } = memory.read();
  const tags = new Set(memory.readSource("tags") as readonly string[] | undefined);
  const etag = robots?.validators.etag;
  if (etag !== undefined && etag === position?.indexValidators.etag) tags.add(etag);
  return tags;
}

/** Validators without an entity tag that others share. */
export function withoutShared(validators: Validators, shared: ReadonlySet<string>): Validators {
  const { etag } = validators;
  return etag === undefined || !shared.has(etag) ? validators : withoutTag(validators);
}

function withoutTag({ etag: _, ...others }: Validators): Validators {
  return others;
}

/** Finds entity tags that a server gives to pages that differ: a 304 for one of them says nothing. Memory is bounded. */
export class SharedTags {
  /** Digests by tag: a set only once there are two. */
  readonly #digests = new Map<string, string | Set<string>>();
  readonly #known: ReadonlySet<string>;
  readonly #found = new Set<string>();

  /** @param known - tags that were found in earlier visits */
  constructor(known: ReadonlySet<string>) {
    this.#known = known;
  }

  /** Tags that were found. */
  get found(): readonly string[] {
    return [...this.#found];
  }

  /** Remembers what was found. */
  remember(memory: SiteMemory): void {
    if (this.#found.size === 0) return;
    memory.rememberSource("tags", [...this.#known, ...this.#found].slice(-maxRememberedTags));
  }

  /**
   * Notes what came with a body.
   *
   * @returns what of it can be sent with the next request
   */
  judge(validators: Validators, digest: string): Validators {
    const { etag } = validators;
    if (etag === undefined) return validators;
    if (this.#known.has(etag) || this.#found.has(etag)) return withoutTag(validators);
    const seen = this.#digests.get(etag);
    if (seen === undefined) {
      if (this.#digests.size >= maxTags) this.#digests.clear();
      this.#digests.set(etag, digest);
      return validators;
    }
    if (seen === digest) return validators;
    const digests = typeof seen === "string" ? new Set([seen]) : seen;
    this.#digests.set(etag, digests.add(digest));
    if (digests.size < minBodies) return validators;
    this.#digests.delete(etag);
    this.#found.add(etag);
    return withoutTag(validators);
  }
}
