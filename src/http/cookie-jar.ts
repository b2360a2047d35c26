import type { Cookie, CookieJar } from "tough-cookie";
import { TidemarkError } from "../core/index.ts";
import { type FileCookie, readCookieFile } from "../formats/cookies/index.ts";

// At least 50 cookies of 4096 bytes, says RFC 6265 section 6.1; browsers keep 150 to 180 of a site.
const maxCookies = 150;
const maxCookieBytes = 4096;
/** Longest field Cookie: servers refuse lines of more than 8 KiB. */
const maxFieldBytes = 7168;

const setCookie = "set-cookie";

/** @throws TidemarkError `bad-option`, with the line but without its text */
export function readCookies(text: string): readonly FileCookie[] {
  const cookies = readCookieFile(text);
  if (!("wrongLine" in cookies)) return cookies;
  throw new TidemarkError("bad-option", `Line ${cookies.wrongLine} of the cookies is no cookie in Netscape form.`, {
    hint: "A line has seven fields separated by tabs, as curl --cookie-jar and wget --save-cookies write them.",
    details: { line: cookies.wrongLine },
  });
}

/** The cookies of one origin in memory: those that were given, and those that it sets. */
export class OriginCookies {
  readonly origin: string;
  readonly #jar: CookieJar;
  /** Of the same host with TLS: there are also the secure cookies. */
  readonly #secureUrl: string;
  readonly #library: typeof import("tough-cookie");

  private constructor(origin: string, library: typeof import("tough-cookie")) {
    this.origin = origin;
    this.#jar = new library.CookieJar();
    this.#secureUrl = `https://${new URL(origin).hostname}/`;
    this.#library = library;
  }

  /**
   * Opens a jar with those of the given cookies that are for the origin.
   *
   * @param text - as of {@link readCookies}
   */
  static async open(origin: string, text: string): Promise<OriginCookies> {
    const library = await import("tough-cookie");
    const cookies = new OriginCookies(origin, library);
    for (const { name, value, domain, path, isSecure, isForSubdomains, expires } of readCookies(text)) {
      const cookie = new library.Cookie({
        ...{ key: name, value, domain, path, secure: isSecure, hostOnly: !isForSubdomains },
        ...(expires === undefined ? {} : { expires: new Date(Math.min(expires * 1000, 8.64e15)) }),
      });
      if (isForSubdomains || domain === new URL(origin).hostname) cookies.#put(cookie);
    }
    return cookies;
  }

  // The library refuses cookies for other domains and for public suffixes.
  #put(cookie: Cookie, url = this.#secureUrl): void {
    this.#jar.setCookieSync(cookie, url, { ignoreError: true });
  }

  /** The value of Cookie for a request; undefined if there is none to send. */
  fieldFor(path: string): string | undefined {
    let field = "";
    for (const cookie of this.#jar.getCookiesSync(this.origin + path)) {
      const next = `${field === "" ? "" : "; "}${cookie.cookieString()}`;
      if (field.length + next.length <= maxFieldBytes) field += next;
    }
    return field === "" ? undefined : field;
  }

  /**
   * Takes the cookies that a response of the origin sets. Where there are too many, new ones are not taken: a flood must not
   * displace those that were given.
   *
   * @param raw - names and values alternating, as bytes
   * @returns the same without these fields, which may be secret
   */
  take(path: string, raw: readonly Uint8Array[]): readonly Uint8Array[] {
    const others: Uint8Array[] = [];
    for (let at = 0; at + 1 < raw.length; at += 2) {
      const [name, value] = [raw[at] as Uint8Array, raw[at + 1] as Uint8Array];
      if (Buffer.from(name).toString("latin1").toLowerCase() !== setCookie) others.push(name, value);
      else if (value.length <= maxCookieBytes) this.#takeOne(path, Buffer.from(value).toString("latin1"));
    }
    return others;
  }

  #takeOne(path: string, line: string): void {
    const cookie = /[\0-\x08\x0a-\x1f\x7f]/.test(line) ? undefined : this.#library.Cookie.parse(line);
    if (cookie === undefined) return;
    const held = this.#jar.getCookiesSync(this.#secureUrl, { allPaths: true });
    const ofPath = cookie.path ?? this.#library.defaultPath(path);
    const isHeld = held.some(({ key, path: itsPath }) => key === cookie.key && itsPath === ofPath);
    if (isHeld || held.length < maxCookies) this.#put(cookie, this.origin + path);
  }
}
