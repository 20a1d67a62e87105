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

export function text<const Words extends string>(description?: Words) {
  return { type: 'string', ...(description !== undefined && { description }) } as const;
}

export function flag<const Words extends string>(description?: Words) {
  return { type: 'boolean', ...(description !== undefined && { description }) } as const;
}

export const time = text('RFC 3339.');
export const count = { type: 'integer', minimum: 0 } as const;

/** A path: no system has one with NUL in it. */
export function path<const Words extends string>(description?: Words) {
  return { ...text(description), maxLength: 4096, pattern: '^[^\\u0000]*$' } as const;
}

/** The number of an event in a request. */
export function eventNumber<const Words extends string>(description?: Words) {
  return { ...count, maximum: 1_000_000_000_000, ...(description !== undefined && { description }) } as const;
}

/** A list of what a schema says. */
export function listOf<const Items extends Schema>(items: Items) {
  return { type: 'array', items } as const;
}

/** A member of an object that may be missing. */
type Optional<Member extends Schema> = { readonly optional: Member };

/** Marks a member of an object that may be missing. */
export function optional<const Member extends Schema>(member: Member): Optional<Member> {
  return { optional: member };
}

type Members = Readonly<Record<string, Schema | Optional<Schema>>>;
type SchemaOf<Member> = Member extends Optional<infer Inner> ? Inner : Member;
type RequiredOf<All> = { [Name in keyof All]: All[Name] extends Optional<Schema> ? never : Name }[keyof All];

type ObjectOf<All extends Members> = {
  readonly type: 'object';
  readonly required: readonly RequiredOf<All>[];
  readonly properties: { readonly [Name in keyof All]: SchemaOf<All[Name]> };
};

/** An object with these members. @example object('A place.', { path: { type: 'string' }, line: optional(count) }) */
export function object<const All extends Members>(members: All): ObjectOf<All>;
export function object<const All extends Members>(description: string, members: All): ObjectOf<All>;
export function object(...given: [Members] | [string, Members]): ObjectOf<Members> {
  const [description, members] = given.length === 1 ? [undefined, given[0]] : given;
  const required = Object.keys(members).filter((name) => !('optional' in members[name]!));
  return {
    type: 'object',
    ...(description !== undefined && { description }),
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(
      Object.entries(members).map(([name, member]) => [name, 'optional' in member ? member.optional : member]),
    ),
  } as ObjectOf<Members>;
}

/** An object of a request: no other members are taken. */
export function strictObject<const All extends Members>(members: All) {
  const { type, ...more } = object(members);
  return { type, additionalProperties: false, ...more } as const;
}

/** An object of a request of which every member may be missing. */
export function options<const All extends Readonly<Record<string, Schema>>>(properties: All) {
  return { type: 'object', additionalProperties: false, properties } as const;
}
