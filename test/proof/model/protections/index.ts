import { claims } from './claims.ts'
import { effects } from './effects.ts'
import { ends } from './ends.ts'
import { fences } from './fences.ts'
import type { Protection } from './protection.ts'

export type { Protection } from './protection.ts'

export const protections: readonly Protection[] = [...fences, ...claims, ...effects, ...ends]
