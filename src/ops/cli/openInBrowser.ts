import { spawn } from 'node:child_process'

const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  // The first word in quotes would be the title of a window.
  win32: ['cmd', '/c', 'start', '""'],
}

/** Where there is no browser nothing happens: the URL is printed. */
export function openInBrowser(url: string): void {
  const [command, ...args] = OPENERS[process.platform] ?? ['xdg-open']
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}
