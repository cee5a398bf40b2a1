import type { Command, Section } from './command.ts'
import { completion } from './completion.ts'
import { console } from './console.ts'
import { decide } from './decide.ts'
import { dev } from './dev.ts'
import { discard } from './dlqDiscard.ts'
import { edit } from './dlqEdit.ts'
import { groups } from './dlqGroups.ts'
import { peek } from './dlqPeek.ts'
import { redrive } from './dlqRedrive.ts'
import { restore } from './dlqRestore.ts'
import { doctor } from './doctor.ts'
import { explain } from './explain.ts'
import { forgetId } from './forget.ts'
import { init } from './init.ts'
import { ls } from './ls.ts'
import { pause } from './pause.ts'
import { reconcile } from './reconcile.ts'
import { redriveOne } from './redriveOne.ts'
import { resume } from './resume.ts'
import { status } from './status.ts'
import { sweep } from './sweep.ts'

/** The table of commands, in the order of the help. Parser, help, completion, console and documents read it. */
export const SECTIONS: readonly Section[] = [
  {
    title: 'To look, changing nothing',
    commands: [status, ls, explain, reconcile, console, doctor],
  },
  { title: 'Requests, keys and flows', commands: [decide, forgetId, sweep] },
  {
    title: 'Dead letters',
    commands: [redriveOne, groups, peek, redrive, edit, discard, restore],
  },
  { title: 'Event source mappings', commands: [pause, resume] },
  { title: 'On your machine', commands: [init, dev, completion] },
]

export const COMMANDS: readonly Command[] = SECTIONS.flatMap(({ commands }) => commands)
