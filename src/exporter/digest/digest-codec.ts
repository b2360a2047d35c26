import {
  contentDigestLength,
  decodeMark,
  encodeMark,
  type MarkedContent,
  maxMarkBytes,
} from "../../formats/html/index.ts";
import type { ScannedFile } from "../walk/scanned-file.ts";
import type { FileDigest } from "./file-digest.ts";
import type { FoundIncludes } from "./include-scanner.ts";

/** Files on their way to a thread. */
export interface PackedFiles {
  /** Places, one character a byte, NUL between; no place holds one. */
  readonly locations: string;
  /** Media types, one a file, NUL between; empty where the thread asks for none. */
  readonly mediaTypes: string;
  /** Why the rules are not to be applied to a file, by its number. */
  readonly troubles: ReadonlyMap<number, string>;
}

/** What reading them came to, on its way back. */
export interface PackedDigests {
  /** Index in the kinds of {@link FileDigest}, one a file. */
  readonly kinds: Uint8Array<ArrayBuffer>;
  /** Size and both times of each file that was digested. */
  readonly numbers: Float64Array<ArrayBuffer>;
  /** The digests of those files, one behind the other. */
  readonly digests: string;
  readonly failures: ReadonlyMap<number, { readonly code: string; readonly message: string }>;
  /** The marks of those files that `isMarked` names, one behind the other. */
  readonly marks: Uint8Array<ArrayBuffer>;
  readonly isMarked: Uint8Array<ArrayBuffer>;
  readonly troubles: ReadonlyMap<number, string>;
  /** What files ask the server to put in, by their numbers. */
  readonly includes: ReadonlyMap<number, FoundIncludes>;
}

const kinds = ["digested", "noindex", "vanished", "unstable", "unreadable"] as const;
const separator = "\0";
const ascii = /^[\x00-\x7f]*$/;

/** Packs files. @param withTypes - whether the thread asks for media types */
export function packFiles(
  files: readonly ScannedFile[],
  withTypes: boolean,
  troubles: ReadonlyMap<number, string>,
): PackedFiles {
  const locations = files.map(({ location }) =>
    typeof location === "string" ? location : location.toString("latin1"),
  );
  return {
    locations: locations.join(separator),
    mediaTypes: withTypes ? files.map(({ mediaType }) => mediaType).join(separator) : "",
    troubles,
  };
}

/** Unpacks files. */
export function unpackFiles({ locations, mediaTypes }: PackedFiles): Pick<ScannedFile, "location" | "mediaType">[] {
  const types = mediaTypes.split(separator);
  return locations.split(separator).map((location, at) => ({
    location: ascii.test(location) ? location : Buffer.from(location, "latin1"),
    mediaType: types[at] ?? "",
  }));
}

/** Packs digests. */
export function packDigests(digests: readonly FileDigest[]): PackedDigests {
  const numbers: number[] = [];
  const failures = new Map<number, { code: string; message: string }>();
  const troubles = new Map<number, string>();
  const includes = new Map<number, FoundIncludes>();
  const isMarked = new Uint8Array(digests.length);
  const marked = digests.filter((digest) => digest.kind === "digested" && digest.content !== undefined).length;
  const marks = new Uint8Array(marked * maxMarkBytes);
  let texts = "";
  let end = 0;
  for (const [at, digest] of digests.entries()) {
    if (digest.kind === "unreadable") failures.set(at, { code: digest.code, message: digest.message });
    if (digest.kind !== "digested") continue;
    numbers.push(digest.sizeBytes, digest.mtimeUs, digest.ctimeUs);
    texts += digest.digest;
    if (digest.includes !== undefined) includes.set(at, digest.includes);
    const { content } = digest;
    if (content === undefined) continue;
    isMarked[at] = 1;
    end = encodeMark(content.mark, marks, end);
    if (content.trouble !== undefined) troubles.set(at, content.trouble);
  }
  return {
    kinds: Uint8Array.from(digests, ({ kind }) => kinds.indexOf(kind)),
    numbers: Float64Array.from(numbers),
    digests: texts,
    failures,
    marks: marks.slice(0, end),
    isMarked,
    troubles,
    includes,
  };
}

/** The memory that may move over to another thread. */
export function transferOf({ kinds, numbers, marks, isMarked }: PackedDigests): ArrayBuffer[] {
  return [kinds.buffer, numbers.buffer, marks.buffer, isMarked.buffer];
}

/** Unpacks digests. */
export function unpackDigests(packed: PackedDigests): FileDigest[] {
  const { numbers, digests, failures, marks, isMarked, troubles, includes } = packed;
  let number = 0;
  let text = 0;
  let end = 0;
  return Array.from(packed.kinds, (index, at): FileDigest => {
    const kind = kinds[index] ?? "unstable";
    if (kind === "unreadable") return { kind, ...(failures.get(at) ?? { code: "unknown", message: "unknown" }) };
    if (kind !== "digested") return { kind };
    const sizeBytes = numbers[number++] ?? 0;
    const mtimeUs = numbers[number++] ?? 0;
    const ctimeUs = numbers[number++] ?? 0;
    const digest = digests.slice(text, text + contentDigestLength);
    text += contentDigestLength;
    const found = includes.get(at);
    const status = { kind, digest, sizeBytes, mtimeUs, ctimeUs, ...(found && { includes: found }) };
    const decoded = isMarked[at] === 1 ? decodeMark(marks, end) : undefined;
    if (decoded === undefined) return status;
    end = decoded.end;
    const trouble = troubles.get(at);
    const content: MarkedContent = trouble === undefined ? { mark: decoded.mark } : { mark: decoded.mark, trouble };
    return { ...status, content };
  });
}
