import { createRequire } from "node:module";
import { join } from "node:path";
import { type Clock, type DeletionReason, type HeldBody, type Page, TidemarkError } from "../core/index.ts";
import { nodeCodec } from "../http/index.ts";
import {
  CallbackBodyStore,
  type Keeping,
  ObjectBodies,
  type ObjectStore,
  type ObjectWriter,
  openObjects,
  type PausedWarc,
  type SiteStore,
  type Store,
  writeWacz,
} from "../storage/index.ts";

/**
 * How bodies are kept: a mirror folder; WARC files with their indexes; the same packed into a WACZ after each visit; as
 * objects by their content; or not at all, with only the state.
 */
export const keepings = ["mirror", "warc", "wacz", "objects", "metadata"] as const;

/** One of {@link keepings}. */
export type Keep = (typeof keepings)[number];

/** A page as passed to a callback; size and digest are those of the body. */
export interface HandedPage extends Page, HeldBody {
  readonly sizeBytes: number;
  readonly digest: string;
  readonly url: string;
  /**
   * The whole body; or, if it is larger than 256 KiB, a file that may be read or moved until the
   * callback ends.
   */
  readonly body: Uint8Array | { readonly file: string };
}

/** A page to remove. */
export interface HandedRemoval {
  readonly url: string;
  /** Path with query, as for a page. */
  readonly path: string;
  /** Absent if the page now only redirects, or if the removal is reported because a visit was killed. */
  readonly reason?: DeletionReason;
}

/**
 * Receives bodies in place of a folder.
 *
 * Each call is awaited before its page is recorded as done. If the crawl dies in between, or the callback fails, the
 * page is fetched and delivered again, or its removal reported again: everything is delivered at least once, and the
 * last call for a path is the current one. Calls for different pages may overlap, at most `concurrency` + 1 of them. An
 * error thrown by a callback ends the crawl, which rethrows it.
 */
export interface PageReceiver {
  readonly kind: "callback";
  /** Called with each page that a mirror would store, with its whole body. */
  readonly onBody: (page: HandedPage) => void | Promise<void>;
  /** Called with each page that a mirror would remove; it may be one that was never delivered. */
  readonly onRemoval: (removal: HandedRemoval) => void | Promise<void>;
}

/** A site's store, open for a visit. */
export interface KeptSite extends SiteStore {
  /** Leaves the WARC file as it is, to be gone on with when the site is opened next; in the place of {@link KeptSite.end}. */
  pause(): Promise<void>;
  /** Finishes and packs WARC files; after the visit, however it ended. */
  end(): Promise<void>;
}

function softwareName(): string {
  const { version } = createRequire(import.meta.url)("tidemark/package.json") as { version: string };
  return `tidemark/${version}`;
}

/** An open store of objects for a holder of a site that others hold before and after. */
export interface LeasedObjects {
  readonly store: ObjectStore;
  readonly writer: ObjectWriter;
}

/** How the bodies of a site are kept, and what that needs. */
export interface KeepOptions {
  readonly keep: Keep | PageReceiver;
  /** The store, or its address, if they are kept as objects. */
  readonly objects?: string | LeasedObjects | undefined;
  readonly clock: Clock;
  /** Size at which a WARC file is closed. */
  readonly warcBytes?: number | undefined;
}

/** @throws TidemarkError `bad-option` if bodies are kept as objects and nobody says where, or not and somebody does */
export function checkObjects({
  keep,
  objects,
}: {
  readonly keep?: Keep | PageReceiver | undefined;
  readonly objects?: string | LeasedObjects | undefined;
}): void {
  if ((keep === "objects") === (objects !== undefined)) return;
  throw new TidemarkError(
    "bad-option",
    "Bodies are kept as objects, and the address of their store, need each other.",
    {
      hint: "Give both --keep objects and --objects, or neither.",
    },
  );
}

/** Of each store of states: stores of objects are opened once, and by their address. */
const opened = new WeakMap<Store, Map<string, Promise<ObjectStore>>>();

function openedObjects(store: Store, address: string): Promise<ObjectStore> {
  const known = opened.get(store) ?? new Map<string, Promise<ObjectStore>>();
  opened.set(store, known);
  const objects = known.get(address) ?? openObjects(address);
  known.set(address, objects);
  return objects;
}

async function keepingOf(store: Store, origin: string, options: KeepOptions): Promise<Keeping> {
  const { keep, objects, clock, warcBytes: maxBytes } = options;
  checkObjects(options);
  if (typeof objects === "object") return { kind: "objects", ...objects };
  if (objects !== undefined) return { kind: "objects", store: await openedObjects(store, objects) };
  if (typeof keep === "object") {
    return {
      kind: "callback",
      taker: {
        take: (page, body) => keep.onBody({ ...page, url: origin + page.path, body }),
        drop: (path, reason) =>
          keep.onRemoval({ url: origin + path, path, ...(reason === undefined ? {} : { reason }) }),
      },
    };
  }
  if (keep === "mirror" || keep === "metadata") return { kind: keep };
  const info = { software: softwareName(), isPartOf: origin, robots: "obey" };
  return { kind: "warc", info, clock, decode: nodeCodec.decode, ...(maxBytes === undefined ? {} : { maxBytes }) };
}

/** Under which name the state of a site has the WARC file that is to be gone on with. */
const pausedWarc = "paused-warc";

async function recoverObjects(site: SiteStore, bodies: ObjectBodies): Promise<void> {
  try {
    await bodies.recover();
  } catch (error) {
    site.close();
    throw error;
  }
}

/** Opens the store of a site, and finishes the WARC files of a killed visit. One that was paused is gone on with. */
export async function openKeptSite(store: Store, origin: string, options: KeepOptions): Promise<KeptSite> {
  const { keep, clock } = options;
  const site = store.openSite(origin, await keepingOf(store, origin, options));
  const { warc, folder, bodies, memory } = site;
  const paused = warc && (memory.readSource(pausedWarc) as PausedWarc | undefined);
  if (paused !== undefined) warc?.files.resume(paused);
  await warc?.recover();
  if (bodies instanceof CallbackBodyStore) await bodies.recover();
  if (bodies instanceof ObjectBodies) await recoverObjects(site, bodies);
  return {
    ...site,
    pause: async () => {
      const left = await warc?.recorder.pause();
      if (left !== undefined) memory.rememberSource(pausedWarc, left);
    },
    end: async () => {
      const finished = (await warc?.recorder.close()) ?? 0;
      if (keep !== "wacz" || finished === 0) return;
      const path = join(folder, "site.wacz");
      await writeWacz({ folder, path, title: origin, software: softwareName(), now: clock() });
    },
  };
}
