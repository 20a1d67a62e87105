// A schema of an older draft as one of 2020-12, which models and the check of arguments expect. A schema follows the
// dialect that it declares; without one, what only older drafts know is converted as well. Pure.
import { isObject } from '../platform/json.ts';

type Members = Readonly<Record<string, unknown>>;

const OLDER = /json-schema\.org\/draft-0?([3-7])\b/;
const MAPS = new Set(['properties', 'patternProperties', 'definitions', '$defs', 'dependentSchemas']);
const LISTS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const SINGLES = new Set([
  'additionalItems',
  'additionalProperties',
  'contains',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
/** Words that a schema may have next to a reference in a draft where all else there is ignored. */
const BESIDE_REFERENCE = new Set(['$ref', 'description', 'title', 'definitions', '$defs']);
/** Keywords that vendors of models refuse at the top of a tool's schema. */
const COMPOSITIONS = ['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'enum', 'const'] as const;
/** The member under which a composed schema is put. */
export const WRAPPED = 'input';

/** `declared`: its `$schema`. */
export function currentSchema(schema: Members, declared: unknown): Members {
  const draft = typeof declared === 'string' ? Number(OLDER.exec(declared)?.[1] ?? Number.NaN) : Number.NaN;
  return converted(schema, draft) as Members;
}

/** A schema with a composition at its top as that of an object with one member; undefined where there is none. */
export function wrappedSchema(schema: Members): Members | undefined {
  if (!COMPOSITIONS.some((name) => name in schema)) return undefined;
  return { type: 'object', properties: { [WRAPPED]: movedReferences(schema) }, required: [WRAPPED] };
}

function converted(schema: unknown, draft: number): unknown {
  if (!isObject(schema)) return schema;
  const isOlder = draft <= 7;
  const { items, additionalItems, dependencies, ...rest } =
    isOlder && '$ref' in schema
      ? Object.fromEntries(Object.entries(schema).filter(([name]) => BESIDE_REFERENCE.has(name)))
      : schema;
  const inner = (value: unknown) => converted(value, draft);
  const members = Object.entries(bounded(rest, draft)).map(([name, value]) => [
    name,
    convertedMember(name, value, inner),
  ]);
  const list = Array.isArray(items) ? { prefixItems: items.map(inner) } : undefined;
  const further = list === undefined ? items : additionalItems;
  return {
    ...Object.fromEntries(members),
    ...list,
    ...(further !== undefined && { items: inner(further) }),
    ...(isObject(dependencies) && dependenciesOf(dependencies, inner)),
  };
}

function convertedMember(name: string, value: unknown, inner: (value: unknown) => unknown): unknown {
  if (MAPS.has(name) && isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, inner(each)]));
  if (LISTS.has(name) && Array.isArray(value)) return value.map(inner);
  return SINGLES.has(name) ? inner(value) : value;
}

/** Draft 4 has a flag next to a bound, and names a schema by `id`. */
function bounded(schema: Members, draft: number): Members {
  const { exclusiveMinimum, exclusiveMaximum, minimum, maximum, id, ...rest } = schema;
  return {
    ...rest,
    ...(id !== undefined && !(draft <= 4) && { id }),
    ...boundOf('inimum', minimum, exclusiveMinimum),
    ...boundOf('aximum', maximum, exclusiveMaximum),
  };
}

function boundOf(name: 'inimum' | 'aximum', bound: unknown, exclusive: unknown): Members {
  const [plain, strict] = [`m${name}`, `exclusiveM${name}`];
  if (typeof exclusive === 'boolean') return bound === undefined ? {} : { [exclusive ? strict : plain]: bound };
  return { ...(bound !== undefined && { [plain]: bound }), ...(exclusive !== undefined && { [strict]: exclusive }) };
}

function dependenciesOf(dependencies: Members, inner: (value: unknown) => unknown): Members {
  const [lists, schemas]: [[string, unknown][], [string, unknown][]] = [[], []];
  for (const [name, value] of Object.entries(dependencies))
    if (Array.isArray(value)) lists.push([name, value]);
    else schemas.push([name, inner(value)]);
  return {
    ...(lists.length > 0 && { dependentRequired: Object.fromEntries(lists) }),
    ...(schemas.length > 0 && { dependentSchemas: Object.fromEntries(schemas) }),
  };
}

/** References to the top, which is one level deeper now. */
function movedReferences(value: unknown, name = ''): unknown {
  if (typeof value === 'string')
    return name === '$ref' && (value === '#' || value.startsWith('#/'))
      ? `#/properties/${WRAPPED}${value.slice(1)}`
      : value;
  if (Array.isArray(value)) return value.map((each) => movedReferences(each));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, movedReferences(each, key)]));
}
