export { type FolderServer, type ServedRequest, type ServeOptions, serveFolder } from "./folder-server.ts";
export { formatNginxMap } from "./nginx-map.ts";
