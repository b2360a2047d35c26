export { openChangeStream } from "./change-stream.ts";
export type { Codec, Timing } from "./ports.ts";
export { visitSite } from "./visit-site.ts";
