export { EntryReader, XmlReader, type XmlReceiver } from "./xml-reader.ts";
