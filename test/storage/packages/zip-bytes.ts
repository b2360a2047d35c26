import { crc32, deflateRawSync } from "node:zlib";

/** An entry of a ZIP file, true or not: what is not said is as it should be. */
export interface MadeEntry {
  readonly name: string | Buffer;
  readonly content?: Buffer | string;
  /** 0 stored, 8 deflated. Default 8. */
  readonly method?: number;
  /** Default: the content, compressed. */
  readonly packed?: Buffer;
  readonly flags?: number;
  readonly crc?: number;
  readonly sizeBytes?: number;
  readonly packedBytes?: number;
  /** Where the directory says that it begins. */
  readonly offset?: number;
  /** Extra field of the local header. */
  readonly localExtra?: Buffer;
  /** Sizes and place in a field of zip64. */
  readonly isZip64?: boolean;
}

/** How the directory is written. */
export interface MadeDirectory {
  readonly count?: number;
  readonly start?: number;
  /** With a record of zip64, and its place if it is to be another. */
  readonly zip64?: { readonly at?: bigint };
}

const large = 0xffffffff;

function localHeader(entry: Required<Pick<MadeEntry, "method" | "flags">>, name: Buffer, extra: Buffer): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(20, 4);
  header.writeUInt16LE(entry.flags, 6);
  header.writeUInt16LE(entry.method, 8);
  header.writeUInt16LE(name.length, 26);
  header.writeUInt16LE(extra.length, 28);
  return Buffer.concat([header, name, extra]);
}

function zip64Field(sizeBytes: number, packedBytes: number, offset: number): Buffer {
  const field = Buffer.alloc(28);
  field.writeUInt16LE(1, 0);
  field.writeUInt16LE(24, 2);
  for (const [at, value] of [sizeBytes, packedBytes, offset].entries())
    field.writeBigUInt64LE(BigInt(value), 4 + at * 8);
  return field;
}

/** A ZIP file, byte by byte (PKWARE APPNOTE.TXT sections 4.3.7, 4.3.12, 4.3.14 to 4.3.16). */
export function makeZip(entries: readonly MadeEntry[], directory: MadeDirectory = {}): Buffer {
  const pieces: Buffer[] = [];
  const records: Buffer[] = [];
  let at = 0;
  const add = (piece: Buffer): void => {
    pieces.push(piece);
    at += piece.length;
  };
  for (const entry of entries) {
    const name = Buffer.from(entry.name as string);
    const content = Buffer.from((entry.content ?? "") as string);
    const { method = 8, flags = 0, crc = crc32(content), sizeBytes = content.length, offset = at } = entry;
    const packed = entry.packed ?? (method === 8 ? deflateRawSync(content) : content);
    const { packedBytes = packed.length, isZip64 = false } = entry;
    const extra = isZip64 ? zip64Field(sizeBytes, packedBytes, offset) : Buffer.alloc(0);
    add(localHeader({ method, flags }, name, entry.localExtra ?? Buffer.alloc(0)));
    add(packed);
    const record = Buffer.alloc(46);
    record.writeUInt32LE(0x02014b50, 0);
    record.writeUInt16LE(20, 4);
    record.writeUInt16LE(20, 6);
    record.writeUInt16LE(flags, 8);
    record.writeUInt16LE(method, 10);
    record.writeUInt32LE(crc, 16);
    record.writeUInt32LE(isZip64 ? large : packedBytes, 20);
    record.writeUInt32LE(isZip64 ? large : sizeBytes, 24);
    record.writeUInt16LE(name.length, 28);
    record.writeUInt16LE(extra.length, 30);
    record.writeUInt32LE(isZip64 ? large : offset, 42);
    records.push(record, name, extra);
  }
  const { count = entries.length, start = at, zip64 } = directory;
  const records64 = at;
  for (const record of records) add(record);
  if (zip64 !== undefined) {
    const place = zip64.at ?? BigInt(at);
    const end = Buffer.alloc(56);
    end.writeUInt32LE(0x06064b50, 0);
    end.writeBigUInt64LE(44n, 4);
    end.writeBigUInt64LE(BigInt(count), 24);
    end.writeBigUInt64LE(BigInt(count), 32);
    end.writeBigUInt64LE(BigInt(at - records64), 40);
    end.writeBigUInt64LE(BigInt(start), 48);
    const locator = Buffer.alloc(20);
    locator.writeUInt32LE(0x07064b50, 0);
    locator.writeBigUInt64LE(place, 8);
    locator.writeUInt32LE(1, 16);
    add(end);
    add(locator);
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(zip64 === undefined ? count : 0xffff, 8);
  end.writeUInt16LE(zip64 === undefined ? count : 0xffff, 10);
  end.writeUInt32LE(zip64 === undefined ? start : large, 16);
  add(end);
  return Buffer.concat(pieces);
}
