// A tool as a server describes it, turned into a definition for models: text without hidden characters, a schema of
// known keywords, both bounded. The fingerprint covers the definition as the server sent it, so that no change goes
// unseen.
import { hash } from 'node:crypto';
import { sanitize, sanitizeLine } from '../display/sanitize.ts';
import { canonicalJson } from '../platform/json.ts';
import { safeSchema } from './safe-schema.ts';
import { toolName } from './tool-name.ts';

/** A tool as `tools/list` gives it; annotations and all else that it says of itself are not looked at. */
export interface ListedTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export interface McpToolDefinition {
  /** The server's name for it. */
  readonly remoteName: string;
  /** What a model calls it. */
  readonly name: string;
  readonly description: string;
  readonly parameters: object;
  /** See SafeSchema. */
  readonly isWrapped: boolean;
  /** SHA-256 of name, description and schema as they came. */
  readonly fingerprint: string;
}

interface ReadTools {
  readonly definitions: readonly McpToolDefinition[];
  /** Omitted parts with the reason, each as a sentence. */
  readonly problems: readonly string[];
}

const MAX_TOOLS = 128;
const MAX_NAME_CHARACTERS = 200;
const MAX_DESCRIPTION_CHARACTERS = 4096;

/** The tools of one server that can be offered. `only`: the names that the configuration lets through. */
export function readTools(
  server: string,
  listed: readonly ListedTool[],
  { only }: { readonly only?: readonly string[] | undefined } = {},
): ReadTools {
  const problems: string[] = [];
  const definitions = new Map<string, McpToolDefinition>();
  const wanted = only === undefined ? listed : listed.filter(({ name }) => only.includes(name));
  for (const tool of wanted.slice(0, MAX_TOOLS)) {
    const read = readTool(server, tool);
    if (typeof read === 'string') problems.push(read);
    else if (definitions.has(read.name)) problems.push(`${titleOf(tool)} is there twice; the first one counts.`);
    else definitions.set(read.name, read);
  }
  if (wanted.length > MAX_TOOLS) {
    problems.push(
      `It has ${wanted.length} tools; the first ${MAX_TOOLS} are taken. Name those you want under \`tools\`.`,
    );
  }
  const missing = (only ?? []).filter((name) => !listed.some((tool) => tool.name === name));
  for (const name of missing) problems.push(`It has no tool ${sanitizeLine(name)}.`);
  return { definitions: [...definitions.values()], problems };
}

function readTool(server: string, tool: ListedTool): McpToolDefinition | string {
  const { name, description = '', inputSchema } = tool;
  if (name === '') return 'A tool without a name is left out.';
  if (name.length > MAX_NAME_CHARACTERS) return `A tool whose name has ${name.length} characters is left out.`;
  const parameters = safeSchema(inputSchema);
  if (!parameters.ok) return `${titleOf(tool)} is left out: ${parameters.problem}.`;
  return {
    remoteName: name,
    name: toolName(server, name),
    description: cut(sanitize(description).trim()),
    parameters: parameters.schema,
    isWrapped: parameters.isWrapped,
    fingerprint: hash('sha256', canonicalJson([name, description, inputSchema]), 'hex'),
  };
}

function titleOf({ name }: ListedTool): string {
  return `The tool ${sanitizeLine(name).slice(0, MAX_NAME_CHARACTERS)}`;
}

function cut(text: string): string {
  if (text.length <= MAX_DESCRIPTION_CHARACTERS) return text;
  const kept = text.slice(0, MAX_DESCRIPTION_CHARACTERS).toWellFormed();
  return `${kept}… (cut: its description has ${text.length} characters)`;
}
