export { formatW3cDate, parseW3cDate, W3cDateWriter } from "./w3c-date.ts";
