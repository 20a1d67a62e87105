// Variables in a text of settings, in the forms of the programs that have servers for MCP: `${NAME}`,
// `${NAME:-default}` and `${env:NAME}`.

type Values = Readonly<Record<string, string | undefined>>;

const VARIABLE = /\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^}]*))?\}/g;

/**
 * The text with their values, each as it is. One that is not set and has no default stays.
 *
 * @example
 * filledText('https://example.org/mcp?key=${DOCS_KEY}', { DOCS_KEY: 'x' }); // 'https://example.org/mcp?key=x'
 */
export function filledText(text: string, values: Values): string {
  return text.replace(VARIABLE, (whole, name: string, fallback?: string) => values[name] ?? fallback ?? whole);
}

/** As a text names one: `variableText('NAME')` is `${NAME}`. */
export function variableText(name: string): string {
  return `\${${name}}`;
}

/** The names in the text. */
export function variablesIn(text: string): string[] {
  return Array.from(text.matchAll(VARIABLE), ([, name = '']) => name);
}

/** The first of them that has neither a value nor a default. */
export function unsetVariable(text: string, values: Values): string | undefined {
  return Array.from(text.matchAll(VARIABLE)).find(
    ([, name = '', fallback]) => (values[name] ?? fallback) === undefined,
  )?.[1];
}

/** The text without those that have no default, which would be in the text by its value. */
export function withoutVariables(text: string): string {
  return text.replace(VARIABLE, (whole, _name, fallback?: string) => (fallback === undefined ? '' : whole));
}
