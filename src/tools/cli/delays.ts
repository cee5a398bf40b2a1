import { id } from '../commands/kinds.ts'
import { voidDelayed } from '../operator/plan/lookUp.ts'
import { type Command, command } from './command.ts'
import { runPlan } from './runPlan.ts'
import { lookupOf } from './tokens.ts'

export const delays: Command = command({
  words: 'delays void',
  summary: 'take back a delayed message before it is sent',
  arguments: {
    id: {
      kind: id,
      word: 'later/ID',
      help: 'a message of storedDelays(); lineclear ls --status later lists them',
      page: true,
    },
  },
  options: {},
  examples: ['delays void later/01JZ8Q3V'],
  changes: 'plan',
  run: async ({ id: of }, io) => runPlan(await voidDelayed(lookupOf(io), of), io),
})
