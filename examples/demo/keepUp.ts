import { mkdirSync, openSync, writeSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import type { LocalCloud } from 'lineclear/local'
import type { Arguments } from './arguments.ts'
import { TABLES } from './tables.ts'

/** Where `lineclear --local` looks for the cloud. */
const FOLDER = '.lineclear'
const PLACE = `${FOLDER}/local.json`
const LOG = `${FOLDER}/demo.log`

/** Collects what the functions log: why each copy was dropped, which no table keeps. */
export function openLog({ keep }: Arguments): (line: string) => void {
  if (!keep) return () => {}
  mkdirSync(FOLDER, { recursive: true })
  const file = openSync(LOG, 'w')
  return (line) => void writeSync(file, `${line}\n`)
}

/** What can be done now, command by command. */
export function lookInside({ keep, seed }: Arguments): string {
  if (!keep) {
    return `  Look into it:  npm run demo -- --seed ${seed} --keep  leaves the local cloud up, and says how\n`
  }
  return `
  The local cloud stays up until Ctrl-C. In another terminal:

    npm run lineclear -- --local explain tx-000001   all that is known of one callback, and why its copies were dropped
    npm run lineclear -- --local ls                  what runs, waits or is stuck
    npm run lineclear -- --local stats               how much of it there is
    npm run lineclear -- --local sweep               what the sweeper would do
    npm run lineclear -- help                        everything else
`
}

/** Until it is stopped. */
export async function keepUp(cloud: LocalCloud, signal: AbortSignal): Promise<void> {
  const description = { ...cloud.endpoints, table: TABLES.lineclear.tokens, log: LOG }
  await writeFile(PLACE, `${JSON.stringify(description, undefined, 2)}\n`)
  const alive = setInterval(() => {}, 60_000)
  if (!signal.aborted) {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  }
  clearInterval(alive)
  await Promise.all([PLACE, LOG].map((file) => rm(file, { force: true })))
}
