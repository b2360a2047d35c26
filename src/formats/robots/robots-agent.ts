import { excerpt, TidemarkError } from "../../core/index.ts";

/** Names under which an agent obeys robots.txt, in lower case: the first that a group names counts, else `*`. */
export type RobotsAgent = readonly string[];

/** The product token of this program. */
export const ownProductToken = "tidemark";

/** What a robots.txt can name, at the beginning of a product: a letter is needed. */
const token = /^[0-9_-]*[A-Za-z][A-Za-z0-9_-]*/;
const address = /^\+?[a-z][a-z0-9+.-]*:\/\//i;
/** A comment, or a run of what is neither space nor a comment. */
const piece = /\(([^()]*)\)?|[^\s()]+/g;
/** What browsers put into their names, and crawlers that want to be answered as a browser is. */
const browserWords: ReadonlySet<string> = new Set(
  (
    "mozilla applewebkit khtml gecko chrome chromium headlesschrome safari firefox version mobile edge edg opr opera presto " +
    "trident msie konqueror webkit"
  ).split(" "),
);
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;

function tokenOf(text: string): string | undefined {
  return address.test(text) ? undefined : token.exec(text)?.[0].toLowerCase();
}

function isBrowserWord(name: string | undefined): boolean {
  return name !== undefined && browserWords.has(name);
}

/** What a comment names: what follows `compatible`, else its first part where it has an address too. */
function nameInComment(comment: string): string | undefined {
  const parts = comment.split(/[;,]/).map((part) => part.trim());
  const at = parts.findIndex((part) => part.toLowerCase() === "compatible");
  const isCrawler = /:\/\/|@/.test(comment);
  if (at === -1 && !isCrawler) return undefined;
  return parts
    .slice(at + 1)
    .map(tokenOf)
    .find((name) => name !== undefined && !isBrowserWord(name));
}

/**
 * The product token that a server reads in a User-Agent: the name of its first product without the version, in lower
 * case. Of a crawler that names itself behind a browser's words, `Mozilla/5.0 (compatible; MyBot/1.0; +https://...)`, it
 * is the name behind `compatible`, else that beside an address in a comment, else the last product that is no browser's;
 * `mozilla` if there is none.
 *
 * @returns undefined if there is no name that a line `User-agent` could hold
 * @see RFC 9309 section 2.2.1; RFC 9110 section 10.1.5
 */
export function parseProductToken(userAgent: string): string | undefined {
  const products: (string | undefined)[] = [];
  const comments: string[] = [];
  for (const [text, comment] of userAgent.matchAll(piece))
    if (comment === undefined) products.push(tokenOf(text));
    else comments.push(comment);
  const [first] = products;
  if (first !== undefined && first !== "mozilla") return first;
  const named = comments.map(nameInComment).find((name) => name !== undefined);
  return named ?? products.findLast((name) => name !== undefined && !isBrowserWord(name)) ?? first;
}

/**
 * The names under which an agent obeys robots.txt: the product token of what it sends, and beside it that of this
 * program, which counts where no group names the first.
 *
 * @param userAgent - what is sent as User-Agent; default: that of this program
 * @throws TidemarkError `bad-option` if it has no name that a robots.txt could speak to, or is no value of a field
 */
export function robotsAgentOf(userAgent: string | undefined): RobotsAgent {
  if (userAgent === undefined) return [ownProductToken];
  const name = fieldValue.test(userAgent) ? parseProductToken(userAgent) : undefined;
  if (name === undefined)
    throw new TidemarkError(
      "bad-option",
      `The user agent ${excerpt(userAgent)} has no name that a robots.txt could use.`,
      {
        hint: 'Begin it with a name of letters, digits, - and _, such as "MyBot/1.0 (+https://example.org/bot)".',
      },
    );
  return name === ownProductToken ? [name] : [name, ownProductToken];
}
