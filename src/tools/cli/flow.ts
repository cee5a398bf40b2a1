import { forgetDead, resetFlow, undoDead } from '../operator/plan/lookUp.ts'
import { runPlan } from './runPlan.ts'
import type { CliCommand } from './command.ts'
import { positionals, readArgs } from './readArgs.ts'
import { lookupOf } from './tokens.ts'
import { UsageError } from './usageError.ts'

export const flow: CliCommand = {
  name: 'flow',
  summary: 'free the key of a flow; undo or close a dead request of it',
  usage: `lineclear flow reset FLOW/KEY [--undo]
lineclear flow undo FLOW/KEY UNIQUEREQUESTID
lineclear flow forget FLOW/KEY UNIQUEREQUESTID

  reset    end the run that holds the key, as flow.reset(key) does: its messages still under way become stale
           --undo: the effects of the run are undone, in the stages with the option undo
  undo     have the effects of a dead request undone, in the stages with the option undo; it cannot be redriven then
  forget   stop listing a dead request that will not be redriven

  Shows the plan; --apply PLAN makes the change.`,
  run: async ([verb, ...rest], io) => {
    const { values, positionals: given } = readArgs(rest, { undo: { type: 'boolean' } })
    switch (verb) {
      case 'reset': {
        const [id] = positionals(given, ['FLOW/KEY'])
        return runPlan(await resetFlow(lookupOf(io), id, values.undo === true), io)
      }
      case 'undo': {
        const [id, request] = positionals(given, ['FLOW/KEY', 'UNIQUEREQUESTID'])
        return runPlan(await undoDead(lookupOf(io), id, request), io)
      }
      case 'forget': {
        const [id, request] = positionals(given, ['FLOW/KEY', 'UNIQUEREQUESTID'])
        return runPlan(await forgetDead(lookupOf(io), id, request), io)
      }
      default:
        throw new UsageError(`flow: expected reset, undo or forget; got ${verb ?? 'nothing'}`)
    }
  },
}
