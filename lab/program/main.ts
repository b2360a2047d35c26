import { main } from "../../src/cli/main.ts";
import { labCommands } from "./lab-command.ts";

await main(process, {
  name: "npm run lab --",
  about: "Run the experiments of the papers that Tidemark grew from, and compare the numbers.",
  commands: labCommands,
});
