export { defaultIndexNowEndpoint, type TellIndexNowOptions, tellIndexNow } from "./tell-index-now.ts";
