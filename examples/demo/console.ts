import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type LocalEvent, observeLocalClouds } from 'lineclear/local'
import { systemClock } from '../../src/library/base/clock.ts'
import { runCli } from '../../src/tools/cli/runCli.ts'
import { type LocalPlace, tellPlace } from './keepUp.ts'

/**
 * Serves the console beside a demo, in its process: so it shows what happens as it happens. It may change things, since there is
 * nothing to protect.
 * @param before live events of what has happened so far
 * @returns when its URL was said
 */
export async function openConsole(
  place: LocalPlace,
  signal: AbortSignal,
  say: (text: string) => void,
  before: readonly LocalEvent[] = [],
): Promise<void> {
  await tellPlace(place)
  const said = Promise.withResolvers<void>()
  const running = runCli(['console', '--local', '--allow-changes'], {
    out: (line) => {
      if (line.includes('http://')) say(`\n  ${line}\n\n`)
      said.resolve()
    },
    err: (line) => say(`${line}\n`),
    terminal: { write: () => {} },
    stdin: Readable.from([]),
    width: undefined,
    env: process.env,
    cwd: process.cwd(),
    clock: systemClock,
    events: {
      subscribe: (take) => {
        for (const event of before) take(event)
        return observeLocalClouds(take)
      },
    },
    interrupt: signal,
    user: () => 'demo',
    version,
  })
  // It ends before that when it cannot be served.
  await Promise.race([said.promise, running])
}

function version(): string {
  const file = join(import.meta.dirname, '../../package.json')
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version
}
