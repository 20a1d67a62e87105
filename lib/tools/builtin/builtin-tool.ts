// A built-in tool says its arguments once, as the members of a JSON Schema; their types follow from that.
import type { Tool, ToolPlace, ToolPlan } from '../tool.ts';

type Members = Readonly<Record<string, object>>;

interface ToolParts<Arguments extends Members, Required extends keyof Arguments>
  extends Pick<Tool, 'name' | 'description'> {
  /** The JSON Schema of each argument. */
  readonly properties: Arguments;
  /** The arguments that must be given; the others may be. */
  readonly required?: readonly Required[];
  readonly examples: readonly object[];
  plan(args: GivenArguments<Arguments, Required>, place: ToolPlace): Promise<ToolPlan>;
}

type GivenArguments<Arguments extends Members, Required extends keyof Arguments> = {
  readonly [Name in Required]: ValueOf<Arguments[Name]>;
} & { readonly [Name in keyof Arguments]?: ValueOf<Arguments[Name]> };

type ValueOf<Schema> = Schema extends { readonly enum: readonly (infer Value)[] }
  ? Value
  : Schema extends { readonly type: 'string' }
    ? string
    : Schema extends { readonly type: 'integer' }
      ? number
      : Schema extends { readonly type: 'boolean' }
        ? boolean
        : Schema extends { readonly type: 'array'; readonly items: infer Items }
          ? readonly ValueOf<Items>[]
          : unknown;

export function builtinTool<const Arguments extends Members, const Required extends keyof Arguments = never>({
  name,
  description,
  properties,
  required,
  examples,
  plan,
}: ToolParts<Arguments, Required>): Tool {
  return {
    name,
    description,
    parameters: { type: 'object', properties, ...(required && { required }), additionalProperties: false, examples },
    origin: 'builtin',
    // They have been held against the schema.
    plan: (args, place) => plan(args as GivenArguments<Arguments, Required>, place),
  };
}

/** The argument `limit`: how many results there are at most. */
export function limitOf(
  results: string,
  { standard, maximum }: { readonly standard: number; readonly maximum: number },
) {
  return { type: 'integer', minimum: 1, maximum, description: `Most ${results}. Default: ${standard}.` } as const;
}
