import { writeFile } from 'node:fs/promises'
import type { Endpoints } from 'lineclear/local'
import type { Arguments } from './arguments.ts'
import { CLOUD_FILE, LOG_FILE } from './place/place.ts'

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

/** What `lineclear --local` needs to know. */
export interface LocalPlace extends Endpoints {
  /** Name of the Lineclear table. */
  readonly table: string
  /** Endpoint of Lambda's event source mappings. */
  readonly lambda?: string
  /** What would be deployed, for the console. */
  readonly template?: string
}

/**
 * Tells `lineclear --local` where the cloud is, and waits until it is stopped.
 * @param onReady called when commands find it
 */
export async function keepUp(
  place: LocalPlace,
  signal: AbortSignal,
  onReady: () => void = () => {},
): Promise<void> {
  await tellPlace(place)
  onReady()
  const alive = setInterval(() => {}, 60_000)
  if (!signal.aborted) {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  }
  clearInterval(alive)
}

/** Tells `lineclear --local` where the cloud is. */
export async function tellPlace(place: LocalPlace): Promise<void> {
  await writeFile(CLOUD_FILE, `${JSON.stringify({ ...place, log: LOG_FILE }, undefined, 2)}\n`)
}
