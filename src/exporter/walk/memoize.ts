/**
 * Remembers what a function gives for texts that repeat. The texts come from outside: so many, and so long ones, are
 * remembered that memory is bounded.
 */
export function memoize<Value>(find: (text: string) => Value): (text: string) => Value {
  const known = new Map<string, Value>();
  return (text) => {
    let value = known.get(text);
    if (value !== undefined || known.has(text)) return value as Value;
    value = find(text);
    if (known.size < 4096 && text.length <= 256) known.set(text, value);
    return value;
  };
}
