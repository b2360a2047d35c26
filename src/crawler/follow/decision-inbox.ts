import { randomBytes } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { excerpt, omitUndefined, parseUrl, wrapSystemError } from "../../core/index.ts";
import { makeMissingFolder, readSideFile, sideFileIn, writeDurably } from "../../fs/index.ts";
import { isPriority } from "./site-scheduler.ts";

/** A decision about a followed site; omitted properties stay unchanged. */
export interface SiteDecision {
  /** Its origin. */
  readonly site: string;
  readonly isPaused?: boolean;
  /** From 0 to 10. */
  readonly priority?: number;
  /** Whether its next visit is due now; a paused site is visited once it is resumed. */
  readonly isDue?: true;
}

/** Result of one file of the inbox. */
export type InboxOutcome =
  | { readonly kind: "decided"; readonly decision: SiteDecision }
  | { readonly kind: "refused"; readonly message: string };

/** Who takes decisions. */
export interface DecisionTaker {
  isFollowed(site: string): boolean;
  /** Makes a decision durable and applies it. */
  decide(decision: SiteDecision): void;
  onOutcome(outcome: InboxOutcome): void;
}

const maxFileBytes = 4096;
const filesAtATime = 1000;
const temporaryEnding = ".tmp";

/**
 * A folder into which other processes put small files for the process that holds the state; each stays until it was
 * taken.
 */
export class DecisionInbox {
  readonly #folder: string;
  /** Files that could not be removed. */
  readonly #stuck = new Set<string>();

  /** @param into - folder of the mirrors */
  constructor(into: string) {
    this.#folder = sideFileIn(into, "inbox");
  }

  /** Creates the folder and removes leftovers of killed writers. Call it before {@link take}. */
  open(): void {
    this.#make();
    try {
      for (const name of this.#names())
        if (name.endsWith(temporaryEnding)) rmSync(join(this.#folder, name), { recursive: true, force: true });
    } catch (error) {
      throw wrapSystemError(error, `open ${this.#folder}`, { folder: this.#folder });
    }
  }

  /**
   * Writes a decision atomically and durably.
   *
   * @param at - decisions are taken in the order of these times
   * @returns the name of its file
   */
  async put(decision: SiteDecision, at: number): Promise<string> {
    const name = `${String(at).padStart(15, "0")}-${randomBytes(6).toString("hex")}.json`;
    this.#make();
    await writeDurably(join(this.#folder, name), `${JSON.stringify(decision)}\n`, { mode: "user" });
    return name;
  }

  /** Whether a file was not taken yet. */
  has(name: string): boolean {
    return this.#names().includes(name);
  }

  /** Takes at most a thousand files, oldest first: decisions are applied, anything else is refused, and both are removed. */
  take({ isFollowed, decide, onOutcome }: DecisionTaker): void {
    const names = this.#names().filter((name) => !name.endsWith(temporaryEnding) && !this.#stuck.has(name));
    for (const name of names.sort().slice(0, filesAtATime)) {
      const read = readSideFile(join(this.#folder, name), maxFileBytes);
      if (read === "missing") continue;
      const decision = typeof read === "string" ? undefined : parseDecision(read.text);
      const isMine = decision !== undefined && isFollowed(decision.site);
      // A decision is durable before its file is removed: after a kill in between it is applied again, and so are those
      // after it.
      if (isMine) decide(decision);
      const rest = this.#remove(name) ? "" : ", and it cannot be removed";
      const fault = decision === undefined ? "is no decision" : "is of no site that is followed";
      if (isMine) onOutcome({ kind: "decided", decision });
      else onOutcome({ kind: "refused", message: `${excerpt(name)} in the inbox ${fault}${rest}.` });
    }
  }

  #make(): void {
    try {
      makeMissingFolder(this.#folder);
    } catch (error) {
      throw wrapSystemError(error, `open ${this.#folder}`, { folder: this.#folder });
    }
  }

  #remove(name: string): boolean {
    try {
      rmSync(join(this.#folder, name), { recursive: true, force: true });
      return true;
    } catch {
      this.#stuck.add(name);
      return false;
    }
  }

  #names(): string[] {
    try {
      return readdirSync(this.#folder);
    } catch (error) {
      if ((error as { code?: unknown }).code === "ENOENT") return [];
      throw wrapSystemError(error, `read ${this.#folder}`, { folder: this.#folder });
    }
  }
}

/** Parses a decision; any process may have written it. @returns undefined if it is invalid */
function parseDecision(text: string): SiteDecision | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { site, isPaused, priority, isDue, ...others } = value as Readonly<Record<string, unknown>>;
  if (typeof site !== "string" || parseUrl(site)?.origin !== site || !/^https?:/.test(site)) return undefined;
  if (Object.keys(others).length > 0) return undefined;
  if (isPaused !== undefined && typeof isPaused !== "boolean") return undefined;
  if (priority !== undefined && !isPriority(priority)) return undefined;
  if (isDue !== undefined && isDue !== true) return undefined;
  if (isPaused === undefined && priority === undefined && isDue === undefined) return undefined;
  return { site, ...omitUndefined({ isPaused, priority }), ...(isDue === undefined ? {} : { isDue }) };
}
