import { TidemarkError } from "../../core/index.ts";

/**
 * Most bytes of an object: what S3 takes in one request.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html
 */
export const maxObjectBytes: number = 5 * 1024 ** 3;

/** Bytes, or a file that stays as it is until it is stored. */
export type ObjectContent = Uint8Array | { readonly file: string; readonly sizeBytes: number };

/** An object as it is listed. */
export interface ListedObject {
  readonly name: string;
  readonly sizeBytes: number;
}

/**
 * A store of objects that several machines use at the same time: a shared folder or an S3 bucket. A name never gets other
 * bytes: who writes must name an object by its content, or by a number that nobody else has. There are no locks.
 *
 * Each call rejects with a {@link TidemarkError} if the store fails or does not answer in time.
 */
export interface ObjectStore {
  /** Where it is, for messages. */
  readonly address: string;
  /**
   * Stores an object, whole and durable or not at all. What has the name already stays.
   *
   * @returns whether it was stored; false if the name was there, `too-large` if this store takes no object of that size
   */
  put(name: string, content: ObjectContent): Promise<boolean | "too-large">;
  /**
   * Reads an object piece by piece.
   *
   * @param maxBytes - a larger object is not read
   * @param take - receives a piece, valid only during the call
   * @returns its size in bytes; undefined if there is none, or it is larger
   */
  get(name: string, maxBytes: number, take: (piece: Uint8Array) => void | Promise<void>): Promise<number | undefined>;
  has(name: string): Promise<boolean>;
  /**
   * All objects whose names begin with a prefix, in the order of their bytes. What is stored or removed meanwhile may be
   * among them or not. What has another name than an object can have is not among them.
   *
   * @param prefix - empty, or ends with `/`
   */
  list(prefix: string): AsyncIterable<ListedObject>;
  /** Removes objects; those that are not there are none. Some may be removed if it rejects. */
  remove(names: readonly string[]): Promise<void>;
}

const partForm = /^[a-z0-9_][a-z0-9_.-]{0,199}$/;
const maxNameCharacters = 800;

/**
 * Whether a text is the name of an object: parts of lower-case letters, digits, `_`, `.` and `-`, at most 200 characters
 * each, none beginning with `.` or `-`, joined by `/`, at most 800 in all. Every file system and every S3 server has room for them.
 */
export function isObjectName(text: string): boolean {
  return text.length <= maxNameCharacters && text.split("/").every((part) => partForm.test(part));
}

/** Refuses what is not the name of an object. */
export function checkObjectName(name: string): void {
  if (!isObjectName(name)) throw new TypeError(`no name of an object: ${name}`);
}

/** Refuses what is not the prefix of objects. */
export function checkObjectPrefix(prefix: string): void {
  if (prefix === "") return;
  if (!prefix.endsWith("/")) throw new TypeError(`no prefix of objects: ${prefix}`);
  checkObjectName(prefix.slice(0, -1));
}

/** Refuses an object that is too large for some stores. @throws TidemarkError `bad-option` */
export function checkObjectSize(name: string, sizeBytes: number): void {
  if (sizeBytes > maxObjectBytes)
    throw new TidemarkError("bad-option", `The object ${name} is too large: ${sizeBytes} bytes.`, {
      hint: `An object has at most ${maxObjectBytes} bytes.`,
    });
}

/** Reads a whole object into memory. @returns undefined if there is none, or it is larger than the limit */
export async function readObject(store: ObjectStore, name: string, maxBytes: number): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = [];
  const sizeBytes = await store.get(name, maxBytes, (piece) => {
    pieces.push(Uint8Array.from(piece));
  });
  return sizeBytes === undefined ? undefined : Buffer.concat(pieces, sizeBytes);
}
