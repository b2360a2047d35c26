import { main } from "../../src/cli/index.ts";

await main(process);
