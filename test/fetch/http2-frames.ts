import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, type TLSSocket } from "node:tls";
import { cert, key } from "./own-certificate.ts";

/** Types of frames, RFC 9113 section 6. */
export const frameTypes = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  push: 5,
  ping: 6,
  goaway: 7,
  window: 8,
  continuation: 9,
} as const;

/** The flags END_STREAM (or ACK), END_HEADERS and PADDED. */
export const flags = { end: 1, ack: 1, endHeaders: 4, padded: 8 } as const;

/** A frame; its length may be another than the payload's. */
export function frame(
  type: number,
  flag: number,
  streamId: number,
  payload: Uint8Array | string = "",
  length?: number,
): Buffer {
  const body = typeof payload === "string" ? Buffer.from(payload, "latin1") : Buffer.from(payload);
  const head = Buffer.alloc(9);
  head.writeUIntBE(length ?? body.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flag, 4);
  head.writeUInt32BE(streamId, 5);
  return Buffer.concat([head, body]);
}

/** A number of 32 bits. */
export function uint32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, 4 * at);
  return bytes;
}

/** Fields as literals without an index and without a code (RFC 7541 section 6.2.2). */
export function literals(fields: ReadonlyArray<readonly [string, string]>): Buffer {
  const text = (value: string): Buffer => Buffer.concat([prefixed(value.length), Buffer.from(value, "latin1")]);
  return Buffer.concat(fields.flatMap(([name, value]) => [Buffer.from([0]), text(name), text(value)]));
}

// RFC 7541 section 5.1, with a prefix of 7 bits.
function prefixed(value: number): Buffer {
  if (value < 127) return Buffer.from([value]);
  const bytes = [127];
  let rest = value - 127;
  for (; rest >= 128; rest >>= 7) bytes.push((rest & 127) | 128);
  return Buffer.from([...bytes, rest]);
}

/** HEADERS with the status and further fields. */
export function answerHead(
  streamId: number,
  status: number | string,
  fields: ReadonlyArray<readonly [string, string]> = [],
  flag: number = flags.endHeaders,
): Buffer {
  return frame(frameTypes.headers, flag, streamId, literals([[":status", String(status)], ...fields]));
}

/** DATA. */
export function body(streamId: number, text: string, flag: number = flags.end): Buffer {
  return frame(frameTypes.data, flag, streamId, text);
}

/** A frame that came. */
export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly streamId: number;
  readonly payload: Buffer;
}

/** One connection to a server whose every frame is the test's own. */
export interface FrameConnection {
  readonly socket: TLSSocket;
  /** What came, of many frames the first. */
  readonly frames: readonly Frame[];
}

/** Such a server. */
export interface FrameServer {
  readonly origin: string;
  readonly connections: readonly FrameConnection[];
  /** The ids of the streams of all requests, as they came. */
  readonly requests: readonly number[];
  [Symbol.asyncDispose](): Promise<void>;
}

/** Who floods us with frames is answered with as many. */
const maxFrames = 1000;
const prefaceBytes = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".length;

/** Settings without a value, as a server begins. */
export const greeting: Buffer = frame(frameTypes.settings, 0, 0);

/**
 * Listens on a free loopback port, with TLS and ALPN for HTTP/2.
 *
 * @param answer - called with each request's stream; `count` is 1 for the first of its connection
 * @param options.start - what is said as soon as there is a connection. Default: {@link greeting}
 * @param options.staysOpen - whether a GOAWAY is not followed by the end of the connection, as it is with other servers
 * @param options.http1 - what is answered to each request of HTTP/1.1, which is offered only if this is given
 */
export async function listenFrames(
  answer: (socket: TLSSocket, streamId: number, count: number) => void,
  options: { readonly start?: Uint8Array; readonly staysOpen?: boolean; readonly http1?: string } = {},
): Promise<FrameServer> {
  const { start = greeting, staysOpen = false, http1 } = options;
  const connections: FrameConnection[] = [];
  const requests: number[] = [];
  const ALPNProtocols = http1 === undefined ? ["h2"] : ["h2", "http/1.1"];
  const server = createServer({ key, cert, ALPNProtocols }, (socket) => {
    if (socket.alpnProtocol !== "h2") {
      socket.on("error", () => undefined);
      socket.on("data", () => socket.write(http1 ?? ""));
      return;
    }
    const frames: Frame[] = [];
    connections.push({ socket, frames });
    let received = Buffer.alloc(0);
    let isGreeted = false;
    let count = 0;
    socket.on("error", () => undefined);
    if (start.length > 0) socket.write(start);
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (!isGreeted && received.length >= prefaceBytes) {
        isGreeted = true;
        received = received.subarray(prefaceBytes);
      }
      while (isGreeted && received.length >= 9 && received.length >= 9 + received.readUIntBE(0, 3)) {
        const end = 9 + received.readUIntBE(0, 3);
        const got: Frame = {
          type: received.readUInt8(3),
          flags: received.readUInt8(4),
          streamId: received.readUInt32BE(5),
          payload: received.subarray(9, end),
        };
        received = received.subarray(end);
        if (frames.length < maxFrames) frames.push(got);
        if (got.type === frameTypes.goaway && !staysOpen) socket.end();
        if (got.type === frameTypes.headers) {
          requests.push(got.streamId);
          answer(socket, got.streamId, ++count);
        }
      }
    });
  });
  server.on("tlsClientError", () => undefined);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections,
    requests,
    async [Symbol.asyncDispose]() {
      for (const { socket } of connections) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
