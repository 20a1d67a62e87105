// The name of a server's tool in ollm: `mcp__SERVER__TOOL`, in the characters and the length that providers accept. It
// depends only on the names of the server and the tool, not on other tools, so it is the same tomorrow.
import { hash } from 'node:crypto';

const MAX_CHARACTERS = 64;
const FINGERPRINT_DIGITS = 8;

/** Without two underscores in a row or one at an end, so that the name of the server ends at the first two. */
const PLAIN_SERVER = /^[a-zA-Z0-9-]+(?:_[a-zA-Z0-9-]+)*$/;
const PLAIN_TOOL = /^[a-zA-Z0-9_-]+$/;

/**
 * What does not fit is replaced or cut, and ends with a fingerprint that keeps it apart from others.
 *
 * @example
 * toolName('github', 'create_issue'); // 'mcp__github__create_issue'
 * toolName('github', 'créer'); // 'mcp__github__cr_er_' and eight hexadecimal digits
 */
export function toolName(server: string, tool: string): string {
  const plain = `mcp__${server}__${tool}`;
  if (PLAIN_SERVER.test(server) && PLAIN_TOOL.test(tool) && plain.length <= MAX_CHARACTERS) return plain;
  const fingerprint = hash('sha256', JSON.stringify([server, tool]), 'hex').slice(0, FINGERPRINT_DIGITS);
  const readable = plain.replace(/[^a-zA-Z0-9_-]/gu, '_').slice(0, MAX_CHARACTERS - FINGERPRINT_DIGITS - 1);
  return `${readable}_${fingerprint}`;
}
