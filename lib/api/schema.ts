// The words of JSON Schema that the routes use.
/** A schema as OpenAPI 3.1 takes it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object' | 'null';
  readonly description?: string;
  readonly const?: string | number | boolean;
  readonly enum?: readonly (string | number)[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly default?: string | number | boolean;
}

/** The members of an object. */
export interface ObjectSchema extends Schema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, Schema>>;
}

/** A shape of shapes.ts by its name. */
export function shape<Name extends string>(name: Name) {
  return { $ref: `#/components/schemas/${name}` as const };
}

/** A list of what a schema says. */
export function listOf<const Items extends Schema>(items: Items) {
  return { type: 'array', items } as const;
}

type Members = Readonly<Record<string, Schema>>;

/** An object with these members. Those that `required` names are always there. */
export function object<const Required extends readonly string[], const Properties extends Members>(
  required: Required,
  properties: Properties,
  description?: string,
) {
  return {
    type: 'object',
    ...(description !== undefined && { description }),
    ...(required.length > 0 && { required }),
    properties,
  } as { readonly type: 'object'; readonly required: Required; readonly properties: Properties };
}

/** An object of a request: no other members are taken. */
export function strictObject<const Required extends readonly string[], const Properties extends Members>(
  required: Required,
  properties: Properties,
  description?: string,
) {
  const { type, ...more } = object(required, properties, description);
  return { type, additionalProperties: false, ...more } as const;
}

/** A path: no system has one with NUL in it. */
export const PATH_PATTERN = '^[^\\u0000]*$';
