import { once } from "node:events";
import { type IncomingHttpHeaders, type IncomingMessage, request as sendRequest } from "node:http";
import type { FolderServer } from "../../src/server/folder-server.ts";

/** An answer with its whole body. */
export interface Asked {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Sends one request; the path goes out as it is, without being normalised. */
export async function ask(
  server: FolderServer,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = "GET",
): Promise<Asked> {
  const sent = sendRequest({ host: "127.0.0.1", port: server.port, path, method, headers, agent: false });
  sent.end();
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  return { status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks).toString("latin1") };
}
