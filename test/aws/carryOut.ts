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
}

/**
 * Deploys, works, and removes: also what a deployment that has failed or was stopped has left.
 * @returns whether `work` was content, and nothing is left
 */
export async function carryOut(
  deployment: Deployment,
  work: (place: Place) => Promise<boolean>,
  { keep, stop, say }: CarryOutOptions,
): Promise<boolean> {
  const stopped = new Promise<never>((_, fail) => {
    stop.addEventListener('abort', () => fail(stop.reason as Error), { once: true })
  })
  stopped.catch(() => {})
  let isGood = false
  try {
    stop.throwIfAborted()
    const working = deployment.deploy().then(work)
    isGood = await Promise.race([working, stopped])
  } catch (error) {
    say(`\nENDED      ${String(error)}`)
  }
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
