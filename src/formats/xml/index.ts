export { XmlReader, type XmlReceiver } from "./xml-reader.ts";
