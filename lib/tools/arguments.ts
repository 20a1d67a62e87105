// Holds the arguments of a call against the JSON Schema of its tool, and reports errors so that a model can correct
// itself. Schemas of other programs' tools are hostile input too: bounded in size and depth, closed against references
// to elsewhere, and stopped when they take too long. The validator is loaded at the first call.
import type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { excerpt } from '../display/excerpt.ts';
import { isObject } from '../platform/json.ts';
import { withinTime } from '../platform/time-limit.ts';
import type { Tool } from './tool.ts';

type CheckedArguments =
  | { readonly ok: true; readonly args: Readonly<Record<string, unknown>> }
  /** `message` is for the model. */
  | { readonly ok: false; readonly message: string };

type Compiled =
  | { readonly ok: true; readonly validate: ValidateFunction }
  | { readonly ok: false; readonly reason: string };

const MAX_SCHEMA_CHARACTERS = 256 * 1024;
const MAX_DEPTH = 64;
const COMPILE_LIMIT_MS = 2_000;
const VALIDATE_LIMIT_MS = 500;
const MAX_PROBLEMS = 6;
/** A long list may be wrong at every place. */
const MAX_DESCRIBED = 1000;
const MAX_VALUE_CHARACTERS = 60;
const MAX_LISTED_MEMBERS = 20;
const MAX_EXAMPLE_CHARACTERS = 400;

const OPTIONS = { strict: false, allErrors: true, validateFormats: false, logger: false, verbose: true } as const;

const compiledSchemas = new WeakMap<object, Promise<Compiled>>();
let dialect: Ajv2020 | undefined;

/** Without an origin it is the tool of another program. */
type CheckedTool = Pick<Tool, 'name' | 'parameters'> & Partial<Pick<Tool, 'origin'>>;

/**
 * Checks what a model gave as arguments: an object, or raw text where that was no JSON.
 *
 * @example
 * const checked = await checkArguments(tool, call.args);
 * if (checked.ok) plan = await tool.plan(checked.args, place);
 */
export async function checkArguments(tool: CheckedTool, args: unknown): Promise<CheckedArguments> {
  const read = readArguments(args);
  if ('problem' in read) return refusal(tool, [read.problem]);
  const schema = await compile(tool);
  if (!schema.ok)
    return { ok: false, message: `${tool.name} cannot be called: the schema of its arguments ${schema.reason}.` };
  const problems = findProblems(schema.validate, read.value);
  return problems.length === 0 ? { ok: true, args: read.value } : refusal(tool, problems);
}

/** Why arguments cannot be held against the schema of a tool, as the end of a sentence; undefined if they can. */
export async function schemaProblem(tool: CheckedTool): Promise<string | undefined> {
  const schema = await compile(tool);
  return schema.ok ? undefined : schema.reason;
}

type Read = { readonly value: Record<string, unknown> } | { readonly problem: string };

function readArguments(args: unknown): Read {
  if (args === undefined || args === null || args === '') return { value: {} };
  let value: unknown = args;
  if (typeof args === 'string') {
    try {
      value = JSON.parse(args);
    } catch (error) {
      return { problem: `They are not valid JSON: ${(error as Error).message.slice(0, 200)}.` };
    }
  }
  if (!isObject(value)) return { problem: `They must be one JSON object, not ${nameOf(value)}.` };
  const problem = structureProblem(value);
  return problem === undefined ? { value } : { problem: `They ${problem}.` };
}

function compile({ parameters, origin }: CheckedTool): Promise<Compiled> {
  let compiled = compiledSchemas.get(parameters);
  if (compiled === undefined) {
    compiled = compileSchema(parameters, origin === 'builtin');
    compiledSchemas.set(parameters, compiled);
  }
  return compiled;
}

async function compileSchema(parameters: object, isOurs: boolean): Promise<Compiled> {
  const reason = schemaRefusal(parameters);
  if (reason !== undefined) return { ok: false, reason };
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const rules = isOurs ? undefined : dialectFrom(Ajv2020);
  // Dialect and name are of no use here, and a name would be looked up as an address. An asynchronous check answers
  // with a promise, which looks like yes.
  const { $schema: _, $id: __, $async: ___, ...schema } = parameters as Record<string, unknown>;
  try {
    const outcome = withinTime(COMPILE_LIMIT_MS, () => {
      if (rules?.validateSchema(schema) === false) throw new Error(placeOf(rules.errors));
      // A validator for each schema, so that no schema can name another's parts.
      return new Ajv2020({ ...OPTIONS, meta: false, validateSchema: false }).compile(schema);
    });
    if (!('stopped' in outcome)) return { ok: true, validate: outcome.value as ValidateFunction };
    // On a busy machine it may go better the next time.
    compiledSchemas.delete(parameters);
    return { ok: false, reason: 'takes too long to read' };
  } catch (error) {
    return { ok: false, reason: `is not valid: ${String((error as Error).message).slice(0, 200)}` };
  }
}

function placeOf(errors: readonly ErrorObject[] | null | undefined): string {
  const path = errors?.find(({ instancePath }) => instancePath !== '')?.instancePath;
  return path === undefined ? 'it breaks the rules of JSON Schema' : `JSON Schema does not allow what is at ${path}`;
}

/**
 * The rules that a schema must keep. Reading them takes far longer than reading a schema by them: it is done once, and
 * never for the schemas of ollm itself, which its tests hold against them.
 */
function dialectFrom(Dialect: typeof Ajv2020): Ajv2020 {
  dialect ??= new Dialect(OPTIONS);
  dialect.validateSchema({});
  return dialect;
}

function schemaRefusal(parameters: object): string | undefined {
  const structure = structureProblem(parameters, foreignReference);
  if (structure !== undefined) return structure;
  if (JSON.stringify(parameters).length > MAX_SCHEMA_CHARACTERS) return 'is too large';
  if ((parameters as { type?: unknown }).type !== 'object') return 'describes no object';
  return undefined;
}

/** A member called `$ref` of the arguments themselves holds a schema, which is not text. */
function foreignReference(key: string, member: unknown): string | undefined {
  const isForeign = /^\$(?:dynamicRef|ref)$/.test(key) && typeof member === 'string' && !member.startsWith('#');
  return isForeign ? 'refers to a schema elsewhere' : undefined;
}

/** Looks at a value without recursion, which deep nesting would exhaust. */
function structureProblem(
  value: object,
  problemOf: (key: string, member: unknown) => string | undefined = () => undefined,
): string | undefined {
  const waiting = [{ value, depth: 1 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.depth > MAX_DEPTH) return `must not be nested more than ${MAX_DEPTH} levels deep`;
    for (const [key, member] of Object.entries(next.value)) {
      const problem = key === '__proto__' ? 'must not have a member called "__proto__"' : problemOf(key, member);
      if (problem !== undefined) return problem;
      if (typeof member === 'object' && member !== null) waiting.push({ value: member, depth: next.depth + 1 });
    }
  }
  return undefined;
}

function findProblems(validate: ValidateFunction, args: Record<string, unknown>): string[] {
  try {
    const outcome = withinTime(VALIDATE_LIMIT_MS, () => validate(args));
    if ('stopped' in outcome) return ['They take too long to check. Give shorter ones.'];
    if (outcome.value) return [];
  } catch (error) {
    return [`They cannot be checked: ${String((error as Error).message).slice(0, 200)}.`];
  }
  const errors = validate.errors ?? [];
  const distinct = [...new Set(errors.slice(0, MAX_DESCRIBED).map(describe))];
  const more = distinct.length - MAX_PROBLEMS;
  return more > 0 ? [...distinct.slice(0, MAX_PROBLEMS), `… and ${more} more.`] : distinct;
}

function describe(error: ErrorObject): string {
  const { keyword, params, instancePath, data } = error;
  const at = memberOf(instancePath);
  switch (keyword) {
    case 'required':
      return `${memberOf(`${instancePath}/${params.missingProperty}`)} is missing.`;
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const unknown = String(params.additionalProperty ?? params.unevaluatedProperty);
      return `${memberOf(`${instancePath}/${unknown}`)} is not known.${suggestion(unknown, error)}`;
    }
    case 'type':
      return `${at} must be ${wordFor(params.type)}, not ${nameOf(data)}.`;
    case 'enum':
      return `${at} must be one of ${params.allowedValues.map(shown).join(', ')}, not ${shown(data)}.`;
    case 'const':
      return `${at} must be ${shown(params.allowedValue)}, not ${shown(data)}.`;
    default:
      return `${at} ${error.message ?? 'is not right'}; it is ${shown(data)}.`;
  }
}

/** `/edits/0/path` is `edits[0].path`. */
function memberOf(pointer: string): string {
  if (pointer === '') return 'The whole';
  const path = pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '');
  return `\`${path.slice(0, 200).toWellFormed()}\``;
}

function suggestion(unknown: string, { parentSchema }: ErrorObject): string {
  const known = Object.keys((parentSchema?.properties as object | undefined) ?? {}).slice(0, MAX_LISTED_MEMBERS);
  if (known.length === 0) return ' Leave it out.';
  const bare = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');
  const meant = known.find((name) => bare(name) === bare(unknown));
  return meant ? ` Did you mean \`${meant}\`?` : ` Known: ${known.map((name) => `\`${name}\``).join(', ')}.`;
}

function refusal(
  { name, parameters }: Pick<Tool, 'name' | 'parameters'>,
  problems: readonly string[],
): CheckedArguments {
  const example = exampleOf(parameters);
  const message = [
    `The arguments of ${name} are not right:`,
    ...problems.map((problem) => `- ${problem}`),
    `Expected: ${expectationOf(parameters)}`,
    ...(example === undefined ? [] : [`Example: ${example}`]),
    'Nothing was done. Call it again with corrected arguments.',
  ].join('\n');
  return { ok: false, message };
}

function expectationOf(parameters: object): string {
  const { properties, required } = parameters as { properties?: Record<string, unknown>; required?: readonly string[] };
  const members = Object.entries(properties ?? {});
  if (members.length === 0) return 'an object without members.';
  const listed = members.slice(0, MAX_LISTED_MEMBERS).map(([name, schema]) => {
    const isRequired = Array.isArray(required) && required.includes(name);
    return `\`${name}\` (${wordFor((schema as { type?: unknown })?.type)}${isRequired ? ', required' : ''})`;
  });
  const more = members.length - listed.length;
  return `${listed.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
}

/** The first example in the schema, or an object with its required members. */
function exampleOf(parameters: object): string | undefined {
  const { examples, properties, required } = parameters as {
    examples?: readonly unknown[];
    properties?: Record<
      string,
      { examples?: readonly unknown[]; default?: unknown; enum?: readonly unknown[] } | undefined
    >;
    required?: readonly string[];
  };
  const own = Array.isArray(examples) ? examples[0] : undefined;
  const made = Object.fromEntries(
    (Array.isArray(required) ? required : []).map((name) => [name, exampleValue(properties?.[name])]),
  );
  const example = JSON.stringify(own ?? made);
  return example.length <= MAX_EXAMPLE_CHARACTERS ? example : undefined;
}

function exampleValue(schema: Record<string, unknown> | undefined): unknown {
  const { examples, enum: values, type } = schema ?? {};
  if (Array.isArray(examples) && examples.length > 0) return examples[0];
  if (schema?.default !== undefined) return schema.default;
  if (Array.isArray(values) && values.length > 0) return values[0];
  switch (Array.isArray(type) ? type[0] : type) {
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'object':
      return {};
    default:
      return '…';
  }
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

function wordFor(type: unknown): string {
  if (Array.isArray(type)) return type.map(wordFor).join(' or ');
  return (typeof type === 'string' ? TYPE_WORDS[type] : undefined) ?? 'any value';
}

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `the ${typeof value} ${shown(value)}`;
}

function shown(value: unknown): string {
  return excerpt(JSON.stringify(value) ?? String(value), MAX_VALUE_CHARACTERS).toWellFormed();
}
