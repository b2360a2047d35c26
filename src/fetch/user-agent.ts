import { createRequire } from "node:module";

/** The User-Agent that is sent unless another is given. */
export function formatUserAgent(): string {
  const { version } = createRequire(import.meta.url)("tidemark/package.json") as { version: string };
  return `tidemark/${version} (+https://www.npmjs.com/package/tidemark)`;
}
