import { type DeletionReason, type HeldBody, ok, type Page, type Result } from "../../core/index.ts";
import { BodyFile } from "../../fs/index.ts";
import { PassingBodies } from "../warc/warc-bodies.ts";
import type { CallbackMarks } from "./callback-marks.ts";

/** Who takes bodies, so that nothing is kept of them here. */
export interface BodyTaker {
  /** @param body - all of it, or the file in which it is until this ends */
  take(page: Page & HeldBody, body: Uint8Array | { readonly file: string }): void | Promise<void>;
  /** @param reason - undefined if it only leads to another page by now, or if a killed visit is made up for */
  drop(path: string, reason: DeletionReason | undefined): void | Promise<void>;
}

/** Says that a {@link BodyTaker} failed; its error is the cause. */
export class TakerFailure extends Error {}

/**
 * Bodies that are handed to somebody else. What is handed is marked before, so that what a killed visit handed and could
 * not remember is handed, or dropped, once more.
 */
export class CallbackBodyStore {
  readonly #passing: PassingBodies;
  readonly #marks: CallbackMarks;
  readonly #taker: BodyTaker;
  /** Calls that have not ended, by their path. */
  readonly #underWay = new Map<string, Promise<void>>();

  /** @param temporary - folder for files that are not kept */
  constructor(temporary: string, marks: CallbackMarks, taker: BodyTaker) {
    this.#passing = new PassingBodies(temporary);
    this.#marks = marks;
    this.#taker = taker;
  }

  /** Hands on what a killed visit left open; before anything else. */
  async recover(): Promise<void> {
    for (const path of this.#marks.doubt()) {
      await this.#call(path, () => this.#taker.drop(path, undefined));
      this.#marks.forget(path);
    }
  }

  adopt(page: Page): HeldBody | undefined {
    return this.#passing.adopt(page);
  }

  holds(page: Page & HeldBody): boolean {
    return this.#passing.holds(page);
  }

  mayHold(path: string): boolean {
    return this.#marks.mayBeHanded(path);
  }

  open(): BodyFile {
    return this.#passing.open();
  }

  read(path: string, maxBytes: number): Uint8Array | undefined {
    return this.#passing.read(path, maxBytes);
  }

  async keep(page: Page & HeldBody, body: Uint8Array | BodyFile): Promise<Result<undefined>> {
    this.#marks.mark(page.path);
    if (body instanceof BodyFile) body.close();
    // The file is removed by who asked for it, if it is still there.
    const given = body instanceof BodyFile ? { file: body.file } : body;
    await this.#call(page.path, () => this.#taker.take(page, given));
    return ok(undefined);
  }

  async remove(path: string, reason: DeletionReason | undefined): Promise<void> {
    if (!this.#marks.mayBeHanded(path)) return;
    this.#marks.mark(path);
    await this.#call(path, () => this.#taker.drop(path, reason));
  }

  async flush(): Promise<void> {}

  /** One call after the other for each path: a page may be asked for by itself and by way of another at the same time. */
  async #call(path: string, act: () => void | Promise<void>): Promise<void> {
    const before = this.#underWay.get(path);
    const call = (async () => {
      await before?.catch(() => undefined);
      try {
        await act();
      } catch (cause) {
        throw new TakerFailure("what takes the bodies failed", { cause });
      }
    })();
    this.#underWay.set(path, call);
    try {
      await call;
    } finally {
      if (this.#underWay.get(path) === call) this.#underWay.delete(path);
    }
  }
}
