import type { EpochSeconds } from "../../core/index.ts";
import { escapeXml } from "../sitemap/index.ts";

/** A page in a feed. */
export interface FeedEntry {
  readonly url: string;
  readonly title: string;
  readonly lastModified: EpochSeconds;
}

/** The latest changed pages of a site. */
export interface SiteFeed {
  /** The site's origin with `/`. */
  readonly site: string;
  readonly epoch: string;
  readonly publication: EpochSeconds;
  /** URLs of the feed's two forms. */
  readonly atomUrl: string;
  readonly jsonUrl: string;
  /** Latest first. */
  readonly entries: readonly FeedEntry[];
}

// What neither XML 1.0 section 2.2 nor JSON between programs can hold.
const unprintable = /[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const latestTime = 253_402_300_799;

function formatTime(seconds: EpochSeconds): string {
  return new Date(Math.min(Math.max(seconds, 0), latestTime) * 1000).toISOString().replace(".000Z", "Z");
}

function plain(text: string): string {
  return text.replace(unprintable, "");
}

/**
 * Writes a feed as Atom.
 *
 * @see RFC 4287
 */
export function formatAtom({ site, publication, atomUrl, entries }: SiteFeed): string {
  const host = escapeXml(new URL(site).host);
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `<id>${escapeXml(atomUrl)}</id>`,
    `<title>${host}</title>`,
    `<updated>${formatTime(publication)}</updated>`,
    `<author><name>${host}</name></author>`,
    `<link rel="self" type="application/atom+xml" href="${escapeXml(atomUrl)}"/>`,
    `<link rel="alternate" type="text/html" href="${escapeXml(site)}"/>`,
  ];
  for (const { url, title, lastModified } of entries) {
    const address = escapeXml(url);
    lines.push(
      "<entry>",
      `<id>${address}</id>`,
      `<title>${escapeXml(plain(title))}</title>`,
      `<updated>${formatTime(lastModified)}</updated>`,
      `<link rel="alternate" type="text/html" href="${address}"/>`,
      "</entry>",
    );
  }
  return `${lines.join("\n")}\n</feed>\n`;
}

/**
 * Writes a feed as JSON Feed 1.1, with the publication that it shows as an extension.
 *
 * @see https://www.jsonfeed.org/version/1.1/
 */
export function formatJsonFeed({ site, epoch, publication, jsonUrl, entries }: SiteFeed): string {
  const feed = {
    version: "https://jsonfeed.org/version/1.1",
    title: new URL(site).host,
    home_page_url: site,
    feed_url: jsonUrl,
    _tidemark: { epoch, publication },
    items: entries.map(({ url, title, lastModified }) => ({
      id: url,
      url,
      title: plain(title),
      content_text: plain(title),
      date_modified: formatTime(lastModified),
    })),
  };
  return `${JSON.stringify(feed, undefined, 1)}\n`;
}

/** Which publication a JSON Feed of {@link formatJsonFeed} shows; undefined of any other text. */
export function readFeedMark(text: string): Pick<SiteFeed, "epoch" | "publication"> | undefined {
  try {
    const mark = JSON.parse(text)?._tidemark;
    if (typeof mark?.epoch !== "string" || typeof mark.publication !== "number") return undefined;
    return { epoch: mark.epoch, publication: mark.publication };
  } catch {
    return undefined;
  }
}
