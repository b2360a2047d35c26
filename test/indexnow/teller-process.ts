// A process that tells, to be killed: the options come as JSON on the command line.
import { type TellIndexNowOptions, tellIndexNow } from "../../src/indexnow/index.ts";

const options = JSON.parse(process.argv[2] ?? "") as TellIndexNowOptions;
await tellIndexNow({ ...options, urlsPerCall: 1 });
