// The settings that schemas/config.json describes, one by one: what the program needs to know of each at run time, and
// what the reference page says of it.

export interface SettingSchema {
  readonly type?: 'object' | 'string' | 'integer' | 'number' | 'boolean' | 'array';
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, SettingSchema>>;
  /** Of a setting whose members the user names: what each of them is. */
  readonly additionalProperties?: boolean | SettingSchema;
}

export interface NamedSetting {
  /** `services.session.maxSessions` */
  readonly key: string;
  readonly schema: SettingSchema;
}

/**
 * A copy in which each reference is the definition that it names. A member next to a reference replaces that of the
 * definition.
 */
export function inlinedSchema<Schema extends { readonly $defs?: unknown }>(schema: Schema): Schema {
  const { $defs: _, ...used } = schema;
  return inlined(used) as Schema;

  function inlined(node: unknown): unknown {
    if (Array.isArray(node)) return node.map(inlined);
    if (typeof node !== 'object' || node === null) return node;
    const { $ref, ...own } = node as { readonly $ref?: string };
    const members = Object.entries({ ...($ref !== undefined && definition($ref)), ...own });
    return Object.fromEntries(members.map(([name, member]) => [name, inlined(member)]));
  }

  /** `#/$defs/agent/properties/env` */
  function definition(reference: string): object {
    let found: unknown = schema;
    for (const name of reference.split('/').slice(1)) found = (found as Record<string, unknown> | undefined)?.[name];
    if (typeof found !== 'object' || found === null) throw new Error(`${reference} is not in the schema`);
    return found;
  }
}

/** Every setting in the order of the schema. */
export function settingsOf(schema: SettingSchema, prefix = ''): NamedSetting[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const key = `${prefix}${name}`;
    return member.properties ? settingsOf(member, `${key}.`) : [{ key, schema: member }];
  });
}

/** A copy in which whatever has a default is there for sure: what the settings are once all layers are in. */
export function resolvedSchema<T extends SettingSchema>(schema: T): T {
  const properties: Record<string, SettingSchema> = {};
  const required: string[] = [];
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    properties[name] = member.properties ? resolvedSchema(member) : member;
    if (member.properties || member.default !== undefined) required.push(name);
  }
  return { ...schema, properties, required };
}

/** What a setting is called at run time. An object is one setting where the user names its members. */
const TYPES = {
  array: 'strings',
  object: 'record',
  string: 'string',
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
} as const;

/** The module lib/config/settings.generated.ts. */
export function settingsModule(schema: SettingSchema): string {
  const lines = settingsOf(schema).map(({ key, schema: setting }) => {
    const type = TYPES[setting.type ?? 'string'];
    const facts = {
      key,
      type,
      ...(setting.format === 'path' ? { isPath: true } : {}),
      ...(setting.default === undefined ? {} : { default: setting.default }),
    };
    return `  ${JSON.stringify(facts)},`;
  });
  return `
export interface Setting {
  /** \`services.session.maxSessions\` */
  readonly key: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'strings' | 'record';
  /** Whether it names a file or directory, or several. */
  readonly isPath?: true;
  readonly default?: unknown;
}

/** Every setting there is, in the order of the schema. */
export const SETTINGS: readonly Setting[] = [
${lines.join('\n')}
];
`;
}
