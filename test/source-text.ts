/** What a module of source code brings in and says, without its comments. */
export interface SourceText {
  /** The code with comments, and what stands inside quotes, blanked; of equal length. */
  readonly code: string;
  /** Where it imports or exports from, in order; type-only imports and dynamic ones too. */
  readonly specifiers: readonly string[];
  /** Whether it imports something whose name is only known when it runs. */
  readonly importsComputed: boolean;
}

const blank = (text: string): string => text.replace(/[^\n]/g, " ");

// A slash after one of these begins a regular expression; after anything else it divides.
const beforeExpression = /(?:^|[(,=:;[!&|?{}+\-*%<>~^]|\b(?:return|typeof|case|of|in|await|yield|throw))\s*$/;
const token =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*|[`}{]/y;

/** Blanks comments and the insides of strings, templates and regular expressions. */
function blankText(source: string): string {
  let code = "";
  // For each template that is open: how many braces are open in its present `${`.
  const templates: number[] = [];
  const takeTemplate = (from: number): number => {
    let at = from;
    while (at < source.length && source[at] !== "`" && !source.startsWith("${", at)) at += source[at] === "\\" ? 2 : 1;
    code += blank(source.slice(from, at));
    if (source.startsWith("${", at)) {
      templates.push(0);
      code += "${";
      return at + 2;
    }
    code += source.slice(at, at + 1);
    return at + 1;
  };
  for (let at = 0; at < source.length; ) {
    token.lastIndex = at;
    const found = token.exec(source)?.[0];
    const isRegExp = found?.startsWith("/") && !found.startsWith("//") && !found.startsWith("/*");
    if (found === undefined || (isRegExp && !beforeExpression.test(code.slice(-40)))) {
      code += source.slice(at, at + 1);
      at += 1;
      continue;
    }
    at += found.length;
    const open = templates.length - 1;
    if (found === "`") {
      code += found;
      at = takeTemplate(at);
    } else if (found === "{" || found === "}") {
      code += found;
      if (open >= 0 && found === "}" && templates[open] === 0) {
        templates.pop();
        at = takeTemplate(at);
      } else if (open >= 0) templates[open] = (templates[open] ?? 0) + (found === "{" ? 1 : -1);
    } else if (found.startsWith("//") || found.startsWith("/*")) code += blank(found);
    else code += found[0] + blank(found.slice(1, -1)) + found.slice(-1);
  }
  return code;
}

const imports =
  /\b(?:import|export)\b[^;"'()=]*?\bfrom\s*["']|\bimport\s*["']|\bimport\s*\(\s*["']|\brequire\s*\(\s*["']/g;

/** Takes a module's source apart. */
export function readSourceText(source: string): SourceText {
  const code = blankText(source);
  const specifiers = [...code.matchAll(imports)].map((match) => {
    const from = match.index + match[0].length;
    return source.slice(from, code.indexOf(code.charAt(from - 1), from));
  });
  return { code, specifiers, importsComputed: /\bimport\s*\(\s*(?!["'\s])/.test(code) };
}
