import { parseDictionary, Token } from "structured-headers";
import { noUsage, type UsagePreferences, usages } from "../../core/index.ts";

/** A longer statement is taken for none. */
const maxCharacters = 16 * 1024;

/**
 * Reads a statement of preferences, as in the field `Content-Usage`: a dictionary of structured fields. Other keys, values
 * and parameters are ignored; what is no dictionary states nothing.
 *
 * @param text - one character a byte; lines of a repeated field are joined by commas
 * @see draft-ietf-aipref-vocab-08 section 6.5; RFC 9651 section 4.2.2
 */
export function parseContentUsage(text: string): UsagePreferences {
  if (text === "" || text.length > maxCharacters) return noUsage;
  try {
    const members = parseDictionary(text);
    return pick((use) => {
      const value = members.get(use)?.[0];
      return value instanceof Token ? value.toString() : undefined;
    });
  } catch {
    return noUsage;
  }
}

/** What Content Signals call the uses. */
const signalNames = { "train-ai": "ai-train", "ai-use": "ai-input", search: "search" } as const;

/**
 * Reads the value of a line `Content-Signal` of robots.txt, such as `search=yes, ai-train=no`.
 *
 * @see contentsignals.org; draft-romm-aipref-contentsignals-00
 */
export function parseContentSignal(text: string): UsagePreferences {
  if (text === "" || text.length > maxCharacters) return noUsage;
  const values = new Map(text.toLowerCase().split(",").map(readPair));
  return pick((use) => {
    const value = values.get(signalNames[use]);
    return value === "yes" ? "y" : value === "no" ? "n" : undefined;
  });
}

function readPair(text: string): [string, string] {
  const [name = "", value = ""] = text.split("=");
  return [name.trim(), value.trim()];
}

function pick(find: (use: (typeof usages)[number]) => string | undefined): UsagePreferences {
  const found = usages.flatMap((use) => {
    const value = find(use);
    return value === "y" || value === "n" ? [[use, value] as const] : [];
  });
  return found.length === 0 ? noUsage : Object.fromEntries(found);
}
