import { type EntryFailure, entryKinds, type ListedEntry } from "./folder-listing.ts";

/** A folder's entries as few large values, cheap to hand from one thread to another. */
export interface PackedListing {
  /** Names, `/` between. */
  readonly names: string;
  /** Index in {@link entryKinds} of each entry. */
  readonly kinds: Uint8Array<ArrayBuffer>;
  /** Mode, uid, gid, size, mtime and ctime of each entry. */
  readonly numbers: Float64Array<ArrayBuffer>;
  /** Of few entries: where links lead, and failures. */
  readonly extras: readonly {
    readonly at: number;
    readonly realPath: string | undefined;
    readonly failure: EntryFailure | undefined;
  }[];
}

const numbersAnEntry = 6;

/** Packs a listing. */
export function packListing(entries: readonly ListedEntry[]): PackedListing {
  const kinds = new Uint8Array(entries.length);
  const numbers = new Float64Array(entries.length * numbersAnEntry);
  const extras: { at: number; realPath: string | undefined; failure: EntryFailure | undefined }[] = [];
  for (const [at, { kind, status, realPath, failure }] of entries.entries()) {
    kinds[at] = entryKinds.indexOf(kind);
    const { mode, uid, gid, sizeBytes, mtimeUs, ctimeUs } = status;
    const start = at * numbersAnEntry;
    numbers[start] = mode;
    numbers[start + 1] = uid;
    numbers[start + 2] = gid;
    numbers[start + 3] = sizeBytes;
    numbers[start + 4] = mtimeUs;
    numbers[start + 5] = ctimeUs;
    if (realPath !== undefined || failure !== undefined) extras.push({ at, realPath, failure });
  }
  return { names: entries.map(({ name }) => name).join("/"), kinds, numbers, extras };
}

/** Unpacks a listing. */
export function unpackListing({ names, kinds, numbers, extras }: PackedListing): ListedEntry[] {
  if (kinds.length === 0) return [];
  const extraAt = new Map(extras.map((extra) => [extra.at, extra]));
  return names.split("/").map((name, at) => {
    const start = at * numbersAnEntry;
    const extra = extras.length === 0 ? undefined : extraAt.get(at);
    return {
      name,
      kind: entryKinds[kinds[at] ?? 0] ?? "failed",
      realPath: extra?.realPath,
      failure: extra?.failure,
      status: {
        mode: numbers[start] ?? 0,
        uid: numbers[start + 1] ?? 0,
        gid: numbers[start + 2] ?? 0,
        sizeBytes: numbers[start + 3] ?? 0,
        mtimeUs: numbers[start + 4] ?? 0,
        ctimeUs: numbers[start + 5] ?? 0,
      },
    };
  });
}
