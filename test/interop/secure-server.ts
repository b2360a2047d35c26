import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { cert, key } from "../http/own-certificate.ts";
import { makeTempFolder } from "./temp-folder.ts";
import { findFreePort, type LoggedRequest, startWebServer } from "./web-server.ts";

/** A real nginx with TLS that offers HTTP/2. */
export interface SecureServer {
  /** Base URL, with `/` at the end. */
  readonly url: string;
  /** In PEM: whom to trust. */
  readonly ca: string;
  readonly caFile: string;
  readonly takeLog: () => Promise<LoggedRequest[]>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

/**
 * Starts it.
 *
 * @param requestsPerConnection - after so many nginx ends a connection
 */
export async function startSecureServer(docroot: string, requestsPerConnection: number): Promise<SecureServer> {
  const temp = makeTempFolder("secure");
  const caFile = join(temp.path, "cert.pem");
  writeFileSync(caFile, cert);
  writeFileSync(join(temp.path, "key.pem"), key);
  const port = await findFreePort();
  const snippet = `
    listen 127.0.0.1:${port} ssl http2;
    ssl_certificate ${caFile};
    ssl_certificate_key ${join(temp.path, "key.pem")};
    keepalive_requests ${requestsPerConnection};
`;
  const server = await startWebServer("nginx", docroot, { snippet });
  return {
    url: `https://127.0.0.1:${port}/`,
    ca: cert,
    caFile,
    takeLog: server.takeLog,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      temp[Symbol.dispose]();
    },
  };
}
