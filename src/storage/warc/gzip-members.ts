import { createReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { crc32, createInflateRaw, type InflateRaw, inflateRawSync } from "node:zlib";

const headerBytes = 10;
const trailerBytes = 8;
const windowBytes = 256 * 1024;
const maxAtOnceBytes = 4 * 1024 * 1024;

/** Takes the members of a gzip file as they are read. */
export interface MemberSink {
  begin(offset: number): void;
  /** A piece of what was packed. @returns false to stop reading: the member is not wanted, nor what follows */
  content(piece: Uint8Array): boolean;
  /** The member is whole. @returns false to stop reading */
  end(offset: number, lengthBytes: number): boolean;
}

/** Content of a member and where the deflated part ended, in bytes from its beginning. */
interface Inflated {
  readonly consumedBytes: number;
  readonly crc: number;
  readonly sizeBytes: number;
  readonly isWanted: boolean;
}

async function readAt(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

/** A small member costs no stream of its own. @returns undefined if it is not small, or not whole; nothing was told then */
function inflateSmall(packed: Buffer, sink: MemberSink): Inflated | undefined {
  try {
    const { buffer, engine } = inflateRawSync(packed, {
      info: true,
      maxOutputLength: maxAtOnceBytes,
    }) as unknown as { buffer: Buffer; engine: InflateRaw };
    const isWanted = sink.content(buffer);
    return { consumedBytes: engine.bytesWritten, crc: crc32(buffer), sizeBytes: buffer.length, isWanted };
  } catch {
    return undefined;
  }
}

async function inflateLarge(path: string, offset: number, sink: MemberSink): Promise<Inflated | undefined> {
  const source = createReadStream(path, { start: offset, highWaterMark: windowBytes });
  const inflate = createInflateRaw();
  let crc = 0;
  let sizeBytes = 0;
  try {
    source.on("error", (error) => inflate.destroy(error));
    source.pipe(inflate);
    for await (const piece of inflate as AsyncIterable<Buffer>) {
      crc = crc32(piece, crc);
      sizeBytes += piece.length;
      if (!sink.content(piece)) return { consumedBytes: 0, crc, sizeBytes, isWanted: false };
    }
    return { consumedBytes: inflate.bytesWritten, crc, sizeBytes, isWanted: true };
  } catch {
    return undefined;
  } finally {
    source.destroy();
    inflate.destroy();
  }
}

/**
 * Reads the members of a gzip file as this program writes them: without optional fields in their headers. Memory is
 * bounded, whatever the file holds.
 *
 * @returns where the last whole member that was wanted ends, in bytes: what follows is cut off, damaged or no gzip
 * @see RFC 1952
 */
export async function readGzipMembers(path: string, sink: MemberSink): Promise<number> {
  const file = await open(path, "r");
  let window: Buffer = Buffer.alloc(0);
  let windowAt = 0;
  try {
    for (let offset = 0; ; ) {
      if (window.length - (offset - windowAt) < windowBytes / 2) {
        window = await readAt(file, offset, windowBytes);
        windowAt = offset;
      }
      const member = window.subarray(offset - windowAt);
      if (member.length < headerBytes + trailerBytes) return offset;
      const [magic1, magic2, method, flags] = member;
      if (magic1 !== 0x1f || magic2 !== 0x8b || method !== 8 || flags !== 0) return offset;
      sink.begin(offset);
      const packed = member.subarray(headerBytes);
      let inflated = inflateSmall(packed, sink);
      inflated ??= await inflateLarge(path, offset + headerBytes, sink);
      if (inflated === undefined || !inflated.isWanted) return offset;
      const trailerAt = offset + headerBytes + inflated.consumedBytes;
      const trailer = await trailerOf(file, window, windowAt, trailerAt);
      if (trailer.length < trailerBytes) return offset;
      if (trailer.readUInt32LE(0) !== inflated.crc || trailer.readUInt32LE(4) !== inflated.sizeBytes % 2 ** 32)
        return offset;
      const next = trailerAt + trailerBytes;
      if (!sink.end(offset, next - offset)) return offset;
      offset = next;
    }
  } finally {
    await file.close();
  }
}

async function trailerOf(file: FileHandle, window: Buffer, windowAt: number, at: number): Promise<Buffer> {
  const inWindow = at - windowAt;
  if (inWindow + trailerBytes <= window.length) return window.subarray(inWindow, inWindow + trailerBytes);
  return await readAt(file, at, trailerBytes);
}
