import { Agent, request } from "undici";
import { classifyError } from "./failure.ts";
import { trustAuthorities } from "./fetcher.ts";

/** Bytes that are to be sent to a server that the user named. */
export interface PostBytesRequest {
  /** Absolute http or https URL. */
  readonly url: string;
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  /** Most bytes of the response's body. */
  readonly maxBytes: number;
  /** Until the head of the response, and between two pieces of it. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** What came of it. */
export type PostBytesOutcome =
  | {
      readonly kind: "answered";
      readonly status: number;
      /** The first value of a field of the response. */
      readonly field: (name: string) => string | undefined;
      readonly body: Uint8Array;
    }
  | { readonly kind: "failed"; readonly message: string };

/** Sends bytes by POST over connections that are kept. */
export class BytePoster implements AsyncDisposable {
  readonly #agent: Agent;

  /** @param ca - authorities in PEM that are trusted in addition to Node's @throws TypeError if they are none */
  constructor(ca: string | undefined) {
    const trusted = ca === undefined ? undefined : { connect: { secureContext: trustAuthorities(ca) } };
    this.#agent = new Agent({ connections: 1, ...trusted });
  }

  /** Sends once; whatever a server or network does is a branch of the outcome. Redirects are not followed. */
  async post({ url, body, headers, maxBytes, timeoutMs, signal }: PostBytesRequest): Promise<PostBytesOutcome> {
    try {
      const answer = await request(url, {
        ...{
          method: "POST",
          headers,
          body,
          dispatcher: this.#agent,
          headersTimeout: timeoutMs,
          bodyTimeout: timeoutMs,
        },
        ...(signal !== undefined && { signal }),
      });
      const pieces: Buffer[] = [];
      let length = 0;
      for await (const piece of answer.body as AsyncIterable<Buffer>) {
        length += piece.length;
        if (length > maxBytes) return { kind: "failed", message: `the answer is longer than ${maxBytes} bytes` };
        pieces.push(piece);
      }
      const field = (name: string): string | undefined => [answer.headers[name] ?? []].flat()[0];
      return { kind: "answered", status: answer.statusCode, field, body: Buffer.concat(pieces) };
    } catch (error) {
      return { kind: "failed", message: classifyError(error as Error, "connecting").message };
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy();
  }
}
