import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryFolder } from "../repository-folder.ts";

/**
 * A block of code that a document shows, so that what is tested is what people copy.
 *
 * @param language - what stands after the three backticks
 * @throws if there is not exactly one such block
 */
export function readDocumentCode(document: string, language: string): string {
  const text = readFileSync(join(repositoryFolder(), document), "utf8");
  const blocks = text.split(`\n\`\`\`${language}\n`).slice(1);
  const [block] = blocks;
  if (block === undefined || blocks.length > 1)
    throw new Error(`${document} has ${blocks.length} blocks of ${language}`);
  return `${block.split("\n```\n", 1)[0]}\n`;
}
