export { type FolderServer, type ServedRequest, type ServeOptions, serveFolder } from "./folder-server.ts";
export { formatNginxMap } from "./nginx-map.ts";
export type { PageFile, PageFinder } from "./page-file.ts";
