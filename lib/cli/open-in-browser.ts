// Opens an address in the browser of the desktop, where there is one.
import { spawn } from 'node:child_process';

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Whether a program took it. */
export function openInBrowser(address: string): Promise<boolean> {
  const { DISPLAY, WAYLAND_DISPLAY, BROWSER } = process.env;
  const [program = 'xdg-open', ...args] = OPENERS[process.platform] ?? [];
  const hasDesktop = OPENERS[process.platform] !== undefined || Boolean(DISPLAY || WAYLAND_DISPLAY || BROWSER);
  if (!hasDesktop) return Promise.resolve(false);
  return new Promise((resolve) => {
    const child = spawn(program, [...args, address], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
