import type { CdxjEntry } from "../../formats/warc/index.ts";
import type { WarcMemory } from "./warc-memory.ts";

const pathsAtATime = 1000;
/** What an answer says of the page itself, not of the server's troubles. */
const ofThePage: ReadonlySet<number> = new Set([200, 301, 302, 303, 307, 308, 404, 410]);

/**
 * Finds pages of which a killed run recorded something else than is remembered: what is remembered may be what the site
 * has gone back to since, and would not be asked for; the newest record would then be of a page that is no more.
 */
export class OrphanedCaptures {
  readonly #origin: string;
  readonly #memory: WarcMemory;
  readonly #doubt: (paths: readonly string[]) => void;
  /** Captures of one URL, of the newest time among those that came. */
  #newest: CdxjEntry[] = [];
  #paths: string[] = [];

  /** @param doubt - makes pages due to be fetched whole, durably */
  constructor(origin: string, memory: WarcMemory, doubt: (paths: readonly string[]) => void) {
    this.#origin = origin;
    this.#memory = memory;
    this.#doubt = doubt;
  }

  /** Takes a capture; those of one URL come one after the other, by their times. */
  add(capture: CdxjEntry): void {
    const [last] = this.#newest;
    if (last?.url !== capture.url) this.#judge();
    if (last?.url === capture.url && last.date === capture.date) this.#newest.push(capture);
    else this.#newest = [capture];
  }

  /** To be called after the last capture of a file. */
  end(): void {
    this.#judge();
    this.#newest = [];
    this.#flush();
  }

  // Which of one second is the newest is not known.
  #judge(): void {
    const [{ url } = { url: "" }] = this.#newest;
    const held = url.startsWith(`${this.#origin}/`) ? this.#memory.find(url) : undefined;
    if (held === undefined) return;
    const isOther = ({ status, digest }: CdxjEntry): boolean =>
      status !== undefined && ofThePage.has(status) && (status !== 200 || digest !== held.payload);
    if (!this.#newest.some(isOther)) return;
    this.#memory.remember({ ...held, digest: undefined });
    this.#paths.push(url.slice(this.#origin.length));
    if (this.#paths.length >= pathsAtATime) this.#flush();
  }

  #flush(): void {
    this.#memory.commit();
    if (this.#paths.length > 0) this.#doubt(this.#paths);
    this.#paths = [];
  }
}
