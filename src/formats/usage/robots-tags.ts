import { combineUsage, noUsage, type UsageFields, type UsagePreferences } from "../../core/index.ts";
import { readRobotsTag, readTags } from "../html/index.ts";
import { parseContentUsage } from "./content-usage.ts";

/** How much of a page is searched for `meta` elements, in bytes. */
const maxUsageMetaBytes = 64 * 1024;

const noAi: UsagePreferences = { "train-ai": "n", "ai-use": "n" };
const noMining: UsagePreferences = { "train-ai": "n" };
const maxCharacters = 16 * 1024;

/** To whom statements may be addressed, and of what. */
export interface UsageReader {
  /** Product tokens of the crawler, in lower case. */
  readonly agent: readonly string[];
  /** Of the body. */
  readonly mediaType: string;
}

/**
 * Reads what a response states about use: `Content-Usage`; `noai` and `noimageai` of `X-Robots-Tag`, addressed to everybody
 * or to this crawler; `TDM-Reservation: 1`.
 *
 * @see draft-ietf-aipref-attach-05 section 2; TDM Reservation Protocol, section 7 (W3C Community Group)
 */
export function readUsageFields(fields: UsageFields, reader: UsageReader): UsagePreferences {
  const { contentUsage = "", robotsTag = "", tdmReservation } = fields;
  const heard = robotsTag.length > maxCharacters ? [] : readRobotsTag(robotsTag, (name) => isAddressed(name, reader));
  return combineUsage(
    parseContentUsage(contentUsage),
    ...Array.from(heard, (directive) => readDirectives(directive, reader)),
    tdmReservation === "1" ? noMining : noUsage,
  );
}

function isAddressed(name: string, { agent }: UsageReader): boolean {
  return name === "robots" || name === "*" || agent.includes(name);
}

function readDirectives(text: string, { mediaType }: UsageReader): UsagePreferences {
  const words = text.toLowerCase().split(/[\s,]+/);
  const isMeant = words.includes("noai") || (words.includes("noimageai") && mediaType.startsWith("image/"));
  return isMeant ? noAi : noUsage;
}

const metaFields: ReadonlySet<string> = new Set(["name", "content"]);
const likely = /noai|noimageai|tdm-reservation/i;
const latin1 = new TextDecoder("latin1");

/** In these a tag means nothing. */
const texts = [
  ["script", "</script"],
  ["style", "</style"],
  ["title", "</title"],
  ["!--", "-->"],
] as const;

/** Whether a word stands at a place, in letters of either case. Without a closure: it is asked for each byte of a text. */
function has(content: Uint8Array, word: string, at: number): boolean {
  for (let next = 0; next < word.length; next++)
    if (((content[at + next] ?? 0) | 0x20) !== word.charCodeAt(next)) return false;
  return true;
}

/** Where the head of a page ends: at `</head` or `<body`. Bytes are compared, because few pages have anything to be read. */
function endOfHead(content: Uint8Array): number {
  for (let at = content.indexOf(0x3c); at !== -1; at = content.indexOf(0x3c, at + 1)) {
    if (has(content, "/head", at + 1) || has(content, "body", at + 1)) return at;
    for (const [start, end] of texts) {
      if (!has(content, start, at + 1)) continue;
      while (at < content.length && !has(content, end, at)) at++;
      break;
    }
  }
  return content.length;
}

/**
 * Reads what a page of HTML states about use in the `meta` elements of its head: `noai` for robots, and `tdm-reservation`.
 *
 * @param content - the page; 64 KiB of it are read
 */
export function readUsageMeta(content: Uint8Array, reader: UsageReader): UsagePreferences {
  const [a = 0, b = 0] = content;
  // In UTF-16 that is ASCII and zeros.
  const isUtf16 = (a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff);
  const searched = content.subarray(0, maxUsageMetaBytes);
  const bytes = isUtf16 ? searched.filter((byte) => byte !== 0) : searched;
  const head = latin1.decode(bytes.subarray(0, endOfHead(bytes)));
  // Nearly all pages end here: reading tags costs more than digesting the page.
  if (!likely.test(head)) return noUsage;
  let found = noUsage;
  const onTag = (name: string, fields: ReadonlyMap<string, string>): void => {
    if (name !== "meta") return;
    const of = (fields.get("name") ?? "").trim().toLowerCase();
    const said = fields.get("content") ?? "";
    if (of === "tdm-reservation" && said.trim() === "1") found = combineUsage(found, noMining);
    else if (isAddressed(of, reader)) found = combineUsage(found, readDirectives(said, reader));
  };
  readTags(head, { wanted: metaFields, onTag }, reader.mediaType === "application/xhtml+xml");
  return found;
}
