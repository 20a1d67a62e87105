// The type that follows from a schema: the server's check, OpenAPI and the compiler cannot differ.
import type { Schema } from './schema.ts';
import type { SHAPES } from './shapes.ts';

type Shapes = typeof SHAPES;

/** The values that fit a schema. */
export type FromSchema<S> = S extends { readonly $ref: `#/components/schemas/${infer Name}` }
  ? Name extends keyof Shapes
    ? FromSchema<Shapes[Name]>
    : never
  : S extends { readonly const: infer Value }
    ? Value
    : S extends { readonly enum: readonly (infer Value)[] }
      ? Value
      : S extends { readonly anyOf: readonly (infer Option)[] }
        ? FromSchema<Option>
        : S extends { readonly type: infer Type }
          ? FromType<Type, S>
          : unknown;

type FromType<Type, S> = Type extends 'string'
  ? string
  : Type extends 'integer' | 'number'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'null'
        ? null
        : Type extends 'array'
          ? S extends { readonly items: infer Items }
            ? readonly FromSchema<Items>[]
            : readonly unknown[]
          : FromObject<S>;

type FromObject<S> = S extends { readonly properties: infer Properties }
  ? FromMembers<Properties, S extends { readonly required: readonly (infer Name)[] } ? Name : never>
  : S extends { readonly additionalProperties: infer Values extends Schema }
    ? Readonly<Record<string, FromSchema<Values>>>
    : object;

type FromMembers<Properties, Required> = Flat<
  { readonly [Name in keyof Properties as Name extends Required ? Name : never]: FromSchema<Properties[Name]> } & {
    readonly [Name in keyof Properties as Name extends Required ? never : Name]?:
      | FromSchema<Properties[Name]>
      | undefined;
  }
>;

type Flat<Members> = { [Name in keyof Members]: Members[Name] };
