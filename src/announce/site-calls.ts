import type { IndexNowEvent } from "../model/index.ts";
import { keyPath } from "./site-key.ts";

/** URLs that one call may carry. */
const maxUrlsPerCall = 10_000;
/** What sitemaps allow; longer ones are left out. */
const maxUrlLength = 2048;

/** How search engines are told. */
export interface TellingOptions {
  /** Folder where the teller remembers; it exists, and is the caller's alone while it tells. */
  readonly folder: string;
  /** The site's origin with `/`. */
  readonly site: string;
  /** URL of the endpoint. */
  readonly endpoint: string;
  /** The key, checked. */
  readonly key: string;
  /** Other keys that were used before: their files are no pages either. */
  readonly oldKeys: readonly string[];
  /** Whether the first run tells the whole site. */
  readonly all: boolean;
  /** Time that one call may take, in milliseconds. */
  readonly timeoutMs: number;
  /** Time after which a run makes no further call, in milliseconds. */
  readonly maxElapsedMs: number;
  /** URLs a call, 1 to 10,000. */
  readonly urlsPerCall?: number;
  readonly signal: AbortSignal | undefined;
  readonly onEvent: (event: IndexNowEvent) => void;
}

/** Makes the bodies of a site's calls. */
export class SiteCalls {
  readonly host: string;
  readonly keyLocation: string;
  readonly urlsPerCall: number;
  readonly #origin: string;
  readonly #key: string;

  constructor({ site, key, urlsPerCall = maxUrlsPerCall }: TellingOptions) {
    const { host, origin } = new URL(site);
    this.host = host;
    this.urlsPerCall = Math.min(Math.max(1, urlsPerCall), maxUrlsPerCall);
    this.#origin = origin;
    this.#key = key;
    this.keyLocation = origin + keyPath(key);
  }

  /** A page's URL as RFC 3986 has it: the WHATWG URL parser leaves some characters alone that it does not allow. */
  urlOf(path: string): string {
    return this.#origin + path.replace(/[[\]|^`{}"<>\\]/g, (character) => encodeURIComponent(character));
  }

  /** Whether a page's URL is short enough. */
  isTellable(path: string): boolean {
    return this.#origin.length + path.length <= maxUrlLength && this.urlOf(path).length <= maxUrlLength;
  }

  /** The body of a call. @see https://www.indexnow.org/documentation "Submitting set of URLs" */
  formatCall(paths: readonly string[]): string {
    const urlList = paths.map((path) => this.urlOf(path));
    return JSON.stringify({ host: this.host, key: this.#key, keyLocation: this.keyLocation, urlList });
  }
}
