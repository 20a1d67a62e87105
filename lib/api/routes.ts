// The only table of routes. The server answers exactly these routes, checks requests against the table and describes
// itself by it; the client and its types are made of it.
import { ASSET_ROUTES } from './assets.ts';
import { EVENT_ROUTES } from './events.ts';
import { MCP_ROUTES } from './mcp.ts';
import { OVERVIEW_ROUTES } from './overview.ts';
import { PROVIDER_ROUTES } from './providers.ts';
import { QUESTION_ROUTES } from './questions.ts';
import type { Route } from './route.ts';
import { SEARCH_ROUTES } from './search.ts';
import { SERVER_ROUTES } from './server.ts';
import { SESSION_ROUTES } from './sessions.ts';
import { SKILL_ROUTES } from './skills.ts';
import { TURN_ROUTES } from './turns.ts';
import { WORKSPACE_ROUTES } from './workspaces.ts';

export const ROUTES = [
  ...SESSION_ROUTES,
  ...TURN_ROUTES,
  ...QUESTION_ROUTES,
  ...EVENT_ROUTES,
  ...OVERVIEW_ROUTES,
  ...SEARCH_ROUTES,
  ...PROVIDER_ROUTES,
  ...MCP_ROUTES,
  ...SKILL_ROUTES,
  ...ASSET_ROUTES,
  ...WORKSPACE_ROUTES,
  ...SERVER_ROUTES,
] as const satisfies readonly Route[];

export type ApiRoute = (typeof ROUTES)[number];
export type RouteName = ApiRoute['name'];
export type RouteNamed<Name extends RouteName> = Extract<ApiRoute, { readonly name: Name }>;
