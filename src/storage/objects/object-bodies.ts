import { createHash } from "node:crypto";
import { createReadStream, lstatSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import {
  type HeldBody,
  ok,
  type Page,
  problem,
  type Result,
  TidemarkError,
  wrapSystemError,
} from "../../core/index.ts";
import { BodyFile } from "../../fs/index.ts";
import { PassingBodies } from "../warc/warc-bodies.ts";
import { digestOfObject, type KeptObject, type ObjectIndex } from "./object-index.ts";
import { objectNameOf, objectPrefixOf } from "./object-name.ts";
import { checkObjectName, maxObjectBytes, type ObjectStore, readObject } from "./object-store.ts";

const removedAtATime = 1000;
const objectForm = /^([0-9a-f]{64})\.([1-9][0-9]*)$/;
const mark = Buffer.from("The bodies of a crawl of tidemark. Its state does without no object here.\n");

/**
 * Bodies of one site as objects: `<crawl>/bodies/<scheme>/<host>/<first 2 digits>/<SHA-256>.<epoch>`.
 *
 * Several workers may have a site one after the other, each with a higher epoch and the state as the one before committed
 * it. One that was frozen, and does not know that it lost the site, can do no harm: it only writes objects of its own epoch,
 * and only removes objects that the state that it began with has no page for. These are never referred to again, because
 * who stores the same bytes later does so under an epoch of its own.
 */
export class ObjectBodies {
  /** While they are stored, other pages are requested. */
  readonly keepsAtOnce: number = 8;
  readonly #store: ObjectStore;
  readonly #prefix: string;
  readonly #index: ObjectIndex;
  readonly #passing: PassingBodies;
  readonly #sync: () => void;

  /**
   * @param place - folder for files that are not kept, and what makes the state durable
   */
  constructor(
    store: ObjectStore,
    place: { readonly origin: string; readonly temporary: string; readonly sync: () => void },
    index: ObjectIndex,
  ) {
    this.#store = store;
    this.#prefix = objectPrefixOf(index.crawl, place.origin);
    this.#index = index;
    this.#passing = new PassingBodies(place.temporary);
    this.#sync = place.sync;
    checkObjectName(this.#nameOf(`${"0".repeat(64)}.${index.epoch}`));
  }

  /**
   * Looks whether the store is that of the crawl, and removes objects that no page has any more; before anything is requested.
   *
   * @throws TidemarkError `not-found` if it is another store
   */
  async recover(): Promise<void> {
    const name = `${this.#index.crawl}/crawl.txt`;
    if (!this.#index.isMarked) {
      await this.#store.put(name, mark);
      this.#index.mark();
    } else if (!(await this.#store.has(name)))
      throw new TidemarkError("not-found", `The bodies of this crawl are not in ${this.#store.address}.`, {
        hint: "Mount that folder, name the store that has them, or begin in another folder.",
        details: { object: name },
      });
    if (!this.#index.mayRemove) return;
    await this.#removeLeft();
    if (this.#index.isDoubted) await this.#sweep();
  }

  adopt(page: Page): HeldBody | undefined {
    const kept = page.digest === undefined ? undefined : this.#index.find(page.path);
    if (kept === undefined || digestOfObject(kept.object) !== page.digest) return undefined;
    if (page.sizeBytes !== undefined && page.sizeBytes !== kept.sizeBytes) return undefined;
    return { sizeBytes: kept.sizeBytes, digest: page.digest };
  }

  mayHold(path: string): boolean {
    return this.#index.find(path) !== undefined;
  }

  open(): BodyFile {
    return this.#passing.open();
  }

  async keep(page: Page, body: Uint8Array | BodyFile): Promise<Result<undefined>> {
    const isFile = body instanceof BodyFile;
    if (isFile) body.close();
    const content = isFile ? { file: body.file, sizeBytes: sizeOf(body.file) } : body;
    const sizeBytes = content instanceof Uint8Array ? content.length : content.sizeBytes;
    if (sizeBytes > maxObjectBytes) return problem("too-large", `an object has at most ${maxObjectBytes} bytes`);
    const sha256 = isFile ? await hashFile(body.file) : createHash("sha256").update(body).digest("hex");
    let object = this.#index.findContent(sha256);
    if (object === undefined) {
      object = `${sha256}.${this.#index.epoch}`;
      if ((await this.#store.put(this.#nameOf(object), content)) === "too-large")
        return problem("too-large", `${this.#store.address} takes no object of ${sizeBytes} bytes`);
    }
    this.#index.noteStored(page.path, { object, sizeBytes });
    return ok(undefined);
  }

  async read(path: string, maxBytes: number): Promise<Uint8Array | undefined> {
    const kept = this.#index.find(path);
    return kept === undefined ? undefined : await readBody(this.#store, this.#nameOf(kept.object), kept, maxBytes);
  }

  /** The object is removed when the site is opened next. */
  remove(path: string): void {
    this.#index.noteRemoved(path);
  }

  async flush(): Promise<void> {}

  #nameOf(object: string): string {
    return objectNameOf(this.#prefix, object);
  }

  async #removeLeft(): Promise<void> {
    let isSynced = false;
    for (const objects of this.#index.left()) {
      // After a power cut the state must not be one that has them.
      if (!isSynced) this.#sync();
      isSynced = true;
      await this.#store.remove(objects.map((object) => this.#nameOf(object)));
    }
    if (isSynced) this.#index.forgetLeft();
  }

  /** Lists all objects, and removes those that a writer left of whom nothing is remembered. */
  async #sweep(): Promise<void> {
    this.#sync();
    let unknown: string[] = [];
    for await (const { name } of this.#store.list(this.#prefix)) {
      const [object = "", , epoch] = objectForm.exec(name.slice(name.lastIndexOf("/") + 1)) ?? [];
      if (object === "" || name !== this.#nameOf(object)) continue;
      // One of a later epoch would be that of a worker who has the site by now.
      if (Number(epoch) >= this.#index.epoch || this.#index.refersTo(object)) continue;
      unknown.push(name);
      if (unknown.length < removedAtATime) continue;
      await this.#store.remove(unknown);
      unknown = [];
    }
    await this.#store.remove(unknown);
    // Only after that: the state that this holder began with has them.
    this.#index.forgetUnheld();
  }
}

/** @returns undefined if it is not there, larger than the limit, or not what it is called */
async function readBody(
  store: ObjectStore,
  name: string,
  { object, sizeBytes }: KeptObject,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  if (sizeBytes > maxBytes) return undefined;
  const body = await readObject(store, name, sizeBytes);
  if (body === undefined) return undefined;
  return createHash("sha256").update(body).digest("hex") === object.slice(0, 64) ? body : undefined;
}

function sizeOf(file: string): number {
  try {
    return lstatSync(file).size;
  } catch (error) {
    throw wrapSystemError(error, `read ${file}`, { file });
  }
}

async function hashFile(file: string): Promise<string> {
  const hash = createHash("sha256");
  try {
    await pipeline(createReadStream(file), hash);
  } catch (error) {
    throw wrapSystemError(error, `read ${file}`, { file });
  }
  return hash.digest("hex");
}
