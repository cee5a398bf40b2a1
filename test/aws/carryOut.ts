import { setTimeout as sleep } from 'node:timers/promises'
import type { Place } from './places/place.ts'

/** Something that is made for one run. */
export interface Deployment {
  /** What a person does if this program cannot. */
  readonly byHand: string
  deploy(): Promise<Place>
  /** @returns what is left all the same */
  remove(): Promise<readonly string[]>
}

export interface CarryOutOptions {
  readonly keep: boolean
  readonly stop: AbortSignal
  readonly say: (line: string) => void
  /** How long work that was stopped may take to end. Default two minutes. */
  readonly graceMs?: number
}

/**
 * Deploys, works, and removes: also what a deployment that has failed or was stopped has left.
 * @returns whether `work` was content, and nothing is left
 */
export async function carryOut(
  deployment: Deployment,
  work: (place: Place) => Promise<boolean>,
  { keep, stop, say, graceMs = 120_000 }: CarryOutOptions,
): Promise<boolean> {
  const stopped = new Promise<never>((_, fail) => {
    stop.addEventListener('abort', () => fail(stop.reason as Error), { once: true })
  })
  stopped.catch(() => {})
  let isGood = false
  let working: Promise<unknown> | undefined
  try {
    stop.throwIfAborted()
    const deployed = deployment.deploy()
    const works = deployed.then(async (place) => {
      const worked = work(place)
      working = worked.catch(() => {})
      return worked
    })
    isGood = await Promise.race([works, stopped])
  } catch (error) {
    say(`\nENDED      ${String(error)}`)
  }
  // What it still made while it is removed would be left.
  await Promise.race([working, sleep(graceMs)])
  if (keep) {
    say(`\nIt is kept, and costs on. To remove it: ${deployment.byHand}`)
    return isGood
  }
  say(`\nRemoving everything …`)
  const left = await deployment.remove().catch((error: unknown) => [String(error)])
  for (const one of left) say(`LEFT       ${one}`)
  say(left.length === 0 ? 'Nothing is left.' : `By hand: ${deployment.byHand}`)
  return isGood && left.length === 0
}
