// What `ollm doctor` says of MCP servers: whether each starts, how many tools it has, and whether they are approved.
import { countOf } from '../../display/quantities.ts';
import { keyInAddress } from '../../environment/shown-words.ts';
import { variableText } from '../../environment/text-variables.ts';
import type { ServerReport } from '../../mcp/servers.ts';
import type { App } from '../app.ts';
import { problemsOfServers } from '../tools/mcp.ts';
import { type Check, type DoctorFinding, fail, ok, warn } from './check.ts';

/** Starts them; they end with the app. */
export async function* checkServers(app: App): AsyncGenerator<Check, void, void> {
  const servers = await app.mcpServers();
  if (servers === undefined) return;
  const { missingVariables } = await import('../tools/mcp-settings.ts');
  const problems = await problemsOfServers(app);
  await servers.start();
  for (const report of servers.reports) {
    const configured = app.config.mcp.servers?.[report.name];
    const missing = configured === undefined ? [] : missingVariables(app, configured);
    const checked = checkServer(report, missing);
    const finding = checked.status === 'ok' ? (checkAddress(configured?.url) ?? checked) : checked;
    const problem = problems.get(report.name);
    const isTold = problem !== undefined && finding.status !== 'fail';
    yield { name: `mcp ${report.name}`, ...(isTold ? warn(problem.text, problem.remedy) : finding) };
  }
}

/** Undefined where nothing is wrong with it. `url`: of a server that answers. */
function checkAddress(url: string | undefined): DoctorFinding | undefined {
  const key = url && keyInAddress(url);
  return key
    ? warn(`its address ${key}`, `Write ${variableText('NAME')} in its place, and set that variable.`)
    : undefined;
}

function checkServer({ name, status, offered, pending }: ServerReport, missing: readonly string[]): DoctorFinding {
  const unset = missing.length === 0 ? '' : `; not set: ${missing.join(', ')}`;
  if (status.kind !== 'ready') {
    const reason = status.kind === 'failed' ? status.reason : 'does not run';
    const remedy = `See mcp.servers.${name} in your configuration, and the log for what the server wrote.`;
    return fail(`${reason}${unset}`, remedy);
  }
  const text = `${countOf(offered.length + pending.length, 'tool')}, ${offered.length} approved${unset}`;
  if (pending.length > 0) {
    return warn(text, `Look at them in the REPL with /tools, and approve them with "/tools approve ${name}".`);
  }
  return missing.length > 0 ? warn(text, 'Set them, or take them out of its env.') : ok(text);
}
