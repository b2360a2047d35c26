import type { Clock, ExchangeSink, FetchRequest } from "../core/index.ts";
import { encodeHttpHead } from "../formats/http/index.ts";
import type { Connection } from "./connection.ts";

/** Told of an answer's head. @returns who takes its body, if someone does */
export type HeadWatcher = (status: number, raw: readonly Uint8Array[], reason: string) => ExchangeSink | undefined;

/** What is sent to where. */
export interface SentRequest {
  readonly origin: string;
  readonly path: string;
  /** Names and values in turn, as given to the connection. */
  readonly fields: readonly string[];
}

// One character a byte, as the wire has them.
const textOf = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString("latin1");

/**
 * Makes exchanges of one request's answers, for a request that asks for them.
 *
 * @returns undefined where nobody asks, which costs nothing
 */
export function watchHead(
  { onExchange }: FetchRequest,
  sent: SentRequest,
  connection: Connection,
  clock: Clock,
): HeadWatcher | undefined {
  if (onExchange === undefined) return undefined;
  const startedAt = clock();
  return (status, raw, reason) => {
    const fields: [string, string][] = [];
    for (let at = 0; at + 1 < raw.length; at += 2) fields.push([textOf(raw[at]), textOf(raw[at + 1])]);
    // undici writes these two itself, before those that it is given.
    const own: [string, string][] = [
      ["host", new URL(sent.origin).host],
      ["connection", "keep-alive"],
    ];
    for (let at = 0; at + 1 < sent.fields.length; at += 2) own.push([sent.fields[at] ?? "", sent.fields[at + 1] ?? ""]);
    return onExchange({
      url: sent.origin + sent.path,
      requestHead: encodeHttpHead({ startLine: `GET ${sent.path} HTTP/1.1`, fields: own }),
      responseHead: encodeHttpHead({ startLine: `HTTP/1.1 ${status} ${reason}`, fields }),
      status,
      remoteAddress: connection.remoteAddress,
      startedAt,
    });
  };
}
