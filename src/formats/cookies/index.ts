export { type FileCookie, readCookieFile } from "./cookie-file.ts";
