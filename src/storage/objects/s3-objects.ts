import { type FileHandle, open, readFile } from "node:fs/promises";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { wrapSystemError } from "../../core/index.ts";
import {
  checkObjectName,
  checkObjectPrefix,
  checkObjectSize,
  isObjectName,
  type ListedObject,
  type ObjectContent,
  type ObjectStore,
} from "./object-store.ts";
import type { S3Address } from "./s3-address.ts";
import { describeS3Error, isMissing, isTooLarge, isTransient, statusOf } from "./s3-error.ts";

/** An answer that does not begin, or goes on, within this time will not come. */
const silenceMs = 30_000;
/** A transfer gets this much more for each byte. */
const msPerByte = 1000 / 65_536;
/** Waits before further attempts, each shortened by up to a half at random. */
const attemptDelaysMs: readonly number[] = [250, 500, 1000, 2000, 4000, 8000];
/** Later none is begun. */
const attemptsMs = 45_000;
/** A larger file is sent as it is read, and cannot be signed by its content. */
const maxBytesInMemory = 4 * 1024 * 1024;
const removedAtOnce = 16;

/** How long a server may take. */
export interface S3Patience {
  /** Default 30,000. */
  readonly silenceMs?: number;
  /** Default 45,000. */
  readonly attemptsMs?: number;
}

/**
 * Objects in a bucket of Amazon S3, or of a server that speaks its protocol. Credentials are found as the tools of AWS find
 * them: in the environment, in `~/.aws`, or from the machine.
 */
export class S3Objects implements ObjectStore {
  readonly address: string;
  readonly #bucket: string;
  /** Empty, or ends with `/`. */
  readonly #prefix: string;
  readonly #client: S3Client;
  readonly #silenceMs: number;
  readonly #attemptsMs: number;
  /** Whether the server refuses to store only what is not there. */
  #isUnconditional = false;

  private constructor(address: S3Address, client: S3Client, patience: S3Patience) {
    this.address = address.shown;
    this.#bucket = address.bucket;
    this.#prefix = address.prefix;
    this.#client = client;
    this.#silenceMs = patience.silenceMs ?? silenceMs;
    this.#attemptsMs = patience.attemptsMs ?? attemptsMs;
  }

  static async open(address: S3Address, patience: S3Patience = {}): Promise<S3Objects> {
    const { endpoint, region } = address;
    const options = {
      // Attempts are made here: a file has to be opened anew for each.
      maxAttempts: 1,
      // Of servers of others not all know the host names of buckets, and the checksums that Amazon would like.
      forcePathStyle: true,
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
      requestHandler: { connectionTimeout: 10_000 },
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(region === undefined ? {} : { region }),
    } as const;
    const client = new S3Client(options);
    try {
      await client.config.region();
      return new S3Objects(address, client, patience);
    } catch {
      // Nobody says one, and most servers have but one, with this name.
      return new S3Objects(address, new S3Client({ ...options, region: "us-east-1" }), patience);
    }
  }

  async put(name: string, content: ObjectContent): Promise<boolean | "too-large"> {
    checkObjectName(name);
    const isFile = !(content instanceof Uint8Array);
    const sizeBytes = isFile ? content.sizeBytes : content.length;
    checkObjectSize(name, sizeBytes);
    let isConditional = !this.#isUnconditional;
    return await this.#attempt(`store ${name}`, async () => {
      try {
        await this.#send(name, content, sizeBytes, isConditional);
      } catch (error) {
        const status = statusOf(error);
        if (isTooLarge(error)) return "too-large";
        if (!isConditional || (status !== 412 && status !== 501)) throw error;
        // A server that was killed while it stored an object may say that it is there, and not have it.
        if (status === 412 && (await this.has(name))) return false;
        if (status === 501) this.#isUnconditional = true;
        isConditional = false;
        await this.#send(name, content, sizeBytes, isConditional);
      }
      return true;
    });
  }

  async #send(name: string, content: ObjectContent, sizeBytes: number, isConditional: boolean): Promise<void> {
    using deadline = new Deadline(this.#silenceMs + sizeBytes * msPerByte);
    const isLarge = !(content instanceof Uint8Array) && sizeBytes > maxBytesInMemory;
    const handle = isLarge ? await openFile(content.file) : undefined;
    try {
      const body = handle?.createReadStream({ autoClose: false }) ?? (await bytesOf(content));
      if (!(body instanceof Uint8Array)) body.once("error", (error) => deadline.end(error));
      const stored = { Bucket: this.#bucket, Key: this.#prefix + name, Body: body, ContentLength: sizeBytes };
      const command = new PutObjectCommand({ ...stored, ...(isConditional ? { IfNoneMatch: "*" } : {}) });
      await deadline.within(this.#client.send(command, { abortSignal: deadline.signal }));
    } finally {
      await handle?.close();
    }
  }

  async get(
    name: string,
    maxBytes: number,
    take: (piece: Uint8Array) => void | Promise<void>,
  ): Promise<number | undefined> {
    checkObjectName(name);
    let given = 0;
    /** Undefined where the server does not say it: then the answer's own end is believed. */
    let sizeBytes: number | undefined;
    let failure: { readonly error: unknown } | undefined;
    const size = await this.#attempt(`read ${name}`, async () => {
      if (given === sizeBytes) return sizeBytes;
      using deadline = new Deadline(this.#silenceMs);
      // The name never has other bytes: what was cut off goes on where it stopped.
      const range = given === 0 ? {} : { Range: `bytes=${given}-` };
      const command = new GetObjectCommand({ Bucket: this.#bucket, Key: this.#prefix + name, ...range });
      const sent = this.#client.send(command, { abortSignal: deadline.signal }).catch(orMissing);
      const answer = await deadline.within(sent);
      if (answer === undefined) return undefined;
      const body = answer.Body as Readable;
      try {
        if (answer.ContentLength !== undefined) sizeBytes ??= given + answer.ContentLength;
        if ((sizeBytes ?? 0) > maxBytes) return undefined;
        if (given > 0 && statusOf(answer) !== 206) throw new TypeError("the server does not know ranges");
        body.once("error", () => undefined);
        for await (const piece of deadline.pieces(body, this.#silenceMs)) {
          given += piece.length;
          if (given > (sizeBytes ?? given)) throw new TypeError("the server sent more than it said");
          if (given > maxBytes) return undefined;
          try {
            await take(piece);
          } catch (error) {
            failure = { error };
            return undefined;
          }
        }
        if (given < (sizeBytes ?? given)) throw new CutOff();
        return given;
      } finally {
        body.destroy();
      }
    });
    if (failure !== undefined) throw failure.error;
    return size;
  }

  async has(name: string): Promise<boolean> {
    checkObjectName(name);
    const command = { Bucket: this.#bucket, Key: this.#prefix + name };
    return await this.#attempt(`look for ${name}`, async () => {
      using deadline = new Deadline(this.#silenceMs);
      const sent = this.#client.send(new HeadObjectCommand(command), { abortSignal: deadline.signal });
      return (await deadline.within(sent.catch(orMissing))) !== undefined;
    });
  }

  async *list(prefix: string): AsyncGenerator<ListedObject, void, void> {
    checkObjectPrefix(prefix);
    for (let token: string | undefined; ; ) {
      const from = token === undefined ? {} : { ContinuationToken: token };
      const command = { Bucket: this.#bucket, Prefix: this.#prefix + prefix, ...from };
      const page = await this.#attempt(`list ${prefix}`, async () => {
        using deadline = new Deadline(this.#silenceMs);
        return await deadline.within(
          this.#client.send(new ListObjectsV2Command(command), { abortSignal: deadline.signal }),
        );
      });
      for (const { Key = "", Size = 0 } of page.Contents ?? []) {
        const name = Key.slice(this.#prefix.length);
        if (Key.startsWith(this.#prefix) && isObjectName(name)) yield { name, sizeBytes: Size };
      }
      token = page.NextContinuationToken;
      if (page.IsTruncated !== true || token === undefined) return;
    }
  }

  async remove(names: readonly string[]): Promise<void> {
    for (const name of names) checkObjectName(name);
    for (let at = 0; at < names.length; at += removedAtOnce)
      await Promise.all(names.slice(at, at + removedAtOnce).map((name) => this.#removeOne(name)));
  }

  async #removeOne(name: string): Promise<void> {
    const command = { Bucket: this.#bucket, Key: this.#prefix + name };
    await this.#attempt(`remove ${name}`, async () => {
      using deadline = new Deadline(this.#silenceMs);
      const sent = this.#client.send(new DeleteObjectCommand(command), { abortSignal: deadline.signal });
      await deadline.within(sent.catch(orMissing));
    });
  }

  /** Attempts it until it succeeds, or fails for good, or has taken too long. */
  async #attempt<T>(doing: string, act: () => Promise<T>): Promise<T> {
    const since = performance.now();
    for (let attempt = 0; ; attempt++) {
      try {
        return await act();
      } catch (error) {
        const waitMs = (attemptDelaysMs[attempt] ?? 0) * (1 - Math.random() / 2);
        const isOver = attempt === attemptDelaysMs.length || performance.now() - since + waitMs > this.#attemptsMs;
        if (isOver || !(error instanceof CutOff || isTransient(error)))
          throw describeS3Error(error, doing, this.address);
        await delay(waitMs);
      }
    }
  }
}

/** The answer ended before its time. */
class CutOff extends Error {
  constructor() {
    super("the answer was cut off");
  }
}

/** Ends a request that takes too long. */
class Deadline implements Disposable {
  readonly #controller = new AbortController();
  readonly #ended: Promise<never>;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number) {
    this.#ended = new Promise((_, reject) => {
      this.signal.addEventListener("abort", () => reject(this.signal.reason), { once: true });
    });
    this.#ended.catch(() => undefined);
    this.#start(ms);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  end(error: Error): void {
    this.#controller.abort(error);
  }

  /** What is given, unless the time is over before. */
  async within<T>(given: Promise<T>): Promise<T> {
    given.catch(() => undefined);
    return await Promise.race([given, this.#ended]);
  }

  /** Pieces, each within a time of the one before; what their taker needs is not counted. */
  async *pieces(body: Readable, silentMs: number): AsyncGenerator<Uint8Array, void, void> {
    const pieces = body[Symbol.asyncIterator]();
    let receivingMs = 0;
    let sizeBytes = 0;
    for (;;) {
      this.#start(silentMs);
      const since = performance.now();
      const { done, value } = await this.within(pieces.next());
      clearTimeout(this.#timer);
      if (done === true) return;
      const piece = value as Uint8Array;
      receivingMs += performance.now() - since;
      sizeBytes += piece.length;
      if (receivingMs > silentMs + sizeBytes * msPerByte) throw timeoutError();
      yield piece;
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  #start(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.end(timeoutError()), ms);
  }
}

function timeoutError(): Error {
  return Object.assign(new Error("there was no whole answer in time"), { name: "TimeoutError" });
}

async function openFile(file: string): Promise<FileHandle> {
  try {
    return await open(file, "r");
  } catch (error) {
    throw wrapSystemError(error, `read ${file}`, { file });
  }
}

async function bytesOf(content: ObjectContent): Promise<Uint8Array> {
  if (content instanceof Uint8Array) return content;
  try {
    return await readFile(content.file);
  } catch (error) {
    throw wrapSystemError(error, `read ${content.file}`, { file: content.file });
  }
}

function orMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
  return undefined;
}
