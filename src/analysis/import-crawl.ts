import { join } from "node:path";
import { makeMissingFolder, RecordSort } from "../fs/index.ts";
import { readLinks } from "../storage/index.ts";
import { AnchorSort } from "./anchors.ts";
import { importInto } from "./begun-import.ts";
import { anchorsFileOf, linksFileOf, namesFileOf, previousFolderOf, visitsFileOf } from "./graph-folder.ts";
import { LinksWriter } from "./links-writer.ts";
import { pause, recordsAtOnce } from "./pause.ts";
import { inBlocks, writeTextPieces } from "./text-file.ts";

/** A crawl of the Web whose links are to be a graph. */
export interface CrawlImportOptions {
  /** Folder to make; it must hold no graph. */
  readonly into: string;
  /** Folder of the crawl, with its `links`. */
  readonly crawl: string;
  readonly signal?: AbortSignal;
}

/** What came of it. */
export interface CrawlImportSummary {
  /** URLs that were fetched or linked to. */
  readonly nodes: number;
  /** Different links. */
  readonly links: number;
  /** URLs that were asked for, and those of them that were twice or more. */
  readonly visited: number;
  readonly revisited: number;
  /** Links to URLs that are too long for a list of names, and answers of pages with such URLs, whose links are left out too. */
  readonly tooLong: number;
  /** Different texts of links. */
  readonly texts: number;
}

/** A line of names has at most 8,192 bytes. */
const maxUrlBytes = 8_170;
const rowBytes = 6;
const noText = Buffer.alloc(0);
const [isAnswer, isLink, isText, isUnchangedAnswer] = [0, 1, 2, 3];
/** Whose links a line has: those of the page's last answer, of the one before that, of both if one of them found it unchanged, or of none. */
const [ofNone, ofPrevious, ofLatest] = [0, 1, 2];

/**
 * Makes a graph's folder of the links that a crawl of the Web kept. Nodes are URLs, in the order of their hosts written backwards: those
 * of a site, and of a domain, are neighbours. Of several answers for a page the links of the last count, as docs/format.md says; those of
 * the last but one make a graph of their own. What was never asked for is a node without links. Texts of links are written beside
 * the links, if the crawl kept any. Memory is that of three sorts, whatever the graph's size; the rest is on disk.
 *
 * @throws TidemarkError `bad-option` if there is a graph already, or a file that it would replace; `locked` while another import makes one in the folder; `not-found`, `state-corrupt`, `no-permission`, `disk-full`
 */
export async function importCrawl(options: CrawlImportOptions): Promise<CrawlImportSummary> {
  const { into, crawl } = options;
  return await importInto(into, [join(crawl, "links")], (target) => writeGraph(options, target));
}

async function writeGraph({ into, crawl, signal }: CrawlImportOptions, target: string): Promise<CrawlImportSummary> {
  using urls = new RecordSort(into);
  let [row, tooLong, hasTexts] = [0, 0, false];
  const put = (url: string, kind: number, at: number, text = ""): void => {
    const key = keyOf(url);
    urls.text.put(key);
    urls.text.putUint(kind, 1);
    urls.text.putUint(at, rowBytes);
    urls.text.putUint(row, rowBytes);
    urls.text.putBytes(Buffer.from(text));
    urls.add(key.length);
  };
  for (const { at, url, isUnchanged, links, texts } of readLinks(join(crawl, "links"))) {
    if (row % 1024 === 0) await pause(signal);
    if (!isShort(url)) {
      tooLong++;
      continue;
    }
    put(url, isUnchanged ? isUnchangedAnswer : isAnswer, at);
    for (const link of links) {
      if (isShort(link)) put(link, isLink, 0);
      else tooLong++;
    }
    for (const { link, text } of texts) if (isShort(link)) put(link, isText, 0, text);
    hasTexts ||= texts.length > 0;
    row++;
  }

  // Each row's page and links, as numbers.
  using rows = new RecordSort(into);
  using visits = new RecordSort(into);
  const nodes = { count: 0, visited: 0, revisited: 0 };
  function* names(): Generator<Uint8Array, void, void> {
    let last: Buffer | undefined;
    let answers: Answer[] = [];
    const endNode = (): void => {
      if (answers.length === 0) return;
      // Of equal times the last line counts, and rows are in the order of lines.
      answers.sort((a, b) => a.at - b.at || a.row - b.row);
      const newest = answers.at(-1);
      const [latest, previous] = [sourceOf(answers, answers.length - 1), sourceOf(answers, answers.length - 2)];
      for (const answer of answers) {
        const uses = (answer === latest ? ofLatest : ofNone) | (answer === previous ? ofPrevious : ofNone);
        if (!answer.isUnchanged) putRow(rows, answer.row, isAnswer, nodes.count - 1, uses);
      }
      visits.text.putUint(nodes.count - 1, 4);
      visits.text.putUint(newest?.at ?? 0, rowBytes);
      visits.text.putUint(answers.at(-2)?.at ?? 0, rowBytes);
      visits.add(4);
      nodes.visited++;
      if (answers.length > 1) nodes.revisited++;
      answers = [];
    };
    for (const { bytes, start, keyEnd, end } of urls.drain()) {
      const key = bytes.subarray(start, keyEnd);
      if (last === undefined || !key.equals(last)) {
        endNode();
        if (nodes.count % 4096 === 0) signal?.throwIfAborted();
        last = Buffer.from(key);
        yield Buffer.from(`${nodes.count++}\t${urlOf(key.toString("latin1"))}\n`, "latin1");
      }
      const at = bytes.readUIntBE(keyEnd + 1, rowBytes);
      const itsRow = bytes.readUIntBE(keyEnd + 1 + rowBytes, rowBytes);
      const kind = bytes[keyEnd] as number;
      if (kind === isAnswer || kind === isUnchangedAnswer)
        answers.push({ at, row: itsRow, isUnchanged: kind === isUnchangedAnswer });
      else putRow(rows, itsRow, kind, nodes.count - 1, ofNone, bytes.subarray(keyEnd + 1 + 2 * rowBytes, end));
    }
    endNode();
  }
  await writeTextPieces(namesFileOf(into), inBlocks(names()));
  await writeTextPieces(visitsFileOf(into), inBlocks(formatVisits(visits)));

  using links = new RecordSort(into);
  using anchors = new AnchorSort(into);
  let [from, uses, records] = [0, ofNone, 0];
  for (const { bytes, keyEnd, end } of rows.drain()) {
    if (++records % recordsAtOnce === 0) await pause(signal);
    const node = bytes.readUInt32BE(keyEnd);
    const kind = bytes[keyEnd - 1];
    if (kind === isAnswer) [from, uses] = [node, bytes[keyEnd + 4] as number];
    else if (kind === isText) {
      if ((uses & ofLatest) !== 0) anchors.add(node, from, bytes.subarray(keyEnd + 5, end));
    } else
      for (const use of [ofPrevious, ofLatest])
        if ((uses & use) !== 0) {
          links.text.putUint(use, 1);
          links.text.putUint(from, 4);
          links.text.putUint(node, 4);
          links.add(9);
        }
  }
  signal?.throwIfAborted();
  using written = new LinksWriter(into, nodes.count);
  const previousFolder = previousFolderOf(into);
  if (nodes.revisited > 0) makeMissingFolder(previousFolder);
  using previous = nodes.revisited > 0 ? new LinksWriter(previousFolder, nodes.count) : undefined;
  for (const { bytes, start } of links.drain()) {
    (bytes[start] === ofLatest ? written : previous)?.add(bytes.readUInt32BE(start + 1), bytes.readUInt32BE(start + 5));
    if (++records % recordsAtOnce === 0) await pause(signal);
  }
  await previous?.finish(linksFileOf(previousFolder), signal);
  if (hasTexts) await writeTextPieces(anchorsFileOf(into), inBlocks(anchors.lines()));
  const count = await written.finish(target, signal);
  const { count: all, visited, revisited } = nodes;
  return { nodes: all, links: count, visited, revisited, tooLong, texts: anchors.count };
}

/** An answer for a page. */
interface Answer {
  readonly at: number;
  readonly row: number;
  readonly isUnchanged: boolean;
}

/** The answer whose links a page had by another one: that one, or the last before it that did not find the page unchanged. */
function sourceOf(answers: readonly Answer[], index: number): Answer | undefined {
  return answers.findLast((answer, at) => at <= index && !answer.isUnchanged);
}

function putRow(rows: RecordSort, row: number, kind: number, node: number, uses: number, text: Buffer = noText): void {
  rows.text.putUint(row, rowBytes);
  rows.text.putUint(kind, 1);
  rows.text.putUint(node, 4);
  rows.text.putUint(uses, 1);
  rows.text.putBytes(text);
  rows.add(rowBytes + 1);
}

function* formatVisits(visits: RecordSort): Generator<Uint8Array, void, void> {
  for (const { bytes, start, keyEnd } of visits.drain()) {
    const before = bytes.readUIntBE(keyEnd + rowBytes, rowBytes);
    const line = `${bytes.readUInt32BE(start)}\t${bytes.readUIntBE(keyEnd, rowBytes)}`;
    yield Buffer.from(before === 0 ? `${line}\n` : `${line}\t${before}\n`);
  }
}

// A list of names refuses what is longer, and control characters; bytes that are no ASCII are in no URL.
const isShort = (url: string): boolean => url.length <= maxUrlBytes && !/[^\x21-\x7e]/.test(url);

const ordinaryUrl = /^(https?):\/\/([^/:?#@[\]]+)((?::\d+)?)(\/.*)$/;
const backwards = (host: string): string => host.split(".").reverse().join(".");

/** A key by which URLs are sorted: the host written backwards, then scheme, port and path. What is no ordinary URL comes last. */
function keyOf(url: string): string {
  const [, scheme, host, port, path] = ordinaryUrl.exec(url) ?? [];
  return host === undefined ? `\x7f${url}` : `${backwards(host)}\x01${scheme}\x01${port}\x01${path}`;
}

function urlOf(key: string): string {
  if (key.startsWith("\x7f")) return key.slice(1);
  const [host = "", scheme, port, path] = key.split("\x01");
  return `${scheme}://${backwards(host)}${port}${path}`;
}
