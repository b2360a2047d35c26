import { main } from "../../src/cli/main.ts";
import { lab } from "./lab-command.ts";

await main(process, lab);
