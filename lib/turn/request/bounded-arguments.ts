// Arguments of a call within bounds: a value that is nested without end, or has members without end, would break the
// code that walks through it. A text takes their place, which no tool accepts, and which the model reads in its own
// call.

const MAX_DEPTH = 64;
const MAX_VALUES = 100_000;

/**
 * @example
 * boundedArguments({ path: 'README.md' }); // the same
 * boundedArguments(nestedWithoutEnd); // 'Arguments nested more than 64 deep, left out.'
 */
export function boundedArguments(args: unknown): unknown {
  let values = 0;
  let level = [args];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return `Arguments nested more than ${MAX_DEPTH} deep, left out.`;
    values += level.length;
    if (values > MAX_VALUES) return `Arguments of more than ${MAX_VALUES} values, left out.`;
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []));
  }
  return args;
}
