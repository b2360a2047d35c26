import fc from "fast-check";

// Without this, arrays and texts with a `maxLength` have at most ten elements, whatever it says.
fc.configureGlobal({ defaultSizeToMaxWhenMaxSpecified: true });

export { fc };
