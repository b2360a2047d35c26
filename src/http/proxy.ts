import { createRequire } from "node:module";
import type { Socket } from "node:net";
import { parseUrl, TidemarkError } from "../core/index.ts";
import type { Failure } from "./failure.ts";

const usualPorts = { http: "80", socks5: "1080", socks5h: "1080" } as const;

/** A proxy through which requests go. */
export interface ForwardProxy {
  /** `socks5`: names are resolved here; otherwise by the proxy. */
  readonly scheme: keyof typeof usualPorts;
  readonly hostname: string;
  readonly port: string;
  /** As in its URL, empty for none. */
  readonly user: string;
  readonly password: string;
  /** Value of Proxy-Authorization, if the proxy's URL has a login. */
  readonly authorization: string | undefined;
}

/** What a tunnel leads to; an IPv6 address is without brackets. */
interface TunnelTarget {
  readonly host: string;
  readonly port: number;
}

const maxHeadBytes = 16 * 1024;

/**
 * Reads the URL of a proxy, such as `http://proxy.example:3128` or `socks5://user:password@proxy.example`.
 *
 * @throws TidemarkError `bad-option`, without the URL in its message
 */
export function readProxy(text: string): ForwardProxy {
  const url = parseUrl(text);
  const [scheme] = Object.entries(usualPorts).find(([name]) => url?.protocol === `${name}:`) ?? [];
  if (!url?.hostname || scheme === undefined || url.pathname.length > 1 || url.search !== "" || url.hash !== "")
    throw new TidemarkError("bad-option", "Not the URL of a proxy.", {
      hint: "Write http://HOST:PORT, socks5://HOST:PORT or socks5h://HOST:PORT; proxies that speak TLS are not supported.",
    });
  const { hostname, port } = url;
  const [user, password] = [decode(url.username), decode(url.password)];
  const login = `${user}:${password}`;
  if (scheme !== "http" && (user === "") !== (password === ""))
    throw new TidemarkError("bad-option", "The login of a SOCKS proxy needs user and password.");
  return {
    ...{ scheme: scheme as ForwardProxy["scheme"], user, password },
    hostname: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? usualPorts[scheme as ForwardProxy["scheme"]] : port,
    authorization: login === ":" ? undefined : `Basic ${Buffer.from(login, "utf8").toString("base64")}`,
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const wantsLogin = "it wants a login: write http://USER:PASSWORD@HOST:PORT, or check the password";

/**
 * Asks an HTTP proxy for a tunnel, and waits for it.
 *
 * @param socket - connected to the proxy
 * @param callback - called once: without an error the socket is the tunnel
 * @see RFC 9110 section 9.3.6
 */
export function openTunnel(
  socket: Socket,
  { host, port }: TunnelTarget,
  { authorization }: ForwardProxy,
  callback: (error: Error | null) => void,
): void {
  const authority = `${host.includes(":") ? `[${host}]` : host}:${port}`;
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
    const why = status === "407" ? `; ${wantsLogin}` : status === "403" ? "; its rules forbid it" : "";
    end(
      isOpen ? null : new Error(`the proxy opened no tunnel to ${authority}: it answered ${status || "no HTTP"}${why}`),
    );
  };
  socket.on("data", take).on("error", end).on("close", close);
  const login = authorization === undefined ? "" : `Proxy-Authorization: ${authorization}\r\n`;
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${login}\r\n`);
}

/** The part of undici in use, of which it has no types. */
interface SocksClient {
  on(event: "authenticated" | "connected" | "close", receive: () => void): this;
  on(event: "error", receive: (error: Error) => void): this;
  handshake(): void;
  connect(host: string, port: number): void;
}

/**
 * Asks a SOCKS proxy for a tunnel, and waits for it.
 *
 * @param socket - connected to the proxy
 * @param callback - called once: without an error the socket is the tunnel
 * @see RFC 1928; RFC 1929 for the login
 */
export function openSocksTunnel(
  socket: Socket,
  { host, port }: TunnelTarget,
  { user, password }: ForwardProxy,
  callback: (error: Error | null) => void,
): void {
  let isOver = false;
  const end = (why?: string): void => {
    if (isOver) return;
    isOver = true;
    // Its listeners stay until the socket is closed.
    if (why === undefined) socket.pause();
    callback(why === undefined ? null : new Error(`the proxy opened no tunnel to ${host}:${port}: ${why}`));
  };
  try {
    // Its agent would make the connections, with a warning and time limits of its own.
    const { Socks5Client } = createRequire(import.meta.url)("undici/lib/core/socks5-client.js") as {
      Socks5Client: new (socket: Socket, login: { username: string; password: string }) => SocksClient;
    };
    const client = new Socks5Client(socket, { username: user, password });
    client
      .on("error", ({ message }) => end(message))
      .on("close", () => end("it closed the connection"))
      .on("authenticated", () => client.connect(host, port))
      .on("connected", () => end());
    client.handshake();
  } catch (error) {
    end((error as Error).message);
  }
}

/**
 * Whether a response to a forwarded request is the proxy's own refusal: 407, or a page of errors of Squid or Tinyproxy.
 *
 * @param raw - names and values alternating, as bytes
 */
export function findProxyRefusal(status: number, raw: readonly Uint8Array[]): Failure | undefined {
  const refuse = (why: string): Failure => ({
    reason: "connection",
    message: `the proxy did not forward the request: it answered ${status}${why}`,
  });
  if (status === 407) return refuse(`; ${wantsLogin}`);
  if (status < 400) return undefined;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = Buffer.from(raw[at] as Uint8Array)
      .toString("latin1")
      .toLowerCase();
    const value = Buffer.from(raw[at + 1] as Uint8Array).toString("latin1");
    const isOwn = name === "x-squid-error" || (name === "server" && /^tinyproxy\b/i.test(value));
    if (isOwn) return refuse(status === 403 ? "; its rules forbid it" : ` (${value.slice(0, 80)})`);
  }
  return undefined;
}
