export { findNetrcLogin, type Login } from "./netrc.ts";
