// Why a server cannot be written for a program; the codes are those of the routes.
import { endsHostInUser } from '../environment/shown-words.ts';
import { READ_TWO_WAYS } from '../environment/web-address.ts';
import { withoutVoid } from './changed-entry.ts';
import type { McpAgent } from './mcp-agents.ts';
import type { McpServerEntry } from './mcp-server-entry.ts';
import type { McpScope } from './program-names.ts';

interface ServerProblem {
  readonly code:
    | 'MCP_NAME_REQUIRED'
    | 'MCP_COMMAND_REQUIRED'
    | 'MCP_URL_REQUIRED'
    | 'MCP_SCOPE_NOT_SUPPORTED'
    | 'MCP_TRANSPORT_NOT_SUPPORTED'
    | 'MCP_MEMBER_NOT_SUPPORTED';
  readonly message: string;
}

/** A name that each of the programs takes. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

export function problemOfScope({ name, scopes }: McpAgent, scope: McpScope): ServerProblem | undefined {
  if (scopes.includes(scope)) return undefined;
  return { code: 'MCP_SCOPE_NOT_SUPPORTED', message: `${name} has no servers of the scope “${scope}”.` };
}

export function problemOfServer(agent: McpAgent, name: string, server: McpServerEntry): ServerProblem | undefined {
  const { transport, command, url } = server;
  if (!NAME.test(name)) {
    return { code: 'MCP_NAME_REQUIRED', message: 'A name has 1 to 64 letters, digits, hyphens and underscores.' };
  }
  if (!agent.transports.includes(transport)) {
    return {
      code: 'MCP_TRANSPORT_NOT_SUPPORTED',
      message: `${agent.name} does not speak “${transport}” with a server.`,
    };
  }
  if (transport === 'stdio' && !command) {
    return { code: 'MCP_COMMAND_REQUIRED', message: 'A server of the transport stdio needs a command.' };
  }
  if (transport !== 'stdio' && (url === undefined || !isWebAddress(url))) {
    return { code: 'MCP_URL_REQUIRED', message: `A server of the transport ${transport} needs an address with http.` };
  }
  if (url !== undefined && endsHostInUser(url)) {
    return { code: 'MCP_URL_REQUIRED', message: `The address cannot be used: ${READ_TWO_WAYS}.` };
  }
  return problemOfMembers(agent, server);
}

/** A member that the program's entry cannot have would be lost without a word. */
function problemOfMembers(agent: McpAgent, server: McpServerEntry): ServerProblem | undefined {
  const kept = withoutVoid(agent.serverIn(withoutVoid(agent.entryOf(server))) ?? {});
  const lost = Object.keys(withoutVoid(server)).filter((member) => !Object.hasOwn(kept, member));
  if (lost.length === 0) return undefined;
  const members = lost.join(', ');
  return {
    code: 'MCP_MEMBER_NOT_SUPPORTED',
    message: `${agent.name} has no ${members} of a server with the transport ${server.transport}.`,
  };
}

/** It may have variables in it, which the program fills in. */
function isWebAddress(url: string): boolean {
  return /^https?:\/\/[^\s/]/.test(url) || /^\$\{?[A-Za-z_]/.test(url);
}
