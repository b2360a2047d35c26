/** Of a URL, in characters. */
const maxUrlLength = 2048;
/** Of a path. */
const maxSegments = 32;
/** A group of segments may not follow itself this often, as in `/a/b/a/b/a/b`. */
const maxRepeats = 3;
/** Queries of one path that are followed, those of earlier visits included. */
const maxQueries = 200;
/** A calendar is followed this far into the past, where archives end, and into the future; and so many other months of it. */
const pastMonths = 360;
const futureMonths = 24;
const maxOtherMonths = 12;
/** Pages of one list that may follow one another without anything new. */
const maxBarrenPages = 3;
/** Paths, calendars and lists that are remembered, of each kind. */
const maxRemembered = 10_000;

const pageNumber = /(?<=[?&/](?:page|pg|paged|offset|seite)[=/])[0-9]{1,9}(?=$|[&/])/gi;

/** Forgets the least recently used when it is full. */
class Memory<Value> {
  readonly #values = new Map<string, Value>();

  take(key: string, make: () => Value): Value {
    const value = this.#values.get(key) ?? make();
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size > maxRemembered) {
      const [oldest = key] = this.#values.keys();
      this.#values.delete(oldest);
    }
    return value;
  }
}

/** FNV-1a, 32 bits, over UTF-16 units: a collision lets one query too many through. */
function hashOf(text: string): number {
  let hash = 0x811c_9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x0100_0193);
  return hash;
}

/**
 * Keeps a crawl of links out of what has no end: calendars, lists that go on without content, paths that repeat, queries
 * without number. What it remembers is bounded; a URL that was admitted is admitted again as long as it is remembered.
 */
export class TrapGuard {
  readonly #thisMonth: number;
  readonly #readQueries: (url: string, limit: number) => readonly string[];
  readonly #queries = new Memory<Set<number>>();
  readonly #calendars = new Memory<Set<number>>();
  readonly #lists = new Memory<{ barren: number }>();

  /**
   * @param nowMs - milliseconds since 1970: the middle of calendars
   * @param readQueries - queries, with `?`, under which the path of a URL is known from earlier visits; read once for each path
   */
  constructor(nowMs: number, readQueries: (url: string, limit: number) => readonly string[] = () => []) {
    this.#readQueries = readQueries;
    const now = new Date(nowMs);
    this.#thisMonth = now.getUTCFullYear() * 12 + now.getUTCMonth() + 1;
  }

  /**
   * @param text - an absolute URL without fragment
   * @returns the URL without session ids, which is what identifies the page; undefined if it seems to be part of a trap
   * @throws TypeError if it is no URL
   */
  admit(text: string): string | undefined {
    if (text.length > maxUrlLength) return undefined;
    const stripped = withoutSession(text);
    const url = new URL(stripped);
    // What is left may have dot segments that it did not have before.
    const bare = stripped === text ? text : url.href;
    const segments = url.pathname.split("/").filter((segment) => segment !== "");
    if (segments.length > maxSegments || repeats(segments) || this.#isBarren(bare) || !this.#isInCalendar(url))
      return undefined;
    if (url.search === "") return bare;
    const readKnown = () => new Set(this.#readQueries(bare, maxQueries).map(hashOf));
    const queries = this.#queries.take(url.origin + url.pathname, readKnown);
    return takePlace(queries, hashOf(url.search), maxQueries) ? bare : undefined;
  }

  /**
   * Notes what a page brought. A list ends after some numbered pages (`?page=7`, `/page/7/`) that brought nothing new.
   *
   * @param text - its URL, as {@link admit} returned it
   * @param isNew - whether its content, or any of its links, was unknown before
   */
  learn(text: string, isNew: boolean): void {
    const list = this.#listOf(text);
    if (list === undefined) return;
    list.barren = isNew ? 0 : list.barren + 1;
  }

  #isBarren(text: string): boolean {
    return (this.#listOf(text)?.barren ?? 0) >= maxBarrenPages;
  }

  #listOf(text: string): { barren: number } | undefined {
    const form = text.replace(pageNumber, "*");
    return form === text ? undefined : this.#lists.take(form, () => ({ barren: 0 }));
  }

  #isInCalendar(url: URL): boolean {
    const date = findDate(url);
    if (date === undefined) return true;
    const monthsAhead = date.month - this.#thisMonth;
    if (monthsAhead <= futureMonths && monthsAhead >= -pastMonths) return true;
    const months = this.#calendars.take(url.origin + date.form, () => new Set());
    return takePlace(months, date.month, maxOtherMonths);
  }
}

/** Whether a group of segments stands {@link maxRepeats} times in a row. */
function repeats(segments: readonly string[]): boolean {
  for (let size = 1; size * maxRepeats <= segments.length; size++) {
    let equal = 0;
    for (let at = size; at < segments.length; at++) {
      equal = segments[at] === segments[at - size] ? equal + 1 : 0;
      if (equal >= size * (maxRepeats - 1)) return true;
    }
  }
  return false;
}

function takePlace(places: Set<number>, place: number, limit: number): boolean {
  if (places.has(place)) return true;
  if (places.size >= limit) return false;
  places.add(place);
  return true;
}

// With strokes between, or two digits each.
const wholeDate =
  /(?<![0-9])((?:19|2[0-9])[0-9]{2})(?:([-/._])(1[0-2]|0?[1-9])(?:\2(?:[12][0-9]|3[01]|0?[1-9]))?|(0[1-9]|1[0-2])(?:[0-2][0-9]|3[01])?)(?![0-9])/;
const yearName = /^(?:y|yr|year|jahr|annee|ano|anno|yil|rok)$/i;
const monthName = /^(?:m|mo|mon|month|monat|mois|mes|mese)$/i;
const dayName = /^(?:d|day|tag|jour|dia|giorno)$/i;
// Names that calendars use; another parameter's number is no date.
const dateName = /date|day|month|year|cal|week|time|start|end|from|to|since|until|begin|jahr|monat|tag/i;

/** A date that a URL names. */
interface UrlDate {
  /** Months since the year 0. */
  readonly month: number;
  /** The URL with the date blanked: what all pages of one calendar share. */
  readonly form: string;
}

/**
 * Finds the date that a URL asks for: `/2031/07/`, `/cal/2031-07-04`, `?date=20310704`, `?year=2031&month=7`.
 *
 * @returns undefined if there is none
 */
function findDate(url: URL): UrlDate | undefined {
  let year: number | undefined;
  let month: number | undefined;
  const form: string[] = [];
  for (const parameter of url.search.slice(1).split("&")) {
    const equals = parameter.indexOf("=");
    const [name, value] = equals === -1 ? [parameter, ""] : [parameter.slice(0, equals), parameter.slice(equals + 1)];
    const found = dateName.test(name) ? wholeDate.exec(value) : null;
    const isYear = yearName.test(name) && /^[0-9]{4}$/.test(value);
    const isMonth = monthName.test(name) && /^(?:0?[1-9]|1[0-2])$/.test(value);
    if (found !== null) {
      year ??= Number(found[1]);
      month ??= Number(found[3] ?? found[4]);
    } else if (isYear) year ??= Number(value);
    else if (isMonth) month ??= Number(value);
    const isDate = found !== null || isYear || isMonth || (dayName.test(name) && /^[0-9]{1,2}$/.test(value));
    form.push(isDate ? `${name}=` : parameter);
  }
  if (year !== undefined) return { month: year * 12 + (month ?? 1), form: `${url.pathname}?${form.join("&")}` };
  const found = wholeDate.exec(url.pathname);
  if (found === null) return undefined;
  const [text, pathYear, , stroked, plain] = found;
  // What stands behind a date in the path names an article, not a page of the calendar.
  const rest = url.pathname.slice(found.index + text.length);
  if (!/^(?:\/|\/?[0-9]{1,2}\/?|\.[a-z]{2,5}|\/index\.[a-z]{2,5})?$/.test(rest)) return undefined;
  const before = url.pathname.slice(0, found.index);
  return { month: Number(pathYear) * 12 + Number(stroked ?? plain), form: `${before}*?${form.join("&")}` };
}

// Names of parameters that hold a visit's identity, in lower case. Short ones only beside a value that looks like one.
const sure: ReadonlySet<string> = new Set(
  "jsessionid phpsessid aspsessionid asp.net_sessionid sessionid session_id cfid cftoken osid oscsid zenid sessid".split(
    " ",
  ),
);
const likely: ReadonlySet<string> = new Set("sid session s phpsess".split(" "));
const tokenValue = /^(?=[^&]*[0-9])[0-9a-z_-]{16,128}$/i;
// Servlets write `;jsessionid=...` behind the path, ASP.NET `/(S(...))/` within it.
const pathParameter = /;(?:jsessionid|phpsessid|sid)=[^/?#;]*/gi;
const aspSegment = /\/\((?:[A-Z]\([0-9a-z]{20,32}\)){1,3}\)(?=\/)/gi;

function isSession(parameter: string): boolean {
  const equals = parameter.indexOf("=");
  if (equals === -1) return false;
  const name = parameter.slice(0, equals).toLowerCase();
  return sure.has(name) || (likely.has(name) && tokenValue.test(parameter.slice(equals + 1)));
}

/**
 * Takes out of a URL what only names a visit: `;jsessionid=...`, `/(S(...))/`, `PHPSESSID=...`, and `sid=` and its
 * like where the value is a token of 16 or more characters, one of them a digit. A host stays as it is, whatever it looks like.
 *
 * @param url - absolute, without fragment
 * @returns the same text if there is nothing of the kind
 */
export function withoutSession(url: string): string {
  const mark = url.indexOf("?");
  const before = mark === -1 ? url : url.slice(0, mark);
  const root = before.indexOf("/", before.indexOf("//") + 2);
  const path = root === -1 ? "" : before.slice(root);
  const bare =
    path.includes(";") || path.includes("/(")
      ? before.slice(0, root) + path.replace(pathParameter, "").replace(aspSegment, "")
      : before;
  if (mark === -1) return bare;
  const parameters = url.slice(mark + 1).split("&");
  const kept = parameters.filter((parameter) => !isSession(parameter));
  if (kept.length === parameters.length) return bare + url.slice(mark);
  return kept.length === 0 ? bare : `${bare}?${kept.join("&")}`;
}
