import { crc32, inflateRawSync } from "node:zlib";

/** An entry of a ZIP file. */
export interface ZipEntry {
  readonly name: string;
  readonly isStored: boolean;
  readonly content: Buffer;
}

/** Reads a ZIP file by its central directory (APPNOTE 4.3.12). @throws if a checksum is wrong */
export function readZip(bytes: Buffer): ZipEntry[] {
  const end = bytes.lastIndexOf("PK\x05\x06", undefined, "latin1");
  const entries: ZipEntry[] = [];
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((field) => bytes.readUInt16LE(at + field));
    const name = bytes.toString("utf8", at + 46, at + 46 + (nameLength ?? 0));
    const local = bytes.readUInt32LE(at + 42);
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const packed = bytes.subarray(start, start + bytes.readUInt32LE(at + 20));
    const isStored = bytes.readUInt16LE(at + 10) === 0;
    const content = isStored ? packed : inflateRawSync(packed);
    if (crc32(content) !== bytes.readUInt32LE(at + 16)) throw new Error(`${name}: wrong checksum`);
    entries.push({ name, isStored, content });
    at += 46 + (nameLength ?? 0) + (extraLength ?? 0) + (commentLength ?? 0);
  }
  return entries;
}
