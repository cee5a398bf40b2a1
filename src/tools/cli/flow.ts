import { flag, id } from '../commands/kinds.ts'
import { forgetDead, resetFlow, undoDead } from '../operator/plan/lookUp.ts'
import { type Command, command } from './command.ts'
import { runPlan } from './runPlan.ts'
import { lookupOf } from './tokens.ts'

const RUN = { kind: id, word: 'FLOW/KEY', help: 'the flow and its key', page: true } as const
const REQUEST = {
  kind: id,
  word: 'UNIQUEREQUESTID',
  help: 'a dead request of it',
  page: true,
} as const

export const flow: readonly Command[] = [
  command({
    words: 'flow reset',
    summary: 'end the run that holds the key',
    about: [
      'As flow.reset(key) does: its messages still under way become stale, and write nothing.',
    ],
    arguments: { id: RUN },
    options: {
      undo: {
        kind: flag,
        help: 'undo the effects of the run, in stages with the option undo',
        page: true,
      },
    },
    examples: ['flow reset checkout/cart-5'],
    changes: 'plan',
    run: async ({ id: run, undo }, io) => runPlan(await resetFlow(lookupOf(io), run, undo), io),
  }),
  command({
    words: 'flow undo',
    summary: 'undo the effects of a dead request; it cannot be redriven then',
    about: ['In the stages with the option undo.'],
    arguments: { id: RUN, request: REQUEST },
    options: {},
    examples: ['flow undo checkout/cart-5 9f1c2b'],
    changes: 'plan',
    run: async ({ id: run, request }, io) =>
      runPlan(await undoDead(lookupOf(io), run, request), io),
  }),
  command({
    words: 'flow forget',
    summary: 'stop listing a dead request that will not be redriven',
    arguments: { id: RUN, request: REQUEST },
    options: {},
    examples: ['flow forget checkout/cart-5 9f1c2b'],
    changes: 'plan',
    run: async ({ id: run, request }, io) =>
      runPlan(await forgetDead(lookupOf(io), run, request), io),
  }),
]
