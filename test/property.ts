import fc from "fast-check";

// Without the first, arrays and texts with a `maxLength` have at most ten elements, whatever it says; without the second, a report lacks what failed.
fc.configureGlobal({ defaultSizeToMaxWhenMaxSpecified: true, includeErrorInReport: true });

export { fc };
