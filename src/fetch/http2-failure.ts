import { codedError, unprocessedCode } from "./carrier.ts";

/** What a server said of the end of a connection (RFC 9113 section 6.8). */
export interface Farewell {
  readonly code: number;
  /** Of later streams the server has seen nothing. */
  readonly lastStreamId: number;
}

/** How a stream ended without a whole answer. */
export interface StreamEnd {
  readonly streamId: number;
  /** Whether the fields of a final answer had come. */
  readonly isAnswered: boolean;
  /** Of the reset, undefined where the connection ended. */
  readonly code: number | undefined;
  readonly farewell: Farewell | undefined;
  /** What ended the connection, where it was an error. */
  readonly cause: Error | undefined;
}

/** RFC 9113 section 7. */
const names = [
  "NO_ERROR",
  "PROTOCOL_ERROR",
  "INTERNAL_ERROR",
  "FLOW_CONTROL_ERROR",
  "SETTINGS_TIMEOUT",
  "STREAM_CLOSED",
  "FRAME_SIZE_ERROR",
  "REFUSED_STREAM",
  "CANCEL",
  "COMPRESSION_ERROR",
  "CONNECT_ERROR",
  "ENHANCE_YOUR_CALM",
  "INADEQUATE_SECURITY",
  "HTTP_1_1_REQUIRED",
] as const;

/** By these a server says that a request of ours breaks the rules, which does not pass. */
const ofBrokenRules: ReadonlySet<string> = new Set([
  "PROTOCOL_ERROR",
  "FLOW_CONTROL_ERROR",
  "STREAM_CLOSED",
  "FRAME_SIZE_ERROR",
  "COMPRESSION_ERROR",
]);

/** The code of an error for frames that break the rules. */
export const http2ProtocolCode = "ERR_HTTP2_PROTOCOL";

/** An error for what breaks the rules of HTTP/2. */
export function protocolError(message: string): Error {
  return codedError(http2ProtocolCode, message);
}

const nameOf = (code: number | undefined): string =>
  code === undefined ? "nothing" : (names[code] ?? `the code ${code}`);

/** Whether the server wants to be asked again in HTTP/1.1. */
export function isHttp1Required({ isAnswered, code, farewell }: StreamEnd): boolean {
  return !isAnswered && [code, farewell?.code].map(nameOf).includes("HTTP_1_1_REQUIRED");
}

/** Says why a stream has ended without a whole answer. */
export function judgeStreamEnd(end: StreamEnd): Error {
  const { isAnswered, streamId, farewell, cause } = end;
  const name = nameOf(end.code);
  const last = nameOf(farewell?.code);
  if (!isAnswered) {
    if (isHttp1Required(end)) return codedError(unprocessedCode, "the server wants HTTP/1.1");
    if (name === "REFUSED_STREAM") return codedError(unprocessedCode, "the server refused the stream");
    // RFC 9113 section 6.8. Who asks for calm is not asked again at once.
    const isPassedOver = farewell !== undefined && streamId > farewell.lastStreamId;
    if (isPassedOver && last !== "ENHANCE_YOUR_CALM")
      return codedError(unprocessedCode, `the server ended the connection before the request: ${last}`);
  }
  if (end.code !== undefined)
    return codedError(ofBrokenRules.has(name) ? http2ProtocolCode : "ERR_HTTP2_RESET", `the stream was reset: ${name}`);
  if (farewell !== undefined && last !== "NO_ERROR")
    return codedError("ERR_HTTP2_GOAWAY", `the server ended the connection: ${last}`);
  return cause ?? codedError("ECONNRESET", "the connection was closed");
}
