import type { FetchFailure } from "../core/index.ts";
import { isPrivateAddressError } from "./address-guard.ts";

/** How far a request had got when it failed. */
export type Progress = "connecting" | "sent" | "answering" | "body";

/** Why there is no usable answer. */
export interface Failure {
  readonly reason: FetchFailure;
  readonly message: string;
}

const certificateError =
  /^(?:ERR_TLS_|ERR_SSL_|ERR_OSSL_|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_|HOSTNAME_MISMATCH|EPROTO)/;

/** Classifies a failure of the network or of HTTP. */
export function classifyError(error: Error, progress: Progress): Failure {
  const code = codeOf(error);
  return { reason: reasonOf(error, code, progress), message: messageOf(error, code) };
}

/** Whether the server closed the connection, as it may when it is idle. */
export function isClosedConnection(error: Error): boolean {
  const code = codeOf(error);
  return (code === "UND_ERR_SOCKET" && !isBadAnswer(error)) || code === "ECONNRESET" || code === "EPIPE";
}

function reasonOf(error: Error, code: string, progress: Progress): FetchFailure {
  if (isPrivateAddressError(error)) return "private-address";
  if (code === "UND_ERR_CONNECT_TIMEOUT" || code === "ETIMEDOUT") return "timeout";
  if (code === "UND_ERR_HEADERS_OVERFLOW" || code === "ERR_ASSERTION" || isBadAnswer(error)) return "protocol";
  if (progress === "body") return "truncated";
  if (error.name === "HTTPParserError" || code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH") return "protocol";
  if (code === "ENOTFOUND" || code.startsWith("EAI_")) return "dns";
  if (progress === "connecting" && certificateError.test(code)) return "tls";
  return "connection";
}

function codeOf(error: Error): string {
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? code : "";
}

/**
 * Whether bytes followed the response: only the wording of undici's error distinguishes that from a closed connection.
 */
export function isBadAnswer(error: Error): boolean {
  return error.message === "bad response" || error.message === "bad upgrade";
}

function messageOf(error: Error, code: string): string {
  // Node tries several addresses and reports their failures as one error without a message.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : undefined;
  return error.message || (first instanceof Error ? first.message : "") || code || error.name;
}
