import { accessSync, constants } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { env } from 'node:process'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']
const ON_MACOS = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** How to get one. */
const INSTALL =
  'Debian and Ubuntu: apt-get install chromium. Or name one: LINECLEAR_CHROMIUM=/path/to/chromium'

/** The Chromium of this machine: `LINECLEAR_CHROMIUM`, else the first of its usual names. */
export function findChromium(): string | undefined {
  const named = env['LINECLEAR_CHROMIUM']
  if (named !== undefined) return isExecutable(named) ? named : undefined
  const folders = (env['PATH'] ?? '').split(delimiter).filter(isAbsolute)
  const found = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)))
  return [...found, ...ON_MACOS].find(isExecutable)
}

/** A line for runs of tests that need none, on a machine without one. */
export function withoutChromium(): string | undefined {
  return findChromium() === undefined
    ? `No Chromium was found: the tests in a browser (npm run browser) cannot run here. ${INSTALL}`
    : undefined
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
