import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type HeldBody, ok, type Page, type Result, wrapSystemError } from "../../core/index.ts";
import { BodyFile } from "../../fs/index.ts";
import type { WarcMemory } from "./warc-memory.ts";
import { type ContentDecoder, readWarcPayload } from "./warc-payload.ts";
import type { WarcRecorder } from "./warc-recorder.ts";

/** Bodies that are not kept; a large one is in a temporary file while it comes. */
export class PassingBodies {
  readonly #temporary: string;
  #made = 0;

  /** @param temporary - folder for files that are not kept; made if there is one */
  constructor(temporary: string) {
    this.#temporary = temporary;
  }

  adopt(_page: Page): HeldBody | undefined {
    return undefined;
  }

  /** Whether the body of a page is the one that is remembered; of what is not kept nothing else can be said. */
  holds(_page: Page & HeldBody): boolean {
    return true;
  }

  mayHold(_path: string): boolean {
    return false;
  }

  read(_path: string, _maxBytes: number): Uint8Array | undefined {
    return undefined;
  }

  open(): BodyFile {
    const folder = this.#temporary;
    try {
      mkdirSync(folder, { recursive: true });
    } catch (error) {
      throw wrapSystemError(error, `make the folder ${folder}`, { folder });
    }
    return new BodyFile(join(folder, `passing-${this.#made++}`));
  }

  keep(_page: Page, body: Uint8Array | BodyFile): Result<undefined> {
    if (body instanceof BodyFile) body.discard();
    return ok(undefined);
  }

  remove(_path: string): void {}

  async flush(): Promise<void> {}
}

/** Bodies in WARC files, into which the {@link WarcRecorder} has written them before they are kept. */
export class WarcBodies extends PassingBodies {
  readonly #origin: string;
  readonly #folder: string;
  readonly #memory: WarcMemory;
  readonly #recorder: WarcRecorder;
  readonly #decode: ContentDecoder;

  constructor(
    place: { readonly origin: string; readonly folder: string; readonly temporary: string },
    memory: WarcMemory,
    recorder: WarcRecorder,
    decode: ContentDecoder,
  ) {
    super(place.temporary);
    this.#origin = place.origin;
    this.#folder = place.folder;
    this.#memory = memory;
    this.#recorder = recorder;
    this.#decode = decode;
  }

  override adopt(page: Page): HeldBody | undefined {
    const held = page.digest === undefined ? undefined : this.#memory.find(this.#origin + page.path);
    if (held === undefined || held.digest !== page.digest) return undefined;
    if (page.sizeBytes !== undefined && held.sizeBytes !== page.sizeBytes) return undefined;
    return { sizeBytes: held.sizeBytes, digest: held.digest ?? "" };
  }

  override holds({ path, digest }: Page & HeldBody): boolean {
    return this.#memory.find(this.#origin + path)?.digest === digest;
  }

  override mayHold(path: string): boolean {
    return this.#memory.find(this.#origin + path)?.digest !== undefined;
  }

  /** Reads what the page had before its newest answer, which is recorded by the time that anyone compares the two. */
  override read(path: string, maxBytes: number): Uint8Array | undefined {
    const held = this.#memory.findReplaced(this.#origin + path);
    return held === undefined ? undefined : readWarcPayload(this.#folder, held, maxBytes, this.#decode);
  }

  /** Nothing is removed from an archive; but should the page come back, it is asked for. */
  override remove(path: string): void {
    const held = this.#memory.find(this.#origin + path);
    if (held?.digest !== undefined) this.#memory.remember({ ...held, digest: undefined });
  }

  override flush(): Promise<void> {
    return this.#recorder.flush();
  }
}
