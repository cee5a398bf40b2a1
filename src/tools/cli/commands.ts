import { audit } from './audit.ts'
import { awaits } from './awaits.ts'
import { completionOf } from './completion.ts'
import type { CliCommand } from './command.ts'
import { console } from './console.ts'
import { dev } from './dev.ts'
import { delays } from './delays.ts'
import { dlq } from './dlq.ts'
import { doctor } from './doctor.ts'
import { explain } from './explain.ts'
import { flow } from './flow.ts'
import { init } from './init.ts'
import { ls } from './ls.ts'
import { pause } from './pause.ts'
import { reconcile } from './reconcile.ts'
import { resume } from './resume.ts'
import { show } from './show.ts'
import { status } from './status.ts'
import { stats } from './stats.ts'
import { sweep } from './sweep.ts'
import { tokens } from './tokens.ts'

/** In the order of the help. */
export const COMMANDS: readonly CliCommand[] = [
  status,
  ls,
  show,
  explain,
  tokens,
  awaits,
  flow,
  delays,
  dlq,
  pause,
  resume,
  audit,
  sweep,
  stats,
  reconcile,
  doctor,
  init,
  console,
  dev,
  completionOf(() => COMMANDS),
]
