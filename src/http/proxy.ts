import type { Socket } from "node:net";
import { parseUrl, TidemarkError } from "../core/index.ts";

/** A proxy through which requests go. */
export interface ForwardProxy {
  readonly hostname: string;
  readonly port: string;
  /** Value of Proxy-Authorization, if the proxy's URL has a login. */
  readonly authorization: string | undefined;
}

const maxHeadBytes = 16 * 1024;

/**
 * Reads the URL of a proxy, such as `http://proxy.example:3128` or `http://user:password@proxy.example:3128`.
 *
 * @throws TidemarkError `bad-option`, without the URL in its message
 */
export function readProxy(text: string): ForwardProxy {
  const url = parseUrl(text);
  if (url?.protocol !== "http:" || url.pathname !== "/" || url.search !== "" || url.hash !== "")
    throw new TidemarkError("bad-option", "Not the URL of a proxy.", {
      hint: "Write http://HOST:PORT; proxies that speak TLS or SOCKS are not supported.",
    });
  const { hostname, port, username, password } = url;
  const login = `${decode(username)}:${decode(password)}`;
  const authorization = login === ":" ? undefined : `Basic ${Buffer.from(login, "utf8").toString("base64")}`;
  return { hostname: hostname.replace(/^\[|\]$/g, ""), port: port === "" ? "80" : port, authorization };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Asks a proxy for a tunnel, and waits for it.
 *
 * @param socket - connected to the proxy
 * @param authority - host and port to reach
 * @param callback - called once: without an error the socket is the tunnel
 * @see RFC 9110 section 9.3.6
 */
export function openTunnel(
  socket: Socket,
  authority: string,
  { authorization }: ForwardProxy,
  callback: (error: Error | null) => void,
): void {
  let head = Buffer.alloc(0);
  const end = (error: Error | null): void => {
    socket.off("data", take).off("error", end).off("close", close);
    callback(error);
  };
  const close = (): void => end(new Error("the proxy closed the connection"));
  const take = (chunk: Buffer): void => {
    head = Buffer.concat([head, chunk]);
    const at = head.indexOf("\r\n\r\n");
    if (at === -1 && head.length <= maxHeadBytes) return;
    const [, status = ""] = /^HTTP\/1\.[01] ([0-9]{3})/.exec(head.toString("latin1")) ?? [];
    // A server behind TLS speaks second: nothing may follow yet.
    const isOpen = /^2/.test(status) && at + 4 === head.length;
    if (isOpen) socket.pause();
    end(isOpen ? null : new Error(`the proxy opened no tunnel to ${authority}: it answered ${status || "no HTTP"}`));
  };
  socket.on("data", take).on("error", end).on("close", close);
  const login = authorization === undefined ? "" : `Proxy-Authorization: ${authorization}\r\n`;
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${login}\r\n`);
}
