import type { EpochSeconds } from "../../core/index.ts";
import {
  type Capability,
  maxResourceSyncLinks,
  type ResourceSyncEntry,
  type ResourceSyncHeader,
  type ResourceSyncTimes,
} from "./resource-sync.ts";

type TimeKind = "at" | "from" | "none";

// ANSI/NISO Z39.99-2017 appendix A.
const timesOf: Readonly<Record<Capability, TimeKind>> = {
  description: "none",
  capabilitylist: "none",
  resourcelist: "at",
  resourcedump: "at",
  "resourcedump-manifest": "at",
  changelist: "from",
  changedump: "from",
  "changedump-manifest": "from",
};

function checkTimes(what: string, times: ResourceSyncTimes, allowed: TimeKind): void {
  const { at, completed, from, until } = times;
  if (allowed !== "at" && (at !== undefined || completed !== undefined))
    throw new RangeError(`${what} has no at and no completed`);
  if (allowed !== "from" && (from !== undefined || until !== undefined))
    throw new RangeError(`${what} has no from and no until`);
  if (at !== undefined && completed !== undefined && completed < at)
    throw new RangeError(`${what} completed before at`);
  if (from !== undefined && until !== undefined && until < from) throw new RangeError(`${what} until before from`);
}

/** @throws RangeError if the specification does not allow a document to begin so (sections 8 to 13, appendix A) */
export function checkHeader(header: ResourceSyncHeader): void {
  const { capability } = header;
  checkTimes(capability, header, timesOf[capability]);
  if (timesOf[capability] === "at" && header.at === undefined) throw new RangeError(`${capability} without at`);
  if (timesOf[capability] === "from" && header.from === undefined) throw new RangeError(`${capability} without from`);
  if (header.links.length > maxResourceSyncLinks) throw new RangeError("too many links");
  if (capability !== "description" && !header.links.some((link) => link.rel === "up"))
    throw new RangeError(`${capability} without a link up`);
  if (header.kind === "sitemapindex" && (capability === "capabilitylist" || capability.endsWith("-manifest")))
    throw new RangeError(`there is no index of ${capability}`);
}

/** What entries of one document must satisfy, in their order. */
export class EntryRules {
  readonly #header: ResourceSyncHeader;
  readonly #entryTimes: TimeKind;
  #newest: EpochSeconds = 0;

  constructor(header: ResourceSyncHeader) {
    const { capability, kind } = header;
    this.#header = header;
    const tellsTimes = kind === "sitemapindex" || capability === "resourcedump" || capability === "changedump";
    this.#entryTimes = tellsTimes ? timesOf[capability] : "none";
  }

  /** @throws RangeError if the specification does not allow the entry there */
  check(entry: ResourceSyncEntry): void {
    const { capability, kind } = this.#header;
    if (entry.links !== undefined && entry.links.length > maxResourceSyncLinks) throw new RangeError("too many links");
    checkTimes(`an entry of ${capability}`, entry, this.#entryTimes);
    const listsDocuments = kind === "urlset" && (capability === "description" || capability === "capabilitylist");
    if (listsDocuments !== (entry.capability !== undefined))
      throw new RangeError(`an entry of ${capability} ${listsDocuments ? "without" : "with"} a capability`);
    const listsChanges = kind === "urlset" && (capability === "changelist" || capability === "changedump-manifest");
    if (listsChanges !== (entry.change !== undefined && entry.changedAt !== undefined))
      throw new RangeError(`an entry of ${capability} ${listsChanges ? "without" : "with"} change and its time`);
    if (entry.changedAt !== undefined) this.#checkChange(entry.changedAt);
    if (entry.from !== undefined) this.#checkOrder(entry.from);
    this.#checkPath(entry);
  }

  #checkChange(changedAt: EpochSeconds): void {
    const { from = 0, until = Number.POSITIVE_INFINITY } = this.#header;
    if (changedAt < from || changedAt > until) throw new RangeError("a change outside the times of its list");
    this.#checkOrder(changedAt);
  }

  #checkOrder(time: EpochSeconds): void {
    if (time < this.#newest) throw new RangeError("entries are not in the order of time");
    this.#newest = time;
  }

  #checkPath(entry: ResourceSyncEntry): void {
    const { capability } = this.#header;
    const isPacked = capability.endsWith("-manifest") && entry.change !== "deleted";
    if (isPacked !== (entry.path !== undefined))
      throw new RangeError(`an entry of ${capability} ${isPacked ? "without" : "with"} a path`);
    if (entry.path !== undefined && !entry.path.startsWith("/")) throw new RangeError(`a path ${entry.path}`);
  }
}
