/** An object without the properties that are undefined. */
export type Given<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Drops undefined properties, so that defaults apply. */
export function omitUndefined<T extends object>(options: T): Given<T> {
  const given: Partial<T> = {};
  for (const name of Object.keys(options) as (keyof T)[]) if (options[name] !== undefined) given[name] = options[name];
  return given as unknown as Given<T>;
}
