export { formatLogBytes, type LogField, LogLine, logField } from "./log-line.ts";
export { type LogFormats, LogReader, logFormatNames, readLogFormat } from "./log-reader.ts";
export { LogClock } from "./log-time.ts";
