export type { TellIndexNowOptions } from "./submission.ts";
export { defaultIndexNowEndpoint, tellIndexNow } from "./tell-index-now.ts";
