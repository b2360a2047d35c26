import { parseUrl } from "../core/index.ts";
import { mustBe, type SettingKind } from "./setting-kind.ts";

/** Where a server listens. */
export interface ListenAddress {
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
}

const expects = "an address and a port, such as 127.0.0.1:9464";

/** An address of this machine and a port: `127.0.0.1:9464`, `[::1]:9464`, or a port alone for 127.0.0.1. */
export const listenAddress: SettingKind<ListenAddress> = {
  expects,
  form: "value",
  parseText: parseListenAddress,
  schema: (zod) =>
    zod
      .string(mustBe(expects))
      .refine((given) => parseListenAddress(given) !== undefined, mustBe(expects))
      .transform((given) => parseListenAddress(given) as ListenAddress),
};

function parseListenAddress(given: string): ListenAddress | undefined {
  const [, bracketed, plain = "127.0.0.1", digits = ""] =
    /^(?:(?:\[([^\]]*)\]|([^:[\]]+)):)?(\d{1,5})$/.exec(given) ?? [];
  const host = bracketed ?? plain;
  const isKnown =
    bracketed === undefined
      ? host === "localhost" || (/^\d+(?:\.\d+){3}$/.test(host) && parseUrl(`http://${host}/`)?.hostname === host)
      : parseUrl(`http://[${bracketed}]/`) !== undefined;
  const port = Number(digits);
  return digits !== "" && isKnown && port <= 65_535 ? { host, port } : undefined;
}
