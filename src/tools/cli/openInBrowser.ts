import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  // The first word in quotes would be the title of a window.
  win32: ['cmd', '/c', 'start', '""'],
}

/**
 * Opens the console. Other users of the machine see command lines, so the browser gets the path of a file that only this user may
 * read, and that leads to the URL with its token. Without a browser nothing happens: the URL is printed.
 * @param url as `serveConsole` gives it
 * @returns removes the file
 */
export async function openInBrowser(url: string): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'lineclear-open-'))
  const file = join(folder, 'console.html')
  await writeFile(file, redirectTo(url), { mode: 0o600 })
  const [command, ...args] = OPENERS[process.platform] ?? ['xdg-open']
  const child = spawn(command, [...args, file], {
    stdio: 'ignore',
    detached: true,
  })
  child.on('error', () => {})
  child.unref()
  return () => rm(folder, { recursive: true, force: true })
}

/** `/open` is the only path that the guard lets a page of another origin lead to, as a file is one. */
function redirectTo(url: string): string {
  const opened = new URL(url)
  opened.pathname = '/open'
  return `<!doctype html><meta charset="utf-8"><title>lineclear</title><meta http-equiv="refresh" content="0;url=${opened.href}">\n`
}
