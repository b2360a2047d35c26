export { type FolderServer, type ServedRequest, type ServeOptions, serveFolder } from "./folder-server.ts";
