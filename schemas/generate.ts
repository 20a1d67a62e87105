// Makes types and validators from the JSON Schemas in this folder, which are the one source of both. `npm run generate`
// writes them; `node schemas/generate.ts --check` fails if what is there is not what would be written.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standaloneModule from 'ajv/dist/standalone/index.js';
import { build } from 'esbuild';
import { compile, type JSONSchema } from 'json-schema-to-typescript';
import { configurationPage } from './configuration-page.ts';
import { eventsPage, type SchemaNode } from './events-page.ts';
import { resolvedSchema, type SettingSchema, settingsModule } from './settings.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const HEADER = '// Generated from schemas/ by "npm run generate". Change the schema, not this file.\n';
const standalone = standaloneModule as unknown as typeof standaloneModule.default;

type Schema = JSONSchema & { $id: string; title: string; $defs?: Record<string, Schema> };
const load = (path: string): Schema => JSON.parse(readFileSync(join(root, path), 'utf8'));

const eventFiles = readdirSync(join(root, 'schemas/events')).sort();
const eventSchemas = eventFiles.map((file) => ({
  type: basename(file, '.json'),
  schema: load(`schemas/events/${file}`),
}));
const messages = load('schemas/messages.json');
const line = load('schemas/line.json');
const config = load('schemas/config.json');

const outputs: Record<string, string> = {
  'lib/messages/types.generated.ts': HEADER + (await messageTypes()),
  'lib/events/types.generated.ts': HEADER + (await eventTypes()),
  'lib/events/catalogue.generated.ts': HEADER + eventMeanings(),
  'lib/events/validators.generated.ts': HEADER + (await eventValidators()),
  'docs/events.md': eventsPage(
    eventSchemas.map(({ type, schema }) => ({ type, schema: schema as SchemaNode })),
    messages as { $defs?: Record<string, SchemaNode> },
  ),
  'lib/config/types.generated.ts': HEADER + (await types(config)) + (await types(resolvedConfig())),
  'lib/config/settings.generated.ts': HEADER + settingsModule(config as SettingSchema),
  'lib/config/validator.generated.ts':
    HEADER +
    (await validators([{ name: 'config', schema: inSections(config) }], { allErrors: true, inlineRefs: false })),
  'docs/configuration.md': configurationPage(config as SettingSchema),
};

if (process.argv.includes('--check')) {
  const stale = Object.keys(outputs).filter((path) => read(path) !== outputs[path]);
  if (stale.length > 0) {
    console.error(`Not what the schemas say: ${stale.join(', ')}. Run "npm run generate".`);
    process.exitCode = 1;
  }
} else {
  for (const [path, text] of Object.entries(outputs)) writeFileSync(join(root, path), text);
}

function read(path: string): string | null {
  try {
    return readFileSync(join(root, path), 'utf8');
  } catch {
    return null;
  }
}

async function types(schema: Schema): Promise<string> {
  const text = await compile(namedReferences(schema), schema.title, {
    bannerComment: '',
    unreachableDefinitions: true,
    additionalProperties: false,
    style: { singleQuote: true, printWidth: 120 },
  });
  return text
    .replace(/( \*\n)? \* This interface was referenced by [^\n]*\n \* via the `definition` [^\n]*\n/g, '')
    .replace(/\/\*\*\n \*\/\n/g, '');
}

/** A copy in which each reference to messages.json is the name of the type that it stands for. */
function namedReferences(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema), (_, value) => {
    const name = typeof value?.$ref === 'string' && /messages\.json#\/\$defs\/(\w+)$/.exec(value.$ref)?.[1];
    return name ? { description: value.description, tsType: name } : value;
  });
}

async function messageTypes(): Promise<string> {
  const text = await types(messages);
  return text.replace(/export interface Messages \{[^}]*\}\n?/, '');
}

async function eventTypes(): Promise<string> {
  const bodies: string[] = [];
  for (const { schema } of eventSchemas) bodies.push(await types(schema));
  const body = bodies.join('\n');
  const imported = Object.keys(messages.$defs ?? {}).filter((name) => new RegExp(`\\b${name}\\b`).test(body));
  const union = eventSchemas.map(({ type, schema }) => `  '${type}': ${schema.title};`).join('\n');
  return `import type { ${imported.join(', ')} } from '../messages/types.generated.ts';\n\n${body}
/** What each type of event carries in \`data\`. */
export interface EventDataByType {
${union}
}
`;
}

function resolvedConfig(): Schema {
  const description = 'All settings, once every layer is in: what has a default is there.';
  return { ...(resolvedSchema(config as SettingSchema) as Schema), title: 'ResolvedConfig', description };
}

function eventMeanings(): string {
  const entries = eventSchemas.map(({ type, schema }) => `  '${type}': ${JSON.stringify(schema.description)},`);
  return `
/** Every type of event there is, and what it means in one line. */
export const EVENT_MEANINGS = {
${entries.join('\n')}
} as const;
`;
}

async function eventValidators(): Promise<string> {
  const named = eventSchemas.map(({ type, schema }) => ({ name: type, schema }));
  return validators([...named, { name: 'line', schema: line }]);
}

/**
 * The same schema, with each group of settings as a definition: its validator is a function of its own then, and no
 * start compiles those of groups in which nothing is set.
 */
function inSections(schema: Schema): Schema {
  const groups = Object.entries(schema.properties ?? {}).filter(([, { properties }]) => properties !== undefined);
  const references = groups.map(([name]) => [name, { $ref: `#/$defs/${name}` }]);
  return {
    ...schema,
    properties: { ...schema.properties, ...Object.fromEntries(references) },
    $defs: Object.fromEntries(groups) as Record<string, Schema>,
  };
}

/** One module that exports a record of validators by name, with nothing left to import. */
async function validators(
  named: { name: string; schema: Schema }[],
  options: { allErrors?: boolean; inlineRefs?: boolean } = {},
): Promise<string> {
  const ajv = new Ajv2020({
    code: { source: true, esm: true, lines: true },
    discriminator: true,
    allErrors: options.allErrors ?? false,
    verbose: false,
    inlineRefs: options.inlineRefs ?? true,
    strictTypes: false,
    formats: { path: true },
  });
  ajv.addSchema(messages);
  for (const { schema } of named) ajv.addSchema(schema);
  const exportNames = Object.fromEntries(named.map(({ schema }, index) => [`v${index}`, schema.$id]));
  const code = standalone(ajv, exportNames);
  const table = named.map(({ name }, index) => `  ${JSON.stringify(name)}: v${index},`).join('\n');
  const bundled = await build({
    stdin: {
      contents: `${code}\nexport const VALIDATORS = {\n${table}\n};\n`,
      resolveDir: root,
      loader: 'js',
    },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['main'],
    minify: true,
    logLevel: 'error',
  });
  const text = bundled.outputFiles[0]?.text ?? '';
  if (!text.includes('VALIDATORS')) throw new Error('the validators were not made');
  return `// @ts-nocheck\n${text}`;
}
