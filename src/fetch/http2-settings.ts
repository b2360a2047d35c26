import { encodeFrame, encodeNumbers, errorCodes, maxPayloadBytes, frameTypes as types } from "./http2-frame.ts";

/** So much of a body may be on its way: more would be memory, less would make far servers wait. */
export const windowBytes: number = 1024 * 1024;
/** What a connection begins with, and all of it on either side (RFC 9113 section 6.9.2). */
export const firstWindowBytes = 65_535;
/** No window may be wider. */
export const maxWindowBytes: number = 2 ** 31 - 1;

const [enablePush, maxStreams, initialWindow, maxFrame, maxFieldList] = [2, 3, 4, 5, 6] as const;
const settingBytes = 6;

/** What a server has said of itself. */
export interface PeerSettings {
  /** How many streams it takes at once. */
  readonly maxStreams: number;
  readonly windowBytes: number;
  readonly maxPayloadBytes: number;
}

/** What holds before a server says anything. */
export const firstSettings: PeerSettings = {
  maxStreams: Number.POSITIVE_INFINITY,
  windowBytes: firstWindowBytes,
  maxPayloadBytes,
};

/**
 * What we say first: no promises, a window for a whole body, and how large fields may be (RFC 9113 section 3.4).
 *
 * @param maxFieldBytes - bound on the size of all fields of an answer
 */
export function encodeGreeting(maxFieldBytes: number): Buffer {
  const settings: ReadonlyArray<readonly [number, number]> = [
    [enablePush, 0],
    [initialWindow, windowBytes],
    [maxFieldList, maxFieldBytes],
  ];
  const payload = settings.map(([name, value]) => Buffer.concat([Buffer.from([0, name]), encodeNumbers(value)]));
  return Buffer.concat([
    Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "latin1"),
    encodeFrame(types.settings, 0, 0, Buffer.concat(payload)),
    encodeFrame(types.window, 0, 0, encodeNumbers(windowBytes - firstWindowBytes)),
  ]);
}

/** @returns what holds now, or the code of the error that a value is (RFC 9113 section 6.5.2) */
export function readSettings(before: PeerSettings, payload: Buffer): PeerSettings | number {
  if (payload.length % settingBytes !== 0) return errorCodes.frameSize;
  const now = { ...before };
  for (let at = 0; at < payload.length; at += settingBytes) {
    const name = payload.readUInt16BE(at);
    const value = payload.readUInt32BE(at + 2);
    if (name === enablePush && value !== 0) return errorCodes.protocol;
    if (name === initialWindow && value > maxWindowBytes) return errorCodes.flowControl;
    if (name === maxFrame && (value < maxPayloadBytes || value >= 2 ** 24)) return errorCodes.protocol;
    if (name === maxStreams) now.maxStreams = value;
    else if (name === initialWindow) now.windowBytes = value;
    else if (name === maxFrame) now.maxPayloadBytes = value;
  }
  return now;
}
