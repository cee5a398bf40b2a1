import type { Incident } from './incident.ts'
import { ATTEMPTS } from './worlds/attempts.ts'
import { DEPLOYED } from './worlds/deployed.ts'
import { LETTERS } from './worlds/letters.ts'

/** In turn, so that a number says nothing about the cause. */
export const INCIDENTS: readonly Incident[] = LETTERS.flatMap((letter, nth) =>
  [ATTEMPTS[nth], letter, DEPLOYED[nth]].filter((incident) => incident !== undefined),
)
