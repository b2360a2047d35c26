export { EntryReader, XmlReader, type XmlReceiver, type XmlTag } from "./xml-reader.ts";
