// The reference of the HTTP routes as a page of docs/, and the client's table of methods and paths: both are made from
// the table in lib/api/.
import {
  BODY_ERRORS,
  COMMON_ERRORS,
  errorOf,
  READING_ERRORS,
  ROUTE_ERRORS,
  WRITING_ERRORS,
} from '../lib/api/errors.ts';
import { groupsOf } from '../lib/api/errors-of.ts';
import type { Route } from '../lib/api/route.ts';
import { ROUTES } from '../lib/api/routes.ts';
import type { Schema } from '../lib/api/schema.ts';
import { SHAPES } from '../lib/api/shapes.ts';

/** The text of lib/api/endpoints.ts. */
export function endpointTable(): string {
  const entries = (ROUTES as readonly Route[]).map(({ name, method, path, body, answer, bare }) => {
    const marks = [body && 'json', typeof answer === 'string' && 'raw', bare && 'bare'].filter(Boolean);
    return `  ${name}: '${[method, path, ...marks].join(' ')}',\n`;
  });
  return `// Made from the table in routes.ts by "node .ci/generate-docs.ts"; change that, not this file. A client needs no more
// of the table than this: the method, the path, and the form of request and answer. \`json\`: it has a body. \`raw\`:
// a stream or a file comes. \`bare\`: the answer has no envelope.
export const ENDPOINTS = {
${entries.join('')}} as const;
`;
}

/** The text of docs/routes.md. */
export function routeReference(): string {
  const groups = Map.groupBy(ROUTES as readonly Route[], ({ group }) => group);
  const sections = [...groups].map(([group, routes]) => `## ${group}\n\n${routes.map(routeSection).join('\n\n')}`);
  const shapes = Object.entries(SHAPES).map(([name, shape]) => shapeSection(name, shape));
  const errors = ROUTE_ERRORS.map((code) => {
    const { status, meaning } = errorOf(code);
    return `| \`${code}\` | ${status} | ${cell(meaning)} |`;
  });
  return `# Routes

<!-- Made from the table in lib/api/ by "node .ci/generate-docs.ts"; change that, not this page. -->

What \`ollm serve\` answers ([how to come in](server.md)). \`GET /openapi.json\` says the same as OpenAPI 3.1. An answer is
\`{"success":true,"data":…}\`, or \`{"success":false,"error":{"code","message","hint","details"}}\`.

${sections.join('\n\n')}

## Shapes

${shapes.join('\n\n')}

## Codes

- Each route may answer ${codeList(COMMON_ERRORS)}.
- One that takes a body: ${codeList(BODY_ERRORS)} too.
- One that reads a session: ${codeList(READING_ERRORS)} too.
- One that writes a session: those, and ${codeList(WRITING_ERRORS)}.

| code | status | meaning |
|---|---|---|
${errors.join('\n')}
`;
}

function routeSection(route: Route): string {
  const { method, path, does, query, body, upload, answer, status = 200, errors } = route;
  const { reading, writing } = groupsOf(route);
  const inQuery = query ? [`Query:\n\n${memberTable(query)}`] : [];
  const inBody = body ? [`Body:\n\n${memberTable(body)}`] : upload ? [`Body: \`${upload}\`.`] : [];
  const group = writing
    ? ['[what writing a session answers](#codes)']
    : reading
      ? ['[what reading one answers](#codes)']
      : [];
  const listed = [...(errors.length > 0 ? [codeList(errors)] : []), ...group].join(', and ');
  const codes = listed === '' ? '' : `; or ${listed}`;
  const result = typeof answer === 'string' ? `\`${answer}\`` : typeOf(answer);
  const parts = [`### ${method} ${path}`, does, ...inQuery, ...inBody, `Answers ${status}: ${result}${codes}.`];
  return parts.join('\n\n');
}

function codeList(codes: readonly string[]): string {
  return codes.map((code) => `\`${code}\``).join(', ');
}

function shapeSection(name: string, shape: Schema): string {
  return [`### ${name}`, shape.description, memberTable(shape)].filter((part) => part !== undefined).join('\n\n');
}

function memberTable({ properties = {}, required = [] }: Schema): string {
  const rows = Object.entries(properties).map(([name, schema]) => {
    const preset = schema.default === undefined ? '' : ` Default: \`${schema.default}\`.`;
    const must = required.includes(name) ? '' : ' (optional)';
    return `| \`${name}\` | ${typeOf(schema)}${must} | ${cell((schema.description ?? '') + preset)} |`;
  });
  return `| | | |\n|---|---|---|\n${rows.join('\n')}`;
}

function typeOf(schema: Schema): string {
  const { $ref, type, items, properties, anyOf } = schema;
  if ($ref !== undefined) {
    const name = $ref.split('/').at(-1)!;
    return `[${name}](#${name.toLowerCase()})`;
  }
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(', ');
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' or ');
  if (type === 'array') return `list of ${typeOf(items ?? {})}`;
  if (properties !== undefined && Object.keys(properties).length > 0) {
    return `\`{${Object.keys(properties).join(', ')}}\``;
  }
  return type ?? 'anything';
}

function cell(text: string): string {
  return text.trim().replaceAll('|', '\\|');
}
