import { constants, type Dirent } from "node:fs";
import { copyFile, link, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import mime from "mime-types";
import { TidemarkError, wrapSystemError } from "../core/index.ts";
import { decodeHtml, decodeSheet } from "../formats/html/index.ts";
import { makeMissingFolder } from "../fs/index.ts";
import {
  type MirroredPage,
  type MirroredPages,
  maxNameBytes,
  openMirroredPages,
  standInFor,
} from "../storage/index.ts";
import { rewritePage, rewriteStyle } from "./page-rewriter.ts";

/** Larger pages are copied as they are: their links lead to the site. */
const largestRewritten = 32 * 1024 * 1024;
const styleTypes = new Set(["text/css"]);
const pageTypes = new Set(["text/html", "application/xhtml+xml"]);

/** Options of {@link copyMirror}. */
export interface CopyMirrorOptions {
  /** A site's folder in a crawler's mirrors. */
  readonly mirror: string;
  /** The copy's folder; must not be there yet. */
  readonly folder: string;
  /** The crawler's state. Default: `.tidemark/state.db` beside the site's folder. */
  readonly stateFile?: string;
  /** Rewrite HTML and style sheets so that the copy can be opened from the disk. @default false */
  readonly convertLinks?: boolean;
  /** An earlier copy; what did not change since is one file with it. Default: the last one by name beside `folder`. */
  readonly previous?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (pages: number) => void;
}

/** What a copy is made of. */
export interface CopySummary {
  readonly folder: string;
  readonly pages: number;
  /** Pages whose file is one with the mirror's, or with the earlier copy's, so that it takes no room. */
  readonly shared: number;
  /** Pages whose links were rewritten. */
  readonly converted: number;
  /** Bytes of files that are the copy's own. */
  readonly bytes: number;
}

/**
 * Copies a site's mirror as it is now, by hard links: each file is shared with the mirror, which never writes into a
 * file. The copy is there as a whole or not at all. Memory is one page.
 *
 * @throws TidemarkError `not-found` if there is no mirror, `bad-option` if the copy is there, `aborted`, or what the
 *   file system says
 */
export async function copyMirror(options: CopyMirrorOptions): Promise<CopySummary> {
  const { mirror, stateFile, signal } = options;
  const folder = resolve(options.folder);
  using pages = openMirroredPages(mirror, stateFile);
  if (pages === undefined)
    throw new TidemarkError("not-found", `${mirror} is no mirror of a crawler's state.`, {
      hint: "Name a site's folder in the folder that tidemark crawl was given with --into; with --state its state.",
      details: { folder: mirror },
    });
  const partial = `${folder}.partial`;
  try {
    if (await exists(folder))
      throw new TidemarkError("bad-option", `${folder} is there already.`, {
        hint: "Give the copy another name, or remove the old one.",
        details: { folder },
      });
    await rm(partial, { recursive: true, force: true });
    makeMissingFolder(partial);
    const previous = options.previous ?? (await findPrevious(folder));
    const copy = new Copying(options, pages, partial, previous);
    for (const page of pages) {
      if (signal?.aborted === true) throw new TidemarkError("aborted", "Stopped; there is no copy.");
      await copy.add(page);
    }
    await rename(partial, folder);
    return { folder, ...copy.counts };
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error instanceof TidemarkError ? error : wrapSystemError(error, `copy ${mirror}`, { folder });
  }
}

async function exists(path: string | Buffer): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}

async function findPrevious(folder: string): Promise<string | undefined> {
  const beside: Dirent[] = await readdir(dirname(folder), { withFileTypes: true });
  const names = beside
    .filter((entry) => entry.isDirectory() && !entry.name.endsWith(".partial"))
    .map(({ name }) => name);
  const last = names.sort().at(-1);
  return last === undefined ? undefined : join(dirname(folder), last);
}

class Copying {
  readonly counts = { pages: 0, shared: 0, converted: 0, bytes: 0 };
  readonly #options: CopyMirrorOptions;
  readonly #pages: MirroredPages;
  readonly #folder: string;
  readonly #previous: string | undefined;
  #lastFolder = "";

  constructor(options: CopyMirrorOptions, pages: MirroredPages, folder: string, previous: string | undefined) {
    this.#options = options;
    this.#pages = pages;
    this.#folder = folder;
    this.#previous = previous;
  }

  async add(page: MirroredPage): Promise<void> {
    const { mirror, convertLinks, onProgress } = this.#options;
    const source = bytesPath(mirror, page.names);
    const names = convertLinks === true ? await this.#namesOf(page) : page.names;
    const target = bytesPath(this.#folder, names);
    const within = dirname(names);
    if (within !== this.#lastFolder) await mkdir(bytesPath(this.#folder, within), { recursive: true });
    this.#lastFolder = within;
    const isText = pageTypes.has(page.mediaType) || styleTypes.has(page.mediaType);
    const { size } = await stat(source);
    if (convertLinks === true && isText && size <= largestRewritten) await this.#convert(page, source, target, names);
    else await this.#share(source, target, size);
    this.counts.pages++;
    onProgress?.(this.counts.pages);
  }

  async #convert(page: MirroredPage, source: Buffer, target: Buffer, names: string): Promise<void> {
    const bytes = Buffer.from(await this.#rewrite(page, await readFile(source), names));
    this.counts.converted++;
    const earlier = this.#previous === undefined ? undefined : bytesPath(this.#previous, names);
    if (earlier !== undefined && (await holds(earlier, bytes))) {
      await this.#share(earlier, target, bytes.length);
      return;
    }
    await writeFile(target, bytes, { flag: "wx" });
    this.counts.bytes += bytes.length;
  }

  async #rewrite({ path, mediaType }: MirroredPage, content: Buffer, names: string): Promise<string> {
    const isStyle = styleTypes.has(mediaType);
    const text = isStyle ? decodeSheet(content, undefined) : decodeHtml(content, undefined).text;
    const url = new URL(path, this.#pages.origin).href;
    const links = await this.#findLinks(text, url, mediaType, names);
    const find = (link: string): string | undefined => links.get(link);
    const rewritten = isStyle ? rewriteStyle(text, url, find) : rewritePage(text, url, find);
    // A file has no Content-Type that says in which encoding it is.
    return `\ufeff${rewritten}`;
  }

  /** Looks up the pages that a text links to: in a first pass the links are collected, in the second they are known. */
  async #findLinks(text: string, url: string, mediaType: string, names: string): Promise<Map<string, string>> {
    const wanted = new Set<string>();
    const collect = (link: string): undefined => {
      wanted.add(link);
    };
    if (styleTypes.has(mediaType)) rewriteStyle(text, url, collect);
    else rewritePage(text, url, collect);
    const found = new Map<string, string>();
    for (const link of wanted) {
      const file = await this.#findFile(link, names);
      if (file !== undefined) found.set(link, file);
    }
    return found;
  }

  async #findFile(link: string, names: string): Promise<string | undefined> {
    const { origin, pathname, search, hash } = new URL(link);
    if (origin !== this.#pages.origin) return undefined;
    // Servers send those who ask for a folder without its slash to the folder.
    const page = this.#pages.find(pathname + search) ?? this.#pages.find(`${pathname}/`);
    return page === undefined ? undefined : relativeLink(names, await this.#namesOf(page)) + hash;
  }

  /**
   * A page's names in the copy: with an ending that says its type, because a file has no Content-Type. Where such a name is
   * that of another file or too long, a stand-in has the ending; it is no page's name, because a mirror keeps such names for itself.
   */
  async #namesOf({ names, mediaType }: MirroredPage): Promise<string> {
    const last = names.slice(names.lastIndexOf("/") + 1);
    if (mime.lookup(last) === mediaType) return names;
    const ending = mime.extension(mediaType);
    if (ending === false || mediaType === "application/octet-stream") return names;
    const named = `${names}.${ending}`;
    const isFree =
      last.length + 1 + ending.length <= maxNameBytes && !(await exists(bytesPath(this.#options.mirror, named)));
    return isFree ? named : `${names.slice(0, -last.length)}${standInFor(`copy ${last}`)}.${ending}`;
  }

  async #share(source: Buffer, target: Buffer, sizeBytes: number): Promise<void> {
    try {
      await link(source, target);
      this.counts.shared++;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // Another file system, one without links, or a file with as many as it can have.
      if (!["EXDEV", "EPERM", "EMLINK", "ENOTSUP"].includes(code ?? "")) throw error;
      await copyFile(source, target, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
      this.counts.bytes += sizeBytes;
    }
  }
}

async function holds(file: Buffer, bytes: Buffer): Promise<boolean> {
  const status = await stat(file).catch(() => undefined);
  return status?.isFile() === true && status.size === bytes.length && (await readFile(file)).equals(bytes);
}

function bytesPath(folder: string, names: string): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(names, "latin1")]);
}

/** A link from one file to another below the same folder; each character of names is a byte. */
function relativeLink(from: string, to: string): string {
  const own = from.split("/").slice(0, -1);
  const names = to.split("/");
  let same = 0;
  while (same < own.length && same < names.length - 1 && own[same] === names[same]) same++;
  const encode = (name: string) =>
    name.replace(/[^A-Za-z0-9._~-]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);
  return [...own.slice(same).map(() => ".."), ...names.slice(same).map(encode)].join("/");
}
