import { type AnyNode, type Node, parse } from "acorn";

/** One small change of a module's text that a test should notice. */
export interface Mutant {
  /** Offsets of what is replaced. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly kind: string;
  /** Line from 1 and column from 0 in the text. */
  readonly line: number;
  readonly column: number;
}

const comparisons: Readonly<Record<string, readonly string[]>> = {
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "===": ["!=="],
  "!==": ["==="],
};
const sums: Readonly<Record<string, string>> = { "+": "-", "-": "+", "*": "/", "/": "*", "%": "*" };
const methods: Readonly<Record<string, string>> = {
  min: "max",
  max: "min",
  some: "every",
  every: "some",
  floor: "ceil",
};
const steps: Readonly<Record<string, string>> = { "++": "--", "--": "++", "+=": "-=", "-=": "+=" };

type Change = readonly [kind: string, start: number, end: number, text: string];

/** The operator between two operands, in the text. */
function between(source: string, left: Node, right: Node, operator: string): readonly [number, number] {
  const at = source.indexOf(operator, left.end);
  return at < 0 || at > right.start ? [left.end, left.end] : [at, at + operator.length];
}

const isText = (node: AnyNode): boolean =>
  node.type === "TemplateLiteral" ||
  (node.type === "Literal" && typeof node.value === "string") ||
  (node.type === "BinaryExpression" && node.operator === "+" && (isText(node.left as AnyNode) || isText(node.right)));

function changesOf(node: AnyNode, source: string): Change[] {
  switch (node.type) {
    case "IfStatement":
    case "ConditionalExpression":
      return ["true", "false"].map((text): Change => ["condition", node.test.start, node.test.end, text]);
    case "WhileStatement":
      return [["condition", node.test.start, node.test.end, "false"]];
    case "LogicalExpression": {
      const place = between(source, node.left, node.right, node.operator);
      // A literal stands there for the compiler's sake, mostly: no element of a typed array is absent.
      if (node.operator === "??")
        return node.right.type === "Literal" ? [] : [["default", node.left.end, node.end, ""]];
      return [["logic", ...place, node.operator === "&&" ? "||" : "&&"]];
    }
    case "BinaryExpression": {
      const place = between(source, node.left, node.right, node.operator);
      const others = comparisons[node.operator];
      if (others !== undefined) return others.map((text): Change => ["comparison", ...place, text]);
      const other = sums[node.operator];
      if (other === undefined || isText(node)) return [];
      return [["arithmetic", ...place, other]];
    }
    case "AssignmentExpression": {
      const other = steps[node.operator];
      return other === undefined ? [] : [["step", ...between(source, node.left, node.right, node.operator), other]];
    }
    case "UpdateExpression": {
      const [start, end] = node.prefix ? [node.start, node.start + 2] : [node.end - 2, node.end];
      return [["step", start, end, steps[node.operator] ?? node.operator]];
    }
    case "UnaryExpression":
      return node.operator === "!" ? [["negation", node.start, node.start + 1, ""]] : [];
    case "Literal":
      if (typeof node.value === "number")
        return [["number", node.start, node.end, `(${source.slice(node.start, node.end)} + 1)`]];
      return typeof node.value === "boolean" ? [["flag", node.start, node.end, String(!node.value)]] : [];
    case "MemberExpression": {
      const name = node.property.type === "Identifier" && !node.computed ? node.property.name : "";
      const other = methods[name];
      return other === undefined ? [] : [["method", node.property.start, node.property.end, other]];
    }
    case "ExpressionStatement": {
      const { type } = node.expression;
      const isDropped = type === "CallExpression" || type === "AwaitExpression" || type === "AssignmentExpression";
      // What the compiler writes for `using` is nobody's to test.
      const isOurs = node.directive === undefined && !source.startsWith("env_", node.start);
      return isDropped && isOurs ? [["dropped", node.start, node.end, ";"]] : [];
    }
    default:
      return [];
  }
}

/** What lies below a node, in the order of the text. */
function* childrenOf(node: AnyNode): Generator<AnyNode> {
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value])
      if (typeof child?.type === "string" && typeof child.start === "number") yield child as AnyNode;
}

/**
 * All mutants of a module of JavaScript. What is thrown is left as it is: nobody tests each word of a message.
 *
 * @throws SyntaxError where it is none
 */
export function findMutants(source: string): Mutant[] {
  const mutants: Mutant[] = [];
  const visit = (node: AnyNode): void => {
    if (node.type === "ThrowStatement" || node.type === "ImportDeclaration") return;
    for (const [kind, start, end, text] of changesOf(node, source)) {
      const before = source.slice(0, start).split("\n");
      mutants.push({ kind, start, end, text, line: before.length, column: before.at(-1)?.length ?? 0 });
    }
    for (const child of childrenOf(node)) visit(child);
  };
  visit(parse(source, { ecmaVersion: "latest", sourceType: "module" }) as AnyNode);
  return mutants;
}

/** The module with one mutant in it. */
export function applyMutant(source: string, { start, end, text }: Mutant): string {
  return source.slice(0, start) + text + source.slice(end);
}
