import { calls } from './measure/calls.ts'
import { cold } from './measure/cold.ts'
import { counts } from './measure/counts.ts'
import { cpu } from './measure/cpu.ts'
import { effects } from './measure/effects.ts'
import { flows } from './measure/flows.ts'
import { hotKey } from './measure/hotKey.ts'
import { hotRow } from './measure/hotRow.ts'
import { installed } from './measure/installed.ts'
import { latency } from './measure/latency.ts'
import { limits } from './measure/limits.ts'
import { memory } from './measure/memory.ts'
import { operate } from './measure/operate.ts'
import { payload } from './measure/payload.ts'
import { scale } from './measure/scale.ts'
import { seconds } from './measure/seconds.ts'
import { size } from './measure/size.ts'
import { slow } from './measure/slow.ts'
import { wall } from './measure/wall.ts'
import type { Part } from './measured.ts'

/** In the order of a run: what is counted comes first, since it takes seconds. */
export const PARTS: readonly Part[] = [
  counts,
  flows,
  seconds,
  hotRow,
  hotKey,
  limits,
  size,
  cpu,
  calls,
  effects,
  payload,
  wall,
  latency,
  slow,
  cold,
  installed,
  memory,
  scale,
  operate,
]
