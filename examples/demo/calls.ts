import type { FaultName } from './faults.ts'
import { randomFrom } from './random.ts'

/** One call of the payment processor. */
export interface Call {
  readonly body: string
  readonly route: 'sns' | 'direct'
  /** Milliseconds after the start. */
  readonly at: number
}

const MS_BETWEEN_CALLBACKS = 4
/** The share of callbacks that are called twice, a few milliseconds apart. */
const TWICE = 0.25
const MS_BETWEEN_TWINS = 10
/** Out of order: a callback is late by at most so much. */
const MOST_LATE_MS = 400

/** When and how each body is called: by SNS or directly, and as the faults want it twice and out of order. */
export function planCalls(
  bodies: readonly string[],
  faults: readonly FaultName[],
  seed: number,
): readonly Call[] {
  const random = randomFrom(seed + 1)
  const calls = bodies.flatMap((body, index): Call[] => {
    const late = faults.includes('shuffle') ? random() * MOST_LATE_MS : 0
    const at = index * MS_BETWEEN_CALLBACKS + late
    const first: Call = { body, at, route: routeOf(random()) }
    if (!faults.includes('duplicate') || random() >= TWICE) return [first]
    return [first, { body, at: at + random() * MS_BETWEEN_TWINS, route: routeOf(random()) }]
  })
  return calls.toSorted((one, other) => one.at - other.at)
}

function routeOf(chance: number): Call['route'] {
  return chance < 0.5 ? 'sns' : 'direct'
}
